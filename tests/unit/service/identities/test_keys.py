"""Keys of issuers: public, asymmetric, strong, each under an id of its own."""

import json

import pytest

from skillsvc.service.identities.keys import ALGORITHMS, MAX_BYTES, KeysRefused, parse_keys
from tests.unit.service.identities.making import ec_key, ed_key, jwks, p384_key, rsa_key

ALL = frozenset(ALGORITHMS)
EC = ec_key("ec")
OTHER = ec_key("other")
RSA = rsa_key("rsa")
OCT = {"kty": "oct", "k": "c2VjcmV0", "kid": "oct", "alg": "HS256"}


def test_keys_are_known_by_their_ids_with_the_algorithms_they_are_for() -> None:
    p384, ed = p384_key("p384"), ed_key("ed")
    without = {name: value for name, value in RSA.jwk().items() if name not in {"alg", "use"}}
    keys = parse_keys(jwks(EC.jwk(), p384.jwk(), ed.jwk(key_ops=["verify"]), without), ALL)
    assert {kid: set(key.algorithms) for kid, key in keys.keys.items()} == {
        "ec": {"ES256"},
        "p384": {"ES384"},
        "ed": {"EdDSA"},
        "rsa": {"RS256", "PS256"},
    }
    assert keys.left_out == ()
    assert keys.keys["ec"].verifies("ES256", b"signed", EC.sign(b"signed"))
    assert not keys.keys["ec"].verifies("ES256", b"other", EC.sign(b"signed"))
    assert not keys.keys["ec"].verifies("RS256", b"signed", EC.sign(b"signed"))


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (OCT, "not public"),
        ({"kty": "oct", "kid": "x", "alg": "HS256"}, "no algorithm"),
        (RSA.private_jwk(), "not public"),
        (EC.private_jwk(), "not public"),
        (OTHER.jwk(use="enc"), "use"),
        (OTHER.jwk(key_ops=["sign"]), "key_ops"),
        (OTHER.jwk(key_ops="verify"), "key_ops"),
        (OTHER.jwk(kid=None), "kid"),
        (OTHER.jwk(kid=""), "kid"),
        (OTHER.jwk(kid=1), "kid"),
        (OTHER.jwk(kid="k" * 257), "kid"),
        (OTHER.jwk(alg="none"), "no algorithm"),
        (OTHER.jwk(alg="HS256"), "no algorithm"),
        (OTHER.jwk(alg="RS256"), "no algorithm"),
        (OTHER.jwk(alg="ES384"), "no algorithm"),
        (OTHER.jwk(crv="P-384"), "no algorithm"),
        (OTHER.jwk(crv="P-384", alg="ES384"), "no key"),
        (OTHER.jwk(crv="secp256k1"), "no algorithm"),
        (OTHER.jwk(kty="RSA", alg="RS256"), "no key"),
        (OTHER.jwk(x="AAAA"), "no key"),
        (OTHER.jwk(x="A" * 43, y="A" * 43), "no key"),
        (OTHER.jwk(x=1), "no texts"),
        (OTHER.jwk(x="é"), "no texts"),
        (OTHER.jwk(x=None), "no texts"),
        (rsa_key("x", bits=1024).jwk(), "1024 bits"),
        (rsa_key("x").jwk(e="AQ"), "no key"),
        (rsa_key("x").jwk(n="AA"), "no key"),
        (rsa_key("x").jwk(n="/" * 2048), "bits"),
        (rsa_key("x").jwk(e="_" * 42 + "8"), "exponent"),
        ({}, "kid"),
    ],
    ids=range(30),
)
def test_a_key_that_is_of_no_use_is_left_out_and_the_others_stay(entry: dict[str, object], why: str) -> None:
    keys = parse_keys(jwks(entry, EC.jwk()), ALL)
    assert set(keys.keys) == {"ec"}
    (told,) = keys.left_out
    assert told.startswith("key 1 is left out: ")
    assert why in told
    with pytest.raises(KeysRefused):
        parse_keys(jwks(entry), ALL)


def test_keys_for_algorithms_that_the_issuer_may_not_use_are_left_out() -> None:
    keys = parse_keys(jwks(EC.jwk(), RSA.jwk()), frozenset({"RS256"}))
    assert set(keys.keys) == {"rsa"}
    assert set(parse_keys(jwks(RSA.jwk(alg="RS256")), ALL).keys["rsa"].algorithms) == {"RS256"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "JSON"),
        (b"<html>", "JSON"),
        (b"[]", "object"),
        (b"{}", "`keys`"),
        (b'{"keys": {}}', "`keys`"),
        (b'{"keys": [1]}', "`keys`"),
        (b'{"keys": [], "keys": []}', "JSON"),
        (b'{"keys": []}', "no key of use"),
        (jwks(OCT), "no key of use"),
        (jwks(EC.jwk(), EC.jwk()), "kid of another"),
        (jwks(EC.jwk(), RSA.jwk(kid="ec")), "kid of another"),
        (jwks(*[EC.jwk(kid=str(number)) for number in range(101)]), "101 keys"),
        (json.dumps({"keys": [EC.jwk()], "more": "x" * MAX_BYTES}).encode(), "bytes"),
        (b"[" * 100_000, "JSON"),
    ],
    ids=range(14),
)
def test_a_set_that_is_ambiguous_too_large_or_of_no_use_is_refused_as_a_whole(data: bytes, why: str) -> None:
    with pytest.raises(KeysRefused) as caught:
        parse_keys(data, ALL)
    assert why in str(caught.value)


def test_no_algorithm_is_symmetric() -> None:
    assert not any(name.startswith("HS") or name.lower() == "none" for name in ALGORITHMS)
    assert not parse_keys(jwks(EC.jwk()), ALL).keys["ec"].verifies("none", b"", b"")


def test_nothing_shown_of_a_key_is_long_or_secret() -> None:
    assert "public=" not in repr(parse_keys(jwks(EC.jwk()), ALL).keys["ec"])

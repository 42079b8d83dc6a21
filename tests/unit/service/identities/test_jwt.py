"""JSON Web Tokens: what is good, and every known way to make one that only looks good."""

import hmac
import json
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta

import pytest

from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.service.identities.credentials import CredentialRefused
from skillsvc.service.identities.jwt import KeyUnknown, Trusted, flatten, read_token, verify
from skillsvc.service.identities.keys import ALGORITHMS, KeySet, parse_keys
from tests.unit.service.identities.making import (
    AUDIENCE,
    ISSUER,
    NOW,
    SigningKey,
    base64url,
    claims,
    ec_key,
    ed_key,
    jwks,
    p384_key,
    rsa_key,
)

ALL = frozenset(ALGORITHMS)
RSA = rsa_key("rsa")
PSS = SigningKey(RSA.private, "PS256", "pss")
EC = ec_key("ec")
P384 = p384_key("p384")
ED = ed_key("ed")
KEYS = parse_keys(jwks(RSA.jwk(alg="RS256"), PSS.jwk(), EC.jwk(), P384.jwk(), ED.jwk()), ALL)
TRUSTED = Trusted(label="corp", issuer=ISSUER, audiences=frozenset({AUDIENCE, "other"}), algorithms=ALL)
AT = int(NOW.timestamp())


def identity_of(token: str, *, trusted: Trusted = TRUSTED, keys: KeySet = KEYS, now: datetime = NOW) -> Identity:
    return verify(read_token(token), trusted, keys, now)


def refused(token: str, *, trusted: Trusted = TRUSTED, keys: KeySet = KEYS) -> str:
    with pytest.raises(CredentialRefused) as caught:
        identity_of(token, trusted=trusted, keys=keys)
    return caught.value.why


@pytest.mark.parametrize("key", [RSA, PSS, EC, P384, ED], ids=lambda key: key.algorithm)
def test_a_token_that_its_issuer_signed_for_us_and_for_now_is_believed(key: SigningKey) -> None:
    identity = identity_of(key.token())
    assert (identity.kind, identity.name, identity.issuer) == (IdentityKind.OIDC, "alice", "corp")
    assert identity.claims["aud"] == AUDIENCE
    assert identity.expires_at == datetime.fromtimestamp(AT + 300 + 60, UTC)


@pytest.mark.parametrize("typ", [None, "JWT", "jwt", "at+jwt", "application/at+jwt", ""])
def test_types_of_tokens_for_access_are_taken(typ: str | None) -> None:
    assert identity_of(EC.token(typ=typ)).name == "alice"


@pytest.mark.parametrize("aud", [AUDIENCE, "other", [AUDIENCE], ["x", "other"]])
def test_one_of_its_audiences_is_ours(aud: object) -> None:
    assert identity_of(EC.token(claims(aud=aud))).name == "alice"


def nested(depth: int) -> dict[str, object]:
    """A claim within so many others, all of one name."""
    held: object = "x"
    for _ in range(depth + 1):
        held = {"a": held}
    assert isinstance(held, dict)
    return held


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (claims(aud="x"), "audience"),
        (claims(aud=[]), "audience"),
        (claims(aud=["x"]), "audience"),
        (claims(aud=None), "audience"),
        (claims(aud={AUDIENCE: 1}), "audience"),
        (claims(aud=[AUDIENCE, 1]), "audience"),
        (claims(aud=[AUDIENCE] * 65), "audience"),
        (claims(aud=AUDIENCE.upper()), "audience"),
        (claims(exp=AT - 60), "ended"),
        (claims(exp=None), "never"),
        (claims(exp=str(AT + 300)), "moment"),
        (claims(exp=True), "moment"),
        (claims(exp=-1), "moment"),
        (claims(exp=10**12), "moment"),
        (claims(exp=253_402_300_799), "moment"),
        (claims(exp=[AT + 300]), "moment"),
        (claims(nbf=AT + 61), "begun"),
        (claims(nbf="x"), "moment"),
        (claims(iat=AT + 61), "future"),
        (claims(sub=None), "nobody"),
        (claims(sub=""), "nobody"),
        (claims(sub=1), "nobody"),
        (claims(sub=["alice"]), "nobody"),
        (claims(sub="a" * 256), "too long"),
        (claims(org=nested(17)), "within more than 16"),
        (claims(iss=None), "no issuer"),
        (claims(iss=[ISSUER]), "no issuer"),
    ],
)
def test_a_token_that_is_not_for_us_or_not_for_now_is_refused(body: dict[str, object], why: str) -> None:
    assert why in refused(EC.token(body))


@pytest.mark.parametrize("leeway", [0.0, 60.0, 300.0])
def test_clocks_may_be_apart_as_far_as_is_said_and_no_further(leeway: float) -> None:
    trusted = Trusted(label="c", issuer=ISSUER, audiences=TRUSTED.audiences, algorithms=ALL, leeway_s=leeway)
    token = EC.token()
    end = datetime.fromtimestamp(AT + 300, UTC) + timedelta(seconds=leeway)
    begin = NOW - timedelta(seconds=leeway)
    assert identity_of(token, trusted=trusted, now=end - timedelta(seconds=1)).expires_at == end
    assert identity_of(token, trusted=trusted, now=begin).name == "alice"
    for now in (end, begin - timedelta(seconds=1)):
        with pytest.raises(CredentialRefused):
            identity_of(token, trusted=trusted, now=now)


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "", "HS256", "RS512", "ES512", "ES256K", "es256", "dir"])
def test_an_algorithm_that_is_not_for_the_issuer_is_refused_whatever_the_signature(algorithm: str) -> None:
    assert "algorithm" in refused(EC.token(alg=algorithm))


def test_a_token_without_a_signature_is_refused() -> None:
    signed, _, _ = EC.token(alg="none").rpartition(".")
    for token in (f"{signed}.", signed, EC.token().rpartition(".")[0] + "."):
        with pytest.raises(CredentialRefused):
            identity_of(token)


@pytest.mark.parametrize("kid", ["rsa", "ec"])
def test_a_public_key_is_no_secret_to_sign_with(kid: str) -> None:
    key = {"rsa": RSA, "ec": EC}[kid]
    for secret in (key.pem(), key.pem().strip(), json.dumps(key.jwk()).encode()):
        signed = (
            f"{base64url(json.dumps({'alg': 'HS256', 'kid': kid}).encode())}.{base64url(json.dumps(claims()).encode())}"
        )
        forged = f"{signed}.{base64url(hmac.digest(secret, signed.encode(), 'sha256'))}"
        assert "algorithm" in refused(forged)


def test_a_key_is_used_with_its_own_algorithms_alone() -> None:
    assert "not signed" in refused(SigningKey(RSA.private, "PS256", "rsa").token())
    assert "not signed" in refused(SigningKey(RSA.private, "RS256", "pss").token())
    assert "not signed" in refused(EC.token(kid="rsa"))
    assert "not signed" in refused(ED.token(kid="ec", alg="ES256"))
    assert "not signed" in refused(P384.token(kid="ec"))


def test_an_issuer_is_held_to_the_algorithms_it_may_use() -> None:
    trusted = Trusted(label="c", issuer=ISSUER, audiences=TRUSTED.audiences, algorithms=frozenset({"ES256"}))
    assert identity_of(EC.token(), trusted=trusted).name == "alice"
    assert "algorithm" in refused(RSA.token(), trusted=trusted)


def test_a_key_of_the_same_id_that_is_another_signs_nothing() -> None:
    assert "not signed" in refused(ec_key("ec").token())
    assert "not signed" in refused(rsa_key("rsa").token())


@pytest.mark.parametrize(
    "header",
    [
        {"crit": ["exp"]},
        {"crit": []},
        {"b64": False},
        {"zip": "DEF"},
        {"enc": "A256GCM"},
        {"cty": "JWT"},
        {"typ": "logout+jwt"},
        {"typ": "dpop+jwt"},
        {"typ": 1},
        {"alg": None},
        {"alg": ["ES256"]},
        {"alg": 1},
        {"kid": None},
        {"kid": ""},
        {"kid": 1},
        {"kid": ["ec"]},
        {"kid": "k" * 257},
    ],
)
def test_a_header_that_changes_what_a_token_means_is_refused(header: dict[str, object]) -> None:
    assert refused(EC.token(None, **header))


@pytest.mark.parametrize("kid", ["../../dev/null", "/etc/passwd", "' OR 1=1", "ec\0", "EC", "k" * 256, "é"])
def test_an_id_of_a_key_is_looked_up_and_nothing_else(kid: str) -> None:
    with pytest.raises(KeyUnknown):
        identity_of(EC.token(kid=kid))


def test_keys_that_a_token_brings_or_points_to_are_not_used() -> None:
    own = ec_key("own")
    for header in ({"jwk": own.jwk()}, {"jku": "https://evil.example.org/k"}, {"x5u": "https://evil.example.org/k"}):
        with pytest.raises(KeyUnknown):
            identity_of(own.token(**header))
        assert "not signed" in refused(own.token(kid="ec", **header))


@pytest.mark.parametrize("name", ["alg", "kid"])
def test_a_header_that_says_one_thing_twice_is_refused(name: str) -> None:
    head = json.dumps({"alg": "ES256", "kid": "ec"})[:-1] + f', "{name}": "{name}"}}'
    assert "strict" in refused(EC.token_of(head.encode()))


@pytest.mark.parametrize("name", ["iss", "aud", "sub", "exp", "groups"])
def test_claims_that_say_one_thing_twice_are_refused(name: str) -> None:
    body = json.dumps(claims(groups=["a"]))[:-1] + f', "{name}": "x"}}'
    assert "strict" in refused(EC.token(body.encode()))


@pytest.mark.parametrize("within", ['{"a": %s}', '[{"a": %s}]', '{"a": [[%s]]}'])
@pytest.mark.parametrize("depth", [1, 5, 40])
def test_claims_that_say_one_thing_twice_at_any_depth_are_refused(depth: int, within: str) -> None:
    twice = '{"b": 1, "b": 2}'
    for _ in range(depth):
        twice = within % twice
    assert "strict" in refused(EC.token((json.dumps(claims())[:-1] + f', "c": {twice}}}').encode()))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"x"',
        b"{",
        b"\xff{}",
        b"\xef\xbb\xbf{}",
        b'{"exp": NaN}',
        b'{"exp": Infinity}',
        b'{"sub": "\\ud800"}',
        b'{"\\udfff": 1}',
        b"[" * 5000,
        b'{"a":' * 2000 + b"1" + b"}" * 2000,
        b'{"exp": ' + b"9" * 5000 + b"}",
        b"{} {}",
    ],
    ids=range(15),
)
def test_claims_that_are_no_strict_json_are_refused(body: bytes) -> None:
    for token in (EC.token(body), EC.token_of(body)):
        with pytest.raises(CredentialRefused):
            identity_of(token)


def test_a_token_has_one_spelling() -> None:
    head, body, signature = EC.token().split(".")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    # 64 bytes are 86 characters, of which the last holds 4 bits that mean nothing.
    assert len(signature) == 86
    other = signature[:-1] + alphabet[alphabet.index(signature[-1]) ^ 1]
    assert "spelling" in refused(f"{head}.{body}.{other}")
    for token in (
        f"{head}.{body}.{signature}==",
        f"{head}=.{body}.{signature}",
        f"{head}.{body}.{signature}\n",
        f" {head}.{body}.{signature}",
        f"{head}.{body}.{signature[:-2]}!!",
        f"{head}.{body}.{signature}A",
        f"{head}.{body}.{signature.replace('-', '+').replace('_', '/')}+",
        f"{head}..{signature}",
        f".{body}.{signature}",
    ):
        with pytest.raises(CredentialRefused):
            identity_of(token)


@pytest.mark.parametrize("parts", [1, 2, 4, 5, 6])
def test_what_has_not_three_parts_is_none(parts: int) -> None:
    assert "three parts" in refused(".".join(["YQ"] * parts))


def test_a_nested_or_encrypted_token_is_refused() -> None:
    head = urlsafe_b64encode(json.dumps({"alg": "dir", "enc": "A256GCM"}).encode()).decode().rstrip("=")
    assert refused(f"{head}..aaaa.bbbb.cccc")
    assert refused(EC.token(EC.token().encode(), cty="JWT"))


def test_a_token_that_was_changed_is_refused() -> None:
    head, body, signature = EC.token().split(".")
    changed = base64url(json.dumps(claims(sub="root")).encode())
    assert "not signed" in refused(f"{head}.{changed}.{signature}")
    other = EC.token(claims(sub="root")).split(".")
    assert "not signed" in refused(f"{head}.{body}.{other[2]}")


def test_signatures_of_any_length_and_zeroes_are_refused() -> None:
    signed = EC.token().rpartition(".")[0]
    for signature in (b"\0", b"\0" * 64, b"\0" * 63, b"\xff" * 64, b"\x30\x06\x02\x01\x01\x02\x01\x01", b"a" * 4000):
        assert "not signed" in refused(f"{signed}.{base64url(signature)}")
    for key in (RSA, PSS, ED, P384):
        assert "not signed" in refused(f"{key.token().rpartition('.')[0]}.{base64url(b'x')}")


def test_claims_become_texts() -> None:
    found = flatten(
        {
            "org": "acme",
            "level": 3,
            "admin": True,
            "half": 0.5,
            "none": None,
            "groups": ["a", "b"],
            "mixed": ["a", 1],
            "no_groups": [],
            "realm": {"roles": ["r"], "deep": {"er": {"and": {"deeper": "x"}}}},
            "https://example.org/team": "blue",
        }
    )
    assert found == {
        "org": "acme",
        "level": "3",
        "admin": "true",
        "groups": ("a", "b"),
        "no_groups": (),
        "realm.roles": ("r",),
        "realm.deep.er.and.deeper": "x",
        "https://example.org/team": "blue",
    }


@pytest.mark.parametrize("depth", [2, 4, 5, 16])
def test_a_claim_does_not_pass_for_one_within_many_others(depth: int) -> None:
    name = ".".join("a" * (depth + 1))
    assert identity_of(EC.token(claims(a=nested(depth)["a"]))).claims[name] == "x"
    assert name not in identity_of(EC.token(claims(**{"a": nested(depth)["a"], name: "admin"}))).claims


def test_a_claim_does_not_pass_for_one_within_another() -> None:
    for both in ({"a.b": "x", "a": {"b": "y"}}, {"a": {"b": "y"}, "a.b": "x"}, {"a": {"b": {"c": "1"}, "b.c": "2"}}):
        assert not flatten(both)


@pytest.mark.parametrize("held", [1.5, None, ["x", 1], {}, [{}]])
def test_a_claim_does_not_pass_for_one_within_another_that_is_left_out(held: object) -> None:
    assert not flatten({"a": {"b": held}, "a.b": "admin"})
    assert not flatten({"a.b": "admin", "a": {"b": held}})


@pytest.mark.parametrize("leeway", [0.0, 300.0])
def test_the_latest_end_has_room_for_any_leeway(leeway: float) -> None:
    trusted = Trusted(label="c", issuer=ISSUER, audiences=TRUSTED.audiences, algorithms=ALL, leeway_s=leeway)
    until = identity_of(EC.token(claims(exp=253_402_300_799 - 86_400)), trusted=trusted).expires_at
    assert until == datetime(9999, 12, 30, 23, 59, 59, tzinfo=UTC) + timedelta(seconds=leeway)

"""The keys of an issuer, read from a JWK set: public ones, for asymmetric algorithms, strong enough, by their ids."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import Algorithm, get_default_algorithms
from jwt.exceptions import PyJWTError

from skillsvc.service.identities.strict_json import JsonRefused, read_object

ALGORITHMS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "RS256": {"kty": "RSA"},
        "PS256": {"kty": "RSA"},
        "ES256": {"kty": "EC", "crv": "P-256"},
        "ES384": {"kty": "EC", "crv": "P-384"},
        "EdDSA": {"kty": "OKP", "crv": "Ed25519"},
    }
)
"""What a key for each algorithm says of itself. None is symmetric: with such a one whoever verifies could sign."""
MAX_BYTES: Final = 256 * 1024
MAX_KEYS: Final = 100
MAX_ID_BYTES: Final = 256
_RSA_BITS: Final = range(2048, 8192 + 1)
_RSA_EXPONENT_BITS: Final = 33
_PARAMETERS: Final = ("n", "e", "x", "y")
_PRIVATE: Final = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})


class KeysRefused(Exception):
    """A text is no set of keys that could be used. The message quotes nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A public key, and the algorithms that it may be used with."""

    public: Any = field(repr=False)
    """Of the type that its algorithms take."""
    algorithms: Mapping[str, Algorithm]

    def verifies(self, algorithm: str, signed: bytes, signature: bytes) -> bool:
        """Tell whether a signature is of this key by an algorithm, of those that the key is for."""
        found = self.algorithms.get(algorithm)
        return found is not None and found.verify(signed, self.public, signature)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySet:
    """The keys of an issuer by their ids, and why others of the set were left out."""

    keys: Mapping[str, Key] = field(default_factory=lambda: MappingProxyType({}))
    left_out: tuple[str, ...] = ()

    def entries(self) -> frozenset[tuple[str, bytes]]:
        """Return the id and the bytes of each key."""
        return frozenset(
            (kid, key.public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
            for kid, key in self.keys.items()
        )


def parse_keys(data: bytes, algorithms: frozenset[str]) -> KeySet:
    """Read a JWK set (RFC 7517), of which keys for these algorithms are taken.

    What is not of use (keys to encrypt with, of other kinds, too weak, or not public) is left out, as issuers publish
    such for others. What makes the set as a whole ambiguous refuses it.

    Raises:
        KeysRefused: It is no set, is too large, has one id twice, or none of its keys is of use.
    """
    if len(data) > MAX_BYTES:
        raise KeysRefused(f"it has more than {MAX_BYTES} bytes")
    try:
        entries = read_object(data).get("keys")
    except JsonRefused as error:
        raise KeysRefused(str(error)) from error
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise KeysRefused("`keys` is no list of keys")
    if len(entries) > MAX_KEYS:
        raise KeysRefused(f"it has {len(entries)} keys; at most {MAX_KEYS} are possible")
    implemented = get_default_algorithms()
    keys: dict[str, Key] = {}
    left_out: list[str] = []
    for number, entry in enumerate(entries, start=1):
        try:
            usable = _algorithms_of(entry, algorithms)
            public = _public_key(entry, implemented[usable[0]])
        except _LeftOut as error:
            left_out.append(f"key {number} is left out: {error}")
            continue
        if entry["kid"] in keys:
            raise KeysRefused(f"key {number} has the kid of another")
        keys[entry["kid"]] = Key(public=public, algorithms={name: implemented[name] for name in usable})
    if not keys:
        raise KeysRefused("; ".join(["it has no key of use", *left_out[:3]]))
    return KeySet(keys=MappingProxyType(keys), left_out=tuple(left_out))


class _LeftOut(Exception):
    """A key is not of use, for one reason."""


def _algorithms_of(entry: Mapping[str, object], algorithms: frozenset[str]) -> list[str]:
    """Return the algorithms that a key is for, sorted; at least one."""
    kid = entry.get("kid")
    if not isinstance(kid, str) or not 0 < len(kid.encode()) <= MAX_ID_BYTES:
        raise _LeftOut(f"its kid is missing, or longer than {MAX_ID_BYTES} bytes")
    if not _PRIVATE.isdisjoint(entry):
        raise _LeftOut("it is not public")
    if entry.get("use", "sig") != "sig":
        raise _LeftOut("its use is another than sig")
    operations = entry.get("key_ops", ["verify"])
    if not isinstance(operations, list) or "verify" not in operations:
        raise _LeftOut("its key_ops are without verify")
    usable = sorted(
        name
        for name in algorithms & ALGORITHMS.keys()
        if entry.get("alg", name) == name and ALGORITHMS[name].items() <= entry.items()
    )
    if not usable:
        raise _LeftOut("it is for no algorithm of this issuer")
    return usable


def _public_key(entry: dict[str, Any], algorithm: Algorithm) -> object:
    parameters: dict[str, Any] = {name: entry[name] for name in _PARAMETERS if name in entry}
    if not all(isinstance(value, str) and value.isascii() for value in parameters.values()):
        raise _LeftOut("its numbers are no texts")
    try:
        public = algorithm.from_jwk({"kty": entry["kty"], "crv": entry.get("crv"), **parameters})
    except (PyJWTError, ValueError, KeyError, TypeError, UnsupportedAlgorithm) as error:
        raise _LeftOut("its numbers are no key") from error
    if isinstance(public, RSAPublicKey):
        if public.key_size not in _RSA_BITS:
            raise _LeftOut(f"it has {public.key_size} bits; {_RSA_BITS[0]} to {_RSA_BITS[-1]} are possible")
        if public.public_numbers().e.bit_length() > _RSA_EXPONENT_BITS:
            # Each verification would take as long as its bits are many.
            raise _LeftOut("its exponent is too large")
    return public

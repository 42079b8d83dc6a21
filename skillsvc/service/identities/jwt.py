"""JSON Web Tokens: read by us alone, each in the one spelling it has, and believed where an issuer's key signed it.

The library does the cryptography and sees neither header nor claims: what a token says of how to verify it decides
nothing but which of the issuer's keys is tried, of those for the algorithms that the operator allows.
"""

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Final

from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.service.identities.credentials import CredentialRefused
from skillsvc.service.identities.keys import MAX_ID_BYTES, KeySet
from skillsvc.service.identities.strict_json import JsonRefused, read_object

_PART: Final = re.compile(r"[A-Za-z0-9_-]+")
_TYPES: Final = frozenset({"jwt", "at+jwt"})
"""A token of another type is for something else: a logout, a proof of possession."""
_UNDERSTOOD_AS_WRONG: Final = ("crit", "b64", "zip", "enc", "cty")
"""Headers that change what a token means, or say that it holds another; `jku`, `jwk` and `x5u` are never followed."""
_LATEST: Final = 253_402_300_799 - 86_400
"""Seconds of the last moment that can be told, less a day: with leeway it is still one."""
_AUDIENCES: Final = 64
_CLAIM_DEPTH: Final = 16
"""How deep claims are within others: all are named, since what was passed over could be passed off as another."""
_LONGEST_SUBJECT: Final = 255
"""Characters of a `sub` (OpenID Connect Core 1.0, section 2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trusted:
    """What is demanded of the tokens of one issuer. `label` is what the configuration calls it, `issuer` its `iss`."""

    label: str
    issuer: str
    audiences: frozenset[str]
    algorithms: frozenset[str]
    leeway_s: float = 60.0
    """How far clocks may be apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What a token says, of which nothing is believed yet."""

    algorithm: str
    key_id: str
    issuer: str
    claims: Mapping[str, object] = field(repr=False)
    signed: bytes = field(repr=False)
    signature: bytes = field(repr=False)


class KeyUnknown(CredentialRefused):
    """A token names a key that the issuer does not have, as far as is known."""

    is_looked_for = False
    """Whether it may be known after a look that is under way."""


def read_token(text: str) -> Token:
    """Read a token of bounded size.

    Raises:
        CredentialRefused: It is no signed JWT, or one that could be read in two ways.
    """
    parts = text.split(".")
    if len(parts) != 3:
        raise CredentialRefused("it is no JWT of three parts")
    header_part, claims_part, signature_part = parts
    try:
        header, claims = read_object(_decoded(header_part)), read_object(_decoded(claims_part))
    except JsonRefused as error:
        raise CredentialRefused("the header or the claims of the JWT are no strict JSON") from error
    if any(name in header for name in _UNDERSTOOD_AS_WRONG):
        raise CredentialRefused("the JWT has a header that is not supported")
    kind, algorithm, key_id = (header.get(name, "") for name in ("typ", "alg", "kid"))
    if not isinstance(kind, str) or (kind and kind.lower().removeprefix("application/") not in _TYPES):
        raise CredentialRefused("the JWT is of another type")
    if not isinstance(algorithm, str) or not isinstance(key_id, str):
        raise CredentialRefused("alg or kid of the JWT is no text")
    if not 0 < len(key_id.encode()) <= MAX_ID_BYTES:
        raise CredentialRefused("the JWT names no key, or one by too long an id")
    issuer = claims.get("iss")
    if not isinstance(issuer, str):
        raise CredentialRefused("the JWT names no issuer")
    if _is_deeper(claims, _CLAIM_DEPTH):
        raise CredentialRefused(f"the JWT has claims that are within more than {_CLAIM_DEPTH} others")
    return Token(
        algorithm=algorithm,
        key_id=key_id,
        issuer=issuer,
        claims=claims,
        signed=f"{header_part}.{claims_part}".encode(),
        signature=_decoded(signature_part),
    )


def verify(token: Token, trusted: Trusted, keys: KeySet, now: datetime) -> Identity:
    """Return who a token is of, whose `iss` is that of the issuer.

    Raises:
        KeyUnknown: None of the keys has the id that it names.
        CredentialRefused: It is not signed by the issuer, not for us, not for now, or of nobody.
    """
    if token.algorithm not in trusted.algorithms:
        raise CredentialRefused("the JWT is of an algorithm that its issuer may not use")
    key = keys.keys.get(token.key_id)
    if key is None:
        raise KeyUnknown("the JWT is of a key that is not known")
    if not key.verifies(token.algorithm, token.signed, token.signature):
        raise CredentialRefused("the JWT is not signed by the key it names")
    # From here on the issuer says it.
    claims = token.claims
    if trusted.audiences.isdisjoint(_audiences(claims.get("aud"))):
        raise CredentialRefused("the JWT is for another audience")
    leeway = trusted.leeway_s
    at = now.timestamp()
    ends = _moment(claims, "exp")
    if ends is None:
        raise CredentialRefused("the JWT never ends: it has no `exp`")
    if at >= ends + leeway:
        raise CredentialRefused(f"the JWT ended at {_told(ends)}")
    begins, made = _moment(claims, "nbf"), _moment(claims, "iat")
    if begins is not None and at < begins - leeway:
        raise CredentialRefused(f"the JWT has not begun: it counts from {_told(begins)}")
    if made is not None and at < made - leeway:
        raise CredentialRefused(f"the JWT comes from the future: it is of {_told(made)}")
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT:
        raise CredentialRefused("the JWT is of nobody, or of a name that is too long")
    until = datetime.fromtimestamp(ends, UTC) + timedelta(seconds=leeway)
    return Identity(
        kind=IdentityKind.OIDC, name=subject, issuer=trusted.label, claims=flatten(claims), expires_at=until
    )


def flatten(claims: Mapping[str, object]) -> Mapping[str, str | tuple[str, ...]]:
    """Return claims as texts: numbers and truths as JSON writes them, lists of texts, and what is within others.

    What is within another claim is named with a dot between. Where a claim of that very name stands beside it, both
    are left out, so that none passes for the other, whatever they hold; what is no text, and lists of anything else,
    are left out, too.
    """
    found: dict[str, str | tuple[str, ...] | None] = {}
    twice: set[str] = set()
    for name, text in _named("", claims):
        if name in found:
            twice.add(name)
        found[name] = text
    return MappingProxyType({name: text for name, text in found.items() if text is not None and name not in twice})


def _is_deeper(claims: Mapping[str, object], depth: int) -> bool:
    within = [value for value in claims.values() if isinstance(value, dict)]
    return bool(within) and (depth == 0 or any(_is_deeper(value, depth - 1) for value in within))


def _named(before: str, claims: Mapping[str, object]) -> Iterator[tuple[str, str | tuple[str, ...] | None]]:
    """Yield each claim by its whole name, and None for what is no text: else another of that name passed for it."""
    for key, value in claims.items():
        name = f"{before}{key}"
        match value:
            case bool():
                yield name, str(value).lower()
            case str() | int():
                yield name, str(value)
            case list() if all(isinstance(each, str) for each in value):
                yield name, tuple(value)
            case _:
                yield name, None
        if isinstance(value, dict):
            yield from _named(f"{name}.", value)


def _decoded(part: str) -> bytes:
    """Return the bytes of a part, of which every other spelling is refused: else one token had many digests."""
    if not _PART.fullmatch(part):
        raise CredentialRefused("a part of the JWT is not base64url")
    try:
        data = urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except binascii.Error as error:
        raise CredentialRefused("a part of the JWT is not base64url") from error
    if urlsafe_b64encode(data).rstrip(b"=") != part.encode():
        raise CredentialRefused("a part of the JWT is not in its one spelling")
    return data


def _audiences(value: object) -> frozenset[str]:
    match value:
        case str():
            return frozenset({value})
        case list() if len(value) <= _AUDIENCES and all(isinstance(each, str) for each in value):
            return frozenset(value)
        case _:
            raise CredentialRefused("the JWT is for no audience")


def _told(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _moment(claims: Mapping[str, object], name: str) -> float | None:
    value = claims.get(name)
    if value is None and name not in claims:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _LATEST:
        raise CredentialRefused(f"{name} of the JWT is no moment")
    return float(value)

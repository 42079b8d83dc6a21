"""How a server asks who asks: the header `WWW-Authenticate` (RFC 9110, 11.6.1), and the tokens of registries."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

TOKEN_BYTES: Final = 64 * 1024
"""Most bytes of an answer that holds a token."""

_HEADER_BYTES: Final = 8 * 1024
_TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105 (a grammar)
_SCHEME: Final = re.compile(rf"[ \t,]*({_TOKEN})(?:[ \t]+(?=\S)|(?=[ \t]*(?:,|\Z)))")
_PARAMETER: Final = re.compile(
    rf'[ \t,]*({_TOKEN})[ \t]*=[ \t]*(?:({_TOKEN})|"((?:[^"\\]|\\.)*)")[ \t]*(?=,|\Z)', re.DOTALL
)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_UNSAID_S: Final = 60
"""How long a token holds of which nothing is said, by the registries' own rule."""
_LONGEST_S: Final = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """One way in which a server lets somebody in; `scheme` and the names of parameters in lower case."""

    scheme: str
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedToken:
    """A token, and how many seconds it holds."""

    token: str
    lasts_s: float


class TokenRefused(ValueError):
    """An answer holds no token that can be sent."""


def parse_challenges(header: str) -> tuple[Challenge, ...]:
    """Return the challenges of a header, as far as it is well formed."""
    challenges: list[Challenge] = []
    at = 0
    while at < len(header) <= _HEADER_BYTES and (scheme := _SCHEME.match(header, at)):
        at = scheme.end()
        parameters: dict[str, str] = {}
        while parameter := _PARAMETER.match(header, at):
            name, plain, quoted = parameter.groups()
            # The first counts: a second would be another server's to add.
            parameters.setdefault(name.lower(), plain if quoted is None else _ESCAPED.sub(r"\1", quoted))
            at = parameter.end()
        challenges.append(Challenge(scheme=scheme[1].lower(), parameters=MappingProxyType(parameters)))
    return tuple(challenges)


def parse_token(data: bytes) -> IssuedToken:
    """Return the token of an answer of a token server of registries.

    Raises:
        TokenRefused: There is none, or one that would not stay within its header.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TokenRefused("is no JSON") from error
    if not isinstance(document, dict):
        raise TokenRefused("is no JSON object")
    token = document.get("token") or document.get("access_token")
    if not token or not isinstance(token, str) or not token.isascii() or not token.isprintable() or " " in token:
        raise TokenRefused("holds no token")
    lasts_s = document.get("expires_in")
    if not isinstance(lasts_s, int) or isinstance(lasts_s, bool):
        lasts_s = _UNSAID_S
    return IssuedToken(token=token, lasts_s=float(min(max(lasts_s, 0), _LONGEST_S)))

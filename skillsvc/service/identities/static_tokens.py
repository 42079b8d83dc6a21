"""Static bearer tokens: a file that names each by its SHA-256, so that who reads the file can call as nobody."""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from types import MappingProxyType
from typing import Final

from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.domain.caps import fits_skill_name

MIN_CHARACTERS: Final = 32
"""Shorter ones are refused unseen: their SHA-256 could be found by trying."""
MAX_BYTES: Final = 4 * 1024 * 1024
_LINE: Final = re.compile(r"(?P<name>\S+)[ \t]+(?P<digest>[0-9a-f]{64})")


class TokensRefused(Exception):
    """A file of tokens cannot be used. The message names the line, and quotes nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticTokens:
    """The tokens of a file.

    Tokens are found by a keyed hash of their digests, whose key nobody outside this process knows: how long it takes
    to find one, or none, tells nothing of any, and takes no longer where there are many.
    """

    names: Mapping[bytes, tuple[bytes, str]] = field(repr=False)
    """The digest and the name of each, by the keyed hash of the digest."""
    key: bytes = field(repr=False)

    def identity_of(self, token: str) -> Identity | None:
        """Return whose a token is; None where it is nobody's."""
        if len(token) < MIN_CHARACTERS:
            return None
        digest = sha256(token.encode()).digest()
        found = self.names.get(_place(self.key, digest))
        if found is None or not hmac.compare_digest(found[0], digest):
            return None
        return Identity(kind=IdentityKind.TOKEN, name=found[1])

    def has(self, name: str) -> bool:
        """Tell whether a token has a name."""
        return any(each == name for _, each in self.names.values())

    def entries(self) -> frozenset[tuple[str, bytes]]:
        """Return the name and the digest of each."""
        return frozenset((name, digest) for digest, name in self.names.values())

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.names)


def parse_tokens(data: bytes, key: bytes) -> StaticTokens:
    """Read a file: a line `NAME SHA256` a token, in lower-case hex; empty lines and those that begin with `#` are none.

    A name may stand on several lines: while a token is changed, the old one and the new one are both good.

    Args:
        data: The file.
        key: 32 random bytes, of this process alone.

    Raises:
        TokensRefused: A line is no token, or the same one as another.
    """
    if len(data) > MAX_BYTES:
        raise TokensRefused(f"it has more than {MAX_BYTES} bytes")
    names: dict[bytes, tuple[bytes, str]] = {}
    for number, raw in enumerate(data.split(b"\n"), start=1):
        line = raw.decode("ascii", errors="replace").strip()
        if not line or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if found is None or not fits_skill_name(found["name"]):
            raise TokensRefused(f"line {number} is no `NAME SHA256`")
        digest = bytes.fromhex(found["digest"])
        place = _place(key, digest)
        if place in names:
            raise TokensRefused(f"line {number} is the token of another line")
        names[place] = digest, found["name"]
    return StaticTokens(names=MappingProxyType(names), key=key)


def line_of(name: str, token: str) -> str:
    """Return the line of a token in a file."""
    return f"{name} {sha256(token.encode()).hexdigest()}"


def _place(key: bytes, digest: bytes) -> bytes:
    return hmac.digest(key, digest, "sha256")

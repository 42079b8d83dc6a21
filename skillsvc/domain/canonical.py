"""Canonical encoding v1: one sequence of bytes for one content, whatever the order of files, the time, the machine.

A text or byte string is its length as 8 bytes big-endian, then its bytes (UTF-8); an integer 8 bytes big-endian; a
boolean one byte; a list its count, then its items; a map the list of its pairs sorted by key bytes. Each input of a
digest begins with its encoded domain text, so that digests of different kinds never meet (rules.md 5).
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Value: TypeAlias = str | int | Sequence[str]
"""A text, an integer, a boolean, or a list of texts."""

_EMPTY = bytes(8)


def encode(*values: Value) -> bytes:
    """Encode values one after the other, each by its type; the others of this module encode one of a known type."""
    parts: list[bytes] = []
    for value in values:
        if value is True or value is False:
            parts.append(encode_boolean(value))
        elif not value:
            parts.append(_EMPTY)
        elif isinstance(value, str):
            encoded = value.encode()
            parts += (len(encoded).to_bytes(8, "big"), encoded)
        elif isinstance(value, int):
            parts.append(value.to_bytes(8, "big"))
        else:
            parts.append(encode_texts(value))
    return b"".join(parts)


def encode_bytes(value: bytes) -> bytes:
    """Encode a byte string."""
    return len(value).to_bytes(8, "big") + value


def encode_text(value: str) -> bytes:
    """Encode a text."""
    if not value:
        return _EMPTY
    encoded = value.encode()
    return len(encoded).to_bytes(8, "big") + encoded


def encode_integer(value: int) -> bytes:
    """Encode an integer from 0 to 2^64 - 1; any other raises OverflowError."""
    return value.to_bytes(8, "big")


def encode_boolean(value: bool) -> bytes:  # noqa: FBT001 - the value is what is encoded, not a switch
    """Encode a boolean."""
    return b"\x01" if value else b"\x00"


def encode_texts(values: Sequence[str]) -> bytes:
    """Encode a list of texts, in its order."""
    return encode_integer(len(values)) + b"".join(map(encode_text, values))


def encode_pairs(pairs: Iterable[tuple[str, str]]) -> bytes:
    """Encode a map of text to text, whatever order its pairs are given in."""
    encoded = sorted([(key.encode(), value.encode()) for key, value in pairs])
    return encode_integer(len(encoded)) + b"".join([encode_bytes(text) for pair in encoded for text in pair])


def digest_of(domain: str, *parts: bytes) -> str:
    """Return the lower-case hex SHA-256 of encoded parts under a domain text."""
    return hashlib.sha256(b"".join((encode_text(domain), *parts))).hexdigest()

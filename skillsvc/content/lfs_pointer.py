"""Pointers of git LFS: small files that stand for large ones, which are kept elsewhere. Pure."""

import re
from typing import Final, NamedTuple

MOST_POINTER_BYTES: Final = 1023
"""What has more is no pointer, by the specification of git LFS."""
_BEGINNING: Final = b"version https://git-lfs.github.com/spec/v1\n"
_OBJECT_ID: Final = re.compile(rb"^oid sha256:([0-9a-f]{64})$", re.MULTILINE)
_SIZE: Final = re.compile(rb"^size ([0-9]{1,18})$", re.MULTILINE)


class LfsPointer(NamedTuple):
    """What a pointer stands for: the lower-case hex SHA-256 of the bytes, and how many they are."""

    digest: str
    size: int


def parse_pointer(data: bytes) -> LfsPointer | None:
    """Return what a file stands for, None where it is no pointer."""
    if len(data) > MOST_POINTER_BYTES or not data.startswith(_BEGINNING):
        return None
    digest, size = _OBJECT_ID.search(data), _SIZE.search(data)
    if digest is None or size is None:
        return None
    return LfsPointer(digest=digest[1].decode(), size=int(size[1]))

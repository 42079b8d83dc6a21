"""A blob store for looking without keeping: bytes are hashed and counted, then forgotten."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self

from skillsvc.content.blobs import BlobWriter
from skillsvc.domain.errors import DataLoss, ErrorReason

_DIGEST = re.compile(r"[0-9a-f]{64}\Z")


class HashingBlobStore:
    """Knows digest and size of what was put, so that a source can be looked at; nothing can be read back.

    One thread may use it.
    """

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}

    def put(self, data: bytes, digest: str | None = None) -> str:
        """See `BlobStore`."""
        key = hashlib.sha256(data).hexdigest() if digest is None else _checked(digest)
        self._sizes[key] = len(data)
        return key

    def writer(self) -> BlobWriter:
        """See `BlobStore`."""
        return _HashingWriter(self._sizes)

    def has(self, digest: str) -> bool:
        """See `BlobStore`."""
        return _checked(digest) in self._sizes

    def lost(self) -> frozenset[str]:
        """See `BlobStore`; what nobody can read, nobody misses."""
        return frozenset()

    def size(self, digest: str) -> int:
        """See `BlobStore`."""
        if not self.has(digest):
            raise _lost(digest)
        return self._sizes[digest]

    def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
        """Raise DataLoss: no bytes are kept."""
        if offset < 0 or (length is not None and length < 0):
            raise ValueError("offset and length are at least 0")
        raise _lost(_checked(digest))

    def sync(self) -> None:
        """See `BlobStore`; nothing outlives the process."""

    def digests(self) -> Iterator[str]:
        """See `BlobStore`."""
        return iter(tuple(self._sizes))

    def mark(self) -> int:
        """See `BlobStore`."""
        return 0

    def remove(self, digests: Iterable[str], *, unused_since: int) -> None:  # noqa: ARG002 - one thread uses it
        """See `BlobStore`."""
        for digest in digests:
            self._sizes.pop(_checked(digest), None)


class _HashingWriter:
    def __init__(self, sizes: dict[str, int]) -> None:
        self._sizes = sizes
        self._hasher = hashlib.sha256()
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def write(self, chunk: bytes) -> None:
        self._hasher.update(chunk)
        self._size += len(chunk)

    def commit(self) -> tuple[str, int]:
        digest = self._hasher.hexdigest()
        self._sizes[digest] = self._size
        return digest, self._size


def _checked(digest: str) -> str:
    if _DIGEST.match(digest) is None:
        raise ValueError("a digest is 64 lower-case hex digits")
    return digest


def _lost(digest: str) -> DataLoss:
    return DataLoss(ErrorReason.DIGEST_MISMATCH, f"the bytes of {digest} are not kept")

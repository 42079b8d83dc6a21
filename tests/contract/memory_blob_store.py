"""A blob store in memory, for tests of what stands on one; it keeps the contract."""

import hashlib
import threading
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self

from skillsvc.content.blobs import BlobWriter
from skillsvc.domain.errors import DataLoss, ErrorReason


class MemoryBlobStore:
    """Blobs in a dictionary. `blobs` may be looked at and damaged by a test."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self._verified: dict[str, bytes] = {}
        self._lost: set[str] = set()
        self._using = threading.Lock()
        self._used: dict[str, int] = {}
        self._last_mark = 0

    def put(self, data: bytes, digest: str | None = None) -> str:
        key = hashlib.sha256(data).hexdigest() if digest is None else _checked(digest)
        if not self.has(key) or len(self.blobs[key]) != len(data):
            self.blobs[key] = bytes(data)
            self._lost.discard(key)
        return key

    def writer(self) -> BlobWriter:
        return _MemoryBlobWriter(self)

    def has(self, digest: str) -> bool:
        with self._using:
            self._used[_checked(digest)] = self._last_mark
            return digest in self.blobs and digest not in self._lost

    def lost(self) -> frozenset[str]:
        return frozenset(self._lost)

    def size(self, digest: str) -> int:
        if _checked(digest) not in self.blobs:
            raise DataLoss(ErrorReason.DIGEST_MISMATCH, "not kept")
        return len(self.blobs[digest])

    def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
        if offset < 0 or (length is not None and length < 0):
            raise ValueError("offset and length are at least 0")
        data = self.blobs.get(_checked(digest))
        if data is None or (self._verified.get(digest) is not data and hashlib.sha256(data).hexdigest() != digest):
            self._lost.add(digest)
            raise DataLoss(ErrorReason.DIGEST_MISMATCH, "missing or damaged")
        self._verified[digest] = data
        self._lost.discard(digest)
        return data[offset:] if length is None else data[offset : offset + length]

    def sync(self) -> None:
        """Nothing outlives the process."""

    def digests(self) -> Iterator[str]:
        return iter(list(self.blobs))

    def mark(self) -> int:
        with self._using:
            self._last_mark += 1
            return self._last_mark

    def remove(self, digests: Iterable[str], *, unused_since: int) -> None:
        for digest in digests:
            with self._using:
                if self._used.get(_checked(digest), 0) >= unused_since:
                    continue
                self.blobs.pop(digest, None)
            self._verified.pop(digest, None)
            self._lost.discard(digest)


class _MemoryBlobWriter:
    def __init__(self, store: MemoryBlobStore) -> None:
        self._store = store
        self._data = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def write(self, chunk: bytes) -> None:
        self._data += chunk

    def commit(self) -> tuple[str, int]:
        return self._store.put(bytes(self._data)), len(self._data)


def _checked(digest: str) -> str:
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise ValueError("a digest is 64 lower-case hex digits")
    return digest

"""Bytes kept by their digest: the seam `BlobStore`, and the store in a folder."""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Protocol, Self

from skillsvc.content.blob_folder import BlobFolder, read_range, write_all
from skillsvc.content.stamps import SETTLING_NS, FileStamp, stamp_of
from skillsvc.content.syscalls import LinuxCalls
from skillsvc.domain.errors import DataLoss, ErrorReason, Unavailable


class BlobWriter(Protocol):
    """One blob on its way in, for bytes that are too many to hold. A context manager, used by one thread.

    What is left without `commit` leaves nothing behind.
    """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def write(self, chunk: bytes) -> None:
        """Append `chunk`. Raises Unavailable where the store cannot take it."""
        ...

    def commit(self) -> tuple[str, int]:
        """Make the blob readable under its digest; return digest and bytes. Called once, after the last `write`."""
        ...


class BlobStore(Protocol):
    """Blobs by digest: the lower-case hex SHA-256 of their bytes. Any thread may call.

    A blob is there whole or not at all, also for other processes and after a kill. It is on stable storage when `sync`
    has returned. A digest that is not 64 lower-case hex digits raises ValueError: a fault of the program, since digests
    are computed, never given from outside. A store that cannot be read or written raises Unavailable
    (STORE_UNREACHABLE).
    """

    def put(self, data: bytes, digest: str | None = None) -> str:
        """Keep `data` and return its digest. Where it is kept already, this costs one look; what is lost it mends.

        A `digest` that the caller got by hashing these very bytes saves hashing them again. It is not checked here;
        bytes that it does not match are refused when read.
        """
        ...

    def writer(self) -> BlobWriter:
        """Begin a blob that comes in pieces."""
        ...

    def has(self, digest: str) -> bool:
        """Tell whether the blob is kept, without looking at its bytes; one that is known to be lost is not."""
        ...

    def lost(self) -> frozenset[str]:
        """Return the blobs that a read found missing or damaged, and that nobody put or removed since.

        Costs no look at any: whoever still has the bytes may ask often, and put them again.
        """
        ...

    def size(self, digest: str) -> int:
        """Return the blob's bytes. Raises DataLoss where it is not kept."""
        ...

    def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
        """Return the bytes from `offset` on, at most `length`; beyond the end there are none.

        All bytes of a blob are checked against the digest at its first read by this object, and whenever the blob was
        touched since. Raises DataLoss (DIGEST_MISMATCH) where they do not match or the blob is not kept.
        """
        ...

    def sync(self) -> None:
        """Return once everything that was put before is on stable storage. Costs nothing where nothing was put."""
        ...

    def digests(self) -> Iterator[str]:
        """Iterate over the blobs kept, in no order. Blobs that come or go meanwhile may be told or not."""
        ...

    def mark(self) -> int:
        """Return a mark: what is put, or asked for by `has`, from now on is in use since it. Marks grow."""
        ...

    def remove(self, digests: Iterable[str], *, unused_since: int) -> None:
        """Forget blobs that nobody has put or asked for since a mark; those not kept are passed over.

        Whoever takes a mark, and then finds that a blob is kept, can rely on it until a later mark is given here.
        """
        ...


class FileBlobStore:
    """Blobs as files in a folder; see `BlobFolder` for the layout and for several processes on one folder."""

    def __init__(self, root: str, calls: LinuxCalls | None = None, *, now_ns: Callable[[], int] = time.time_ns) -> None:
        """Open the store in the folder `root`, which is made (not its parents) where there is none.

        `calls` reaches the disk in `sync`; a store without it finds its own. `now_ns` is the clock that stamps files.
        Raises Unavailable (STORE_UNREACHABLE) where the folder cannot be used.
        """
        self._calls = calls or LinuxCalls()
        self._now_ns = now_ns
        self._verified: dict[str, FileStamp] = {}
        self._lost: set[str] = set()
        self._unsynced = False
        self._syncing = threading.Lock()
        self._using = threading.Lock()
        self._used: dict[str, int] = {}
        self._last_mark = 0
        with _Translated():
            self._folder = BlobFolder(root)

    def close(self) -> None:
        """Give the folder back. Nothing else may be called then, nor be under way in another thread."""
        self._folder.close()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def put(self, data: bytes, digest: str | None = None) -> str:
        """See `BlobStore`."""
        if digest is None:
            digest = hashlib.sha256(data).hexdigest()
        with _Translated():
            if not self._holds(digest, len(data)):
                name, descriptor = self._folder.create()
                try:
                    try:
                        write_all(descriptor, data)
                    finally:
                        os.close(descriptor)
                    self._place(name, digest)
                except BaseException:
                    self._folder.discard(name)
                    raise
            # Also where it was found: whoever wrote it may have been killed before the bytes were on stable storage.
            self._unsynced = True
        return digest

    def writer(self) -> BlobWriter:
        """See `BlobStore`."""
        return _FileBlobWriter(self._folder, self._take)

    def has(self, digest: str) -> bool:
        """See `BlobStore`."""
        with _Translated():
            return self._use(digest) is not None and digest not in self._lost

    def lost(self) -> frozenset[str]:
        """See `BlobStore`."""
        return frozenset(self._lost)

    def size(self, digest: str) -> int:
        """See `BlobStore`."""
        with _Translated():
            size = self._folder.size(digest)
        if size is None:
            raise _data_loss(digest)
        return size

    def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
        """See `BlobStore`."""
        if offset < 0 or (length is not None and length < 0):
            raise ValueError("offset and length are at least 0")
        with _Translated():
            descriptor = self._folder.open(digest)
            if descriptor is None:
                raise self._miss(digest)
            try:
                now_ns = self._now_ns()
                stamp = stamp_of(os.fstat(descriptor))
                if self._verified.get(digest) != stamp:
                    self._verify(digest, descriptor, stamp, now_ns)
                end = stamp.size if length is None else min(stamp.size, offset + length)
                data = b"".join(read_range(descriptor, offset, end))
            finally:
                os.close(descriptor)
        if len(data) < end - offset:
            # It was cut since it was looked at.
            raise self._miss(digest)
        return data

    def sync(self) -> None:
        """See `BlobStore`. One call serves all blobs; each with an fsync of its own costs six times the writing."""
        # Who waits here waits for a call that may be the one to cover its own blobs.
        with self._syncing:
            if not self._unsynced:
                return
            # Cleared before the call, so that a blob put meanwhile asks for another one.
            self._unsynced = False
            try:
                with _Translated():
                    self._calls.syncfs(self._folder.root)
            except BaseException:
                self._unsynced = True
                raise

    def digests(self) -> Iterator[str]:
        """See `BlobStore`."""
        with _Translated():
            yield from self._folder.digests()

    def mark(self) -> int:
        """See `BlobStore`."""
        with self._using:
            self._last_mark += 1
            return self._last_mark

    def remove(self, digests: Iterable[str], *, unused_since: int) -> None:
        """See `BlobStore`."""
        for digest in digests:
            # Nobody finds it kept while it goes.
            with self._using, _Translated():
                if self._used.get(digest, 0) >= unused_since:
                    continue
                self._folder.remove(digest)
            self._verified.pop(digest, None)
            self._lost.discard(digest)
        with self._using:
            self._used = {digest: mark for digest, mark in self._used.items() if mark >= unused_since}

    def _holds(self, digest: str, size: int) -> bool:
        """Tell whether the blob is kept as far as a look can tell; one of another size or known as lost is not."""
        return self._use(digest) == size and digest not in self._lost

    def _use(self, digest: str) -> int | None:
        """Note that somebody counts on a blob; return its bytes, None where it is not kept."""
        with self._using:
            size = self._folder.size(digest)
            self._used[digest] = self._last_mark
        return size

    def _place(self, name: str, digest: str) -> None:
        self._folder.place(name, digest)
        self._lost.discard(digest)

    def _take(self, name: str, digest: str, size: int) -> None:
        """Take over a whole file that a writer wrote aside."""
        if self._holds(digest, size):
            self._folder.discard(name)
        else:
            self._place(name, digest)
        self._unsynced = True

    def _verify(self, digest: str, descriptor: int, stamp: FileStamp, now_ns: int) -> None:
        """Check all bytes. Two threads may do so at once and find the same."""
        hasher = hashlib.sha256()
        for chunk in read_range(descriptor, 0, stamp.size):
            hasher.update(chunk)
        if hasher.hexdigest() != digest:
            raise self._miss(digest)
        # Another hand may have mended it.
        self._lost.discard(digest)
        # A write in the tick of the last one leaves the stamp as it is. One from the future counts as old: else a clock
        # that was put back would have every read check all bytes.
        if abs(now_ns - stamp.ctime_ns) > SETTLING_NS:
            self._verified[digest] = stamp

    def _miss(self, digest: str) -> DataLoss:
        """Note that a blob is lost. Where it is put at this very moment that is one put too many, and no more."""
        self._lost.add(digest)
        return _data_loss(digest)


class _FileBlobWriter:
    """Writes aside and hashes on the way."""

    def __init__(self, folder: BlobFolder, take: Callable[[str, str, int], None]) -> None:
        self._folder = folder
        self._take = take
        self._hasher = hashlib.sha256()
        self._size = 0
        with _Translated():
            self._name, self._descriptor = folder.create()
        self._committed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)
        if not self._committed:
            self._folder.discard(self._name)

    def write(self, chunk: bytes) -> None:
        with _Translated():
            write_all(self._descriptor, chunk)
        self._hasher.update(chunk)
        self._size += len(chunk)

    def commit(self) -> tuple[str, int]:
        digest = self._hasher.hexdigest()
        with _Translated():
            self._take(self._name, digest, self._size)
        self._committed = True
        return digest, self._size


def _data_loss(digest: str) -> DataLoss:
    return DataLoss(ErrorReason.DIGEST_MISMATCH, f"the stored bytes of {digest} are missing or damaged")


class _Translated:
    """Translates the faults of the disk. The cause stays attached for the log; the message names no path."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError):
            raise Unavailable(ErrorReason.STORE_UNREACHABLE, "the blob store cannot be read or written") from error

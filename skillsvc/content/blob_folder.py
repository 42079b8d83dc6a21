"""The files of a blob store: where a digest lives in a folder, and how a file gets there whole."""

import fcntl
import itertools
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_DIGEST: Final = re.compile(r"[0-9a-f]{64}\Z")
_SHARD: Final = re.compile(r"[0-9a-f]{2}\Z")
_ASIDE: Final = "tmp"
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class BlobFolder:
    """Files `<root>/ab/cdef…`, written aside in `<root>/tmp` and renamed when whole; for the owner's eyes only.

    Any thread may call. Several processes may hold one folder: what a killed one left aside is removed by the next that
    opens it alone. A digest that is not 64 lower-case hex digits raises ValueError, so that no path is ever made of
    anything else; all other faults are OSError.
    """

    __slots__ = ("_aside", "_prefix", "_serial", "root")

    def __init__(self, root: str) -> None:
        """Open the folder `root`; make it (not its parents) where there is none."""
        self._prefix = f"{os.getpid()}-"
        self._serial = itertools.count()
        Path(root).mkdir(mode=0o700, exist_ok=True)
        self.root = os.open(root, _FOLDER)
        try:
            with suppress(FileExistsError):
                os.mkdir(_ASIDE, 0o700, dir_fd=self.root)
            self._aside = os.open(_ASIDE, _FOLDER | os.O_NOFOLLOW, dir_fd=self.root)
        except BaseException:
            os.close(self.root)
            raise
        try:
            self._clear_aside()
        except BaseException:
            self.close()
            raise

    def _clear_aside(self) -> None:
        """Remove what dead processes left, unless a living one shares the folder, which this one does from now on."""
        with suppress(BlockingIOError):
            fcntl.flock(self._aside, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for name in _names(self._aside):
                os.unlink(name, dir_fd=self._aside)
        fcntl.flock(self._aside, fcntl.LOCK_SH)

    def close(self) -> None:
        """Close. Nothing else may be called then, nor be under way in another thread."""
        os.close(self._aside)
        os.close(self.root)

    def create(self) -> tuple[str, int]:
        """Create an empty file aside; return its name and a descriptor to write to."""
        while True:
            # In containers that share the folder several processes have one number, so a name may be taken.
            name = f"{self._prefix}{next(self._serial)}"
            try:
                return name, os.open(name, _CREATE, 0o600, dir_fd=self._aside)
            except FileExistsError:
                continue

    def place(self, name: str, digest: str) -> None:
        """Make the file aside the one of `digest`, instead of any that stands there."""
        path = _path(digest)
        try:
            os.rename(name, path, src_dir_fd=self._aside, dst_dir_fd=self.root)
        except FileNotFoundError:
            with suppress(FileExistsError):
                os.mkdir(path[:2], 0o700, dir_fd=self.root)
            os.rename(name, path, src_dir_fd=self._aside, dst_dir_fd=self.root)

    def discard(self, name: str) -> None:
        """Remove a file aside as far as possible; the next opening gets what is left."""
        with suppress(OSError):
            os.unlink(name, dir_fd=self._aside)

    def size(self, digest: str) -> int | None:
        """Return the bytes of the file of `digest`, None where there is none."""
        try:
            return os.stat(_path(digest), dir_fd=self.root, follow_symlinks=False).st_size
        except FileNotFoundError:
            return None

    def open(self, digest: str) -> int | None:
        """Open the file of `digest` for reading; None where there is none."""
        try:
            return os.open(_path(digest), _READ, dir_fd=self.root)
        except FileNotFoundError:
            return None

    def remove(self, digest: str) -> None:
        """Remove the file of `digest`, if there is one."""
        with suppress(FileNotFoundError):
            os.unlink(_path(digest), dir_fd=self.root)

    def digests(self) -> Iterator[str]:
        """Iterate over all digests that have a file, in no order."""
        for shard in filter(_SHARD.match, self._names_in(".")):
            yield from filter(_DIGEST.match, (shard + name for name in self._names_in(shard)))

    def _names_in(self, folder: str) -> list[str]:
        """List a folder by a descriptor of its own: one that is shared is read on where another thread left off."""
        descriptor = os.open(folder, _FOLDER | os.O_NOFOLLOW, dir_fd=self.root)
        try:
            return _names(descriptor)
        finally:
            os.close(descriptor)


def _names(descriptor: int) -> list[str]:
    with os.scandir(descriptor) as listing:
        return [entry.name for entry in listing]


def _path(digest: str) -> str:
    if not _DIGEST.match(digest):
        raise ValueError("a digest is 64 lower-case hex digits")
    return f"{digest[:2]}/{digest[2:]}"


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of `data`: one call may take less, above all where the disk is nearly full."""
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def read_range(descriptor: int, offset: int, end: int) -> Iterator[bytes]:
    """Iterate over the bytes from `offset` to `end`, in pieces of at most 1 MiB; fewer where the file ends before."""
    while offset < end and (chunk := os.pread(descriptor, min(end - offset, 1024 * 1024), offset)):
        yield chunk
        offset += len(chunk)

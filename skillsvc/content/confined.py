"""Files and folders read beneath one root, by descriptor (`rules.md` 1).

What confines is the opening (`beneath.py`): by the kernel, or by a walk that gives the same result. No path is
compared, joined or made absolute here. A file is opened as a mere place first, looked at, and then opened for reading
through that very descriptor: only regular files are ever opened for reading, however quickly names are exchanged.

What is promised about a file that changes while it is read:

- A writer that replaces the file (writes another, renames it over) is seen before or after, never in between.
- A writer that writes in place is noticed where that moved size, change time or modification time between the looks
  before and after the reading. The bytes are then read again, at most three times in all, else `FileChanged`.
- A writer that pauses half-way leaves a file that is whole to any reader. It is read as it is, and its next write moves
  the stamp, so the next look finds it changed.
- A writer through a shared memory map moves the stamp only when the kernel looks at its pages again. What it writes
  between may be mixed; as with a pause, a later look finds the file changed.
- File systems stamp by a clock that ticks: up to 10 ms with Linux before 6.13. Two writes in one tick cannot be told
  apart, so a read that begins within it may mix both. Such a read is not `settled`: its stamp must not stand for its
  bytes at the next look. On file systems with coarser stamps (FAT: 2 s) the promise is that much weaker.
"""

import errno
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Final, Self

from skillsvc.content.beneath import KernelOpening, Opening, WalkOpening, choose_opening, reopen
from skillsvc.content.blobs import BlobStore
from skillsvc.content.faults import symbol_of
from skillsvc.content.stamps import SETTLING_NS, FileStamp, stamp_of
from skillsvc.content.syscalls import LinuxCalls
from skillsvc.content.tree import (
    LEADS_OUT,
    NO_FILE,
    NOT_THERE,
    Entry,
    EntryKind,
    Escapes,
    FileChanged,
    FileCopy,
    FileRead,
    Missing,
    NotRegular,
    TooLarge,
    TreeError,
    Unreadable,
    encode_name,
    encode_path,
)

_READINGS: Final = 3
_CHUNK: Final = 256 * 1024
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class ConfinedDirectory:
    """A folder held open, and what can be reached beneath it. A context manager; used by one thread at a time.

    `relative` is a path with `/` between names; the empty one is this folder. Links are followed only where
    `follow_links` says so and only beneath *this* folder: a link that may lead elsewhere in the root is opened from the
    root. All methods raise TreeError only.
    """

    __slots__ = ("_now_ns", "_opening", "fd")

    def __init__(self, fd: int, opening: Opening, now_ns: Callable[[], int]) -> None:
        """Take over the descriptor `fd` of the folder; `opening` confines, `now_ns` is the clock that stamps files."""
        self.fd = fd
        self._opening = opening
        self._now_ns = now_ns

    def close(self) -> None:
        """Close the folder; a second time does nothing."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Self:
        """Return the folder itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode: the same folder reached by two ways has one identity, for as long as it is held open."""
        try:
            found = os.fstat(self.fd)
        except OSError as error:
            raise _translated(error) from error
        return found.st_dev, found.st_ino

    def entries(self) -> list[Entry]:
        """List the folder in byte order of the names."""
        try:
            with os.scandir(self.fd) as listing:
                found = [Entry(_name(entry), _kind(entry)) for entry in listing]
        except OSError as error:
            raise _translated(error) from error
        if len(found) > 1:
            found.sort(key=lambda entry: encode_name(entry.name))
        return found

    def open_directory(self, relative: str, *, follow_links: bool) -> "ConfinedDirectory":
        """Open a folder beneath this one. What is no folder is Missing."""
        path = encode_path(relative) or b"."
        try:
            fd = self._opening.folder(self.fd, path, follow_links=follow_links)
        except OSError as error:
            raise _translated(error) from error
        return ConfinedDirectory(fd, self._opening, self._now_ns)

    def stat_file(self, relative: str, *, follow_links: bool) -> FileStamp | None:
        """Return the stamp of a file, None where no regular file can be reached; the file is not opened.

        Raises Unreadable alone.
        """
        try:
            found = self._stat(encode_path(relative) or b".", follow_links=follow_links)
        except (Missing, Escapes):
            return None
        return stamp_of(found) if stat.S_ISREG(found.st_mode) else None

    def read_file(self, relative: str, *, max_bytes: int, follow_links: bool) -> FileRead:
        """Read a file whole. See the module for what is promised where it changes meanwhile."""
        for _ in range(_READINGS):
            with self._open_file(relative, max_bytes, follow_links=follow_links) as file:
                data = b"".join(file.chunks())
                if file.unchanged(len(data)):
                    return FileRead(
                        data=data,
                        digest=hashlib.sha256(data).hexdigest(),
                        size=len(data),
                        executable=file.executable,
                        stamp=file.stamp,
                        settled=file.settled,
                    )
        raise FileChanged("changed while it was read")

    def copy_file(self, relative: str, *, max_bytes: int, follow_links: bool, blobs: BlobStore) -> FileCopy:
        """Read a file into `blobs`, hashed on the way and never held whole where it is large.

        Raises what `blobs` raises, too. Bytes of a reading that failed are not kept.
        """
        for _ in range(_READINGS):
            with self._open_file(relative, max_bytes, follow_links=follow_links) as file:
                digest = _copy_small(file, blobs) if file.stamp.size < _CHUNK else _copy_large(file, blobs)
                if digest is not None:
                    return FileCopy(
                        digest=digest,
                        size=file.stamp.size,
                        executable=file.executable,
                        stamp=file.stamp,
                        settled=file.settled,
                    )
        raise FileChanged("changed while it was read")

    def _stat(self, path: bytes, *, follow_links: bool) -> os.stat_result:
        try:
            # One name without its link followed leads nowhere else: the cheap look at each file of an unchanged tree.
            if not follow_links and b"/" not in path and path != b"..":
                return os.stat(path, dir_fd=self.fd, follow_symlinks=False)
            place = self._opening.look(self.fd, path, follow_links=follow_links)
            try:
                return os.fstat(place)
            finally:
                os.close(place)
        except OSError as error:
            raise _translated(error) from error

    def _look(self, relative: str, *, follow_links: bool) -> int:
        path = encode_path(relative) or b"."
        try:
            return self._opening.look(self.fd, path, follow_links=follow_links)
        except OSError as error:
            raise _translated(error) from error

    def _open_file(self, relative: str, max_bytes: int, *, follow_links: bool) -> "_OpenFile":
        place = self._look(relative, follow_links=follow_links)
        try:
            now_ns = self._now_ns()
            found = os.fstat(place)
            if not stat.S_ISREG(found.st_mode):
                raise NotRegular(NO_FILE)
            if found.st_size > max_bytes:
                raise TooLarge(f"more than {max_bytes} bytes")
            return _OpenFile(reopen(place, _READ), found, settled=now_ns - found.st_ctime_ns > SETTLING_NS)
        except OSError as error:
            raise _translated(error) from error
        finally:
            os.close(place)


class ConfinedRoot(ConfinedDirectory):
    """The folder that nothing leads out of. It is held open, so that moving or replacing it changes nothing here."""

    __slots__ = ()

    @classmethod
    def open(cls, path: str, *, kernel: bool | None = None, now_ns: Callable[[], int] = time.time_ns) -> Self:
        """Open the folder `path`, which may be a link.

        `kernel` chooses between `openat2` and the walk; None takes `openat2` where a probe finds that it works.
        Raises OSError, FileNotFoundError and PermissionError among them, where the root itself cannot be opened.
        """
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            opening: Opening
            match kernel:
                case None:
                    opening = choose_opening(fd, LinuxCalls())
                case True:
                    opening = KernelOpening(LinuxCalls())
                case False:
                    opening = WalkOpening()
            return cls(fd, opening, now_ns)
        except BaseException:
            os.close(fd)
            raise

    def root_at(self, relative: str) -> Self:
        """Open a folder beneath this one, over no link, as one that nothing leads out of; raises as `open` does.

        A link on the way is ELOOP, or ENOTDIR where it is the last name.
        """
        fd = self._opening.folder(self.fd, encode_name(relative), follow_links=False)
        return type(self)(fd, self._opening, self._now_ns)


class _OpenFile:
    """A regular file open for reading, and what it looked like before."""

    __slots__ = ("_descriptor", "executable", "settled", "stamp")

    def __init__(self, descriptor: int, found: os.stat_result, *, settled: bool) -> None:
        self._descriptor = descriptor
        self.executable = bool(found.st_mode & 0o111)
        self.settled = settled
        self.stamp = stamp_of(found)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def chunks(self) -> Iterator[bytes]:
        """Iterate over the bytes, at most one more than the file had: that one tells that it grew."""
        left = self.stamp.size + 1
        try:
            while left and (chunk := os.read(self._descriptor, asked := min(left, _CHUNK))):
                yield chunk
                left -= len(chunk)
                if left == 1 and len(chunk) < asked:
                    # The one more was asked for, and there was none.
                    return
        except OSError as error:
            raise _translated(error) from error

    def unchanged(self, read: int) -> bool:
        """Tell whether the `read` bytes are all, and the file still is what it was before them."""
        try:
            return read == self.stamp.size and stamp_of(os.fstat(self._descriptor)) == self.stamp
        except OSError as error:
            raise _translated(error) from error


def _copy_small(file: _OpenFile, blobs: BlobStore) -> str | None:
    """Put a file that fits one chunk: where the blob is kept already, nothing is written."""
    data = b"".join(file.chunks())
    return blobs.put(data) if file.unchanged(len(data)) else None


def _copy_large(file: _OpenFile, blobs: BlobStore) -> str | None:
    size = 0
    with blobs.writer() as writer:
        for chunk in file.chunks():
            writer.write(chunk)
            size += len(chunk)
        return writer.commit()[0] if file.unchanged(size) else None


def _translated(error: OSError) -> TreeError:
    match error.errno:
        case errno.EXDEV | errno.ELOOP:
            return Escapes(LEADS_OUT)
        case errno.ENOENT | errno.ENOTDIR:
            return Missing(NOT_THERE)
        case _:
            return Unreadable(symbol_of(error))


def _name(entry: os.DirEntry[str]) -> str:
    name = entry.name
    return name if name.isascii() else os.fsencode(name).decode(errors="surrogateescape")


def _kind(entry: os.DirEntry[str]) -> EntryKind:
    if entry.is_file(follow_symlinks=False):
        return EntryKind.FILE
    if entry.is_dir(follow_symlinks=False):
        return EntryKind.DIRECTORY
    return EntryKind.LINK if entry.is_symlink() else EntryKind.OTHER

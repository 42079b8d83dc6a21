"""What the kernel tells of changes in folders: `inotify`, which Python does not offer.

One object watches any number of folders, each by itself, and more can be added while it waits.
"""

import ctypes
import errno
import os
import select
import struct
from types import TracebackType
from typing import Final, NamedTuple, Self

_MODIFY: Final = 0x2
_ATTRIB: Final = 0x4
_CLOSE_WRITE: Final = 0x8
_MOVED_FROM: Final = 0x40
_MOVED_TO: Final = 0x80
_CREATE: Final = 0x100
_DELETE: Final = 0x200
_DELETE_SELF: Final = 0x400
_MOVE_SELF: Final = 0x800
_UNMOUNT: Final = 0x2000
_OVERFLOW: Final = 0x4000
_IGNORED: Final = 0x8000
_ONLYDIR: Final = 0x01000000
_ISDIR: Final = 0x40000000

_NAMES: Final = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
# Whoever reads changes nothing: no event of opening or reading is asked for, so no look wakes the watch.
_ASKED: Final = _NAMES | _DELETE_SELF | _MOVE_SELF | _ONLYDIR

_EVENT: Final = struct.Struct("iIII")
_BUFFER: Final = 64 * 1024


class Event(NamedTuple):
    """One change in a watched folder.

    `watch` is the folder's, -1 where the kernel had to drop events, which may have been any. `name` is what changed in
    it, "" for the folder itself, with bytes that are not UTF-8 as lone surrogates. `of_folder` tells that the name is
    or was a folder's, `came` that it stands there newly, `moved` that the folder itself was moved away, `ended` that
    nothing more is told of the watch.
    """

    watch: int
    name: str = ""
    of_folder: bool = False
    came: bool = False
    moved: bool = False
    ended: bool = False


class Inotify:
    """A watch on folders. A context manager; used by one thread. The methods raise OSError as the kernel names it."""

    __slots__ = ("_add", "_descriptor", "_poll", "_remove")

    def __init__(self) -> None:
        """Open it. EMFILE where there are too many descriptors, or watches of this kind, of one user."""
        library = ctypes.CDLL(None, use_errno=True)
        self._add = library.inotify_add_watch
        self._add.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
        self._remove = library.inotify_rm_watch
        self._remove.argtypes = (ctypes.c_int, ctypes.c_int)
        self._descriptor: int = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise _fault()
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)

    def __enter__(self) -> Self:
        """Return the watch itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close; the kernel forgets all folders."""
        os.close(self._descriptor)

    def add(self, path: bytes) -> int:
        """Watch a folder, or where a link leads, and return its number: the same for one folder by all its paths.

        ENOSPC where the kernel watches no more for this user, ENOENT and ENOTDIR where no folder stands there.
        """
        watch: int = self._add(self._descriptor, path, _ASKED)
        if watch < 0:
            raise _fault()
        return watch

    def remove(self, watch: int) -> None:
        """Watch a folder no more. What ended by itself is passed over."""
        if self._remove(self._descriptor, watch) < 0 and ctypes.get_errno() != errno.EINVAL:
            raise _fault()

    def read(self, timeout_s: float) -> list[Event]:
        """Wait until something changes and return it; nothing where the time is over."""
        if not self._poll.poll(timeout_s * 1000):
            return []
        try:
            data = os.read(self._descriptor, _BUFFER)
        except BlockingIOError:
            return []
        events = []
        at = 0
        while at < len(data):
            watch, mask, _cookie, length = _EVENT.unpack_from(data, at)
            name = data[at + _EVENT.size : at + _EVENT.size + length].rstrip(b"\0")
            at += _EVENT.size + length
            events.append(
                Event(
                    watch=-1 if mask & _OVERFLOW else watch,
                    name=name.decode(errors="surrogateescape"),
                    of_folder=bool(mask & _ISDIR) and bool(mask & _NAMES),
                    came=bool(mask & (_CREATE | _MOVED_TO)),
                    moved=bool(mask & _MOVE_SELF),
                    ended=bool(mask & (_IGNORED | _UNMOUNT)),
                )
            )
        return events


def _fault() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))

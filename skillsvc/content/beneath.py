"""Opening a name beneath a directory: two ways with one result (`rules.md` 1).

The kernel does it in one call (`openat2`, Linux 5.6), during which nothing can be exchanged. Where that call is missing
or forbidden, a walk opens one name after the other without following links and reads the text of each link itself.
Neither way ever compares paths.
"""

import errno
import os
import stat
from types import TracebackType
from typing import Final, Protocol, Self

from skillsvc.content.syscalls import (
    RESOLVE_BENEATH,
    RESOLVE_NO_MAGICLINKS,
    RESOLVE_NO_SYMLINKS,
    LinuxCalls,
    OpenHow,
)
from skillsvc.content.tree import LONGEST_PATH, MOST_LINKS

MOST_PLACES: Final = 256
"""Places that a walk holds open at once. A hostile tree must not use up all descriptors, so deeper trees are refused,
here alone: the kernel would open them. Nothing that is served lies as deep, with names of at most 512 bytes.
"""

_TRIES: Final = 17
"""An opening that met a rename is tried again 16 times."""

_LOOK: Final = os.O_PATH | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Opening(Protocol):
    """A way of opening names beneath a directory.

    `relative` is a path of bytes without NUL, separated by `/`; `.` is the directory itself. A link counts only where
    `follow_links` allows it and all of its text stays beneath the directory. Both methods answer a new descriptor,
    which the caller closes, and raise OSError: EXDEV or ELOOP for what leaves the directory, goes over too many links,
    or over a link where none is followed; ENOENT and ENOTDIR for what is not there; else as the kernel names it.
    """

    def look(self, directory: int, relative: bytes, *, follow_links: bool) -> int:
        """Open whatever stands there as a mere place (`O_PATH`): that wakes no device and waits for no FIFO."""
        ...

    def folder(self, directory: int, relative: bytes, *, follow_links: bool) -> int:
        """Open the folder that stands there, to be listed and opened from."""
        ...


def choose_opening(directory: int, calls: LinuxCalls) -> Opening:
    """Return the kernel's way where it works on `directory`, else the walk.

    The probe is one harmless call. Old kernels answer ENOSYS, system call filters of containers mostly EPERM; whatever
    the reason, the walk promises the same.
    """
    opening = KernelOpening(calls)
    try:
        os.close(opening.look(directory, b".", follow_links=True))
    except OSError:
        return WalkOpening()
    return opening


class KernelOpening:
    """Opens by `openat2`: the kernel confines each step of the way while it goes."""

    __slots__ = ("_calls", "_folder", "_look")

    def __init__(self, calls: LinuxCalls) -> None:
        """Open through `calls`."""
        follow = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS
        refuse = follow | RESOLVE_NO_SYMLINKS
        self._calls = calls
        self._look = (OpenHow(_LOOK, 0, refuse), OpenHow(_LOOK, 0, follow))
        self._folder = (OpenHow(_FOLDER, 0, refuse), OpenHow(_FOLDER, 0, follow))

    def look(self, directory: int, relative: bytes, *, follow_links: bool) -> int:
        """See `Opening`."""
        return self._open(directory, relative, self._look[follow_links])

    def folder(self, directory: int, relative: bytes, *, follow_links: bool) -> int:
        """See `Opening`."""
        if b"/" in relative or relative == b"..":
            return self._open(directory, relative, self._folder[follow_links])
        try:
            # One name that is no link leads nowhere else: the cheap way into each folder of an unchanged tree.
            return os.open(relative, _FOLDER | os.O_NOFOLLOW, dir_fd=directory)
        except OSError:
            return self._open(directory, relative, self._folder[follow_links])

    def _open(self, directory: int, relative: bytes, how: OpenHow) -> int:
        for _ in range(_TRIES - 1):
            try:
                return self._calls.openat2(directory, relative, how)
            except BlockingIOError:
                # EAGAIN: somewhere a folder was moved while a `..` was resolved, so the kernel cannot vouch for it.
                continue
        return self._calls.openat2(directory, relative, how)


class WalkOpening:
    """Opens step by step with `O_NOFOLLOW`; the folders come through are held open, so `..` means the one before."""

    __slots__ = ()

    def look(self, directory: int, relative: bytes, *, follow_links: bool) -> int:
        """See `Opening`."""
        return _walk(directory, relative, follow_links=follow_links)

    def folder(self, directory: int, relative: bytes, *, follow_links: bool) -> int:
        """See `Opening`."""
        place = _walk(directory, relative, follow_links=follow_links)
        try:
            return reopen(place, _FOLDER)
        finally:
            os.close(place)


def reopen(place: int, flags: int) -> int:
    """Open for use what the `O_PATH` descriptor `place` already holds; no name is looked up again.

    Raises OSError, ENOENT where `/proc` is not mounted.
    """
    return os.open(f"/proc/self/fd/{place}", flags)


def _walk(directory: int, relative: bytes, *, follow_links: bool) -> int:
    """Walk to `relative` and return a descriptor of it that may be no more than a place."""
    if len(relative) > LONGEST_PATH:
        raise _fault(errno.ENAMETOOLONG)
    links = 0
    pending = _steps(relative)
    with _Way(directory) as way:
        while pending:
            match pending.pop():
                case b".":
                    way.stay()
                case b"..":
                    way.back()
                case name:
                    mode = way.enter(name)
                    if stat.S_ISLNK(mode):
                        links += 1
                        if not follow_links or links > MOST_LINKS:
                            raise _fault(errno.ELOOP)
                        pending += _steps(way.leave_link())
                    elif pending and not stat.S_ISDIR(mode):
                        raise _fault(errno.ENOTDIR)
        return way.end()


class _Way:
    """The places a walk came through, each held open: `..` is the one before, wherever that was moved meanwhile."""

    __slots__ = ("_places",)

    def __init__(self, start: int) -> None:
        self._places = [os.dup(start)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for place in self._places:
            os.close(place)

    def stay(self) -> None:
        # The kernel asks for the right to search a folder also for the names `.` and `..`.
        os.stat(b".", dir_fd=self._places[-1])

    def back(self) -> None:
        self.stay()
        if len(self._places) == 1:
            raise _fault(errno.EXDEV)
        os.close(self._places.pop())

    def enter(self, name: bytes) -> int:
        """Go to what stands under `name` here and return its mode. A link is entered itself, not followed."""
        if len(self._places) == MOST_PLACES:
            raise _fault(errno.ENAMETOOLONG)
        place = os.open(name, _LOOK | os.O_NOFOLLOW, dir_fd=self._places[-1])
        self._places.append(place)
        return os.fstat(place).st_mode

    def leave_link(self) -> bytes:
        """Go back from a link and return its text: that of the link entered, whatever bears its name by now."""
        text = os.readlink(b"", dir_fd=self._places[-1])
        os.close(self._places.pop())
        return text

    def end(self) -> int:
        """Hand out the last place, which the caller closes."""
        return self._places.pop()


def _steps(path: bytes) -> list[bytes]:
    """Return the steps of a relative path, the first one last. A path that ends in `/` ends in a step to a folder."""
    if path.startswith(b"/"):
        raise _fault(errno.EXDEV)
    steps = [step for step in path.split(b"/") if step]
    if path.endswith(b"/"):
        steps.append(b".")
    steps.reverse()
    return steps


def _fault(number: int) -> OSError:
    return OSError(number, os.strerror(number))

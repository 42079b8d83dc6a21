"""Watching directories: which paths below which of them have changed, as the kernel tells it.

Only folders that a look went into are watched, each by itself. A watch that goes down by itself follows links, out of
the source and through the whole machine (G17), and takes in dependency trees (G24).

Where the kernel cannot tell, or there are too many folders, a directory is polled: it is told every few seconds that
anything in it may have changed. That is said once, and hinders no other.
"""

import errno
import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from skillsvc.content.file_systems import is_remote
from skillsvc.content.inotify import Event, Inotify
from skillsvc.content.tree import encode_name

MOST_FOLDERS: Final = 50_000
"""Folders that are watched at most. Each costs the kernel a kilobyte that cannot be swapped."""

_QUIET_S: Final = 0.05
"""Changes that come within this time of each other are told together,"""
_LONGEST_QUIET_S: Final = 0.2
"""but not later than this after the first one."""
_STOPPED_WITHIN_S: Final = 0.1
_LOOK_AGAIN_S: Final = 0.5
_POLL_S: Final = 5.0
_LONGEST_WAIT_S: Final = 60.0
"""How long after refusals of the kernel it is asked again, at most."""
_TOLD_ONE_BY_ONE: Final = 100
"""Folders that are newly watched and told each; where there are more, anything may have changed."""

_REFUSALS: Final = frozenset({errno.ENOSPC, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""The kernel could watch this folder and does not."""

_log = logging.getLogger(__name__)

Key = TypeVar("Key", bound=Hashable)


class Watched(Protocol):
    """A directory that a source looks at. Any thread may ask."""

    @property
    def label(self) -> str:
        """The source's label."""

    @property
    def path(self) -> str:
        """Where it is."""

    @property
    def folders(self) -> frozenset[str]:
        """The folders below it in which a change may matter, "" for itself; none where it could not be looked at.

        As long as they are the same, so is the object.
        """

    @property
    def looked_at(self) -> tuple[int, int] | None:
        """Device and inode of the directory that the last look went into; None where it went into none."""


class _Identity(NamedTuple):
    """Which directory stands at a path, or where its link leads, and who may read it."""

    dev: int
    ino: int
    mode: int


_UNKNOWN: Final = _Identity(dev=-1, ino=-1, mode=-1)
"""Stands at no path."""


class _CannotWatch(Exception):
    """Not all folders of a directory can be watched, for this reason."""


class _Seat:
    """A directory, and what is watched of it.

    `folders` are those that were to be watched when that was last seen to, `watches` the kernel's numbers of those that
    are. `polled` says why it is polled, "" where it is not; `poll_due` and `retry_due` are when it is told next, and
    when the kernel is asked again.
    """

    __slots__ = ("directory", "folders", "identity", "path", "poll_due", "polled", "retry_due", "retry_s", "watches")

    def __init__(self, directory: Watched, retry_s: float) -> None:
        self.directory = directory
        self.path = Path(directory.path).absolute()
        self.identity: _Identity | None = None
        self.folders: frozenset[str] = frozenset()
        self.watches: dict[str, int] = {}
        self.polled = ""
        self.poll_due = self.retry_due = 0.0
        self.retry_s = retry_s

    def look(self) -> _Identity | None:
        """Return what stands at its path."""
        try:
            found = self.path.stat()
        except (OSError, ValueError):
            # ValueError is for a path that no system can have.
            return None
        return _Identity(dev=found.st_dev, ino=found.st_ino, mode=found.st_mode)

    def path_of(self, folder: str) -> bytes:
        """Return the path of something below it; names are UTF-8, whatever the locale says."""
        return b"%s/%s" % (os.fsencode(self.path), encode_name(folder))


class DirectoryWatch(Generic[Key]):
    """Watches the directories of sources, as far as they are there; `run` is for a thread of its own."""

    def __init__(
        self,
        directories: Mapping[Key, Watched],
        tell: Callable[[Key, frozenset[str]], None],
        *,
        most_folders: int = MOST_FOLDERS,
        look_again_s: float = _LOOK_AGAIN_S,
        poll_s: float = _POLL_S,
        clock: Callable[[], float] = time.monotonic,
        remote: Callable[[bytes], bool] = is_remote,
        open_inotify: Callable[[], Inotify] = Inotify,
    ) -> None:
        """Prepare.

        Args:
            directories: What to watch, by whatever it is known by.
            tell: Called with a key and the changed paths below its directory; with none where it came, went or may
                have changed anywhere. A path that ends in `/` is of a folder in which anything may have changed.
            most_folders: How many folders may be watched, over all directories.
            look_again_s: How often it is seen whether directories came, went or were replaced, and whether other
                folders matter, in seconds.
            poll_s: How often a directory that cannot be watched is told, in seconds.
            clock: Tells seconds that only grow.
            remote: Whether a path is on a file system that does not tell of all changes.
            open_inotify: Opens the kernel's watch.
        """
        self._wanted = dict(directories)
        self._tell = tell
        self._most_folders = most_folders
        self._look_again_s = look_again_s
        self._poll_s = poll_s
        self._clock = clock
        self._remote = remote
        self._open_inotify = open_inotify
        self._seats: dict[Key, _Seat] = {}
        self._places: dict[int, set[tuple[Key, str]]] = {}

    def replace(self, directories: Mapping[Key, Watched]) -> None:
        """Watch these from now on. What stays the same object stays watched. Any thread may call."""
        self._wanted = dict(directories)

    def run(self, stop: threading.Event) -> None:
        """Watch until told to stop. Where the kernel refuses to watch at all, it is asked again, and all are polled."""
        wait_s, is_said = self._look_again_s, False
        while not stop.is_set():
            try:
                with self._open_inotify() as inotify:
                    wait_s, is_said = self._look_again_s, False
                    self._watch(inotify, stop)
            except OSError as error:
                if not is_said:
                    _log.error(
                        "watching failed; all directories are looked at every %.1f s", self._poll_s, exc_info=error
                    )
                is_said = True
                stop.wait(wait_s)
                wait_s = min(2 * wait_s, self._poll_s)
                for key in self._wanted:
                    self._tell(key, frozenset())
            finally:
                self._seats.clear()
                self._places.clear()

    def _watch(self, inotify: Inotify, stop: threading.Event) -> None:
        due = self._clock()
        while not stop.is_set():
            if self._clock() >= due:
                self._see_to_all(inotify)
                due = self._clock() + self._look_again_s
            if events := inotify.read(min(_STOPPED_WITHIN_S, max(0.0, due - self._clock()))):
                self._hear(inotify, self._gathered(inotify, events))
                # What is told may lead to a look that finds other folders.
                due = min(due, self._clock() + _QUIET_S)

    def _gathered(self, inotify: Inotify, events: Collection[Event]) -> Iterable[Event]:
        """Return events, each once, with those that come soon after them."""
        gathered = dict.fromkeys(events)
        last = self._clock() + _LONGEST_QUIET_S
        while self._clock() < last and (more := inotify.read(_QUIET_S)):
            gathered.update(dict.fromkeys(more))
        return gathered

    def _hear(self, inotify: Inotify, events: Iterable[Event]) -> None:
        """Tell what changed, then watch folders where they are by now."""
        told: dict[Key, set[str]] = {}
        replaced: set[Key] = set()
        for event in events:
            if event.watch < 0:
                _log.warning("the kernel dropped events; all directories are looked at")
                told, replaced = {}, set(self._seats)
                for key in self._seats:
                    self._tell(key, frozenset())
                continue
            for key, folder in self._places.get(event.watch, ()):
                path = f"{folder}/{event.name}".strip("/") if event.name else folder
                told.setdefault(key, set()).add(path)
                if event.of_folder or event.moved or event.ended or (event.came and self._is_link(key, path)):
                    replaced.add(key)
            if event.ended:
                for key, folder in self._places.pop(event.watch, ()):
                    self._seats[key].watches.pop(folder, None)
        for key, paths in told.items():
            self._tell(key, frozenset(paths))
        for key in replaced:
            self._watch_again(inotify, key)

    def _is_link(self, key: Key, path: str) -> bool:
        try:
            return stat.S_ISLNK(os.lstat(self._seats[key].path_of(path)).st_mode)
        except OSError:
            return False

    def _see_to_all(self, inotify: Inotify) -> None:
        wanted = self._wanted
        for key, seat in list(self._seats.items()):
            if wanted.get(key) is not seat.directory:
                self._forget(inotify, key, seat.watches)
                del self._seats[key]
        for key, directory in wanted.items():
            if key not in self._seats:
                self._seats[key] = _Seat(directory, self._poll_s)
            self._see_to(inotify, key, self._seats[key])

    def _see_to(self, inotify: Inotify, key: Key, seat: _Seat) -> None:
        """See whether a directory is still the same, and watch the folders that matter by now."""
        if seat.polled and not self._is_retried(key, seat):
            return
        identity, folders = seat.look(), seat.directory.folders
        anything = identity != seat.identity or bool(seat.polled)
        looked_at = seat.directory.looked_at
        if not anything and identity is not None and looked_at not in {None, (identity.dev, identity.ino)}:
            # It was another for a moment, and a look went into that one.
            self._tell(key, frozenset())
        if not anything and folders is seat.folders:
            return
        try:
            if anything:
                self._begin(inotify, key, seat, identity)
            new = self._watch_folders(inotify, key, seat, folders)
        except _CannotWatch as error:
            self._poll(inotify, key, seat, str(error))
            return
        if seat.polled:
            _log.info("it is watched again", extra={"source": seat.directory.label})
            seat.polled, seat.retry_s = "", self._poll_s
        # What happened there before the watch stood is told by nobody else.
        if anything:
            self._tell(key, frozenset())
        else:
            self._tell_new(key, new)

    def _is_retried(self, key: Key, seat: _Seat) -> bool:
        """Tell of a polled directory as often as that is due, and whether the kernel is to be asked again.

        Nothing else is done with it: a file system of another machine may answer nobody for long.
        """
        now = self._clock()
        if now < seat.poll_due:
            return False
        seat.poll_due = now + self._poll_s
        self._tell(key, frozenset())
        return now >= seat.retry_due

    def _begin(self, inotify: Inotify, key: Key, seat: _Seat, identity: _Identity | None) -> None:
        """Begin with a directory that came, went, was replaced or could not be watched."""
        self._forget(inotify, key, seat.watches)
        seat.identity = identity
        if identity is not None and self._is_remote(seat):
            raise _CannotWatch("it is on a file system that need not tell of changes")

    def _poll(self, inotify: Inotify, key: Key, seat: _Seat, why: str) -> None:
        """Poll a directory from now on; what was watched of it is free for others."""
        self._forget(inotify, key, seat.watches)
        now = self._clock()
        if not seat.polled:
            _log.warning(
                "not watched but looked at every %.1f s: %s", self._poll_s, why, extra={"source": seat.directory.label}
            )
            self._tell(key, frozenset())
            seat.poll_due = now + self._poll_s
        seat.polled = why
        seat.retry_due = now + seat.retry_s
        seat.retry_s = min(2 * seat.retry_s, _LONGEST_WAIT_S)

    def _is_remote(self, seat: _Seat) -> bool:
        try:
            return self._remote(os.fsencode(seat.path))
        except OSError:
            return False

    def _watch_folders(self, inotify: Inotify, key: Key, seat: _Seat, folders: frozenset[str]) -> list[str]:
        """Watch these folders of a directory and no others; return those that were not watched before."""
        self._forget(inotify, key, [folder for folder in seat.watches if folder not in folders])
        new = [folder for folder in folders if folder not in seat.watches]
        for folder in new:
            self._watch_folder(inotify, key, seat, folder)
        seat.folders = folders
        return new

    def _watch_again(self, inotify: Inotify, key: Key) -> None:
        """Watch the folders of a directory where they are by now: some may be others, under the same paths."""
        seat = self._seats[key]
        if seat.polled:
            return
        try:
            new = [folder for folder in seat.folders if self._watch_folder(inotify, key, seat, folder)]
        except _CannotWatch as error:
            self._poll(inotify, key, seat, str(error))
            return
        if "" not in seat.watches:
            # It went. Moved back, or made anew with a number that is free again, it would look as if it never had.
            seat.identity = _UNKNOWN
        self._tell_new(key, new)

    def _tell_new(self, key: Key, new: Collection[str]) -> None:
        """Tell of folders that are newly watched; where the directory itself is, it may be another."""
        if "" in new or len(new) > _TOLD_ONE_BY_ONE:
            self._tell(key, frozenset())
        elif new:
            self._tell(key, frozenset(f"{folder}/" for folder in new))

    def _watch_folder(self, inotify: Inotify, key: Key, seat: _Seat, folder: str) -> bool:
        """Watch what stands at a folder's path; tell whether that was not watched under it before.

        Raises:
            _CannotWatch: There are too many already, or the kernel refuses.
        """
        before = seat.watches.get(folder)
        try:
            watch = inotify.add(seat.path_of(folder))
        except OSError as error:
            if error.errno in _REFUSALS:
                raise _CannotWatch(f"the kernel refuses ({errno.errorcode[error.errno]})") from error
            # It is gone, no folder, or may not be read. If it comes, the folder above tells.
            watch = None
        if watch == before:
            return False
        self._forget(inotify, key, [folder] if before is not None else ())
        if watch is None:
            return False
        self._places.setdefault(watch, set()).add((key, folder))
        seat.watches[folder] = watch
        if len(self._places) > self._most_folders:
            raise _CannotWatch(f"there are more than {self._most_folders} folders")
        return True

    def _forget(self, inotify: Inotify, key: Key, folders: Iterable[str]) -> None:
        seat = self._seats[key]
        for folder in list(folders):
            watch = seat.watches.pop(folder)
            places = self._places.get(watch, set())
            places.discard((key, folder))
            if not places:
                self._places.pop(watch, None)
                with suppress(OSError):
                    inotify.remove(watch)

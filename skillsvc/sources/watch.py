"""Watching directories: which paths below which of them have changed, as the kernel tells it.

Only folders that a look went into are watched, each by itself. A watch that goes down by itself follows links, out of
the source and through the whole machine (G17), and takes in dependency trees (G24).
"""

import logging
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import watchfiles

from skillsvc.sources.discovery import is_text

_DEBOUNCE_MS = 100
"""Changes that come within this time of each other are told together."""
_LOOK_AGAIN_S = 0.5
_LONGEST_WAIT_S = 60.0
"""How long after refusals of the kernel it is asked again."""

_log = logging.getLogger(__name__)


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
        """The folders below it in which a change may matter, "" for itself; none where it could not be looked at."""


class _Identity(NamedTuple):
    """Which directory stands at a path, or where its link leads, and who may read it."""

    dev: int
    ino: int
    mode: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sight:
    """What is to be watched of a directory; `identity` is None where it is not there."""

    identity: _Identity | None = None
    folders: frozenset[str] = frozenset()


class DirectoryWatch:
    """Watches the directories of sources, as far as they are there; `run` is for a thread of its own."""

    def __init__(
        self,
        directories: Iterable[Watched],
        tell: Callable[[str, frozenset[str]], None],
        *,
        look_again_s: float = _LOOK_AGAIN_S,
    ) -> None:
        """Prepare.

        Args:
            directories: What to watch; labels are unique.
            tell: Called with a label and the changed paths below its directory; none where it came, went or
                may have changed anywhere.
            look_again_s: How often it is seen whether directories came, went or were replaced, and whether other
                folders matter, in seconds.
        """
        self._look_again_s = look_again_s
        self._directories = {directory.label: directory for directory in directories}
        self._roots = {label: Path(directory.path).absolute() for label, directory in self._directories.items()}
        self._tell = tell

    def run(self, stop: threading.Event) -> None:
        """Watch until told to stop. Where the kernel refuses, it is asked again, less and less often."""
        watched: dict[str, _Sight] = {}
        news: set[str] = set()
        wait_s = self._look_again_s
        while not stop.is_set():
            sights = self._sights()
            news |= {label for label, sight in sights.items() if sight != watched.get(label, _Sight())}
            try:
                news = self._watch(sights, news, stop)
                watched, wait_s = sights, self._look_again_s
            except (OSError, RuntimeError, UnicodeError) as error:
                # RuntimeError is what its native part raises where there are more folders than the kernel watches.
                _log.error("watching failed; changes are seen by looking every %.1f s", wait_s, exc_info=error)
                self._tell_all(sights)
                stop.wait(wait_s)
                wait_s = min(2 * wait_s, _LONGEST_WAIT_S)

    def _watch(self, sights: dict[str, _Sight], news: set[str], stop: threading.Event) -> set[str]:
        """Watch until something else is to be watched.

        Args:
            sights: What to watch.
            news: The directories that were not watched like this before; what happened in them between the last look
                and the beginning is told as soon as the watch stands.
            stop: Ends it.

        Returns:
            The directories in which a watched folder may have been replaced: it is then watched where it no longer is.
        """
        roots = {label: _as_told(root) for label, root in self._roots.items()}
        folders = (f"{roots[label]}/{folder}" for label, sight in sights.items() for folder in sight.folders)
        paths = [folder for folder in folders if is_text(folder) and _is_folder(folder)]
        if not paths:
            self._tell_all(news)
            stop.wait(self._look_again_s)
            return set()
        changes = watchfiles.watch(
            *paths,
            stop_event=stop,
            watch_filter=None,
            debounce=_DEBOUNCE_MS,
            rust_timeout=round(self._look_again_s * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
            recursive=False,
            ignore_permission_denied=True,
        )
        for changed in changes:
            self._tell_all(news)
            news = set()
            for label, root in roots.items():
                below = {path.removeprefix(f"{root}/") for _kind, path in changed if path.startswith(f"{root}/")}
                if below:
                    self._tell(label, frozenset(below))
                if not below.isdisjoint(sights[label].folders):
                    news.add(label)
            if any(kind is watchfiles.Change.added and _is_folder(path) for kind, path in changed):
                # A link may lead to it from anywhere.
                news = set(sights)
            if news or self._sights() != sights:
                return news
        return set()

    def _sights(self) -> dict[str, _Sight]:
        return {
            label: _Sight(identity=_identity_of(self._roots[label]), folders=directory.folders)
            for label, directory in self._directories.items()
        }

    def _tell_all(self, labels: Iterable[str]) -> None:
        for label in labels:
            self._tell(label, frozenset())


def _as_told(root: Path) -> str:
    """Return a path as the native part knows it: in UTF-8, whatever the locale says."""
    return os.fsencode(root).decode(errors="surrogateescape")


def _is_folder(told: str) -> bool:
    return Path(os.fsdecode(told.encode(errors="surrogateescape"))).is_dir()


def _identity_of(root: Path) -> _Identity | None:
    try:
        found = root.stat()
    except OSError:
        return None
    return _Identity(dev=found.st_dev, ino=found.st_ino, mode=found.st_mode)

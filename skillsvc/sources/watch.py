"""Watching directories: which paths below which of them have changed, as the kernel tells it."""

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import watchfiles

_DEBOUNCE_MS = 100
"""Changes that come within this time of each other are told together."""
_LOOK_AGAIN_S = 2.0
"""How often directories that are not there yet are looked for."""

_log = logging.getLogger(__name__)


class DirectoryWatch:
    """Watches the directories of sources, as far as they are there; `run` is for a thread of its own."""

    def __init__(self, directories: Mapping[str, str], tell: Callable[[str, frozenset[str]], None]) -> None:
        """Prepare.

        Args:
            directories: The path of each source, by its label.
            tell: Called with a label and the changed paths below its directory; none where it came, went or
                may have changed anywhere.
        """
        self._directories = dict(directories)
        self._tell = tell

    def run(self, stop: threading.Event) -> None:
        """Watch until told to stop. Where the kernel refuses, changes are seen by the periodic look alone."""
        before: dict[str, Path] = {}
        while not stop.is_set():
            there = self._there()
            for label in before.keys() ^ there.keys():
                self._tell(label, frozenset())
            before = there
            try:
                if not there:
                    stop.wait(_LOOK_AGAIN_S)
                    continue
                self._watch(there, stop)
            except (OSError, RuntimeError):  # RuntimeError is what its native part raises where the kernel refuses
                _log.exception("watching is not possible; changes are seen at the next periodic look")
                return

    def _watch(self, there: Mapping[str, Path], stop: threading.Event) -> None:
        """Watch the directories that are there until that changes."""
        changes = watchfiles.watch(
            *there.values(),
            stop_event=stop,
            watch_filter=None,
            debounce=_DEBOUNCE_MS,
            rust_timeout=round(_LOOK_AGAIN_S * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        for changed in changes:
            for label, directory in there.items():
                paths = [Path(path) for _kind, path in changed]
                below = frozenset(
                    path.relative_to(directory).as_posix() for path in paths if path.is_relative_to(directory)
                )
                if below:
                    self._tell(label, below)
            if self._there().keys() != there.keys():
                return

    def _there(self) -> dict[str, Path]:
        """Return the real paths of the directories that are there: the kernel tells of changes by these."""
        paths = ((label, Path(path)) for label, path in self._directories.items())
        return {label: path.resolve() for label, path in paths if path.is_dir()}

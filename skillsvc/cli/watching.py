"""The watch of a server's directories, in a thread of its own, also where other directories are declared."""

import threading
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

from skillsvc.catalog.reports import SourceKey
from skillsvc.domain.partition import Partition
from skillsvc.sources.watch import DirectoryWatch, Watched


class Watches:
    """Watches the directories of all layers. A context manager, used by one thread; at its end nothing is watched."""

    def __init__(self, tell: Callable[[SourceKey, frozenset[str]], None]) -> None:
        """Begin with none; `tell` is called with the source and its changed paths, none for anything of it."""
        self._watch: DirectoryWatch[SourceKey] = DirectoryWatch({}, tell)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch.run, args=(self._stop,), name="watch", daemon=True)

    def __enter__(self) -> Self:
        """Begin to watch."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Watch no more."""
        self._stop.set()
        self._thread.join()

    def replace(self, directories: Mapping[Partition, Sequence[Watched]]) -> None:
        """Watch these from now on, and no others; the same ones stay watched."""
        self._watch.replace(
            {
                SourceKey(partition=partition, label=directory.label): directory
                for partition, of_layer in directories.items()
                for directory in of_layer
            }
        )

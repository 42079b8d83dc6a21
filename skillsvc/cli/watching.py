"""The watches of a server's directories, in threads of their own, replaced where other directories are declared."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Self

from skillsvc.catalog.reports import SourceKey
from skillsvc.domain.partition import Partition
from skillsvc.sources.watch import DirectoryWatch, Watched


class Watches:
    """Watches the directories of each layer. A context manager, used by one thread; at its end nothing is watched."""

    def __init__(self, tell: Callable[[SourceKey, Collection[str]], None]) -> None:
        """Begin with none; `tell` is called with the source and its changed paths, none for anything of it."""
        self._tell = tell
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        """Return the watches themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Watch no more."""
        self.replace({})

    def replace(self, directories: Mapping[Partition, Sequence[Watched]]) -> None:
        """Watch these from now on, and no others; waits until the others are let go, up to a second."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(
                target=DirectoryWatch(of_layer, partial(self._tell_of, partition)).run,
                args=(self._stop,),
                name="watch",
                daemon=True,
            )
            for partition, of_layer in directories.items()
            if of_layer
        ]
        for thread in self._threads:
            thread.start()

    def _tell_of(self, partition: Partition, label: str, paths: frozenset[str]) -> None:
        self._tell(SourceKey(partition=partition, label=label), paths)

"""Watches in threads, and what they tell."""

import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict, Unpack

from skillsvc.content.inotify import Inotify
from skillsvc.sources.watch import DirectoryWatch
from tests.patience import PATIENCE_S

Told = tuple[str, frozenset[str]]


@dataclass(slots=True)
class Place:
    """A watched directory whose folders a test sets."""

    path: str
    label: str = "harbor"
    folders: frozenset[str] = frozenset({""})
    looked_at: tuple[int, int] | None = None


@dataclass(slots=True)
class Listener:
    """What a watch has told."""

    told: "queue.Queue[Told]" = field(default_factory=queue.Queue)

    def tell(self, label: str, paths: frozenset[str]) -> None:
        self.told.put((label, paths))

    def next(self) -> Told:
        return self.told.get(timeout=PATIENCE_S)

    def until_anything(self, label: str = "harbor") -> None:
        """Wait until it is told that anything may have changed."""
        while self.next() != (label, frozenset()):
            pass

    def until_path(self, path: str, label: str = "harbor") -> frozenset[Told]:
        """Wait until a path is told; return what was told until then, one path each."""
        told: set[Told] = set()
        while (label, frozenset({path})) not in told:
            by, paths = self.next()
            told |= {(by, frozenset({each})) for each in paths}
        return frozenset(told)


def only(path: str, label: str = "harbor") -> frozenset[Told]:
    """Return what is told where nothing but one path changes, in however many pieces."""
    return frozenset({(label, frozenset({path}))})


class Settings(TypedDict, total=False):
    most_folders: int
    poll_s: float
    clock: Callable[[], float]
    remote: Callable[[bytes], bool]
    open_inotify: Callable[[], Inotify]


def watch_of(places: Collection[Place], listener: Listener, **settings: Unpack[Settings]) -> DirectoryWatch[str]:
    return DirectoryWatch({place.label: place for place in places}, listener.tell, look_again_s=0.05, **settings)


@contextmanager
def running(watch: DirectoryWatch[str]) -> Iterator[None]:
    """Watch in a thread."""
    stop = threading.Event()
    thread = threading.Thread(target=watch.run, args=(stop,))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


@contextmanager
def watching(*places: Place, **settings: Unpack[Settings]) -> Iterator[Listener]:
    """Watch in a thread, from when it tells that the watch stands."""
    listener = Listener()
    with running(watch_of(places, listener, **settings)):
        for _ in places:
            assert listener.next()[1] == frozenset()
        yield listener


def kernel_watches() -> int:
    """Count what this process has the kernel watch."""
    found = 0
    for descriptor in Path("/proc/self/fdinfo").iterdir():
        try:
            found += descriptor.read_text().count("inotify wd:")
        except FileNotFoundError:
            continue
    return found


def wait_for_watches(number: int) -> None:
    """Wait until what other tests had watched is closed: the native part does that after the thread is gone."""
    deadline = time.monotonic() + PATIENCE_S
    while kernel_watches() != number:
        assert time.monotonic() < deadline

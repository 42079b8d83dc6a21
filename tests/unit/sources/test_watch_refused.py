"""Where the kernel cannot watch, or not all: what is polled instead, and that it is said (G24)."""

import errno
import logging
import resource
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.inotify import Event, Inotify
from tests.patience import PATIENCE_S
from tests.unit.sources.trees import grow
from tests.unit.sources.watches import (
    Listener,
    Place,
    Told,
    kernel_watches,
    running,
    wait_for_watches,
    watch_of,
    watching,
)


class Alarm(logging.Handler):
    """Tells that something was logged, and what."""

    def __init__(self) -> None:
        super().__init__()
        self.rung = threading.Event()
        self.said: list[str] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())
        self.rung.set()


@pytest.fixture
def alarm() -> Iterator[Alarm]:
    alarm = Alarm()
    log = logging.getLogger("skillsvc.sources.watch")
    log.addHandler(alarm)
    yield alarm
    log.removeHandler(alarm)


def test_where_the_kernel_refuses_it_is_said_and_the_watch_goes_on(tmp_path: Path, alarm: Alarm) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    listener = Listener()
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        with running(watch_of([Place(str(tmp_path))], listener)):
            assert alarm.rung.wait(PATIENCE_S)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            listener.until_anything()
            # The kernel is asked again, and watches.
            told: Told = ("", frozenset())
            while told[1] != {"x"}:
                grow(tmp_path, {"x": "edited"})
                told = listener.next()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Waits(threading.Event):
    """Waits for nothing, remembers how long it should have, and is set after so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.seconds: list[float | None] = []
        self._times = times

    @override
    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout)
        if len(self.seconds) == self._times:
            self.set()
        return self.is_set()


def test_g24_where_the_kernel_watches_nothing_all_are_polled_which_is_said_once(tmp_path: Path, alarm: Alarm) -> None:
    def refuse() -> Inotify:
        raise OSError(errno.EMFILE, "too many open files")

    listener = Listener()
    watch = watch_of([Place(str(tmp_path))], listener, open_inotify=refuse, poll_s=0.3)
    waits = Waits(6)
    watch.run(waits)
    assert waits.seconds == [0.05, 0.1, 0.2, 0.3, 0.3, 0.3]
    assert [listener.next() for _ in range(6)] == [("harbor", frozenset())] * 6
    assert alarm.said == ["watching failed; all directories are looked at every 0.3 s"]


def test_g24_more_folders_than_may_be_watched_are_polled_which_is_said_once(tmp_path: Path, alarm: Alarm) -> None:
    grow(tmp_path, {"small/x": "", **{f"large/{number}/x": "" for number in range(9)}})
    large = Place(str(tmp_path / "large"), "large", frozenset({"", *map(str, range(9))}))
    small = Place(str(tmp_path / "small"), "small")
    wait_for_watches(0)
    with watching(large, small, most_folders=9, poll_s=0.05) as listener:
        for _ in range(3):
            listener.until_anything("large")
        # Now and then the kernel is asked again.
        wait_for_watches(1)
        grow(tmp_path, {"small/x": "edited"})
        listener.until_path("x", "small")
        assert alarm.said == ["not watched but looked at every 0.1 s: there are more than 9 folders"]
        # What the source has fewer of is watched again.
        large.folders = frozenset({"", "0"})
        while kernel_watches() != 3:
            listener.until_anything("large")
        grow(tmp_path, {"large/0/x": "edited"})
        listener.until_path("0/x", "large")


class Refusing(Inotify):
    """A kernel that watches no more than some folders for this user."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._left = most

    @override
    def add(self, path: bytes) -> int:
        if self._left == 0:
            raise OSError(errno.ENOSPC, "no space left on device")
        self._left -= 1
        return super().add(path)

    @override
    def remove(self, watch: int) -> None:
        self._left += 1
        super().remove(watch)


def test_g24_what_the_kernel_refuses_is_polled_and_hinders_no_other(tmp_path: Path, alarm: Alarm) -> None:
    grow(tmp_path, {"small/x": "", **{f"large/{number}/x": "" for number in range(9)}})
    large = Place(str(tmp_path / "large"), "large", frozenset({"", *map(str, range(9))}))
    small = Place(str(tmp_path / "small"), "small")
    with watching(large, small, open_inotify=lambda: Refusing(5), poll_s=0.05) as listener:
        for _ in range(3):
            listener.until_anything("large")
        grow(tmp_path, {"small/x": "edited"})
        listener.until_path("x", "small")
        assert alarm.said == ["not watched but looked at every 0.1 s: the kernel refuses (ENOSPC)"]


def test_a_file_system_of_another_machine_is_polled_and_hinders_no_other(tmp_path: Path, alarm: Alarm) -> None:
    grow(tmp_path, {"far/x": "", "near/x": ""})
    far, near = Place(str(tmp_path / "far"), "far"), Place(str(tmp_path / "near"), "near")
    wait_for_watches(0)
    with watching(far, near, remote=lambda path: path.endswith(b"far"), poll_s=0.05) as listener:
        for _ in range(3):
            listener.until_anything("far")
        assert kernel_watches() == 1
        grow(tmp_path, {"near/x": "edited"})
        listener.until_path("x", "near")
    assert alarm.said == ["not watched but looked at every 0.1 s: it is on a file system that need not tell of changes"]


class Dropping(Inotify):
    """A kernel that says, once, that it dropped events."""

    dropped = False

    @override
    def read(self, timeout_s: float) -> list[Event]:
        events = super().read(timeout_s)
        if events and not self.dropped:
            self.dropped = True
            return [Event(watch=-1)]
        return events


def test_where_the_kernel_dropped_events_anything_may_have_changed(tmp_path: Path) -> None:
    one, two = grow(tmp_path / "one", {"x": ""}), grow(tmp_path / "two", {"x": ""})
    with watching(Place(str(one), "one"), Place(str(two), "two"), open_inotify=Dropping) as listener:
        grow(one, {"x": "edited"})
        assert {listener.next(), listener.next()} == {("one", frozenset()), ("two", frozenset())}

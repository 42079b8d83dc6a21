"""Watching as the kernel does it: what is told of which folder, and what is never watched."""

import errno
import logging
import queue
import resource
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict, Unpack

import pytest
from typing_extensions import override

from skillsvc.content.inotify import Event, Inotify
from skillsvc.sources.watch import DirectoryWatch
from tests.unit.sources.trees import Link, Tree, grow, skill

PATIENCE_S = 20.0
Told = tuple[str, frozenset[str]]


@dataclass(slots=True)
class Place:
    """A watched directory whose folders a test sets."""

    path: str
    label: str = "harbor"
    folders: frozenset[str] = frozenset({""})


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


def test_changes_are_told_by_their_paths_below_the_directory(tmp_path: Path) -> None:
    grow(tmp_path, {"a/SKILL.md": skill("a"), "a/x/y": "x"})
    with watching(Place(str(tmp_path), folders=frozenset({"", "a", "a/x"}))) as listener:
        grow(tmp_path, {"a/SKILL.md": skill("a", "Edited.")})
        assert listener.until_path("a/SKILL.md") == only("a/SKILL.md")
        (tmp_path / "a/x/y").unlink()
        assert listener.until_path("a/x/y") == only("a/x/y")
        (tmp_path / "new").touch()
        assert listener.until_path("new") == only("new")
        (tmp_path / "a").rename(tmp_path / "b")
        listener.until_path("b")


def test_each_directory_is_told_by_its_label(tmp_path: Path) -> None:
    one, two = grow(tmp_path / "one", {"x": ""}), grow(tmp_path / "two", {"x": ""})
    with watching(Place(str(one), "one"), Place(str(two), "two")) as listener:
        grow(two, {"x": "edited"})
        assert listener.until_path("x", "two") == only("x", "two")
        grow(one, {"x": "edited"})
        assert listener.until_path("x", "one") == only("x", "one")


def test_a_relative_directory_is_one_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with watching(Place(".")) as listener:
        grow(tmp_path, {"x": ""})
        assert listener.until_path("x") == only("x")


def test_nothing_is_watched_but_the_folders_that_matter(tmp_path: Path) -> None:
    tree = {f"a/node_modules/{number}/x": "" for number in range(20)}
    grow(tmp_path, {**tree, "a/SKILL.md": skill("a"), "trap": Link("/"), "a/out": Link("/usr")})
    wait_for_watches(0)
    with watching(Place(str(tmp_path), folders=frozenset({"", "a"}))) as listener:
        assert kernel_watches() == 2
        grow(tmp_path, {"a/node_modules/0/x": "edited", "a/SKILL.md": "edited"})
        assert listener.until_path("a/SKILL.md") == only("a/SKILL.md")


def test_other_folders_are_watched_as_soon_as_they_matter(tmp_path: Path) -> None:
    grow(tmp_path, {"a/SKILL.md": skill("a")})
    place = Place(str(tmp_path))
    with watching(place) as listener:
        place.folders = frozenset({"", "a"})
        # What happened in it in between may have been missed, so it is told.
        assert listener.until_path("a/") == only("a/")
        grow(tmp_path, {"a/SKILL.md": "edited"})
        assert listener.until_path("a/SKILL.md") == only("a/SKILL.md")


REPLACED: dict[str, tuple[Tree, Callable[[Path], object]]] = {
    "by moving it away": ({"skills/a/x": ""}, lambda skills: (skills / "a").rename(skills / "../away")),
    "by removing it": ({"skills/a/x": ""}, lambda skills: shutil.rmtree(skills / "a")),
    "behind a link": (
        {"skills/real/x": "", "skills/a": Link("real")},
        lambda skills: (skills / "real").rename(skills / "../away"),
    ),
}


@pytest.mark.parametrize(("tree", "clear"), REPLACED.values(), ids=REPLACED)
def test_a_folder_that_is_replaced_is_watched_anew(tmp_path: Path, tree: Tree, clear: Callable[[Path], object]) -> None:
    grow(tmp_path, {**tree, "other/x": ""})
    skills = tmp_path / "skills"
    with watching(Place(str(skills), folders=frozenset({"", "a"}))) as listener:
        clear(skills)
        (tmp_path / "other").rename(skills / ("real" if "skills/a" in tree else "a"))
        listener.until_path("a/")
        grow(skills, {"a/x": "edited"})
        listener.until_path("a/x")


def test_a_folder_that_went_is_told_and_hinders_no_other(tmp_path: Path) -> None:
    grow(tmp_path, {"a/SKILL.md": skill("a")})
    place = Place(str(tmp_path))
    with watching(place) as listener:
        place.folders = frozenset({"", "a", "gone"})
        told: set[str] = set()
        while not told >= {"a/", "gone/"}:
            told |= listener.next()[1]
        grow(tmp_path, {"a/SKILL.md": "edited"})
        listener.until_path("a/SKILL.md")


def test_a_folder_whose_name_is_no_text_hinders_no_other(tmp_path: Path) -> None:
    grow(tmp_path, {"a\udcff/x": "", "a/x": ""})
    with watching(Place(str(tmp_path), folders=frozenset({"", "a\udcff", "a"}))) as listener:
        grow(tmp_path, {"a/x": "edited"})
        assert listener.until_path("a/x") == only("a/x")


def test_a_directory_that_comes_later_is_told(tmp_path: Path) -> None:
    place = Place(str(tmp_path / "later"), folders=frozenset())
    listener = Listener()
    with running(watch_of([place], listener)):
        grow(tmp_path / "later", {"x": ""})
        listener.until_anything()
        place.folders = frozenset({""})
        listener.until_path("/")
        grow(tmp_path / "later", {"x": "edited"})
        assert listener.until_path("x") == only("x")


SWAPS: dict[str, Callable[[Path], object]] = {
    "goes": lambda place: (place / "skills").rename(place / "away"),
    "is replaced by another": lambda place: [
        (place / "skills").rename(place / "away"),
        (place / "other").rename(place / "skills"),
    ],
    "may not be read any more": lambda place: (place / "skills").chmod(0o311),
}


@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
def test_a_directory_is_told_that(tmp_path: Path, swap: Callable[[Path], object]) -> None:
    grow(tmp_path, {"skills/x": "", "other/x": ""})
    with watching(Place(str(tmp_path / "skills"))) as listener:
        swap(tmp_path)
        listener.until_anything()


def test_what_a_link_leads_to_anew_is_watched_there(tmp_path: Path) -> None:
    grow(tmp_path, {"one/x": "", "two/x": "", "skills": Link("one"), "next": Link("two")})
    with watching(Place(str(tmp_path / "skills"))) as listener:
        (tmp_path / "next").replace(tmp_path / "skills")
        listener.until_anything()
        grow(tmp_path, {"two/x": "edited"})
        listener.until_path("x")


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


def test_g24_more_folders_than_may_be_watched_are_polled_which_is_said_once(tmp_path: Path, alarm: Alarm) -> None:
    grow(tmp_path, {"small/x": "", **{f"large/{number}/x": "" for number in range(9)}})
    large = Place(str(tmp_path / "large"), "large", frozenset({"", *map(str, range(9))}))
    small = Place(str(tmp_path / "small"), "small")
    wait_for_watches(0)
    with watching(large, small, most_folders=9, poll_s=0.05) as listener:
        for _ in range(3):
            listener.until_anything("large")
        assert kernel_watches() == 1
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


def test_two_directories_over_one_folder_are_both_told(tmp_path: Path) -> None:
    grow(tmp_path, {"a/x": "", "link": Link("a")})
    outer = Place(str(tmp_path), "outer", frozenset({"", "a"}))
    inner = Place(str(tmp_path / "link"), "inner")
    with watching(outer, inner) as listener:
        grow(tmp_path, {"a/x": "edited"})
        assert {listener.next(), listener.next()} == {("outer", frozenset({"a/x"})), ("inner", frozenset({"x"}))}


def test_many_folders_that_come_to_matter_at_once_are_told_as_anything(tmp_path: Path) -> None:
    grow(tmp_path, {f"{number}/x": "" for number in range(200)})
    place = Place(str(tmp_path))
    with watching(place) as listener:
        place.folders = frozenset({"", *map(str, range(200))})
        assert listener.next() == ("harbor", frozenset())


def test_other_directories_are_watched_from_when_they_are_declared(tmp_path: Path) -> None:
    grow(tmp_path, {"one/x": "", "two/x": "", "three/x": ""})
    one, two, three = (Place(str(tmp_path / name), name) for name in ("one", "two", "three"))
    listener = Listener()
    watch = watch_of([one, two], listener)
    wait_for_watches(0)
    with running(watch):
        assert {listener.next()[0], listener.next()[0]} == {"one", "two"}
        watch.replace({"two": two, "three": three})
        # What stays is not told.
        assert listener.next() == ("three", frozenset())
        assert kernel_watches() == 2
        grow(tmp_path, {"one/x": "edited", "two/x": "edited"})
        assert listener.until_path("x", "two") == only("x", "two")
        grow(tmp_path, {"three/x": "edited"})
        assert listener.until_path("x", "three") == only("x", "three")
        # Another object is another directory, also under the same name.
        watch.replace({"two": Place(str(tmp_path / "one"), "two")})
        listener.until_anything("two")
        grow(tmp_path, {"one/x": "again"})
        assert listener.until_path("x", "two") == only("x", "two")


def test_changes_that_come_together_are_told_together(tmp_path: Path) -> None:
    with watching(Place(str(tmp_path))) as listener:
        grow(tmp_path, {str(number): "" for number in range(20)})
        told: list[frozenset[str]] = []
        while len(frozenset().union(*told)) < 20:
            told.append(listener.next()[1])
        assert len(told) < 5


def test_reading_what_is_watched_is_no_change(tmp_path: Path) -> None:
    grow(tmp_path, {"a": "x", "b": ""})
    with watching(Place(str(tmp_path))) as listener:
        (tmp_path / "a").read_text()
        list(tmp_path.iterdir())
        grow(tmp_path, {"b": "edited"})
        assert listener.until_path("b") == only("b")

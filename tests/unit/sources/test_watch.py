"""Watching as the kernel does it: what is told of which folder, and what is never watched."""

import logging
import queue
import resource
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typing_extensions import override

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


@contextmanager
def watching(*places: Place) -> Iterator[Listener]:
    """Watch in a thread, from when it tells that the watch stands."""
    listener, stop = Listener(), threading.Event()
    thread = threading.Thread(target=DirectoryWatch(places, listener.tell, look_again_s=0.05).run, args=(stop,))
    thread.start()
    try:
        for _ in places:
            assert listener.next()[1] == frozenset()
        yield listener
    finally:
        stop.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


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
        # What happened in between may have been missed, so all of it is told.
        listener.until_anything()
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
        listener.until_anything()
        grow(skills, {"a/x": "edited"})
        listener.until_path("a/x")


def test_a_folder_that_went_is_told_and_hinders_no_other(tmp_path: Path) -> None:
    grow(tmp_path, {"a/SKILL.md": skill("a")})
    place = Place(str(tmp_path))
    with watching(place) as listener:
        place.folders = frozenset({"", "a", "gone"})
        listener.until_anything()
        place.folders = frozenset({"", "a"})
        told: Told = ("", frozenset())
        while "a/SKILL.md" not in told[1]:
            # An edit before the new watch stands is told as "anything".
            grow(tmp_path, {"a/SKILL.md": "edited"})
            told = listener.next()


def test_a_folder_whose_name_is_no_text_hinders_no_other(tmp_path: Path) -> None:
    grow(tmp_path, {"a\udcff/x": "", "a/x": ""})
    with watching(Place(str(tmp_path), folders=frozenset({"", "a\udcff", "a"}))) as listener:
        grow(tmp_path, {"a/x": "edited"})
        assert listener.until_path("a/x") == only("a/x")


def test_a_directory_that_comes_later_is_told(tmp_path: Path) -> None:
    place = Place(str(tmp_path / "later"), folders=frozenset())
    listener, stop = Listener(), threading.Event()
    thread = threading.Thread(target=DirectoryWatch([place], listener.tell, look_again_s=0.05).run, args=(stop,))
    thread.start()
    grow(tmp_path / "later", {"x": ""})
    listener.until_anything()
    place.folders = frozenset({""})
    listener.until_anything()
    grow(tmp_path / "later", {"x": "edited"})
    assert listener.until_path("x") == only("x")
    stop.set()
    thread.join(PATIENCE_S)


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
    """Tells that something was logged."""

    def __init__(self) -> None:
        super().__init__()
        self.rung = threading.Event()

    @override
    def emit(self, record: logging.LogRecord) -> None:
        self.rung.set()


def test_where_the_kernel_refuses_it_is_said_and_the_watch_goes_on(tmp_path: Path) -> None:
    alarm = Alarm()
    log = logging.getLogger("skillsvc.sources.watch")
    log.addHandler(alarm)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    stop = threading.Event()
    thread = threading.Thread(target=DirectoryWatch([Place(str(tmp_path))], lambda *_: None).run, args=(stop,))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        thread.start()
        assert alarm.rung.wait(PATIENCE_S)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        log.removeHandler(alarm)
    assert thread.is_alive()
    stop.set()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()

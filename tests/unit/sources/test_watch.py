"""Watching as the kernel does it: what is told of which folder, and what is never watched."""

import shutil
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.inotify import Event, Inotify
from tests.patience import PATIENCE_S
from tests.unit.sources.trees import Link, Tree, grow, skill
from tests.unit.sources.watches import (
    Listener,
    Place,
    kernel_watches,
    only,
    running,
    wait_for_watches,
    watch_of,
    watching,
)


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


def test_a_path_that_no_directory_can_have_hinders_no_other(tmp_path: Path) -> None:
    listener = Listener()
    with running(watch_of([Place("no\0path", "none"), Place(str(tmp_path))], listener)):
        listener.until_anything()
        grow(tmp_path, {"x": "edited"})
        assert listener.until_path("x") == only("x")


def test_a_directory_that_comes_later_is_told(tmp_path: Path) -> None:
    place = Place(str(tmp_path / "later"), folders=frozenset())
    listener = Listener()
    with running(watch_of([place], listener)):
        grow(tmp_path / "later", {"x": ""})
        listener.until_anything()
        place.folders = frozenset({""})
        # What is in it may be anything by then.
        listener.until_anything()
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


def test_a_directory_that_is_back_before_anybody_looks_is_watched_anew(tmp_path: Path) -> None:
    grow(tmp_path, {"skills/x": ""})
    skills, away = tmp_path / "skills", tmp_path / "away"

    class MovesBack(Inotify):
        """As soon as it was not found, the directory is there again, the very same."""

        @override
        def add(self, path: bytes) -> int:
            try:
                return super().add(path)
            except FileNotFoundError:
                away.rename(skills)
                raise

    with watching(Place(str(skills)), open_inotify=MovesBack) as listener:
        skills.rename(away)
        listener.until_anything()
        grow(skills, {"x": "edited"})
        listener.until_path("x")


def test_a_look_that_went_into_another_directory_is_made_again(tmp_path: Path) -> None:
    grow(tmp_path, {"skills/x": "", "other/x": ""})
    there, elsewhere = (tmp_path / "skills").stat(), (tmp_path / "other").stat()
    place = Place(str(tmp_path / "skills"), looked_at=(there.st_dev, there.st_ino))
    with watching(place) as listener:
        grow(tmp_path, {"skills/x": "edited"})
        assert listener.until_path("x") == only("x")
        place.looked_at = (elsewhere.st_dev, elsewhere.st_ino)
        listener.until_anything()


def test_what_a_link_leads_to_anew_is_watched_there(tmp_path: Path) -> None:
    grow(tmp_path, {"one/x": "", "two/x": "", "skills": Link("one"), "next": Link("two")})
    with watching(Place(str(tmp_path / "skills"))) as listener:
        (tmp_path / "next").replace(tmp_path / "skills")
        listener.until_anything()
        grow(tmp_path, {"two/x": "edited"})
        listener.until_path("x")


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
    files = {str(number): "" for number in range(20)}
    written = threading.Event()

    class Unread(Inotify):
        """Tells nothing before all is written, and then one change at a time."""

        @override
        def read(self, timeout_s: float) -> list[Event]:
            assert written.wait(PATIENCE_S)
            waiting.extend(super().read(0 if waiting else timeout_s))
            return [waiting.popleft()] if waiting else []

    waiting: deque[Event] = deque()
    with watching(Place(str(tmp_path)), open_inotify=Unread, clock=lambda: 0.0) as listener:
        grow(tmp_path, files)
        written.set()
        assert listener.next() == ("harbor", frozenset(files))


def test_reading_what_is_watched_is_no_change(tmp_path: Path) -> None:
    grow(tmp_path, {"a": "x", "b": ""})
    with watching(Place(str(tmp_path))) as listener:
        (tmp_path / "a").read_text()
        list(tmp_path.iterdir())
        grow(tmp_path, {"b": "edited"})
        assert listener.until_path("b") == only("b")

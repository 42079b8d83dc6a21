"""What happens to a directory is seen by whoever watches the catalog, long before the periodic look; and nothing else.

That nothing else is told is shown by what is told next: it follows in sequence, and holds that one change alone.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.calls import Caller, Watching
from tests.integration.conftest import RunningServer, Serve
from tests.unit.sources.trees import Link, Program, grow, skill

NOTHING: dict[str, set[str]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """A server on a directory that changes."""

    server: RunningServer
    root: Path


@pytest.fixture(scope="module")
def live(serve_for_module: Serve, tmp_path_factory: pytest.TempPathFactory) -> Live:
    root = grow(tmp_path_factory.mktemp("live") / "skills", {"README.md": ""})
    return Live(server=serve_for_module(root, layout="nested"), root=root)


class Scene:
    """A folder of the directory for one test, with names of its own: the skills `a` and `z`, and a watcher."""

    def __init__(self, folder: Path, watching: Watching) -> None:
        self.folder = folder
        self._watching = watching
        self._digests: dict[str, str] = {}
        self._sequence = 0
        # SKILL.md last: what comes in pieces may be told in pieces.
        grow(folder, {"a/run": "one", "a/lib/x": "one", "a/SKILL.md": self.skill("a"), "z/SKILL.md": self.skill("z")})
        self.expect({"added": {"a", "z"}})

    def skill(self, name: str, description: str = "One.") -> str:
        """Return a SKILL.md whose name is this test's own."""
        return skill(f"{self.folder.name}-{name}", description)

    def expect(self, wanted: dict[str, set[str]]) -> None:
        """Wait until this has come of what was told, in however many events, and no more than this."""
        before = dict(self._digests)
        while _difference(before, self._digests) != wanted:
            event = self._watching.next()
            self._sequence = event.generation.sequence
            for listed in (*event.added, *event.modified):
                self._digests[self._own(listed.name)] = listed.digest
            for name in event.removed:
                del self._digests[self._own(name)]

    def expect_nothing_more(self) -> None:
        """Change the skill `z`, and expect that the very next state holds just that."""
        before = self._sequence
        grow(self.folder, {".z": self.skill("z", f"After {before}.")})
        (self.folder / ".z").replace(self.folder / "z/SKILL.md")
        self.expect({"modified": {"z"}})
        assert self._sequence == before + 1

    def _own(self, name: str) -> str:
        return name.removeprefix(f"{self.folder.name}-")


def _difference(before: dict[str, str], after: dict[str, str]) -> dict[str, set[str]]:
    difference = {
        "added": after.keys() - before.keys(),
        "removed": before.keys() - after.keys(),
        "modified": {name for name in before.keys() & after.keys() if before[name] != after[name]},
    }
    return {kind: names for kind, names in difference.items() if names}


@pytest.fixture
def scene(live: Live, tmp_path: Path) -> Iterator[Scene]:
    folder = live.root / tmp_path.name.lower()
    with Caller(live.server.address) as caller, caller.watch(caller.generation().token) as watching:
        yield Scene(folder, watching)
        # The next test begins with nothing of this one.
        shutil.rmtree(folder)
        caller.wait_until(lambda: not any(name.startswith(folder.name) for name in caller.names()))


def edit_in_place(scene: Scene) -> None:
    with (scene.folder / "a/SKILL.md").open("r+") as document:
        document.write(scene.skill("a", "Two."))


def edit_by_renaming(scene: Scene, description: str = "Two.") -> None:
    grow(scene.folder, {".new": scene.skill("a", description)})
    (scene.folder / ".new").replace(scene.folder / "a/SKILL.md")


def edit_with_a_backup(scene: Scene) -> None:
    (scene.folder / "a/SKILL.md").rename(scene.folder / "a/SKILL.md~")
    grow(scene.folder, {"a/SKILL.md": scene.skill("a", "Two.")})
    (scene.folder / "a/SKILL.md~").unlink()


def exchange_its_folder(scene: Scene) -> None:
    grow(scene.folder.parent / ".aside", {"SKILL.md": scene.skill("a", "Two.")})
    (scene.folder / "a").rename(scene.folder.parent / ".away")
    (scene.folder.parent / ".aside").rename(scene.folder / "a")
    shutil.rmtree(scene.folder.parent / ".away")


CHANGES: dict[str, tuple[Callable[[Scene], object], dict[str, set[str]]]] = {
    "SKILL.md is edited in place": (edit_in_place, {"modified": {"a"}}),
    "SKILL.md is written aside and renamed": (edit_by_renaming, {"modified": {"a"}}),
    "an asset is edited": (lambda scene: grow(scene.folder, {"a/run": "two"}), {"modified": {"a"}}),
    "an asset in a folder is edited": (lambda scene: grow(scene.folder, {"a/lib/x": "two"}), {"modified": {"a"}}),
    "an asset comes in a new folder": (lambda scene: grow(scene.folder, {"a/new/deep/x": "x"}), {"modified": {"a"}}),
    "an asset goes": (lambda scene: (scene.folder / "a/lib/x").unlink(), {"modified": {"a"}}),
    "an asset becomes executable": (lambda scene: (scene.folder / "a/run").chmod(0o755), {"modified": {"a"}}),
    "a skill.yaml comes": (lambda scene: grow(scene.folder, {"a/skill.yaml": "version: '2'"}), {"modified": {"a"}}),
    "its folder is exchanged": (exchange_its_folder, {"modified": {"a"}}),
    "a skill comes": (lambda scene: grow(scene.folder, {"b/SKILL.md": scene.skill("b")}), {"added": {"b"}}),
    "a skill comes deep down": (
        lambda scene: grow(scene.folder, {"x/y/b/run": Program(b"x"), "x/y/b/SKILL.md": scene.skill("b")}),
        {"added": {"b"}},
    ),
    "a skill goes": (lambda scene: shutil.rmtree(scene.folder / "a"), {"removed": {"a"}}),
    "SKILL.md alone goes": (lambda scene: (scene.folder / "a/SKILL.md").unlink(), {"removed": {"a"}}),
    "a skill breaks": (lambda scene: grow(scene.folder, {"a/SKILL.md": "---\nname: a\n"}), {"removed": {"a"}}),
    "a skill is renamed": (
        lambda scene: grow(scene.folder, {"a/SKILL.md": scene.skill("b")}),
        {"removed": {"a"}, "added": {"b"}},
    ),
    "a skill is hidden by its folder's name": (
        lambda scene: (scene.folder / "a").rename(scene.folder / ".a"),
        {"removed": {"a"}},
    ),
    "its folder moves, and it is the same skill": (
        lambda scene: (scene.folder / "a").rename(scene.folder / "b"),
        NOTHING,
    ),
    "SKILL.md is touched": (lambda scene: os.utime(scene.folder / "a/SKILL.md"), NOTHING),
    "SKILL.md is written anew as it was": (lambda scene: edit_by_renaming(scene, "One."), NOTHING),
    "files come that are none of its assets": (
        lambda scene: grow(scene.folder, {"a/.git/index": "x", "a/node_modules/p/x": "x", "a/__pycache__/x": "x"}),
        NOTHING,
    ),
    "an empty folder comes": (lambda scene: (scene.folder / "a/empty").mkdir(), NOTHING),
    "a file comes beside the skills": (lambda scene: grow(scene.folder, {"README.md": "x"}), NOTHING),
    "a link out comes": (lambda scene: grow(scene.folder, {"trap": Link("/")}), NOTHING),
}


@pytest.mark.parametrize(("change", "told"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_told_and_no_more(
    scene: Scene, change: Callable[[Scene], object], told: dict[str, set[str]]
) -> None:
    change(scene)
    scene.expect(told)
    scene.expect_nothing_more()


def test_an_editor_that_keeps_a_backup_is_followed_to_the_end(scene: Scene, live: Live) -> None:
    # What is told on the way depends on when it is looked at.
    edit_with_a_backup(scene)
    name = f"{scene.folder.name}-a"
    with Caller(live.server.address) as caller:
        caller.wait_until(lambda: "Two." in {skill.description for skill in caller.skills() if skill.name == name})
        caller.wait_until(lambda: [asset.name for asset in caller.assets(name)] == ["lib/x", "run"])


def test_a_folder_that_was_exchanged_is_followed_where_it_is_now(scene: Scene) -> None:
    exchange_its_folder(scene)
    scene.expect({"modified": {"a"}})
    for description in ("Three.", "Four."):
        edit_by_renaming(scene, description)
        scene.expect({"modified": {"a"}})


def test_the_text_that_a_link_leads_to_is_followed(scene: Scene) -> None:
    grow(scene.folder, {"texts/b.md": scene.skill("b"), "b/SKILL.md": Link("../texts/b.md")})
    scene.expect({"added": {"b"}})
    grow(scene.folder, {"texts/b.md": scene.skill("b", "Two.")})
    scene.expect({"modified": {"b"}})


def test_a_directory_that_comes_later_is_served(serve: Serve, tmp_path: Path) -> None:
    root = tmp_path / "later"
    with Caller(serve(root).address) as caller:
        assert (caller.names(), caller.generation().complete) == ([], True)
        with caller.watch() as watching:
            grow(root, {"a/SKILL.md": skill("a")})
            watching.until(lambda event: [skill.name for skill in event.added] == ["a"])


def exchange_by_renaming(place: Path) -> None:
    (place / "skills").rename(place / "away")
    (place / "other").rename(place / "skills")


def empty_and_fill(place: Path) -> None:
    shutil.rmtree(place / "skills")
    shutil.copytree(place / "other", place / "skills")


@pytest.mark.parametrize("exchange", [exchange_by_renaming, empty_and_fill])
def test_another_directory_in_its_place_is_served_and_watched(
    serve: Serve, tmp_path: Path, exchange: Callable[[Path], None]
) -> None:
    grow(tmp_path / "skills", {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    grow(tmp_path / "other", {"b/SKILL.md": skill("b", "Other."), "c/SKILL.md": skill("c")})
    with Caller(serve(tmp_path / "skills").address) as caller, caller.watch() as watching:
        exchange(tmp_path)
        watching.until(lambda event: event.generation.complete and caller.names() == ["b", "c"])
        grow(tmp_path / "skills", {"c/SKILL.md": skill("c", "Edited.")})
        watching.until(lambda event: [skill.description for skill in event.modified] == ["Edited."])


def test_a_link_that_is_turned_to_another_directory_exchanges_all_at_once(serve: Serve, tmp_path: Path) -> None:
    for version in ("one", "two"):
        grow(tmp_path / version, {f"{name}/SKILL.md": skill(name, version) for name in "abc"})
    root = tmp_path / "skills"
    root.symlink_to("one")
    with Caller(serve(root).address) as caller, caller.watch(caller.generation().token) as watching:
        for version in ("two", "one", "two"):
            (tmp_path / "next").symlink_to(version)
            (tmp_path / "next").replace(root)
            event = watching.until(lambda event: bool(event.modified))
            assert {skill.name: skill.description for skill in event.modified} == dict.fromkeys("abc", version)
        grow(tmp_path / "two", {"a/SKILL.md": skill("a", "Edited.")})
        event = watching.until(lambda event: bool(event.modified))
        assert [skill.description for skill in event.modified] == ["Edited."]


def test_what_changes_while_the_server_is_down_is_told_to_who_comes_back(serve: Serve, tmp_path: Path) -> None:
    root = grow(tmp_path / "skills", {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    server = serve(root)
    with Caller(server.address) as caller:
        before = caller.generation()
    server.stop()
    again = serve(root, data_dir=server.data_dir)
    with Caller(again.address) as caller:
        # Equal content is the same state, also over a restart (P2).
        assert (caller.generation().digest, caller.generation().sequence) == (before.digest, before.sequence)
        with caller.watch(before.token) as watching:
            first = watching.next()
            assert not any((first.resync, first.added, first.modified, first.removed))
    again.stop()
    grow(root, {"a/SKILL.md": skill("a", "Edited.")})
    shutil.rmtree(root / "b")
    with Caller(serve(root, data_dir=server.data_dir).address) as caller, caller.watch(before.token) as watching:
        first = watching.next()
        assert ([skill.description for skill in first.modified], list(first.removed)) == (["Edited."], ["b"])
        assert first.generation.sequence == before.sequence + 1


def test_sources_that_change_one_after_the_other_are_told_as_one_catalog(serve: Serve, tmp_path: Path) -> None:
    one, two = (grow(tmp_path / name, {"same/SKILL.md": skill("same", name)}) for name in ("one", "two"))
    with Caller(serve(one, two).address) as caller, caller.watch(caller.generation().token) as watching:
        shutil.rmtree(one / "same")
        event = watching.until(lambda event: bool(event.modified))
        # The other one's comes forward.
        assert [(skill.name, skill.description) for skill in event.modified] == [("same", "two")]
        grow(one, {"same/SKILL.md": skill("same", "back")})
        event = watching.until(lambda event: bool(event.modified))
        assert [(skill.name, skill.description) for skill in event.modified] == [("same", "back")]

"""A directory as a source: what its looks come to, what of the last one stands, and what is not read again."""

import errno
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from typing_extensions import override

from skillsvc.content.confined import ConfinedRoot
from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.errors import DataLoss, ErrorReason, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.discovery import Layout
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import LookAbandoned, Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.trees import LABEL, Folder, Link, Program, Tree, codes, grow, places_of, skill, source_of

NOBODY = 65_534


class CountingBlobStore(MemoryBlobStore):
    """Counts the files whose bytes came in."""

    def __init__(self) -> None:
        super().__init__()
        self.taken = 0

    @override
    def put(self, data: bytes, digest: str | None = None) -> str:
        self.taken += 1
        return super().put(data, digest)


def settled(root: Path, blobs: MemoryBlobStore, limits: Limits | None = None) -> DirectorySource:
    """Return a source whose clock is ahead, so that it need not wait for stamps to settle."""
    return DirectorySource(
        DirectorySettings(path=str(root), reading=ReadingSettings(label=LABEL)),
        limits=limits or Limits(),
        blobs=blobs,
        open_root=partial(ConfinedRoot.open, now_ns=lambda: time.time_ns() + 10**9),
    )


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that other users may reach, unlike those of pytest."""
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Look as a user whom modes bind: they hinder no superuser."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_what_is_found_says_where_and_how_it_was_admitted(tmp_path: Path) -> None:
    seen = source_of(grow(tmp_path, {"a/SKILL.md": skill("a")})).observe()
    assert (seen.source, seen.tier, seen.trust, seen.outcome) == (LABEL, Tier.EXPLICIT, Trust.ALLOWED, Outcome.WHOLE)


def test_a_directory_that_is_not_there_is_absent(tmp_path: Path) -> None:
    seen = source_of(tmp_path / "nowhere").observe()
    assert (seen.outcome, seen.found, seen.diagnostics) == (Outcome.ABSENT, (), ())


def test_a_link_that_leads_nowhere_is_absent_as_well(tmp_path: Path) -> None:
    (tmp_path / "skills").symlink_to("nowhere")
    assert source_of(tmp_path / "skills").observe().outcome is Outcome.ABSENT


def test_a_file_in_place_of_the_directory_is_no_absence(tmp_path: Path) -> None:
    # Only "no such file" means that nothing is there (G21).
    source = source_of(grow(tmp_path / "skills", {"a/SKILL.md": skill("a")}))
    source.observe()
    shutil.rmtree(tmp_path / "skills")
    (tmp_path / "skills").touch()
    seen = source.observe()
    assert (seen.outcome, seen.found) == (Outcome.FAILED, ())
    [said] = seen.diagnostics
    assert (said.code, said.message) == (
        Code.SOURCE_UNREADABLE,
        "cannot be read (ENOTDIR); make it a directory that the server may read",
    )


def test_a_directory_that_may_not_be_read_has_failed(open_place: Path) -> None:
    root = grow(open_place / "skills", {"a/SKILL.md": skill("a"), "b/SKILL.md": "---\n"})
    source = source_of(root)
    first = source.observe()
    assert places_of(first) == ["a"]
    root.chmod(0)
    with as_nobody():
        seen = source.observe()
    refused = (Code.FRONTMATTER_UNCLOSED, "b")
    assert (seen.outcome, seen.found) == (Outcome.FAILED, ())
    assert codes(seen.diagnostics) == [(Code.SOURCE_UNREADABLE, ""), refused]
    root.chmod(0o755)
    assert source.observe() == first


UNREADABLE: dict[str, tuple[str, tuple[Code, str]]] = {
    "its SKILL.md": ("a/SKILL.md", (Code.FILE_UNREADABLE, "a")),
    "its skill.yaml": ("a/skill.yaml", (Code.FILE_UNREADABLE, "a")),
    "an asset": ("a/scripts/run", (Code.FILE_UNREADABLE, "a")),
    "a folder of assets": ("a/scripts", (Code.FOLDER_UNREADABLE, "a")),
    "its folder": ("a", (Code.FOLDER_UNREADABLE, "a")),
}


@pytest.mark.parametrize(("path", "said"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_skill_that_cannot_be_read_keeps_its_last_good_and_hides_no_sibling(
    open_place: Path, path: str, said: tuple[Code, str]
) -> None:
    tree = {"a/SKILL.md": skill("a"), "a/skill.yaml": "version: '1'", "a/scripts/run": "x", "b/SKILL.md": skill("b")}
    root = grow(open_place / "skills", tree)
    source = source_of(root)
    first = source.observe()
    (root / path).chmod(0)
    grow(root, {"b/SKILL.md": skill("b", "Another description.")})
    with as_nobody():
        seen = source.observe(held=first.found)
        # Nothing of it is held here.
        fresh = source_of(root).observe()
    assert (seen.outcome, seen.found[0], codes(seen.diagnostics)) == (Outcome.PARTIAL, first.found[0], [said])
    assert seen.found[1].bundle.skill.description == "Another description."
    assert (fresh.outcome, places_of(fresh), codes(fresh.diagnostics)) == (Outcome.PARTIAL, ["b"], [said])
    (root / path).chmod(0o755)
    after = source.observe()
    assert (after.outcome, places_of(after), after.diagnostics) == (Outcome.WHOLE, ["a", "b"], ())


def test_what_lies_below_a_folder_that_cannot_be_read_stands_in_its_order(open_place: Path) -> None:
    tree = {f"{place}/SKILL.md": skill("same") for place in ("z", "a/b", "c/d", "c/e/f")}
    root = grow(open_place / "skills", {**tree, "quay.md": skill("same")})
    source = source_of(root, layout=Layout.NESTED, single_files=True)
    order = ["quay.md", "z", "a/b", "c/d", "c/e/f"]
    first = source.observe()
    assert places_of(first) == order
    (root / "c").chmod(0)
    with as_nobody():
        seen = source.observe(held=first.found)
        again = source.observe(held=seen.found)
    assert (seen.outcome, places_of(seen), codes(seen.diagnostics)) == (
        Outcome.PARTIAL,
        order,
        [(Code.FOLDER_UNREADABLE, "c")],
    )
    assert again == seen
    (root / "c").chmod(0o755)
    shutil.rmtree(root / "c/d")
    assert places_of(source.observe()) == ["quay.md", "z", "a/b", "c/e/f"]


def test_what_was_found_before_a_restart_stands_where_the_first_look_cannot_see(open_place: Path) -> None:
    root = grow(
        open_place / "skills", {"a/SKILL.md": skill("a"), "b/c/SKILL.md": skill("c"), "gone/SKILL.md": skill("d")}
    )
    before = source_of(root, layout=Layout.NESTED).observe()
    shutil.rmtree(root / "gone")
    (root / "a/SKILL.md").chmod(0)
    (root / "b").chmod(0)
    source = DirectorySource(
        DirectorySettings(path=str(root), reading=ReadingSettings(label=LABEL, layout=Layout.NESTED)),
        limits=Limits(),
        blobs=MemoryBlobStore(),
    )
    with as_nobody():
        seen = source.observe(held=before.found)
    assert (seen.outcome, places_of(seen)) == (Outcome.PARTIAL, ["a", "b/c"])
    assert set(seen.found) < set(before.found)


def test_what_can_be_read_again_is_wholly_seen_though_its_stamps_are_the_same(open_place: Path) -> None:
    tree = {"a/b/SKILL.md": skill("b"), "a/b/x": "x", "c/SKILL.md": skill("c")}
    root = grow(open_place / "skills", tree)
    source = DirectorySource(
        DirectorySettings(path=str(root), reading=ReadingSettings(label=LABEL, layout=Layout.NESTED)),
        limits=Limits(),
        blobs=MemoryBlobStore(),
        open_root=partial(ConfinedRoot.open, now_ns=lambda: time.time_ns() + 10**9),
    )
    first = source.observe()
    (root / "a").chmod(0)
    with as_nobody():
        assert source.observe(held=first.found).outcome is Outcome.PARTIAL
    (root / "a").chmod(0o755)
    assert source.observe(held=first.found) == first
    assert first.outcome is Outcome.WHOLE


def test_what_is_held_no_more_stands_for_nothing(open_place: Path) -> None:
    root = grow(open_place / "skills", {"a/SKILL.md": skill("a"), "b/c/SKILL.md": skill("c"), "d/SKILL.md": skill("d")})
    source = source_of(root, layout=Layout.NESTED)
    source.observe()
    for path in ("a/SKILL.md", "b"):
        (root / path).chmod(0)
    with as_nobody():
        seen = source.observe(held=())
    assert (seen.outcome, places_of(seen)) == (Outcome.PARTIAL, ["d"])


def test_what_is_held_stands_also_after_the_directory_was_absent(open_place: Path) -> None:
    root = grow(open_place / "skills", {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    source = source_of(root)
    first = source.observe()
    root.rename(open_place / "away")
    assert source.observe(held=first.found).outcome is Outcome.ABSENT
    (open_place / "away").rename(root)
    (root / "a").chmod(0)
    with as_nobody():
        seen = source.observe(held=first.found)
    assert (seen.outcome, seen.found) == (Outcome.PARTIAL, first.found)


def test_a_look_that_runs_out_of_descriptors_loses_nothing(tmp_path: Path) -> None:
    root = grow(tmp_path, {f"{name}/x/y/SKILL.md": skill(name) for name in "abc"} | {"a/x/y/z/asset": "x"})
    source = source_of(root, layout=Layout.NESTED)
    first = source.observe()
    assert len(first.found) == 3
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open("/", os.O_RDONLY)
    os.close(free)
    outcomes: list[Outcome] = []
    # Of the numbers above the first free one others may be in use.
    while Outcome.WHOLE not in outcomes:
        spare = len(outcomes)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free + spare, hard))
        try:
            seen = source.observe(held=first.found)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert seen.found == (first.found if seen.outcome is not Outcome.FAILED else ())
        assert seen.outcome is Outcome.WHOLE or any("EMFILE" in said.message for said in seen.diagnostics)
        outcomes.append(seen.outcome)
    assert set(outcomes) == {Outcome.FAILED, Outcome.PARTIAL, Outcome.WHOLE}


def test_unchanged_files_are_not_read_again(tmp_path: Path) -> None:
    tree: Tree = {"a/SKILL.md": skill("a"), "a/run": Program(b"x"), "a/large": b"x" * 300_000, "b/SKILL.md": skill("b")}
    blobs = CountingBlobStore()
    source = settled(grow(tmp_path, tree), blobs)
    first = source.observe()
    assert blobs.taken == 4
    again = source.observe()
    assert (again, blobs.taken) == (first, 4)
    # Of a skill that changed only what changed, and SKILL.md.
    grow(tmp_path, {"a/run": Program(b"y")})
    changed = source.observe()
    assert blobs.taken == 6
    assert changed.found[1] is first.found[1]
    assert changed.found[0].bundle.digest != first.found[0].bundle.digest


def test_bytes_that_the_store_lost_are_read_again_with_the_skill(tmp_path: Path) -> None:
    blobs = CountingBlobStore()
    source = settled(grow(tmp_path, {"a/SKILL.md": skill("a"), "a/x": "x"}), blobs)
    [found] = source.observe().found
    blobs.remove([found.bundle.assets[0].digest], unused_since=blobs.mark())
    grow(tmp_path, {"a/SKILL.md": skill("a", "Another.")})
    [found] = source.observe().found
    assert blobs.read(found.bundle.assets[0].digest) == b"x"


@pytest.mark.parametrize("bad", [b"y", b"", None], ids=["other bytes", "cut", "gone"])
def test_what_a_read_found_lost_is_there_again_after_the_next_look(tmp_path: Path, bad: bytes | None) -> None:
    tree: Tree = {"a/SKILL.md": skill("a"), "a/x": "x", "b/SKILL.md": skill("b"), "b/x": "another"}
    blobs = CountingBlobStore()
    source = settled(grow(tmp_path, tree), blobs)
    first = source.observe()
    for digest in first.found[0].bundle.blobs:
        whole = blobs.read(digest)
        if bad is None:
            del blobs.blobs[digest]
        else:
            blobs.blobs[digest] = bad
        with pytest.raises(DataLoss):
            blobs.read(digest)
        blobs.taken = 0
        assert source.observe() == first
        # Nothing but the lost one, and SKILL.md of its skill, is read.
        assert blobs.taken == len({digest, first.found[0].bundle.document and first.found[0].bundle.document.digest})
        assert blobs.read(digest) == whole
        blobs.taken = 0
        assert source.observe() == first
        assert blobs.taken == 0


def test_what_is_lost_and_no_longer_in_the_source_is_looked_for_no_further(tmp_path: Path) -> None:
    blobs = CountingBlobStore()
    source = settled(grow(tmp_path, {"a/SKILL.md": skill("a"), "a/x": "x"}), blobs)
    [found] = source.observe().found
    [asset] = found.bundle.assets
    del blobs.blobs[asset.digest]
    with pytest.raises(DataLoss):
        blobs.read(asset.digest)
    grow(tmp_path, {"a/x": "y"})
    [found] = source.observe().found
    assert blobs.lost() == {asset.digest}
    assert [blobs.read(asset.digest) for asset in found.bundle.assets] == [b"y"]
    blobs.taken = 0
    source.observe()
    assert blobs.taken == 0


def test_an_edit_of_the_same_size_in_the_same_moment_is_noticed(tmp_path: Path) -> None:
    # With a true clock a file that has just been written has not settled: its stamp proves nothing.
    source = source_of(grow(tmp_path, {"a/SKILL.md": skill("a", "Version 0."), "a/x": "0"}))
    for number in range(1, 10):
        before = (tmp_path / "a/x").stat()
        grow(tmp_path, {"a/SKILL.md": skill("a", f"Version {number}."), "a/x": str(number)})
        for path in ("a/SKILL.md", "a/x"):
            os.utime(tmp_path / path, ns=(before.st_atime_ns, before.st_mtime_ns))
        [found] = source.observe().found
        assert found.bundle.skill.description == f"Version {number}."
        assert found.bundle.assets[0].digest == MemoryBlobStore().put(str(number).encode())


def test_a_change_of_mode_alone_is_noticed(tmp_path: Path) -> None:
    source = settled(grow(tmp_path, {"a/SKILL.md": skill("a"), "a/run": "x"}), MemoryBlobStore())
    assert not source.observe().found[0].bundle.assets[0].executable
    (tmp_path / "a/run").chmod(0o755)
    assert source.observe().found[0].bundle.assets[0].executable


EDITS: dict[str, tuple[Callable[[Path], object], list[str], list[tuple[Code, str]]]] = {
    "its SKILL.md": (lambda root: grow(root, {"a/SKILL.md": skill("a", "Edited.")}), ["a/SKILL.md"], []),
    "an asset": (lambda root: grow(root, {"a/x/y": "edited"}), ["a/x/y"], []),
    "a new asset": (lambda root: grow(root, {"a/new/z": "new"}), ["a/new", "a/new/z"], []),
    "an asset that goes": (lambda root: (root / "a/x/y").unlink(), ["a/x/y"], []),
    "a SKILL.md that goes": (
        lambda root: (root / "a/SKILL.md").unlink(),
        ["a/SKILL.md"],
        [(Code.FOLDER_WITHOUT_SKILL, "a")],
    ),
    "a SKILL.md in another case": (
        lambda root: (root / "a/SKILL.md").rename(root / "a/skill.md"),
        ["a/SKILL.md", "a/skill.md"],
        [],
    ),
    "a skill.yaml": (lambda root: grow(root, {"a/skill.yaml": "version: '2'"}), ["a/skill.yaml"], []),
    "a skill that goes": (lambda root: shutil.rmtree(root / "a"), ["a", "a/SKILL.md", "a/x", "a/x/y"], []),
    "a new skill": (lambda root: grow(root, {"c/SKILL.md": skill("c")}), ["c", "c/SKILL.md"], []),
    "a skill that breaks": (
        lambda root: grow(root, {"a/SKILL.md": "---\nname: a\n"}),
        ["a/SKILL.md"],
        [(Code.FRONTMATTER_UNCLOSED, "a")],
    ),
    "a file beside the skills": (lambda root: grow(root, {"README.md": "text"}), ["README.md"], []),
    "the text that a link of another skill leads to": (
        lambda root: grow(root, {"b/text": skill("linked", "Edited.")}),
        ["b/text"],
        [],
    ),
}


@pytest.mark.parametrize(("edit", "changed", "said"), EDITS.values(), ids=EDITS)
def test_a_look_at_the_changed_paths_finds_what_a_whole_look_finds(
    tmp_path: Path, edit: Callable[[Path], object], changed: list[str], said: list[tuple[Code, str]]
) -> None:
    tree: Tree = {
        "a/SKILL.md": skill("a"),
        "a/x/y": "asset",
        "b/SKILL.md": skill("b"),
        "b/text": skill("linked"),
        "linked/SKILL.md": Link("../b/text"),
    }
    source = source_of(grow(tmp_path, tree))
    source.observe()
    edit(tmp_path)
    seen = source.observe(changed)
    assert seen == source_of(tmp_path).observe()
    assert codes(seen.diagnostics) == said


def test_a_look_at_a_changed_path_reads_no_other_skill(tmp_path: Path) -> None:
    blobs = CountingBlobStore()
    source = source_of(grow(tmp_path, {f"{name}/SKILL.md": skill(name) for name in "abc"}), blobs=blobs)
    source.observe()
    before = blobs.taken
    grow(tmp_path, {"b/SKILL.md": skill("b", "Edited.")})
    assert [found.bundle.skill.description for found in source.observe(["b/SKILL.md"]).found][1] == "Edited."
    assert blobs.taken == before + 1


def test_the_folders_in_which_a_change_matters_are_those_that_were_looked_at(tmp_path: Path) -> None:
    tree: Tree = {
        "a/SKILL.md": skill("a"),
        "a/scripts/lib/x": "x",
        "a/node_modules/p/x": "x",
        "a/.git/x": "x",
        "a/out": Link("/"),
        "broken/SKILL.md": "no frontmatter",
        "broken/x/y\\": "an unfit name",
        "empty": Folder(),
        "group/b/SKILL.md": skill("b"),
        ".hidden/x/SKILL.md": skill("c"),
        "trap": Link("/"),
        "link": Link("group/b"),
    }
    source = source_of(tmp_path, layout=Layout.NESTED)
    assert source.folders == frozenset()
    grow(tmp_path, tree)
    source.observe()
    assert source.folders == {"", "a", "a/scripts", "a/scripts/lib", "broken", "broken/x", "empty", "group", "link"}
    grow(tmp_path, {"a/empty": Folder()})
    source.observe(["a/empty"])
    assert "a/empty" in source.folders
    shutil.rmtree(tmp_path)
    source.observe()
    assert source.folders == frozenset()


@pytest.mark.parametrize("kernel", [True, False], ids=["openat2", "walk"])
def test_both_ways_of_opening_find_the_same(tmp_path: Path, *, kernel: bool) -> None:
    tree: Tree = {
        "a/SKILL.md": skill("a"),
        "a/x/y": "x",
        "a/link": Link("x/y"),
        "b": Link("a"),
        "c/SKILL.md": Link("../a/SKILL.md"),
        "d": Link("../outside"),
        "e/SKILL.md": Link("/etc/passwd"),
    }
    root = grow(tmp_path / "skills", tree)
    grow(tmp_path / "outside", {"SKILL.md": skill("d")})
    source = DirectorySource(
        DirectorySettings(path=str(root), reading=ReadingSettings(label=LABEL)),
        limits=Limits(),
        blobs=MemoryBlobStore(),
        open_root=partial(ConfinedRoot.open, kernel=kernel),
    )
    seen = source.observe()
    assert places_of(seen) == ["a", "c"]
    assert codes(seen.diagnostics) == [(Code.LINKED_TWICE, "b"), (Code.LINK_ESCAPES, "d"), (Code.LINK_ESCAPES, "e")]


def test_an_error_of_the_root_itself_is_told_by_its_symbol(tmp_path: Path) -> None:
    def refuse(_: str) -> ConfinedRoot:
        raise OSError(errno.EIO, "input/output error", str(tmp_path))

    source = DirectorySource(
        DirectorySettings(path=str(tmp_path), reading=ReadingSettings(label=LABEL)),
        limits=Limits(),
        blobs=MemoryBlobStore(),
        open_root=refuse,
    )
    [said] = source.observe().diagnostics
    assert "EIO" in said.message
    assert str(tmp_path) not in said.message


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_names_and_texts_are_utf_8_under_any_locale(tmp_path: Path, locale: str) -> None:
    tree = {"fähre/SKILL.md": skill("ferry-notes", "Fähre — “slow” → 渡船"), "fähre/résumé.md": "x"}
    root = grow(tmp_path / "häfen", tree)
    look = (
        "import sys\n"
        "from tests.unit.sources.trees import *\n"
        "[found] = source_of(Path(sys.argv[1])).observe().found\n"
        "print(ascii((found.place, found.bundle.skill.description, asset_names(found.bundle))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", look, root],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ascii(("fähre", "Fähre — “slow” → 渡船", ["résumé.md"])) + "\n"


@pytest.mark.parametrize("changed", [None, ["a/x"]])
def test_a_look_can_be_abandoned_at_each_step_and_leaves_what_was_seen_last(
    tmp_path: Path, changed: list[str] | None
) -> None:
    tree: Tree = {f"{name}/SKILL.md": skill(name) for name in "abc"} | {"a/x": "x", "a/y": "y", "empty": Folder()}
    asked, stop_at = 0, 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked == stop_at

    source = DirectorySource(
        DirectorySettings(path=str(grow(tmp_path, tree)), reading=ReadingSettings(label=LABEL)),
        limits=Limits(),
        blobs=MemoryBlobStore(),
        stopped=stopped,
    )
    before = source.observe()
    grow(tmp_path, {"a/SKILL.md": skill("a", "Another."), "a/x": "another"})
    # A whole look asks at the root and each folder, at each skill, and at each asset of what changed.
    for step in range(1, 1 + (5 + 3 + 2 if changed is None else 1 + 2)):
        asked, stop_at = 0, step
        with pytest.raises(LookAbandoned):
            source.observe(changed)
    asked, stop_at = 0, 0
    seen = source.observe(changed)
    assert seen.found[0].bundle.skill.description == "Another."
    assert seen.found[1:] == before.found[1:]


def test_a_walk_through_folders_without_skills_can_be_abandoned(tmp_path: Path) -> None:
    root = grow(tmp_path, {f"{number}/x/y": Folder() for number in range(50)})
    asked = iter([False] * 20 + [True])
    source = DirectorySource(
        DirectorySettings(path=str(root), reading=ReadingSettings(label=LABEL, layout=Layout.NESTED)),
        limits=Limits(),
        blobs=MemoryBlobStore(),
        stopped=lambda: next(asked),
    )
    with pytest.raises(LookAbandoned):
        source.observe()
    assert next(asked, None) is None


def test_after_a_restart_what_the_store_cannot_take_stands_as_it_was_found(tmp_path: Path) -> None:
    root = grow(tmp_path, {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    before = source_of(root).observe()

    class Away(MemoryBlobStore):
        @override
        def put(self, data: bytes, digest: str | None = None) -> str:
            raise Unavailable(ErrorReason.STORE_UNREACHABLE, "the store is away")

    grow(root, {"b/SKILL.md": skill("b", "Another.")})
    seen = DirectorySource(
        DirectorySettings(path=str(root), reading=ReadingSettings(label=LABEL)), limits=Limits(), blobs=Away()
    ).observe(held=before.found)
    assert (seen.outcome, seen.found) == (Outcome.PARTIAL, before.found)

"""A directory that lies beneath another, as those of tenants do: no link leads to it, and none out of it."""

from functools import partial
from pathlib import Path

import pytest

from skillsvc.content.confined import ConfinedRoot
from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.limits import Limits
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.looks import as_nobody
from tests.unit.sources.trees import LABEL, Fifo, Folder, Link, Tree, codes, grow, places_of, skill

BOTH_WAYS = pytest.mark.parametrize("kernel", [True, False], ids=["openat2", "walk"])


def beneath(root: Path, folder: str = "alice/p", *, kernel: bool | None = None) -> DirectorySource:
    return DirectorySource(
        DirectorySettings(path=str(root), beneath=folder, reading=ReadingSettings(label=LABEL)),
        limits=Limits(),
        blobs=MemoryBlobStore(),
        open_root=partial(ConfinedRoot.open, kernel=kernel),
    )


@BOTH_WAYS
def test_it_is_looked_at_as_any_other(tmp_path: Path, *, kernel: bool) -> None:
    root = grow(tmp_path / "root", {"alice/p/a/SKILL.md": skill("a"), "alice/p/b": Link("a"), "alice/c/SKILL.md": "x"})
    source = beneath(root, kernel=kernel)
    seen = source.observe()
    assert (seen.outcome, places_of(seen), source.is_there()) == (Outcome.WHOLE, ["a"], True)
    found = (root / "alice/p").stat()
    assert source.looked_at == (found.st_dev, found.st_ino)
    assert not source.is_watched


def test_the_folder_above_may_be_a_link(tmp_path: Path) -> None:
    grow(tmp_path / "real", {"alice/p/a/SKILL.md": skill("a")})
    (tmp_path / "root").symlink_to("real")
    assert places_of(beneath(tmp_path / "root").observe()) == ["a"]


@BOTH_WAYS
@pytest.mark.parametrize(
    "tree",
    [
        {"alice/p": Link("../bob/p")},
        {"alice": Link("bob")},
        {"alice/p": Link("../../outside")},
        {"alice": Link("../outside")},
        {"alice/p": Link("/etc")},
        {"alice": Link("/etc")},
        {"alice/p": Link("p")},
        {"alice/q/a/SKILL.md": skill("a"), "alice/p": Link("q")},
    ],
    ids=str,
)
def test_no_link_is_followed_on_the_way(tmp_path: Path, tree: Tree, *, kernel: bool) -> None:
    grow(tmp_path / "outside", {"p/b/SKILL.md": skill("b"), "b/SKILL.md": skill("b")})
    source = beneath(grow(tmp_path / "root", {"bob/p/b/SKILL.md": skill("b"), **tree}), kernel=kernel)
    seen = source.observe()
    assert (seen.outcome, seen.found, codes(seen.diagnostics)) == (Outcome.FAILED, (), [(Code.SOURCE_UNREADABLE, "")])
    assert seen.diagnostics[0].message.startswith("a link leads to it")
    # It is told what is wrong, so that it is looked at.
    assert source.is_there()


@BOTH_WAYS
def test_no_link_leads_out_of_it_though_it_stays_beneath_the_folder_above(tmp_path: Path, *, kernel: bool) -> None:
    tree: Tree = {
        "bob/p/b/SKILL.md": skill("b"),
        "alice/p/a/SKILL.md": skill("a"),
        "alice/p/b": Link("../../bob/p/b"),
        "alice/p/c/SKILL.md": Link("../../../bob/p/b/SKILL.md"),
    }
    seen = beneath(grow(tmp_path / "root", tree), kernel=kernel).observe()
    assert places_of(seen) == ["a"]
    assert codes(seen.diagnostics) == [(Code.LINK_ESCAPES, "b"), (Code.LINK_ESCAPES, "c")]


@BOTH_WAYS
@pytest.mark.parametrize("tree", [{}, {"alice": Folder()}, {"alice/P": Folder()}], ids=str)
def test_what_is_not_there_is_absent(tmp_path: Path, tree: Tree, *, kernel: bool) -> None:
    source = beneath(grow(tmp_path / "root", tree), kernel=kernel)
    assert (source.observe().outcome, source.is_there()) == (Outcome.ABSENT, False)


def test_without_the_folder_above_it_is_absent_too(tmp_path: Path) -> None:
    source = beneath(tmp_path / "nowhere")
    assert (source.observe().outcome, source.is_there()) == (Outcome.ABSENT, False)


@BOTH_WAYS
@pytest.mark.parametrize("tree", [{"alice": "x"}, {"alice/p": "x"}, {"alice/p": Fifo()}, {"alice": Fifo()}], ids=str)
def test_what_is_no_folder_is_no_absence(tmp_path: Path, tree: Tree, *, kernel: bool) -> None:
    # Only "no such file" means that nothing is there (G21); a FIFO is not waited for.
    source = beneath(grow(tmp_path / "root", tree), kernel=kernel)
    assert (source.observe().outcome, source.is_there()) == (Outcome.FAILED, True)


def test_one_that_may_not_be_read_is_there_and_has_failed(open_place: Path) -> None:
    root = grow(open_place / "root", {"alice/p/a/SKILL.md": skill("a")})
    (root / "alice").chmod(0)
    source = beneath(root)
    with as_nobody():
        assert (source.observe().outcome, source.is_there()) == (Outcome.FAILED, True)
    (root / "alice").chmod(0o755)
    assert places_of(source.observe()) == ["a"]

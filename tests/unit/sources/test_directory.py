"""A directory as a source: whether it is there and can be read, and by which names it is known."""

import errno
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from skillsvc.content.confined import ConfinedRoot
from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.looks import as_nobody
from tests.unit.sources.trees import LABEL, Link, Tree, codes, grow, places_of, skill, source_of


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


def test_a_source_tells_which_directory_its_last_look_went_into(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    source = source_of(root)
    told = [source.looked_at]
    root.mkdir()
    source.observe()
    told.append(source.looked_at)
    found = root.stat()
    root.rmdir()
    source.observe()
    told.append(source.looked_at)
    assert told == [None, (found.st_dev, found.st_ino), None]

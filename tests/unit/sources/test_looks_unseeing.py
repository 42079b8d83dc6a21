"""Looks that cannot see all there is: what is held stands for what they do not see (G21)."""

import os
import resource
import shutil
import time
from functools import partial
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.confined import ConfinedRoot
from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.discovery import Layout
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.looks import as_nobody
from tests.unit.sources.trees import LABEL, codes, grow, places_of, skill, source_of

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

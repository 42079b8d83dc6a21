"""Looks that are told to stop."""

from pathlib import Path

import pytest

from skillsvc.content.stopping import Abandoned
from skillsvc.domain.limits import Limits
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.discovery import Layout
from skillsvc.sources.reading import ReadingSettings
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.trees import LABEL, Folder, Tree, grow, skill


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
        with pytest.raises(Abandoned):
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
    with pytest.raises(Abandoned):
        source.observe()
    assert next(asked, None) is None

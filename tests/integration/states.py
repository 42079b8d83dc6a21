"""States of a directory of skills, each wholly different from the next, and the proof that one is served whole."""

import os
import shutil
from pathlib import Path

from skillsvc.content.blobs import BlobStore
from skillsvc.domain.generation import Generation
from tests.unit.sources.trees import Tree, grow, skill

SKILLS = 12
RETURNS = 4
"""After so many states one file is what it was."""
LARGE = 300_000
"""Bytes of an asset that is written in pieces."""


def tree_of(state: int) -> Tree:
    """Return the files of a state: every one of them tells which it is."""
    files: dict[str, str | bytes] = {}
    for number in range(SKILLS):
        files[f"skill-{number:02}/SKILL.md"] = skill(f"skill-{number:02}", f"State {state}.", f"Body {state}.")
        files[f"skill-{number:02}/data"] = f"data {state} of {number}"
    # What goes and comes back may be swept while it is taken in again.
    files["skill-01/again"] = f"again {state % RETURNS}"
    files["skill-00/large"] = f"{state:08}".encode() * (LARGE // 8)
    return files


def show(place: Path, state: int) -> None:
    """Let the link `skills` lead to a state, all at once, and forget the state before the last one."""
    (place / "states").mkdir(exist_ok=True)
    grow(place / "states" / f"{state}", tree_of(state))
    link = place / f"next-{os.getpid()}"
    link.unlink(missing_ok=True)
    link.symlink_to(f"states/{state}")
    link.replace(place / "skills")
    shutil.rmtree(place / "states" / f"{state - 2}", ignore_errors=True)


def state_of(generation: Generation, blobs: BlobStore) -> int:
    """Return the state that a generation holds whole, every byte of it read and verified; 0 where it holds nothing."""
    if not generation.rows:
        return 0
    tree = tree_of(state := int(generation.rows[0].bundle.skill.description.removeprefix("State ").rstrip(".")))
    assert len(generation.rows) == len(generation.listed) == SKILLS
    seen = {}
    for row in generation.rows:
        assert row.bundle.document is not None
        seen[f"{row.name}/SKILL.md"] = blobs.read(row.bundle.document.digest)
        for asset in row.bundle.assets:
            seen[f"{row.name}/{asset.name}"] = blobs.read(asset.digest)
    assert seen == {path: data.encode() if isinstance(data, str) else data for path, data in tree.items()}
    return state

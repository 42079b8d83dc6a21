"""What all figures are measured with: a place on the disk, how much of everything, and where progress is told."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tree import TreeShape, make_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One run.

    `folder` lies on a real disk, for data folders and trees; `rounds` is how often each side of a ratio is measured, in
    turns; `seconds` about how long one side is loaded in a round.
    """

    folder: Path
    skills: int
    rounds: int
    seconds: float
    tell: Callable[[str], None]

    def tree(self, shape: TreeShape) -> Path:
        """Return a tree of a shape, made at its first use; nobody changes it but to put back what it was."""
        exact = "-exact" if shape.exact_body else ""
        folder = self.folder / f"tree-{shape.skills}-{shape.assets}-{shape.body_bytes}{exact}"
        if not folder.exists():
            self.tell(f"writing a tree of {shape.skills:,} skills")
            make_tree(folder, shape)
        return folder

    def data_folder(self) -> Path:
        """Return a fresh folder for what a server keeps.

        It stays until the end of the run: ext4 passes over the inodes of files that were removed in the last minutes,
        one by one, so that making files costs up to ten times as much after a large folder was removed.
        """
        return Path(tempfile.mkdtemp(prefix="data-", dir=self.folder))

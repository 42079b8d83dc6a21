"""A tree whose owner works against its reader, and every exchange he knows; as a program he makes them without end.

`python -m tests.integration.hostile_tree PLACE` makes the exchanges in turn in a tree that was built there.
"""

import itertools
import os
import socket
import sys
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

SMALL, LARGE = 5_000, 300_000
"""Bytes of a file that is read at one stroke, and of one that takes several."""

SECRET = b"S"
"""The one byte that files outside the root are made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """An exchange and its undoing."""

    do: Callable[[], object]
    undo: Callable[[], object]


class HostileTree:
    """`root` is read; `outside` holds secrets at the same places; `spare` holds what is put in place of things."""

    def __init__(self, place: Path) -> None:
        self.root, self.outside, self.spare = place / "root", place / "outside", place / "spare"
        skill, file = self.root / "skill", self.root / "skill/SKILL.md"
        self.exchanges = {
            "the folder for a link that leaves": self._swap(skill, "link-outside"),
            "the folder for an absolute link": self._swap(skill, "link-absolute"),
            "the folder for a file": self._swap(skill, "file"),
            "the folder of a link for one outside": self._move(self.root / "sub", self.outside / "sub"),
            "a link for one that leaves": self._swap(self.root / "link", "link-outside"),
            "the file for a link that leaves": self._swap(file, "link-secret"),
            "the file for a FIFO": self._swap(file, "fifo"),
            "the file for a socket": self._swap(file, "socket"),
            "the file for a folder": self._swap(file, "folder"),
            "the large file for a FIFO": self._swap(skill / "large", "fifo"),
            "the large file for a link that leaves": self._swap(skill / "large", "link-secret"),
        }
        """Nothing of these may ever be read: what is reached is the file that was there first, or nothing."""
        self.edits = {
            f"{edit} {path.name}": Attack(do=do, undo=undo)
            for path, size in ((file, SMALL), (skill / "large", LARGE))
            for edit, do, undo in (
                ("grow", _writes(path, b"a" * size + b"c"), _writes(path, b"a" * size)),
                ("truncate", _cuts(path, size // 2), _writes(path, b"a" * size)),
                ("rewrite", _writes(path, b"b" * size), _writes(path, b"a" * size)),
                ("replace", self._replaces(path, b"b" * size), self._replaces(path, b"a" * size)),
            )
        }
        """Changes of the files themselves: either state may be read, but no mixture of both."""

    def build(self) -> None:
        for folder in (self.root / "skill", self.root / "sub", self.outside / "skill", self.spare / "folder"):
            folder.mkdir(parents=True)
        for skill, byte in ((self.root / "skill", b"a"), (self.outside / "skill", SECRET), (self.outside, SECRET)):
            (skill / "SKILL.md").write_bytes(byte * SMALL)
            (skill / "large").write_bytes(byte * LARGE)
        (self.root / "link").symlink_to("skill")
        # From where `sub` is moved to, the same text leads to the secret.
        (self.root / "sub/up").symlink_to("../skill")
        (self.spare / "file").write_bytes(SECRET)
        (self.spare / "link-outside").symlink_to("../outside/skill")
        (self.spare / "link-absolute").symlink_to(self.outside / "skill")
        (self.spare / "link-secret").symlink_to("../../outside/SKILL.md")
        os.mkfifo(self.spare / "fifo")
        with chdir(self.spare), socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")

    def _swap(self, target: Path, spare: str) -> Attack:
        substitute, away = self.spare / spare, self.spare / "away"

        def do() -> None:
            target.rename(away)
            substitute.rename(target)

        def undo() -> None:
            target.rename(substitute)
            away.rename(target)

        return Attack(do=do, undo=undo)

    def _move(self, target: Path, away: Path) -> Attack:
        return Attack(do=lambda: target.rename(away), undo=lambda: away.rename(target))

    def _replaces(self, path: Path, data: bytes) -> Callable[[], None]:
        def replace() -> None:
            (self.spare / "new").write_bytes(data)
            (self.spare / "new").rename(path)

        return replace


def _writes(path: Path, data: bytes) -> Callable[[], None]:
    """Write in place: the file never has fewer bytes than it needs, as `open("w")` would make it."""

    def write() -> None:
        descriptor = os.open(path, os.O_WRONLY)
        try:
            os.pwrite(descriptor, data, 0)
            os.ftruncate(descriptor, len(data))
        finally:
            os.close(descriptor)

    return write


def _cuts(path: Path, size: int) -> Callable[[], None]:
    return lambda: os.truncate(path, size)


def main() -> None:
    """Attack until killed; say so once it has begun."""
    tree = HostileTree(Path(sys.argv[1]))
    attacks = [*tree.exchanges.values(), *tree.edits.values()]
    for number, attack in enumerate(itertools.cycle(attacks)):
        attack.do()
        attack.undo()
        if number == len(attacks):
            sys.stdout.write("attacking\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

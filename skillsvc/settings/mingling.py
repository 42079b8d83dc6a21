"""Mingling: directories that would show to some callers what is another partition's, since one lies in the other.

What counts is where paths lead to now, by links too, and which folders are the same, by mounts too.
"""

import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from skillsvc.domain.folder_template import PRINCIPAL, FolderTemplate
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.settings.sources import DirectoryTable, SourceTable


class Mingled(NamedTuple):
    """A source, by its place in their order, that lies with another; the sentence goes on from the name of its path."""

    place: int
    sentence: str


class _Folder(NamedTuple):
    place: int
    table: DirectoryTable
    itself: frozenset[Hashable]
    above: frozenset[Hashable]
    """What tells the folders from others that hold it."""

    def holds(self, other: "_Folder") -> bool:
        return not self.itself.isdisjoint(other.above)

    def is_same(self, other: "_Folder") -> bool:
        return not self.itself.isdisjoint(other.itself)


def identities_of(path: Path) -> tuple[Hashable, ...]:
    """Return what tells a directory from others: where its path leads to, and what is there."""
    real = os.path.realpath(path)
    with suppress(OSError):
        found = path.stat()
        return real, (found.st_dev, found.st_ino)
    return (real,)


def mingled(tables: Sequence[SourceTable]) -> Iterator[Mingled]:
    """Yield each directory that is with the folders of others.

    A template's folders are its own: no other directory is, holds or lies in the folder that they lie in. A directory
    of one partition lies in that of another only where everybody may see it.
    """
    folders = [_folder(place, table) for place, table in enumerate(tables) if isinstance(table, DirectoryTable)]
    if all(folder.table.template is None and folder.table.feeds() == DEPLOYMENT for folder in folders):
        return
    by_identity: dict[Hashable, list[_Folder]] = {}
    for folder in folders:
        for identity in folder.itself:
            by_identity.setdefault(identity, []).append(folder)
    told: set[int] = set()
    for folder in folders:
        met = {each.place: each for identity in folder.itself | folder.above for each in by_identity.get(identity, ())}
        for other in met.values():
            if other.place == folder.place:
                continue
            for place, sentence in _between(folder, other):
                if place not in told:
                    told.add(place)
                    yield Mingled(place, sentence)


def _between(inner: _Folder, outer: _Folder) -> Iterable[Mingled]:
    """Return what is wrong with a folder that is, or lies in, another."""
    ours, theirs = inner.table.template, outer.table.template
    how = "is" if inner.is_same(outer) else "lies in"
    if ours is not None and theirs is not None:
        if how == "lies in" or _may_meet(ours, theirs):
            sentence = (
                f"has folders where {outer.table.name} has those of others; give each template a folder of its own"
            )
            yield Mingled(max(inner.place, outer.place), sentence)
    elif theirs is not None:
        sentence = (
            f"{how} the folder of the source {outer.table.name}, in which tenants have theirs; move it beside that"
        )
        yield Mingled(inner.place, sentence)
    elif ours is not None:
        how = "is" if how == "is" else "holds"
        sentence = (
            f"{how} the folder of the source {inner.table.name}, in which tenants have theirs; move it beside that"
        )
        yield Mingled(outer.place, sentence)
    elif how == "lies in" and inner.table.feeds() not in {DEPLOYMENT, outer.table.feeds()}:
        sentence = f"holds the directory of {inner.table.name}, which is of another partition; move it beside that"
        yield Mingled(outer.place, sentence)


def _may_meet(ours: FolderTemplate, theirs: FolderTemplate) -> bool:
    """Tell whether two templates of one root may give one folder to two principals."""
    for mine, other in zip_longest(ours.segments, theirs.segments):
        if mine != other:
            # Two names lead apart; a name, or another place, may be what is put in.
            return None in (mine, other) or "{" in mine or "{" in other
        if mine == PRINCIPAL:
            return False
    return False


def _folder(place: int, table: DirectoryTable) -> _Folder:
    path = table.path if isinstance(table.path, Path) else Path(table.path.root)
    above = [each for parent in Path(os.path.realpath(path)).parents for each in identities_of(parent)]
    return _Folder(place, table, frozenset(identities_of(path)), frozenset(above))

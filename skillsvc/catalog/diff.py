"""The difference between two views: which names are new, changed, gone. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from skillsvc.domain.generation import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What changed, each in byte order of the names. `modified`: digest or policy changed (contract.md, "Watch")."""

    added: tuple[Row, ...]
    modified: tuple[Row, ...]
    removed: tuple[str, ...]


def difference(before: Iterable[Row], after: Iterable[Row]) -> Difference:
    """Return what leads from one listing to another; both are in order of their names, each name once."""
    old = {row.name: row for row in before}
    added: list[Row] = []
    modified: list[Row] = []
    for row in after:
        was = old.pop(row.name, None)
        if was is None:
            added.append(row)
        elif was is not row and was.encoded != row.encoded:
            modified.append(row)
    return Difference(added=tuple(added), modified=tuple(modified), removed=tuple(old))

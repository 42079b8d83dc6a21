"""What leads from one generation of a layer to another one: each change, and what of it is another. Pure.

`difference` tells watchers which names to read anew; this tells why.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from skillsvc.catalog.diff import difference
from skillsvc.domain.generation import Generation, Row


@dataclass(frozen=True, slots=True)
class Change:
    """A name whose listed row is another: `before` is None where it is new, `after` where it is gone, never both."""

    name: str
    before: Row | None
    after: Row | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The changes between two listings in byte order of the names, and how many rows differ that neither lists."""

    changes: tuple[Change, ...]
    added: int
    modified: int
    removed: int
    shadowed: int


def compare(before: Generation, after: Generation) -> Comparison:
    """Compare two generations of one layer."""
    told = difference(before.listed, after.listed)
    changes = [
        *(Change(row.name, None, row) for row in told.added),
        *(Change(row.name, before.find(row.name), row) for row in told.modified),
        *(Change(name, before.find(name), None) for name in told.removed),
    ]
    changes.sort(key=lambda change: change.name)
    return Comparison(
        changes=tuple(changes),
        added=len(told.added),
        modified=len(told.modified),
        removed=len(told.removed),
        shadowed=sum(1 for _ in _shadowed_alone(before, after)),
    )


def is_other_content(before: Row, after: Row) -> bool:
    """Tell whether two rows of one name are of different bundles."""
    return before.bundle.digest != after.bundle.digest


def is_other_policy(before: Row, after: Row) -> bool:
    """Tell whether what may be done with two rows of one name differs, or where they are shown."""
    return _policy(before) != _policy(after)


def _policy(row: Row) -> tuple[object, ...]:
    skill = row.bundle.skill
    return row.tier, row.trust, skill.model_invocable, skill.user_invocable, row.found.collection


def _shadowed_alone(before: Generation, after: Generation) -> Iterator[Row]:
    """Yield the rows that are new, gone or others, each once, and that neither generation lists."""
    for row in _shadowed(before.rows):
        now = after.find_qualified(row.source, row.name)
        if now is None or (now.shadowed and now.encoded != row.encoded):
            yield row
    for row in _shadowed(after.rows):
        if before.find_qualified(row.source, row.name) is None:
            yield row


def _shadowed(rows: Iterable[Row]) -> Iterator[Row]:
    return (row for row in rows if row.shadowed)

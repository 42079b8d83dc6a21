"""Tombstones: names that a layer must not hold until they are lifted, whoever builds it (rules.md 5). Pure.

All rows of a name go, shadowed ones too: else its qualified name would still find one.
"""

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from skillsvc.catalog.layer import Layer, followed, with_generations
from skillsvc.domain.errors import ErrorReason, Exhausted
from skillsvc.domain.generation import Generation, Row
from skillsvc.domain.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoked:
    """What came of a revoke, or of its lifting: the layer's generations before and after, and whether anything changed.

    `changed` tells whether the name is newly revoked, or newly lifted.
    """

    before: Generation
    after: Generation
    changed: bool


def check_room(layer: Layer, name: str, limits: Limits) -> None:
    """Check that a name may be revoked from a layer as well.

    Raises:
        Exhausted: LIMIT_EXCEEDED where as many names are revoked as may be.
    """
    limit = limits.revoked_names
    if name not in layer.revoked and len(layer.revoked) >= limit:
        raise Exhausted(
            ErrorReason.LIMIT_EXCEEDED,
            f"at most {limit} names of a layer may be revoked; lift those that nobody publishes any more",
            metadata={"limit": str(limit)},
        )


def without(rows: tuple[Row, ...], names: Collection[str]) -> tuple[Row, ...]:
    """Return the rows of all other names; the very same rows where none is of these."""
    if not names:
        return rows
    left = tuple(row for row in rows if row.name not in names)
    return rows if len(left) == len(rows) else left


def holds(generation: Generation, name: str) -> bool:
    """Tell whether a generation has any row of a name."""
    at = bisect_left(generation.rows, name, key=lambda row: row.name)
    return at < len(generation.rows) and generation.rows[at].name == name


def with_revoked(layer: Layer, name: str, now: datetime) -> Layer:
    """Return a layer from which a name is revoked.

    No generation of it that holds the name is retained, so that no token leads to one. The present one is made anew
    where it is among them.
    """
    grown = followed(layer, without(layer.present.rows, (name,)), now)
    kept = tuple(held for held in grown.generations if not holds(held, name))
    revoked = layer.revoked | {name}
    if len(kept) == len(grown.generations):
        return replace(grown, revoked=revoked)
    return replace(with_generations(grown, kept), revoked=revoked)


def emptied(layer: Layer, now: datetime) -> Layer:
    """Return a layer that holds nothing, and no generation that holds anything."""
    return with_generations(layer, followed(layer, (), now).generations[-1:])

"""Contents: what another log wants a layer to hold, and what comes of it (rules.md 4, 5). Pure."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self

from skillsvc.catalog.layer import Layer, followed, new_layer, retained, sharing
from skillsvc.catalog.tombstones import with_revoked, without
from skillsvc.domain.generation import Generation, Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a layer is to hold from now on: rows sorted by (name, source), and the number that another log gave them."""

    partition: Partition
    rows: tuple[Row, ...]
    log_generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """What came of a `Content`: the layer as it is now, and whether the content was refused as stale.

    `changed` tells whether it is another generation. `conflicts` are the names that were left out since the deployment
    layer has them, `revoked` those that are revoked.
    """

    layer: Layer
    stale: bool
    changed: bool
    conflicts: tuple[str, ...]
    revoked: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a content falls on: its layer, the id of that one's log, and what the deployment layer has.

    `layer` is None where nobody has published to the partition, `deployment` where there is none.
    """

    layer: Layer | None
    log_id: bytes
    deployment: Generation | None


def replaced(ground: Ground, content: Content, now: datetime, limits: Limits) -> Replaced:
    """Return what a layer is to be with a content, and what was left out of it; a stale one leaves it as it is."""
    before, deployment, number = ground.layer, ground.deployment, content.log_generation
    if before is not None and _is_stale(number, before.log_generation):
        return Replaced(layer=before, stale=True, changed=False, conflicts=(), revoked=())
    names = sorted({row.name for row in content.rows})
    conflicts = tuple(name for name in names if deployment is not None and deployment.find(name))
    revoked = tuple(name for name in names if before is not None and name in before.revoked)
    rows = without(content.rows, {*conflicts, *revoked})
    if before is None:
        layer = new_layer(content.partition, ground.log_id, rows, now)
    else:
        layer = retained(followed(before, sharing(before, rows), now), now, limits)
    if number is not None and number != layer.log_generation:
        layer = replace(layer, log_generation=number)
    changed = before is None or before.present.sequence != layer.present.sequence
    return Replaced(layer=layer, stale=False, changed=changed, conflicts=conflicts, revoked=revoked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unkept:
    """What was to be taken out of a layer and could not be kept: names, and all, by the numbers that clears came with.

    Of those numbers the highest alone counts, beside none at all, which is never stale.
    """

    revoked: frozenset[str] = frozenset()
    cleared: frozenset[int | None] = frozenset()

    def joined(self, other: Self) -> Self:
        """Return what both say."""
        cleared = self.cleared | other.cleared
        highest = max((number for number in cleared if number is not None), default=None)
        return replace(self, revoked=self.revoked | other.revoked, cleared=cleared & {None, highest})

    def made_good(self, layer: Layer, now: datetime, limits: Limits) -> Layer:
        """Return the layer that it would be if all had been kept: the very same where nothing is to be done."""
        for name in sorted(self.revoked):
            layer = with_revoked(layer, name, now)
        for number in self.cleared:
            content = Content(partition=layer.present.partition, rows=(), log_generation=number)
            layer = replaced(
                Ground(layer=layer, log_id=layer.present.log_id, deployment=None), content, now, limits
            ).layer
        return layer


def _is_stale(number: int | None, held: int | None) -> bool:
    return number is not None and held is not None and held > number

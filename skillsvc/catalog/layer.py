"""Layers: one layer at present, with the generations of it that are held and what it holds back. Pure (rules.md 5)."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, unique
from itertools import pairwise

from skillsvc.catalog.log import LayerRecord, LayerStep
from skillsvc.domain.generation import Generation, Row, make_generation
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition

_NAMING_A_ROW = 3 * 8
"""Bytes that a generation has for each of its rows alone: a pointer in `rows`, in `listed` and in `names`."""
_GENERATION_BYTES = 2048
_ROW_BYTES = 1536
"""What a generation and each row take in memory beside their texts: a third more than was measured."""


@unique
class SourceState(Enum):
    """How a source that was not wholly observed stands."""

    STALE = 1
    MISSING = 2
    PARTIAL = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreachableSource:
    """A source that was not wholly observed at its last look, and since when."""

    source: str
    since: datetime
    state: SourceState


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One layer at present: its retained generations, the oldest first, and its sources that could not be seen.

    `own_bytes` says for each generation but the last how many bytes go with it: rows that no later one shares, and what
    names its rows. `revoked` are the names that no build may bring back until they are lifted. `log_generation` is the
    number that the log of others gave to what was last taken from it, None where none did. `highest` is a sequence
    that was served and is not in this server's log, where that is higher than the present one's.
    """

    generations: tuple[Generation, ...]
    own_bytes: tuple[int, ...]
    unreachable: tuple[UnreachableSource, ...] = ()
    revoked: frozenset[str] = frozenset()
    log_generation: int | None = None
    highest: int = 0

    @property
    def present(self) -> Generation:
        """The generation that is served."""
        return self.generations[-1]

    def with_digest(self, digest: str) -> Generation | None:
        """Return the newest retained generation of a digest, or None."""
        return next((held for held in reversed(self.generations) if held.digest == digest), None)

    def had(self, digest: str, sequence: int) -> bool:
        """Tell whether a retained generation up to a sequence has a digest."""
        return any(held.digest == digest and held.sequence <= sequence for held in self.generations)


def layer_of(record: LayerRecord) -> Layer:
    """Return the layer that a log holds at least one generation of."""
    return Layer(
        generations=record.generations,
        own_bytes=_all_own_bytes(record.generations),
        revoked=record.revoked,
        log_generation=record.log_generation,
    )


def new_layer(partition: Partition, log_id: bytes, rows: tuple[Row, ...], now: datetime) -> Layer:
    """Return a layer of one generation, the first one of its log."""
    first = make_generation(partition=partition, log_id=log_id, sequence=1, published_at=now, rows=rows)
    return Layer(generations=(first,), own_bytes=())


def followed(layer: Layer, rows: tuple[Row, ...], now: datetime) -> Layer:
    """Return a layer with other rows, which are sorted by (name, source).

    Rows of another digest are a new generation. Equal ones are the present one still, with what no digest covers as it
    is now: diagnostics, places; where nothing of that differs either, it is the very same layer.
    """
    present = layer.present
    made = make_generation(
        partition=present.partition,
        log_id=present.log_id,
        sequence=max(present.sequence, layer.highest) + 1,
        published_at=now,
        rows=rows,
    )
    if made.digest != present.digest:
        return replace(
            layer,
            generations=(*layer.generations, made),
            own_bytes=(*layer.own_bytes, _own_bytes(present, made)),
        )
    if any(old is not new for old, new in zip(present.rows, rows, strict=True)):
        return _with_present(layer, replace(made, sequence=present.sequence, published_at=present.published_at))
    return layer


def is_moved(before: Generation, after: Generation) -> bool:
    """Tell whether skills of one and the same generation stand at other places than before.

    A look joins what it cannot see to what is held by its place, after a restart too: the log has to know.
    """
    return any(old.found.place != new.found.place for old, new in zip(before.rows, after.rows, strict=True))


def sharing(layer: Layer, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Return rows with those that the present generation has equal ones of taken from there: generations share them."""
    present = layer.present
    known = (present.find_qualified(row.source, row.name) for row in rows)
    return tuple(old if old == row else row for old, row in zip(known, rows, strict=True))


def with_generations(layer: Layer, generations: tuple[Generation, ...]) -> Layer:
    """Return a layer of which these generations alone are held."""
    return replace(layer, generations=generations, own_bytes=_all_own_bytes(generations))


def retained(layer: Layer, now: datetime, limits: Limits) -> Layer:
    """Return a layer without the generations that need not be kept, oldest dropped first (rules.md 5).

    Kept are the last 16; beyond them those younger than 24 hours, at most 256 and at most 16 MiB of rows. A generation
    counts as many bytes of rows as no later one shares, and 24 bytes for each of its rows, shared or not: its own three
    tuples name them, and a restart goes through them all. Of a layer of 10,000 skills about 70 are kept.
    """
    generations, own_bytes = layer.generations, layer.own_bytes
    youngest_to_drop = now - timedelta(seconds=limits.retained_age_s)
    rows = sum(own_bytes)
    start = 0
    while len(generations) - start > limits.retained_generations:
        too_old = generations[start].published_at <= youngest_to_drop
        too_many = len(generations) - start > limits.retained_at_most or rows > limits.retained_row_bytes
        if not (too_old or too_many):
            break
        rows -= own_bytes[start]
        start += 1
    if not start:
        return layer
    return replace(layer, generations=generations[start:], own_bytes=own_bytes[start:])


def dropped(before: Layer, after: Layer) -> frozenset[int]:
    """Return the sequences of the generations that one layer holds and another, later one does not."""
    kept = {held.sequence for held in after.generations}
    return frozenset(held.sequence for held in before.generations if held.sequence not in kept)


def step_of(before: Layer | None, after: Layer) -> LayerStep:
    """Return what has to be kept of a change."""
    is_new = before is None or before.present.sequence != after.present.sequence
    return LayerStep(
        partition=after.present.partition,
        generation=after.present if is_new else None,
        dropped=dropped(before, after) if before is not None else frozenset(),
        revoked=after.revoked if before is None or before.revoked != after.revoked else None,
        log_generation=after.log_generation,
    )


def bytes_of(layer: Layer) -> int:
    """Return roughly how many bytes of memory a layer takes, each row counted once."""
    rows = {id(row): row for held in layer.generations for row in held.rows}
    texts = sum(len(row.encoded) + _text_bytes(row) for row in rows.values())
    naming = sum(_NAMING_A_ROW * len(held.rows) + _GENERATION_BYTES for held in layer.generations)
    return naming + texts + _ROW_BYTES * len(rows)


def _text_bytes(row: Row) -> int:
    skill, bundle = row.bundle.skill, row.bundle
    metadata = sum(len(key) + len(value) for key, value in skill.metadata)
    return len(skill.description) + metadata + 512 * len(bundle.assets)


def _with_present(layer: Layer, present: Generation) -> Layer:
    """Return a layer with another value of its present generation, which shares other rows with the one before."""
    older = layer.generations[:-1]
    return replace(
        layer,
        generations=(*older, present),
        own_bytes=(*layer.own_bytes[:-1], _own_bytes(older[-1], present)) if older else (),
    )


def _all_own_bytes(generations: tuple[Generation, ...]) -> tuple[int, ...]:
    return tuple(_own_bytes(older, newer) for older, newer in pairwise(generations))


def _own_bytes(older: Generation, newer: Generation) -> int:
    shared = {id(row) for row in newer.rows}
    not_shared = sum(len(row.encoded) for row in older.rows if id(row) not in shared)
    return not_shared + _NAMING_A_ROW * len(older.rows)

"""The present state: the one mutable cell of the catalog (rules.md 5).

The cell holds an immutable mapping of layers. Readers take it once per request and are never blocked; publishing makes
a new one beside it and assigns it, under a lock that writers alone take. A generation is kept by the log, durably and
whole, before any reader sees it.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, unique
from itertools import pairwise
from types import MappingProxyType

from skillsvc.catalog.log import LayerLog, LayerRecord
from skillsvc.domain.errors import ErrorReason, Exhausted
from skillsvc.domain.generation import Generation, Row, make_generation
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition

_NAMING_A_ROW = 3 * 8
"""Bytes that a generation has for each of its rows alone: a pointer in `rows`, in `listed` and in `names`."""


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
    names its rows.
    """

    generations: tuple[Generation, ...]
    own_bytes: tuple[int, ...]
    unreachable: tuple[UnreachableSource, ...] = ()

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


class Current:
    """The cell, and the way into it."""

    def __init__(self, log: LayerLog, limits: Limits) -> None:
        """Begin with no layers; `open_layer` brings them in."""
        self._log = log
        self._limits = limits
        self._writing = threading.Lock()
        self._layers: Mapping[Partition, Layer] = MappingProxyType({})
        self._subscribers: tuple[Callable[[], None], ...] = ()

    @property
    def layers(self) -> Mapping[Partition, Layer]:
        """The present state. Take it once, and use what was taken."""
        return self._layers

    def open_layer(self, partition: Partition, now: datetime) -> Layer:
        """Bring in what the log holds of a layer, or publish its first generation, which is empty.

        Raises:
            Unavailable: STORE_UNREACHABLE.
            DataLoss: The log is damaged.
        """
        with self._writing:
            record = self._log.load(partition)
            if not record.generations:
                first = make_generation(
                    partition=partition, log_id=record.log_id, sequence=1, published_at=now, rows=()
                )
                self._log.append(first, dropped=())
                record = replace(record, generations=(first,))
            layer = _layer_of(record)
            self._assign(partition, layer)
            return layer

    def publish(
        self,
        partition: Partition,
        rows: tuple[Row, ...],
        unreachable: tuple[UnreachableSource, ...],
        now: datetime,
    ) -> Generation | None:
        """Publish a layer's rows and which of its sources could not be seen, in one assignment told once.

        Args:
            partition: The layer's.
            rows: Sorted by (name, source).
            unreachable: The sources that the look which made the rows could not wholly see.
            now: When.

        Returns:
            The new generation, None where the rows are what is served already.

        Raises:
            Exhausted: LIMIT_EXCEEDED where there are more rows than a layer may hold; what is served stays.
            Unavailable: STORE_UNREACHABLE; what is served stays.
        """
        if len(rows) > self._limits.layer_skills:
            raise Exhausted(
                ErrorReason.LIMIT_EXCEEDED,
                f"a layer holds at most {self._limits.layer_skills} skills",
                metadata={"limit": str(self._limits.layer_skills)},
            )
        with self._writing:
            layer = self._layers[partition]
            present = layer.present
            generation = moved = None
            made = make_generation(
                partition=partition,
                log_id=present.log_id,
                sequence=present.sequence + 1,
                published_at=now,
                rows=rows,
            )
            if made.digest != present.digest:
                generation = made
                grown = replace(
                    layer,
                    generations=(*layer.generations, generation),
                    own_bytes=(*layer.own_bytes, _own_bytes(present, generation)),
                )
            elif any(old is not new for old, new in zip(present.rows, rows, strict=True)):
                # The same generation, with what no digest covers as it is now: diagnostics, places.
                renewed = replace(made, sequence=present.sequence, published_at=present.published_at)
                grown = _with_present(layer, renewed)
                # A look joins what it cannot see to what is held by its place, after a restart too.
                if any(old.found.place != new.found.place for old, new in zip(present.rows, rows, strict=True)):
                    moved = renewed
            else:
                grown = layer
            kept = retained(grown, now, self._limits)
            dropped = _dropped(grown, kept)
            if moved is not None:
                self._log.renew(moved)
            if generation is not None:
                self._log.append(generation, dropped=dropped)
            elif dropped:
                self._log.forget(partition, dropped)
            if kept is not layer or layer.unreachable != unreachable:
                self._assign(partition, replace(kept, unreachable=unreachable))
        if generation is not None or layer.unreachable != unreachable:
            self._tell()
        return generation

    def report(self, partition: Partition, unreachable: tuple[UnreachableSource, ...]) -> None:
        """Say which sources of a layer could not be seen, where that alone may have changed: no generation does."""
        with self._writing:
            layer = self._layers[partition]
            if layer.unreachable == unreachable:
                return
            self._assign(partition, replace(layer, unreachable=unreachable))
        self._tell()

    def retire(self, now: datetime) -> None:
        """Drop the generations that need not be kept any more; publishing does so for its own layer.

        Raises:
            Unavailable: STORE_UNREACHABLE; they are kept then.
        """
        with self._writing:
            for partition, layer in self._layers.items():
                kept = retained(layer, now, self._limits)
                if kept is not layer:
                    self._log.forget(partition, _dropped(layer, kept))
                    self._assign(partition, kept)

    def subscribe(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have `told` called after each change, on the thread that made it; returns what ends that."""
        with self._writing:
            self._subscribers = (*self._subscribers, told)

        def unsubscribe() -> None:
            with self._writing:
                self._subscribers = tuple(other for other in self._subscribers if other is not told)

        return unsubscribe

    def _assign(self, partition: Partition, layer: Layer) -> None:
        self._layers = MappingProxyType({**self._layers, partition: layer})

    def _tell(self) -> None:
        for told in self._subscribers:
            told()


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


def _dropped(layer: Layer, kept: Layer) -> frozenset[int]:
    """Return the sequences of what is kept no longer."""
    return frozenset(held.sequence for held in layer.generations[: len(layer.generations) - len(kept.generations)])


def _with_present(layer: Layer, present: Generation) -> Layer:
    """Return a layer with another value of its present generation, which shares other rows with the one before."""
    older = layer.generations[:-1]
    return replace(
        layer,
        generations=(*older, present),
        own_bytes=(*layer.own_bytes[:-1], _own_bytes(older[-1], present)) if older else (),
    )


def _layer_of(record: LayerRecord) -> Layer:
    generations = record.generations
    return Layer(
        generations=generations,
        own_bytes=tuple(_own_bytes(older, newer) for older, newer in pairwise(generations)),
    )


def _own_bytes(older: Generation, newer: Generation) -> int:
    shared = {id(row) for row in newer.rows}
    not_shared = sum(len(row.encoded) for row in older.rows if id(row) not in shared)
    return not_shared + _NAMING_A_ROW * len(older.rows)

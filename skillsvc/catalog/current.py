"""The present state: the one mutable cell of the catalog (rules.md 5).

The cell holds an immutable mapping of the layers that are in memory. Readers take it once per request and are never
blocked; publishing makes a new one beside it and assigns it, under a lock that writers alone take. A generation is kept
by the log, durably and whole, before any reader sees it.

Layers that sources feed are brought in by `open_layer` and stay. The others are brought in from the log when somebody
asks for them, and are let go again where they take too much memory: what nobody published to takes none.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from skillsvc.catalog.contents import Content, Ground, Replaced, Unkept, replaced
from skillsvc.catalog.layer import (
    Layer,
    UnreachableSource,
    dropped,
    followed,
    is_moved,
    layer_of,
    new_layer,
    retained,
    step_of,
)
from skillsvc.catalog.log import LayerLog, LayerStep
from skillsvc.catalog.quotas import check_size
from skillsvc.catalog.resident import Resident
from skillsvc.catalog.tombstones import Revoked, check_room, emptied, with_revoked, without
from skillsvc.domain.errors import DataLoss, ErrorReason, NotFound, Unavailable
from skillsvc.domain.generation import Generation, Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition


class Current:
    """The cell, and the way into it."""

    def __init__(
        self, log: LayerLog, limits: Limits, *, published: Callable[[Generation], None] = lambda _generation: None
    ) -> None:
        """Begin with no layers in memory; raises as `LayerLog.partitions`.

        `published` is told of each generation once it is served, on the thread that published it.
        """
        self._log = log
        self._limits = limits
        self._published = published
        self._writing = threading.Lock()
        self._layers: MappingProxyType[Partition, Layer] = MappingProxyType({})
        # Only ever grows: readers ask it without the lock.
        self._known = set(log.partitions())
        self._resident = Resident(limits.resident_layer_bytes)
        # What is cleared in memory alone, since the log could not take it.
        self._closed: dict[Partition, Unkept] = {}
        self._subscribers: tuple[Callable[[], None], ...] = ()
        self._counted_since: list[int] = []

    @property
    def layers(self) -> Mapping[Partition, Layer]:
        """The present state of all layers that are in memory. Take it once, and use what was taken."""
        return self._layers

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """All partitions that have a layer, in memory or not, in byte order: the deployment's is the first."""
        # A copy in one step, as others add to it.
        return tuple(sorted(self._known.copy()))

    def has_layer(self, partition: Partition) -> bool:
        """Tell whether a partition has a layer, in memory or not."""
        return partition in self._known

    def holding(self, partitions: Iterable[Partition]) -> Mapping[Partition, Layer] | None:
        """Return the present state if those of the partitions that have a layer are in it; None: `ensure` first.

        What nobody published to is in no state, and asks for nothing.
        """
        layers = self._layers
        for partition in partitions:
            if partition in layers:
                self._resident.note(partition)
            elif partition in self._known:
                return None
        return layers

    def ensure(self, partitions: Sequence[Partition]) -> Mapping[Partition, Layer]:
        """Return a state as `holding` does, with what was missing read from the log; it takes a while. For any thread.

        Raises:
            Unavailable: STORE_UNREACHABLE. Nothing is served of a layer that cannot be read.
            DataLoss: The log is damaged.
        """
        held = self.holding(partitions)
        if held is not None:
            return held
        with self._writing:
            missing = [each for each in partitions if each in self._known and each not in self._layers]
            self._assign({each: self._loaded(each) for each in missing}, kept=partitions)
            return self._layers

    def is_closed(self, partition: Partition) -> bool:
        """Tell whether less is served of a layer than it has, since what was taken out of it could not be kept yet."""
        return partition in self._closed

    @property
    def is_full(self) -> bool:
        """Whether layers that are held take more memory than all that no source feeds may."""
        return self._resident.is_full

    def open_layer(self, partition: Partition, now: datetime, *, held: bool = False) -> Layer:
        """Bring in what the log holds of a layer, or publish its first generation, which is empty; it stays in memory.

        One that is merely `held` counts among the layers for which there is room, until `let_go`.

        What was to be revoked while the log could not take it is kept there first: the log's own would bring it back.

        Raises:
            Unavailable: STORE_UNREACHABLE.
            DataLoss: The log is damaged.
        """
        with self._writing:
            keep = self._resident.hold if held else self._resident.pin
            if partition in self._closed:
                layer = self._writable(partition, now)
                keep(partition)
                self._let_in({partition: layer})
                return layer
            record = self._log.load(partition)
            if record.generations:
                layer = layer_of(record)
            else:
                layer = new_layer(partition, record.log_id, (), now)
                self._log.append(layer.present, dropped=())
            keep(partition)
            self._assign({partition: layer})
            return layer

    def pin(self, partition: Partition) -> None:
        """Have a layer that is held stay in memory, as one that was opened without being held."""
        with self._writing:
            self._resident.pin(partition)

    def let_go(self, partition: Partition) -> None:
        """Treat a layer that was opened as one that no source feeds: it stays while there is room for it."""
        with self._writing:
            self._resident.release(partition, self._layers[partition])
            going = frozenset(self._resident.take_in({}, kept=self._closed))
            if going:
                staying = {each: layer for each, layer in self._layers.items() if each not in going}
                self._layers = MappingProxyType(staying)

    def keep_only(self, partition: Partition, sources: Collection[str], now: datetime) -> Generation | None:
        """Publish a layer without what other sources than these have left in it; return the generation, if they have.

        Raises:
            NotFound: PARTITION_NOT_FOUND where nobody published to the partition.
            Unavailable: STORE_UNREACHABLE; it stays as it is.
            DataLoss: The log is damaged; as before.
        """
        with self._writing:
            self._check_known(partition)
            before = self._writable(partition, now)
            rows = tuple(row for row in before.present.rows if row.source in sources)
            layer = retained(followed(before, rows, now), now, self._limits)
            step = step_of(before, layer)
            if layer is not before:
                self._log.keep([step])
            if layer is self._layers.get(partition):
                return None
            self._let_in({partition: layer})
        self._tell_of([step])
        self._tell()
        return step.generation

    def publish(
        self,
        partition: Partition,
        rows: tuple[Row, ...],
        unreachable: tuple[UnreachableSource, ...],
        now: datetime,
    ) -> Generation | None:
        """Publish a layer's rows and which of its sources could not be seen, in one assignment told once.

        What is revoked is left out, whoever made the rows.

        Args:
            partition: The layer's.
            rows: Sorted by (name, source).
            unreachable: The sources that the look which made the rows could not wholly see.
            now: When.

        Returns:
            The new generation, None where the rows are what is served already.

        Raises:
            Exhausted: LIMIT_EXCEEDED or QUOTA_EXCEEDED where it is more than the layer may hold; what is served stays.
            Unavailable: STORE_UNREACHABLE; what is served stays.
        """
        check_size(partition, rows, self._limits)
        with self._writing:
            held = self._layers[partition]
            layer = self._writable(partition, now)
            grown = followed(layer, without(rows, layer.revoked), now)
            kept = retained(grown, now, self._limits)
            gone = dropped(layer, kept)
            generation = kept.present if kept.present.sequence != layer.present.sequence else None
            if generation is None and is_moved(layer.present, kept.present):
                self._log.renew(kept.present)
            if generation is not None:
                self._log.append(generation, dropped=gone)
            elif gone:
                self._log.forget(partition, gone)
            if kept is not held or held.unreachable != unreachable:
                self._let_in({partition: replace(kept, unreachable=unreachable)})
        if generation is not None:
            self._published(generation)
        if kept.present.sequence != held.present.sequence or held.unreachable != unreachable:
            self._tell()
        return generation

    def replace(self, contents: Sequence[Content], now: datetime, *, fail_closed: bool = False) -> tuple[Replaced, ...]:
        """Publish what several layers hold from now on, each named once: in one step of the log and one assignment.

        A layer that nobody published to begins so. Content whose number is lower than the one that its layer was last
        replaced with is refused as stale, and the others are published; content without one is never stale, and leaves
        the layer's as it is. What is revoked is left out, and what has a name of the deployment layer's.

        Args:
            contents: In any order.
            now: When.
            fail_closed: Where the log cannot take it, the layers are empty in memory all the same, and whatever is kept
                of one next keeps that it was emptied; but for those of which it is known that they would be stale.

        Raises:
            Exhausted: LIMIT_EXCEEDED or QUOTA_EXCEEDED where one is more than its layer may hold; nothing changes.
            Unavailable: STORE_UNREACHABLE; nothing changes, but for `fail_closed`.
            DataLoss: The log is damaged; as before.
        """
        for content in contents:
            check_size(content.partition, content.rows, self._limits)
        told: list[Replaced] = []
        steps: list[LayerStep] = []
        layers: dict[Partition, Layer] = {}
        with self._writing:
            try:
                for content in contents:
                    ground = self._ground_of(content.partition, now)
                    after = replaced(ground, content, now, self._limits)
                    if content.partition in self._closed and not after.stale:
                        # Making good what was not kept has made another generation already.
                        after = replace(after, changed=True)
                    told.append(after)
                    if after.layer is not ground.layer:
                        steps.append(step_of(ground.layer, after.layer))
                    if not after.stale:
                        layers[content.partition] = after.layer
                if steps:
                    self._log.keep(steps)
            except (Unavailable, DataLoss):
                if fail_closed:
                    stale = {content.partition for content, after in zip(contents, told, strict=False) if after.stale}
                    self._close(
                        {
                            content.partition: Unkept(cleared=frozenset({content.log_generation}))
                            for content in contents
                            if content.partition not in stale
                        },
                        now,
                    )
                raise
            self._let_in(layers)
        self._tell_of(steps)
        if layers:
            self._tell()
        return tuple(told)

    def revoke(self, partition: Partition, name: str, now: datetime) -> Revoked:
        """Have a layer hold a name no more, in no retained generation, until it is lifted.

        It is durable, and nothing of it is served, when this returns; also where nobody has published the name yet.
        Where the log cannot take it, the name is served no more all the same: a partition is empty in memory until
        something of it can be kept again, and of the deployment layer the name alone is gone.

        Raises:
            NotFound: PARTITION_NOT_FOUND where nobody published to the partition.
            Exhausted: LIMIT_EXCEEDED where as many names are revoked as may be.
            Unavailable: STORE_UNREACHABLE; the revoke will not outlive this process.
            DataLoss: The log is damaged; as before.
        """
        with self._writing:
            self._check_known(partition)
            try:
                layer = self._writable(partition, now)
                check_room(layer, name, self._limits)
                after = with_revoked(layer, name, now)
                told = Revoked(before=layer.present, after=after.present, changed=name not in layer.revoked)
                if told.changed or after.generations != layer.generations:
                    self._log.keep([step_of(layer, after)])
            except (Unavailable, DataLoss):
                self._close({partition: Unkept(revoked=frozenset({name}))}, now)
                raise
            self._let_in({partition: after})
        if told.after.sequence != told.before.sequence:
            self._published(told.after)
        self._tell()
        return told

    def lift(self, partition: Partition, name: str, now: datetime) -> Revoked:
        """Let a name be published again. Nothing is served of it before the next build of the layer that has it.

        Raises:
            NotFound: PARTITION_NOT_FOUND where nobody published to the partition.
            Unavailable: STORE_UNREACHABLE; it stays revoked.
            DataLoss: The log is damaged.
        """
        with self._writing:
            self._check_known(partition)
            layer = self._writable(partition, now)
            told = Revoked(before=layer.present, after=layer.present, changed=name in layer.revoked)
            if told.changed:
                lifted = replace(layer, revoked=layer.revoked - {name})
                self._log.keep([step_of(layer, lifted)])
                self._let_in({partition: lifted})
        return told

    def report(self, partition: Partition, unreachable: tuple[UnreachableSource, ...]) -> None:
        """Say which sources of a layer could not be seen, where that alone may have changed: no generation does."""
        with self._writing:
            layer = self._layers[partition]
            if layer.unreachable == unreachable:
                return
            self._assign({partition: replace(layer, unreachable=unreachable)})
        self._tell()

    def retire(self, now: datetime) -> None:
        """Drop the generations that need not be kept any more; publishing does so for its own layer.

        Raises:
            Unavailable: STORE_UNREACHABLE; they are kept then.
        """
        for partition in tuple(self._layers):
            # One by one: thousands may be due together, each is a step of the log, and a revoke must not wait for all.
            with self._writing:
                layer = self._layers.get(partition)
                if layer is None or partition in self._closed:
                    continue
                kept = retained(layer, now, self._limits)
                if kept is not layer:
                    self._log.forget(partition, dropped(layer, kept))
                    self._assign({partition: kept})

    def blobs(self) -> frozenset[str]:
        """Return the digests of all blobs that a layer in the log names; it takes a while.

        Raises:
            Unavailable: STORE_UNREACHABLE.
            DataLoss: The log is damaged.
        """
        return self._log.blobs()

    @contextmanager
    def counting_since(self, mark: int) -> Iterator[None]:
        """Have no sweep remove what was put into the blob store since a mark, before all is published; any thread."""
        self._counted_since.append(mark)
        try:
            yield
        finally:
            self._counted_since.remove(mark)

    @property
    def marks(self) -> tuple[int, ...]:
        """The marks of all who count on what is not published yet."""
        return tuple(self._counted_since)

    def subscribe(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have `told` called after each change, on the thread that made it; returns what ends that."""
        with self._writing:
            self._subscribers = (*self._subscribers, told)

        def unsubscribe() -> None:
            with self._writing:
                self._subscribers = tuple(other for other in self._subscribers if other is not told)

        return unsubscribe

    def _check_known(self, partition: Partition) -> None:
        if partition not in self._known:
            raise NotFound(ErrorReason.PARTITION_NOT_FOUND, "no partition of this name has a layer here")

    def _loaded(self, partition: Partition) -> Layer:
        """Return what the log holds of a layer that is not in memory, or nothing of it where it is closed."""
        layer = layer_of(self._log.load(partition))
        return emptied(layer, layer.present.published_at) if partition in self._closed else layer

    def _writable(self, partition: Partition, now: datetime) -> Layer:
        """Return a known layer as the log holds it, which what is in memory may not be; to be let in by the caller."""
        held = self._layers.get(partition)
        unkept = self._closed.get(partition)
        if unkept is None:
            return held if held is not None else layer_of(self._log.load(partition))
        layer = layer_of(self._log.load(partition))
        if held is not None:
            # What could not be kept has been served: no sequence is given twice.
            layer = replace(layer, unreachable=held.unreachable, highest=held.present.sequence)
        after = unkept.made_good(layer, now, self._limits)
        if after is not layer:
            self._log.keep([step_of(layer, after)])
        return after

    def _ground_of(self, partition: Partition, now: datetime) -> Ground:
        layer = self._writable(partition, now) if partition in self._known else None
        log_id = self._log.load(partition).log_id if layer is None else layer.present.log_id
        deployment = self._layers.get(DEPLOYMENT)
        return Ground(layer=layer, log_id=log_id, deployment=None if deployment is None else deployment.present)

    def _close(self, unkept: Mapping[Partition, Unkept], now: datetime) -> None:
        """Serve nothing of layers, or nothing of names of the deployment's, though the log does not know of it."""
        closed: dict[Partition, Layer] = {}
        for partition, each in unkept.items():
            self._closed[partition] = self._closed.get(partition, Unkept()).joined(each)
            layer = self._layers.get(partition)
            if layer is None:
                # What is not in memory is served by nobody, before the log can be read.
                continue
            if partition == DEPLOYMENT:
                for name in sorted(each.revoked):
                    layer = with_revoked(layer, name, now)
            else:
                layer = emptied(layer, now)
            closed[partition] = layer
        self._assign(closed)
        self._tell()

    def _let_in(self, layers: Mapping[Partition, Layer]) -> None:
        """Assign layers that the log holds as they are."""
        for partition in layers:
            self._closed.pop(partition, None)
            self._known.add(partition)
        self._assign(layers)

    def _assign(self, layers: Mapping[Partition, Layer], *, kept: Iterable[Partition] = ()) -> None:
        if not layers:
            return
        # Copied as a whole: entry by entry it would cost each publish 2 ms where there are 10,000 layers.
        merged = self._layers | dict(layers)
        for partition in self._resident.take_in(layers, kept={*kept, *layers, *self._closed}):
            del merged[partition]
        self._known.update(layers)
        self._layers = MappingProxyType(merged)

    def _tell_of(self, steps: Iterable[LayerStep]) -> None:
        for step in steps:
            if step.generation is not None:
                self._published(step.generation)

    def _tell(self) -> None:
        for told in self._subscribers:
            told()

"""Which layers have an index in memory, under one budget of bytes; those searched lately stay before the others.

An index belongs to one partition, also where another has the very same content: what searches find is never of a layer
that the caller does not see.
"""

from collections import OrderedDict
from collections.abc import Container, Iterator
from dataclasses import dataclass

from skillsvc.catalog.layer_index import LayerIndex
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition

_SKILL_BYTES = 500
"""What an index holds of a skill beside its postings, roughly: its slot, its size, its bundle."""
_LAYER_BYTES = 2_000
_LOOKED_THROUGH = 16
"""So many of the indexes are looked at with each change, so that none outlives its layer for long."""
_MOST_TOO_LARGE = 1024


@dataclass(frozen=True, slots=True)
class Indexed:
    """An index, and the generation that it is of."""

    generation: Generation
    index: LayerIndex

    @property
    def taken_bytes(self) -> int:
        """What it takes in memory, roughly."""
        return _LAYER_BYTES + self.index.taken_bytes + _SKILL_BYTES * len(self.index.bundles)


class LayerIndexes:
    """The indexes in memory. Used by one thread."""

    def __init__(self, at_most_bytes: int) -> None:
        """Begin with none. What does not fit the budget by itself is not kept."""
        self._at_most_bytes = at_most_bytes
        self._held: OrderedDict[Partition, Indexed] = OrderedDict()
        self._bytes = 0
        self._too_large: OrderedDict[Partition, int] = OrderedDict()
        self._round: Iterator[Partition] = iter(())

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._held)

    @property
    def taken_bytes(self) -> int:
        """What they take in memory, roughly."""
        return self._bytes

    def find(self, layer: Generation) -> LayerIndex | None:
        """Return the index of this very generation of a layer, None where there is none or it is of another."""
        held = self.latest(layer.partition)
        return held.index if held is not None and held.index.layer_digest == layer.digest else None

    def latest(self, partition: Partition) -> Indexed | None:
        """Return the index of a layer, of whichever of its generations."""
        held = self._held.get(partition)
        if held is not None:
            self._held.move_to_end(partition)
        return held

    def keep(self, indexed: Indexed) -> None:
        """Keep an index instead of the one that its layer has; others go where there is no room."""
        partition = indexed.generation.partition
        self.drop(partition)
        taken = indexed.taken_bytes
        if taken > self._at_most_bytes:
            self._too_large[partition] = len(indexed.index)
            if len(self._too_large) > _MOST_TOO_LARGE:
                self._too_large.popitem(last=False)
            return
        self._too_large.pop(partition, None)
        self._held[partition] = indexed
        self._bytes += taken
        while self._bytes > self._at_most_bytes:
            self.drop(next(iter(self._held)))

    def is_too_large(self, layer: Generation) -> bool:
        """Tell whether the index of a layer did not fit lately: to make it again, only to drop it, would be in vain."""
        too_many = self._too_large.get(layer.partition)
        return too_many is not None and 10 * len(layer.listed) >= 9 * too_many

    def drop(self, partition: Partition) -> None:
        """Forget the index of a layer, if there is one."""
        held = self._held.pop(partition, None)
        if held is not None:
            self._bytes -= held.taken_bytes

    def drop_some_but(self, present: Container[Partition]) -> None:
        """Look through some of the indexes, the next time through the next, and drop those whose layers are gone."""
        for _ in range(min(_LOOKED_THROUGH, len(self._held))):
            partition = next(self._round, None)
            if partition is None:
                self._round = iter(tuple(self._held))
            elif partition not in present:
                self.drop(partition)

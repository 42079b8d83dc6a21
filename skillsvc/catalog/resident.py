"""Which layers stay in memory: as many as the bytes for them allow, those asked for lately before the others."""

from collections.abc import Collection, Mapping

from skillsvc.catalog.layer import Layer, bytes_of
from skillsvc.domain.partition import Partition


class Resident:
    """The layers in memory and what they take. One thread at a time, but for `note`."""

    def __init__(self, at_most_bytes: int) -> None:
        """Begin with none; what is pinned does not count, and what is held stays even where it takes more than all."""
        self._at_most_bytes = at_most_bytes
        self._bytes: dict[Partition, int] = {}
        self._total = 0
        self._pinned: set[Partition] = set()
        self._held: set[Partition] = set()
        self._asked_for: set[Partition] = set()

    def note(self, partition: Partition) -> None:
        """Note that a layer was asked for; for any thread. Every request does, so that it must cost next to nothing."""
        self._asked_for.add(partition)

    @property
    def is_full(self) -> bool:
        """Whether the layers take more than all: those that are held, since others would have gone."""
        return self._total > self._at_most_bytes

    def pin(self, partition: Partition) -> None:
        """Never let go of a layer; what it takes counts no more."""
        self._pinned.add(partition)
        self._held.discard(partition)
        self._total -= self._bytes.pop(partition, 0)

    def hold(self, partition: Partition) -> None:
        """Do not let go of a layer before it is released; what it takes counts."""
        if partition not in self._pinned:
            self._held.add(partition)

    def release(self, partition: Partition, layer: Layer) -> None:
        """Treat a layer that was held or pinned as all others."""
        self._pinned.discard(partition)
        self._held.discard(partition)
        self._count(partition, layer)

    def take_in(self, layers: Mapping[Partition, Layer], *, kept: Collection[Partition]) -> list[Partition]:
        """Take in layers as they are now; return which others to let go, none of those to be `kept`.

        Those that nobody asked for since the last time that some had to go are the first, the longest held before all;
        then the longest held of the others.
        """
        for partition, layer in layers.items():
            if partition not in self._pinned:
                self._count(partition, layer)
        if self._total <= self._at_most_bytes:
            return []
        # A little more than must go, so that not every layer that comes in has all others gone through.
        enough = self._at_most_bytes - self._at_most_bytes // 8
        asked_for, self._asked_for = self._asked_for, set()
        going: list[Partition] = []
        for partition in sorted(self._bytes, key=asked_for.__contains__):
            if self._total <= enough:
                break
            if partition not in kept and partition not in self._held:
                self._total -= self._bytes.pop(partition)
                going.append(partition)
        return going

    def _count(self, partition: Partition, layer: Layer) -> None:
        taken = bytes_of(layer)
        self._total += taken - self._bytes.pop(partition, 0)
        self._bytes[partition] = taken

"""A queue by time: what is due first comes first, and what is in it may be put elsewhere or taken out at any time."""

import heapq
from collections.abc import Hashable
from itertools import count
from typing import Generic, TypeVar

_LEFT_OVER = 64
_Key = TypeVar("_Key", bound=Hashable)


class DueQueue(Generic[_Key]):
    """Keys, each at most once, with the time at which each is due. Of one time those put in before come first."""

    def __init__(self) -> None:
        """Begin with none."""
        self._numbers = count()
        # What was taken out, or put elsewhere, stays in the heap until its time comes or it is gone through.
        self._heap: list[tuple[float, int, _Key]] = []
        self._standing: dict[_Key, int] = {}

    def put(self, key: _Key, due: float) -> None:
        """Put a key in, or where it stands now."""
        number = next(self._numbers)
        self._standing[key] = number
        heapq.heappush(self._heap, (due, number, key))
        if len(self._heap) > 2 * len(self._standing) + _LEFT_OVER:
            self._heap = [entry for entry in self._heap if self._stands(entry)]
            heapq.heapify(self._heap)

    def take_out(self, key: _Key) -> None:
        """Take a key out, if it is in."""
        self._standing.pop(key, None)

    def first(self, at_most: int, until: float) -> list[_Key]:
        """Return the first keys that are due until then, at most so many."""
        entries: list[tuple[float, int, _Key]] = []
        while len(entries) < at_most and self.first_due() <= until:
            entries.append(heapq.heappop(self._heap))
        for entry in entries:
            heapq.heappush(self._heap, entry)
        return [key for _due, _number, key in entries]

    def first_due(self) -> float:
        """Return when the first key is due, infinity where there is none."""
        while self._heap and not self._stands(self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else float("inf")

    def _stands(self, entry: tuple[float, int, _Key]) -> bool:
        _due, number, key = entry
        return self._standing.get(key) == number

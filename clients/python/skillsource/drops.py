"""What was left out of answers: gathered on the way, told with the value (never a quiet cut)."""

from collections.abc import Iterable

from skillsource.values import Dropped

MAX_TOLD = 1_000
"""The rest is counted, so that a server cannot fill the memory with what it may not send."""


class Drops:
    """What was dropped so far."""

    __slots__ = ("_more", "_told")

    def __init__(self) -> None:
        self._told: list[Dropped] = []
        self._more = 0

    def add(self, field: str, name: str, why: str) -> None:
        """Note one thing that was dropped, flattened or cut."""
        self.add_all((Dropped(field=field, name=name, why=why),))

    def add_all(self, dropped: Iterable[Dropped]) -> None:
        """Note several."""
        for one in dropped:
            if len(self._told) < MAX_TOLD:
                self._told.append(one)
            else:
                self._more += 1

    def told(self) -> tuple[Dropped, ...]:
        """Return all of them, in order; one last entry counts those that were too many."""
        if not self._more:
            return tuple(self._told)
        return (*self._told, Dropped(field="", name="", why=f"{self._more:,} more things were dropped"))

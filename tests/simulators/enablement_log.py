"""The log of what is on or off, in memory: it promises all but a life beyond the process."""

from collections.abc import Sequence

from skillsvc.domain.enablement import Enablement, Word


class MemoryEnablementLog:
    """An `EnablementLog` of one value."""

    def __init__(self) -> None:
        self._said = Enablement()

    def words(self) -> tuple[Word, ...]:
        return tuple(word for held in self._said.words.values() for word in held.values())

    def put(self, words: Sequence[Word]) -> None:
        self._said = self._said.told(words)

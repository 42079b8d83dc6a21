"""Looks that somebody waits for, until what they came to is published."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from skillsvc.catalog.reports import Looked, SourceKey
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition


@dataclass(slots=True, kw_only=True, eq=False)
class Waiting:
    """One who waits: `turns` is for each source the number of the first turn that will do, and shrinks to nothing."""

    partition: Partition
    turns: dict[SourceKey, int]
    before: Generation
    answer: Future[Looked] = field(default_factory=Future)

    def end(self, after: Generation) -> None:
        """Tell the layer's generation after the looks, unless nobody wants to know any more."""
        if self.answer.set_running_or_notify_cancel():
            self.answer.set_result(Looked(before=self.before, after=after))


class Asked:
    """All who wait. For one thread at a time; the answers themselves are for any, and are given by whoever takes one.

    Who has cancelled is forgotten when the next one comes: a look that hangs for ever gathers no crowd.
    """

    def __init__(self) -> None:
        """Begin with nobody."""
        self._waiting: list[Waiting] = []

    def wait(self, waiting: Waiting) -> None:
        """Take in who waits from now on."""
        self._waiting = [*(each for each in self._waiting if not each.answer.cancelled()), waiting]

    def note(self, key: SourceKey, number: int) -> None:
        """Note that a turn was admitted."""
        for waiting in self._waiting:
            if key in waiting.turns and waiting.turns[key] <= number:
                del waiting.turns[key]

    def take_done(self, is_declared: Callable[[SourceKey], bool]) -> list[Waiting]:
        """Return who waits for nothing any more, and forget them: for what is not declared now nobody waits."""
        done: list[Waiting] = []
        waiting: list[Waiting] = []
        for each in self._waiting:
            (waiting if any(map(is_declared, each.turns)) else done).append(each)
        self._waiting = waiting
        return done

    def take_all(self) -> list[Waiting]:
        """Return all who wait, and forget them."""
        waiting, self._waiting = self._waiting, []
        return waiting

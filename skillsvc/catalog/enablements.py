"""What is said of skills at present: the cell of it, kept by a log as revokes are.

Readers take the present value and are never blocked. What is said is durable before it is in force, but for this: what
is switched off is off at once also where the log cannot take it, and is kept with what can be kept next.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime

from skillsvc.catalog.log import EnablementLog
from skillsvc.domain.enablement import Audience, Enablement, State, Word
from skillsvc.domain.errors import DataLoss, ErrorReason, Exhausted, Unavailable
from skillsvc.domain.limits import Limits


class Enablements:
    """The cell, and the way into it. For any thread."""

    def __init__(self, log: EnablementLog, limits: Limits) -> None:
        """Begin with what the log holds; raises as that does."""
        self._log = log
        self._limits = limits
        self._writing = threading.Lock()
        self._unkept: tuple[Word, ...] = ()
        self._subscribers: tuple[Callable[[], None], ...] = ()
        self.present = Enablement.of(log.words())
        """All that is said. Take it once, and use what was taken; nobody else assigns it."""

    def say(self, audience: Audience, names: Sequence[str], state: State, now: datetime) -> tuple[str, ...]:
        """Say the same of some names to an audience; return those of which something else was said, in their order.

        It is durable, and in force for every view, when this returns.

        Raises:
            Exhausted: LIMIT_EXCEEDED where more would be said to a partition than may be; nothing changes.
            Unavailable: STORE_UNREACHABLE; what was to be off is off all the same, as long as this process lives.
            DataLoss: The log is damaged; as before.
        """
        with self._writing:
            before = self.present
            changed = tuple(name for name in dict.fromkeys(names) if before.said_of(audience, name) is not state)
            words = tuple(Word(audience, name, state, now) for name in changed)
            if not (words or self._unkept):
                return ()
            after = before.told(words)
            self._check_room(before, after, audience)
            try:
                self._log.put((*self._unkept, *words))
            except (Unavailable, DataLoss):
                if state is State.DISABLED:
                    self._unkept = (*self._unkept, *words)
                    self.present = after
                    self._tell()
                raise
            self._unkept = ()
            self.present = after
        self._tell()
        return changed

    def subscribe(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have `told` called after each change, on the thread that made it; returns what ends that."""
        with self._writing:
            self._subscribers = (*self._subscribers, told)

        def unsubscribe() -> None:
            with self._writing:
                self._subscribers = tuple(other for other in self._subscribers if other is not told)

        return unsubscribe

    def _check_room(self, before: Enablement, after: Enablement, audience: Audience) -> None:
        limit = self._limits.enablement_words
        said = after.count(audience.partition)
        if said > limit and said > before.count(audience.partition):
            raise Exhausted(
                ErrorReason.LIMIT_EXCEEDED,
                f"of at most {limit} names may anything be said to one partition; let some inherit again",
                metadata={"limit": str(limit)},
            )

    def _tell(self) -> None:
        for told in self._subscribers:
            told()

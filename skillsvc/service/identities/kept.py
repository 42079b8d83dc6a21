"""Values that are kept as they are elsewhere: looked at now and then in another thread, the last good one stays.

It does not count for ever: one that nobody has seen to be as it was for too long is stale.
"""

import logging
import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, Generic, TypeAlias, TypeVar

Value = TypeVar("Value")
Submit: TypeAlias = Callable[[Callable[[], None]], "Future[None]"]
"""Has work done in another thread; what comes back is done when the work is."""

_log = logging.getLogger(__name__)
_TICK_S: Final = 1.0
_THREADS: Final = 4
_NAMED: Final = 50
"""Names in one line of the log."""
Entries: TypeAlias = frozenset[tuple[str, bytes]]
"""Each by its name and by what tells it from others of that name."""


def _no_entries(_value: object) -> Entries:
    """Say that there is nothing to tell apart."""
    return frozenset()


class LookFailed(Exception):
    """What is elsewhere cannot be had, or cannot be used. `why` is for the log."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Kept(Generic[Value]):
    """One such value. `value` is the last good one, `is_stale` tells whether it still counts; for any thread."""

    def __init__(
        self,
        what: str,
        first: Value,
        look: Callable[[], Value | None],
        *,
        every_s: float,
        after_failure_s: float,
        apart_s: float,
        submit: Submit,
        clock: Callable[[], float],
        changed: Callable[[], None],
        stale_after_s: float = math.inf,
        entries: Callable[[Value], Entries] = _no_entries,
    ) -> None:
        """Keep a value.

        Args:
            what: What it is, for the log.
            first: The value until a look brings another.
            look: Returns the value as it is now, None where it is as it was; raises LookFailed.
            every_s: Seconds from one look to the next.
            after_failure_s: The same after a look that failed.
            apart_s: Seconds that lie between two looks at least, whoever asks for one.
            submit: Has looks done in another thread.
            clock: Seconds that only grow.
            changed: Told after the value has changed, or whether it counts, in any thread.
            stale_after_s: Seconds after the last look that did not fail, or the begin, from which on it is stale.
            entries: What is in a value, for the log: which came and which went is told by their names.
        """
        self.value = first
        self.is_stale = False
        self._what = what
        self._look = look
        self._every_s = every_s
        self._after_failure_s = after_failure_s
        self._apart_s = apart_s
        self._submit = submit
        self._clock = clock
        self._changed = changed
        self._asking = threading.Lock()
        self._looking: Future[None] | None = None
        self._begun: float | None = None
        self._why = ""
        """Why the last look failed; "" where it did not."""
        self._stale_after_s = stale_after_s
        self._entries = entries
        self._good_at = clock()
        self._aging = threading.Lock()

    def ask(self) -> bool:
        """Ask for a look; tell whether one is under way, which is not where the last was too short a time ago."""
        with self._asking:
            if self._is_under_way():
                return True
            if self._begun is not None and self._clock() - self._begun < self._apart_s:
                return False
            self._begin()
            return True

    def tick(self) -> None:
        """Begin a look where it is time for one, and see whether the value is stale by now."""
        with self._asking:
            if not self._is_under_way():
                wait_s = self._after_failure_s if self._why else self._every_s
                if self._begun is None or self._clock() - self._begun >= wait_s:
                    self._begin()
        with self._aging:
            ages = not self.is_stale and self._clock() - self._good_at >= self._stale_after_s
            self.is_stale = self.is_stale or ages
        if ages:
            _log.error("%s could not be had for %g s: whatever they prove is refused", self._what, self._stale_after_s)
            self._changed()

    def _is_under_way(self) -> bool:
        return self._looking is not None and not self._looking.done()

    def _begin(self) -> None:
        self._begun = self._clock()
        self._looking = self._submit(self._look_once)

    def _look_once(self) -> None:
        try:
            found = self._look()
        except LookFailed as error:
            if error.why != self._why:
                # A look each few seconds must not fill the log; that it lasts is told where the value becomes stale.
                _log.warning("%s stay as they are: %s", self._what, error.why)
            self._why = error.why
        except Exception:  # noqa: BLE001 - the end of a thread: nobody else would say so, and the last good value stays
            self._why = "fault"
            _log.exception("%s stay as they are", self._what)
        else:
            self._why = ""
            if found is not None:
                before, self.value = self.value, found
                self._tell_of_change(self._entries(before), self._entries(found))
            with self._aging:
                counts_again, self.is_stale, self._good_at = self.is_stale, False, self._clock()
            if found is not None or counts_again:
                self._changed()

    def _tell_of_change(self, before: Entries, now: Entries) -> None:
        """Log that who may call is another, by names alone: what proves it is nobody's business."""
        if before != now:
            added, removed = (_names(now - before), _names(before - now))
            _log.info("%s are taken in", self._what, extra={"count": len(now), "added": added, "removed": removed})


def _names(entries: Entries) -> list[str]:
    """Return the first names, in order."""
    return sorted({name for name, _ in entries})[:_NAMED]


class Keeping:
    """The threads in which values are kept, from `start` to `stop`."""

    def __init__(self) -> None:
        """Prepare; nothing is looked at before `start`, but what is asked for."""
        self._kept: Sequence[Kept[Any]] = ()
        self._stopping = threading.Event()
        self._executor = ThreadPoolExecutor(_THREADS, thread_name_prefix="identities")
        self._ticking: threading.Thread | None = None

    def stopped(self) -> bool:
        """Tell whether it is over, for looks that take long."""
        return self._stopping.is_set()

    def submit(self, work: Callable[[], None]) -> "Future[None]":
        """Do work in a thread of these."""
        return self._executor.submit(work)

    def keep(self, kept: Sequence[Kept[Any]]) -> None:
        """Keep these from now on, and no others."""
        self._kept = tuple(kept)

    def start(self) -> None:
        """Begin."""
        self._ticking = threading.Thread(target=self._tick, name="identities", daemon=True)
        self._ticking.start()

    def stop(self) -> None:
        """End the threads; looks that take long are told to end."""
        self._stopping.set()
        if self._ticking is not None:
            self._ticking.join()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _tick(self) -> None:
        while True:
            for each in self._kept:
                each.tick()
            if self._stopping.wait(_TICK_S):
                return

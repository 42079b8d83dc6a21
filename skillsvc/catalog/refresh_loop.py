"""The loop that keeps all layers fresh: looks in threads of their own, one thread that publishes what they came to.

When a source is looked at is the schedule's to say (`catalog.schedule`). What several looks came to is gathered for a
moment and published together. A look that hangs takes a thread and nothing else: the others go on, and so does the end.
"""

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import inf

from skillsvc.catalog.asked import Asked, Waiting
from skillsvc.catalog.beside import Beside
from skillsvc.catalog.news import News
from skillsvc.catalog.refresh import Refresh, Sighting
from skillsvc.catalog.reports import Declared, Looked, Placed, SourceKey, SourceReport
from skillsvc.catalog.schedule import Schedule, Turn, pause_after
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.content.stopping import Abandoned
from skillsvc.domain.diagnostics import Diagnostic
from skillsvc.domain.partition import Partition

_GATHER_S = 0.1
"""How long what somebody waits for is kept back, so that what comes at the same time is published with it."""
_GATHER_POLLED_S = 1.0
_GATHER_FIRST_S = 5.0
"""The same where nobody waits, and until every source was looked at once: a start publishes once, if it can."""
_LONGEST_PAUSE_S = 60.0
"""How long after refusals of the store publishing is tried again at the latest."""
_LEAVE_S = 2.0
"""How long an end waits for looks under way, which stop within a second."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    """A look that is over; `sighting` is None where nothing of it stands."""

    turn: Turn
    sighting: Sighting | None


class RefreshLoop:
    """Refreshes layers; `run` is for a thread of its own, everything else for any.

    Attributes:
        first_look: Set when every source has been looked at once, and when it ends.
    """

    def __init__(
        self,
        open_layer: Callable[[Partition], Refresh],
        *,
        sweep: BlobSweep,
        sweep_every_s: float,
        stopping: threading.Event,
        clock: Callable[[], float],
        now: Callable[[], datetime],
        chance: Callable[[], float],
        borrow_layer: Callable[[Partition], Refresh] | None = None,
        beside: Beside | None = None,
        woken: threading.Condition | None = None,
    ) -> None:
        """Prepare, with no sources; `replace` brings them.

        Args:
            open_layer: Opens a partition's layer, and returns what refreshes it, with no sources yet.
            sweep: What removes blobs, never before every source was looked at.
            sweep_every_s: The time between two sweeps, in seconds.
            stopping: Set by `stop`; whoever looks abandons the look by it.
            clock: Tells seconds that only grow.
            now: The time, for reports.
            chance: Gives numbers from 0 up to 1.
            borrow_layer: The same, for a layer that is refreshed for a while; as `open_layer`, where none is given.
            beside: Where looks and sweeps are made.
            woken: What the loop waits by.
        """
        self._open_layer = open_layer
        self._borrow_layer = borrow_layer or open_layer
        self._sweep = sweep
        self._sweep_every_s = sweep_every_s
        self._stopping = stopping
        self._clock = clock
        self._now = now
        self._chance = chance
        self._beside = beside or Beside()
        self._woken = woken or threading.Condition()
        # Never taken within `_woken`, and nobody is answered within either.
        self._admitting = threading.Lock()
        # Changed under `_admitting`.
        self._refreshes: dict[Partition, Refresh] = {}
        self._news: dict[Partition, News] = {}
        # Used under `_woken`.
        self._schedule = Schedule(chance)
        self._ended: list[_Ended] = []
        self._unpublished: set[Partition] = set()
        self._asked = Asked()
        self._publish_at = inf
        self._is_gathering = False
        self._refusals = 0
        self._sweep_at = clock()
        self._is_called = False
        self.first_look = threading.Event()

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The partitions whose layers have sources."""
        with self._woken:
            return tuple(dict.fromkeys(key.partition for key in self._schedule.keys))

    @property
    def is_looking(self) -> bool:
        """Whether a look, or a sweep, is under way."""
        return self._beside.under_way > 0

    def replace(self, declared: Mapping[Partition, Sequence[Declared]]) -> None:
        """Refresh these layers from these sources, the strongest first, from now on; labels are unique in a layer.

        A source that was there before, the same object, keeps how it stands and the look under way; one that is new is
        missing until it was looked at, or stale where its label is served. What is not there any more is served until
        the next generation of its layer, which comes soon, and at once where a tier or a trust was lowered (rules.md
        6). Waits for what is being published.

        Raises:
            Unavailable: STORE_UNREACHABLE, where a layer cannot be opened; all goes on as before then.
            DataLoss: As above, where its log is damaged.
        """
        with self._admitting:
            opened = {each: self._open_layer(each) for each in declared if each not in self._refreshes}
            self._refreshes = {**self._refreshes, **opened}
            is_lower = False
            for partition, refresh in self._refreshes.items():
                is_lower |= refresh.replace([each.source for each in declared.get(partition, ())])
                self._news.setdefault(partition, News())
            with self._woken:
                self._schedule.declare(
                    {
                        SourceKey(partition=partition, label=each.source.label): each
                        for partition, of_layer in declared.items()
                        for each in of_layer
                    },
                    self._clock(),
                )
                self._unpublished.update(self._refreshes)
                self._gather(_GATHER_POLLED_S)
                if is_lower:
                    self._publish_by(self._clock())
                self._call()

    def begin(self, partition: Partition, declared: Sequence[Declared]) -> None:
        """Refresh one layer more from these sources, the strongest first, until `end`; all others go on as they do.

        What of it is served with a tier or a trust that is lower by now is published at once. Waits for what is being
        published.

        Raises:
            Unavailable: STORE_UNREACHABLE, where the layer cannot be opened.
            DataLoss: Its log is damaged.
        """
        with self._admitting:
            refresh = self._refreshes.get(partition) or self._borrow_layer(partition)
            is_lower = refresh.replace([each.source for each in declared])
            self._refreshes = {**self._refreshes, partition: refresh}
            self._news.setdefault(partition, News())
            with self._woken:
                keys = {SourceKey(partition=partition, label=each.source.label): each for each in declared}
                self._schedule.add(keys, self._clock())
                if is_lower:
                    self._unpublished.add(partition)
                    self._publish_by(self._clock())
                self._call()

    def end(self, partition: Partition) -> None:
        """Refresh a layer no more, and leave it as it is; what looks at its sources come to is nothing to it.

        Waits for what is being published. Whoever waits for a look is answered.
        """
        with self._admitting:
            refresh = self._refreshes.get(partition)
            if refresh is None:
                return
            with self._woken:
                self._schedule.remove(self._schedule.keys_of(partition))
                self._unpublished.discard(partition)
            self._answer()
            # Copied as a whole: whoever reads it meanwhile reads on, and there may be very many.
            self._refreshes = self._refreshes.copy()
            del self._refreshes[partition], self._news[partition]
            refresh.close()

    def tell(self, key: SourceKey, paths: Collection[str]) -> None:
        """Say that paths below a source have changed; none for anything of it. What is not declared is passed over."""
        with self._woken:
            self._schedule.tell(key, paths)
            self._call()

    def look_now(
        self, partition: Partition, labels: Collection[str] | None = None, paths: Collection[str] | None = None
    ) -> Future[Looked]:
        """Look at sources of a layer, all where none are named, or at paths of one; tell when it is published.

        Each is looked at once more, also where a look is under way. The answer may be cancelled, by whoever waits and
        by the end; the look goes on.

        Raises:
            KeyError: There is no such layer, or no source of a label in it.
        """
        refresh = self._refreshes[partition]
        with self._woken:
            mine = self._schedule.keys_of(partition)
            keys = mine if labels is None else [SourceKey(partition=partition, label=label) for label in labels]
            for key in keys:
                if key not in mine:
                    raise KeyError(key.label)
            turns = self._schedule.ask(keys, paths or ())
            waiting = Waiting(partition=partition, turns=turns, before=refresh.present)
            if not turns:
                waiting.end(refresh.present)
            elif self._stopping.is_set():
                waiting.answer.cancel()
            else:
                self._asked.wait(waiting)
                self._call()
        return waiting.answer

    def reports(self, partition: Partition) -> tuple[SourceReport, ...]:
        """Return how the sources of a layer stand, the strongest first; KeyError where there is no such layer."""
        refresh = self._refreshes[partition]
        with self._woken:
            placed = {key.label: self._placed(key) for key in self._schedule.keys_of(partition)}
        reports = (refresh.report(label, each) for label, each in placed.items())
        return tuple(report for report in reports if report is not None)

    def diagnostics(self, partition: Partition) -> tuple[Diagnostic, ...]:
        """Return all that an operator is told of a layer; KeyError where there is no such layer."""
        return self._refreshes[partition].told()

    def stop(self) -> None:
        """End `run` at the next step of what is under way."""
        with self._woken:
            self._stopping.set()
            self._call()

    def run(self) -> None:
        """Look and publish until stopped. Whatever fails is logged, and what is served stays."""
        try:
            while not self._stopping.is_set():
                self._wait(self._step())
        except Abandoned:
            _log.info("the look is abandoned")
        finally:
            self._leave()

    def _step(self) -> float:
        """Publish what is gathered, begin what is due; return until when there is nothing to do."""
        with self._woken:
            self._is_called = False
        self._admit_if_due()
        with self._woken:
            now = self._clock()
            turns = self._schedule.begin(now)
            wakes_at = min(self._schedule.wakes_at(now), self._publish_at)
            has_seen_all = self._schedule.has_seen_all()
        for turn in turns:
            if not self._beside.begin(f"the look at {turn.key.label}", partial(self._look, turn)):
                self._end(turn, None)
        if has_seen_all:
            self.first_look.set()
            self._sweep_if_due(now)
        return min(wakes_at, self._sweep_at) if has_seen_all else wakes_at

    def _wait(self, until: float) -> None:
        with self._woken:
            pause = until - self._clock()
            self._woken.wait_for(lambda: self._is_called, timeout=max(0.0, pause) if pause < inf else None)

    def _admit_if_due(self) -> None:
        with self._woken:
            now = self._clock()
            if now < self._publish_at and not (self._is_gathering and self._schedule.is_pressing(now)):
                return
            ended, self._ended = self._ended, []
            partitions = self._unpublished | {each.turn.key.partition for each in ended}
            self._unpublished = set()
            self._publish_at, self._is_gathering = inf, False
        with self._admitting:
            for partition in partitions:
                self._admit(partition, [each for each in ended if each.turn.key.partition == partition])
            self._answer()

    def _admit(self, partition: Partition, ended: Sequence[_Ended]) -> None:
        """Take in and publish what looks at one layer came to, by its `Refresh`, unless it is refreshed no more."""
        refresh = self._refreshes.get(partition)
        if refresh is None:
            return
        try:
            published = refresh.admit(each.sighting for each in ended if each.sighting is not None)
            behind = {each.source for each in refresh.unreachable}
            self._news[partition].tell(refresh, published)
            is_published = refresh.is_published
        except Abandoned:
            raise
        except Exception:  # noqa: BLE001 - the loop outlives whatever a layer meets
            _log.exception("the look failed; what is served stays")
            behind, is_published = {each.turn.key.label for each in ended}, False
        with self._woken:
            now = self._clock()
            for each in ended:
                complete = each.sighting is not None and each.turn.key.label not in behind
                if self._schedule.admit(each.turn, complete=complete, now=now):
                    self._asked.note(each.turn.key, each.turn.number)
            self._refusals = 0 if is_published else self._refusals + 1
            if not is_published:
                self._unpublished.add(partition)
                self._publish_by(now + pause_after(self._refusals, _LONGEST_PAUSE_S, self._chance()))

    def _answer(self) -> None:
        """Answer those whose looks have been published; what is not declared any more nobody waits for.

        Under `_admitting`: else a partition that is let go of meanwhile would have nothing to answer with.
        """
        with self._woken:
            done = self._asked.take_done(self._schedule.is_declared)
        for waiting in done:
            waiting.end(self._refreshes[waiting.partition].present)

    def _look(self, turn: Turn) -> None:
        """Make one look; for the thread that was begun for it."""
        sighting = None
        try:
            refresh = self._refreshes.get(turn.key.partition)
            if refresh is not None:
                sighting = refresh.look_at(turn.key.label, turn.changed, source=turn.source)
        except Abandoned:
            pass
        except Exception:  # noqa: BLE001 - what fails here fails this look
            _log.exception("the look at %s failed; what was seen last is served", turn.key.label)
        self._end(turn, sighting)

    def _end(self, turn: Turn, sighting: Sighting | None) -> None:
        with self._woken:
            self._schedule.end(turn)
            self._ended.append(_Ended(turn=turn, sighting=sighting))
            self._gather(_GATHER_S if turn.urgent else _GATHER_POLLED_S)
            self._call()

    def _sweep_if_due(self, now: float) -> None:
        if now < self._sweep_at:
            return
        # One at a time.
        self._sweep_at = inf
        if not self._beside.begin("the sweep", self._sweep_all):
            self._sweep_at = now + self._sweep_every_s

    def _sweep_all(self) -> None:
        try:
            self._sweep.sweep(tuple(self._refreshes.values()))
        except Exception:  # noqa: BLE001 - a sweep that meets something is tried again
            _log.exception("what nothing names could not be removed")
        with self._woken:
            self._sweep_at = self._clock() + self._sweep_every_s
            self._call()

    def _gather(self, seconds: float) -> None:
        """Publish in so many seconds at the latest, and before if there is nothing to wait for."""
        self._is_gathering = True
        self._publish_by(self._clock() + (seconds if self.first_look.is_set() else _GATHER_FIRST_S))

    def _publish_by(self, at: float) -> None:
        self._publish_at = min(self._publish_at, at)

    def _call(self) -> None:
        self._is_called = True
        self._woken.notify_all()

    def _placed(self, key: SourceKey) -> Placed:
        due, looking = self._schedule.due(key), self._schedule.is_looking(key)
        ahead = None if due is None or looking else due - self._clock()
        return Placed(
            kind=self._schedule.kind(key),
            looking=looking,
            next_look_at=None if ahead is None or ahead <= 0 else self._now() + timedelta(seconds=ahead),
        )

    def _leave(self) -> None:
        """Answer nobody any more, and give looks under way the time to stop."""
        self.first_look.set()
        with self._woken:
            unanswered = self._asked.take_all()
        for waiting in unanswered:
            waiting.answer.cancel()
        with self._admitting:
            for refresh in self._refreshes.values():
                refresh.close()
        if not self._beside.wait(_LEAVE_S):
            _log.warning("%d looks do not stop; they end with the process", self._beside.under_way)

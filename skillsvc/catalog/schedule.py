"""Which source is looked at when. Holds what is due and under way; time and chance are given, and no thread is known.

Of every source there is one look at a time, and the next one begins only after what the last one came to was admitted.
There may be ten thousand sources, most of them of partitions that somebody asks for just now, so that no step goes
through all of them.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from math import inf

from skillsvc.catalog.due_queue import DueQueue
from skillsvc.catalog.reports import Declared, SourceKey
from skillsvc.domain.partition import Partition
from skillsvc.sources.source import Source

AT_ONCE = 2
"""Looks that work at once. Python works on one at a time: eight of directories take twice the processor time of two."""
LONG_S = 0.25
"""A look that takes longer mostly waits, for a network or a disk: another one may begin beside it."""
AT_MOST = 64
"""Looks that may be under way at all."""
AT_MOST_BY_NEED = 32
"""The same, of sources of partitions that somebody asks for: if all of these hang, declared sources go on."""
AT_MOST_OF_ONE = 8
"""Of these, of partitions of one principal: folders of one tenant that hang leave room for those of others."""
EVERY_S = 0.02
"""Whole looks come no oftener than this, on the average: where sources are too many for their `poll_s`, each waits
longer, so that what nobody changes leaves the processor to callers."""
SLOW_S = 5.0
"""Nothing that others came to is kept back for a look that takes longer; nothing due waits longer for what is told."""

_AGAIN_S = 1.0
"""How soon after a look that did not see, or publish, everything there is a next one; twice as long each time."""
_JITTER = 0.1
"""What is looked at as often as other sources is not looked at together with them for ever."""


def pause_after(failures: int, poll_s: float, chance: float) -> float:
    """Return how long after the end of a whole look the next one is due, in seconds. Pure.

    Args:
        failures: How many whole looks in a row, this one last, did not see everything.
        poll_s: The time between two looks that do.
        chance: At least 0, less than 1.
    """
    pause = min(poll_s, _AGAIN_S * 2.0 ** min(failures - 1, 60)) if failures else poll_s
    return pause * (1 + _JITTER * (2 * chance - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One look that is to be made: at `changed` paths, or wholly. `urgent` where somebody waits for it.

    Numbers of turns grow over all sources.
    """

    key: SourceKey
    source: Source
    changed: frozenset[str] | None
    urgent: bool
    number: int


@dataclass(slots=True, kw_only=True)
class _Seat:
    """Where a source stands: `told` is what is to be looked at before it is due, None for all of it, if `is_told`."""

    declared: Declared
    due: float
    failures: int = 0
    is_told: bool = False
    told: set[str] | None
    turn: Turn | None = None
    began_at: float = -inf
    has_ended: bool = False
    has_been_seen: bool = False

    def take_turn(self, key: SourceKey, number: int, now: float) -> Turn:
        whole = self.due <= now or self.told is None
        self.turn = Turn(
            key=key,
            source=self.declared.source,
            changed=None if whole else frozenset(self.told or ()),
            urgent=self.is_told,
            number=number,
        )
        self.is_told, self.told, self.began_at, self.has_ended = False, set(), now, False
        return self.turn

    def rank(self, now: float) -> tuple[bool, float]:
        """Return what the seats that are ready are sorted by.

        What is told comes before what is merely due, but not for ever: others may be told of without end.
        """
        return not (self.is_told or self.due + SLOW_S <= now), self.due

    @property
    def is_looking(self) -> bool:
        return self.turn is not None and not self.has_ended


class Schedule:
    """What is declared, told, due and under way. For one thread at a time."""

    def __init__(self, chance: Callable[[], float]) -> None:
        """Begin with no sources; `chance` gives numbers from 0 up to 1."""
        self._chance = chance
        self._seats: dict[SourceKey, _Seat] = {}
        self._next_number = 1
        self._labels: dict[Partition, list[str]] = {}
        # Those that are told, those that have a turn, those that a start waits for.
        self._told: dict[SourceKey, _Seat] = {}
        self._turning: dict[SourceKey, _Seat] = {}
        self._unseen: set[SourceKey] = set()
        # When each is due that has no turn: those declared, and those looked at by need.
        self._queues: dict[bool, DueQueue[SourceKey]] = {by_need: DueQueue() for by_need in (False, True)}

    @property
    def keys(self) -> Collection[SourceKey]:
        """The sources declared."""
        return self._seats.keys()

    def keys_of(self, partition: Partition) -> list[SourceKey]:
        """Return the sources of one partition, in the order in which they were declared."""
        return [SourceKey(partition=partition, label=label) for label in self._labels.get(partition, ())]

    def has_seen_all(self) -> bool:
        """Tell whether what a look came to was admitted of every source that is not looked at by need."""
        return not self._unseen

    def declare(self, declared: Mapping[SourceKey, Declared], now: float) -> None:
        """Have these sources from now on; what was there before, the same object, keeps its turn. New ones are due."""
        before = self._seats
        self._seats, self._labels, self._told, self._turning, self._unseen = {}, {}, {}, {}, set()
        self._queues = {by_need: DueQueue() for by_need in self._queues}
        for key, each in declared.items():
            seat = before.get(key)
            if seat is not None and seat.declared.source is each.source:
                seat.declared, seat.due = each, min(seat.due, now + each.poll_s)
            else:
                seat = _Seat(declared=each, due=now, told=set())
            self._take_in(key, seat)

    def add(self, declared: Mapping[SourceKey, Declared], now: float) -> None:
        """Have these sources besides, which are due; those of the same keys are others."""
        self.remove(declared)
        for key, each in declared.items():
            self._take_in(key, _Seat(declared=each, due=now, told=set()))

    def remove(self, keys: Iterable[SourceKey]) -> None:
        """Have these sources no longer."""
        for key in keys:
            if key not in self._seats:
                continue
            for held in (self._seats, self._told, self._turning):
                held.pop(key, None)
            labels = self._labels[key.partition]
            labels.remove(key.label)
            if not labels:
                del self._labels[key.partition]
            self._unseen.discard(key)
            for queue in self._queues.values():
                queue.take_out(key)

    def tell(self, key: SourceKey, paths: Collection[str]) -> None:
        """Have a source looked at before it is due: paths of it, none for all. What is not declared is passed over."""
        seat = self._seats.get(key)
        if seat is None:
            return
        if not paths:
            seat.told = None
        elif seat.told is not None:
            seat.told.update(paths)
        seat.is_told = True
        self._told[key] = seat

    def ask(self, keys: Iterable[SourceKey], paths: Collection[str]) -> dict[SourceKey, int]:
        """Have sources looked at before they are due; return for each the least number of the turn that will do."""
        keys = tuple(keys)
        for key in keys:
            self.tell(key, paths)
        return dict.fromkeys(keys, self._next_number)

    def begin(self, now: float) -> list[Turn]:
        """Return the turns that begin now: what is told or long overdue first, then what is due, the longest first."""
        self._put_off(now)
        room = min(AT_ONCE - len(self._under_way(now, LONG_S)), AT_MOST - len(self._under_way(now, inf)))
        turns = []
        for key in self._ready(max(0, room), now):
            seat = self._seats[key]
            turns.append(seat.take_turn(key, self._next_number, now))
            self._next_number += 1
            self._told.pop(key, None)
            self._queues[seat.declared.by_need].take_out(key)
            self._turning[key] = seat
        return turns

    def end(self, turn: Turn) -> None:
        """Note that a look is over; what it came to is still to be admitted."""
        seat = self._seat_of(turn)
        if seat is not None:
            seat.has_ended = True

    def admit(self, turn: Turn, *, complete: bool, now: float) -> bool:
        """Note that what a look came to was admitted, and whether all was seen and is served.

        False where the source is not declared any more: another one may have its label, which has turns of its own.
        """
        seat = self._seat_of(turn)
        if seat is None:
            return False
        seat.turn, seat.has_ended, seat.has_been_seen = None, False, True
        del self._turning[turn.key]
        self._unseen.discard(turn.key)
        whole = turn.changed is None
        if complete:
            seat.failures = 0
        elif whole:
            seat.failures += 1
        if whole or not complete:
            # What failed may pass without being told, and what was told may be lost with what failed.
            failures = 0 if complete else max(1, seat.failures)
            poll_s = max(seat.declared.poll_s, EVERY_S * len(self._seats))
            due = now + pause_after(failures, poll_s, self._chance())
            seat.due = due if whole else min(seat.due, due)
        self._queues[seat.declared.by_need].put(turn.key, seat.due)
        return True

    def is_pressing(self, now: float) -> bool:
        """Tell whether there is no look that is worth waiting for, or somebody whom the waiting would hold up."""
        if any(seat.is_told and seat.has_ended for seat in self._turning.values()):
            return True
        return not (self._under_way(now, SLOW_S) or self._ready(1, now))

    def wakes_at(self, now: float) -> float:
        """Return when a turn may begin though nothing else happens.

        `now` is when turns were begun last: what is due since before then waits for others to end or to take long.
        """
        waits = bool(self._ready(1, now))
        long = (began_at + LONG_S for began_at in self._under_way(now, LONG_S) if waits)
        due = (at for queue in self._queues.values() if (at := queue.first_due()) > now)
        return min([*long, *due], default=inf)

    def is_declared(self, key: SourceKey) -> bool:
        """Tell whether there is such a source."""
        return key in self._seats

    def kind(self, key: SourceKey) -> str:
        """Return the kind of a source."""
        return self._seats[key].declared.kind

    def is_looking(self, key: SourceKey) -> bool:
        """Tell whether a look at a source is under way."""
        return self._seats[key].is_looking

    def due(self, key: SourceKey) -> float | None:
        """Return when a source is due, None where it is looked at as soon as can be."""
        seat = self._seats[key]
        return None if seat.is_told else seat.due

    def _seat_of(self, turn: Turn) -> _Seat | None:
        """Return whose turn it is, None where that one is not declared any more."""
        seat = self._seats.get(turn.key)
        return seat if seat is not None and seat.turn is turn else None

    def _under_way(self, now: float, within_s: float) -> list[float]:
        """Return when the looks under way began that have not taken so long yet."""
        return [seat.began_at for seat in self._turning.values() if seat.is_looking and now < seat.began_at + within_s]

    def _take_in(self, key: SourceKey, seat: _Seat) -> None:
        self._seats[key] = seat
        self._labels.setdefault(key.partition, []).append(key.label)
        if seat.is_told:
            self._told[key] = seat
        if seat.turn is None:
            self._queues[seat.declared.by_need].put(key, seat.due)
        else:
            self._turning[key] = seat
        if not (seat.has_been_seen or seat.declared.by_need):
            self._unseen.add(key)

    def _looked_at_by_need(self) -> Counter[str]:
        """Return how many looks by need are under way, of partitions of each principal."""
        return Counter(
            key.partition.principal for key, seat in self._turning.items() if seat.declared.by_need and seat.is_looking
        )

    def _put_off(self, now: float) -> None:
        """Have what is due of principals who have no room stand behind what is due of others, for a while."""
        queue = self._queues[True]
        full = {principal for principal, looks in self._looked_at_by_need().items() if looks >= AT_MOST_OF_ONE}
        while full and (off := [key for key in queue.first(AT_MOST, now) if key.partition.principal in full]):
            for key in off:
                queue.put(key, now + SLOW_S)

    def _ready(self, at_most: int, now: float) -> list[SourceKey]:
        """Return the first that could begin: no more of those looked at by need than may be under way."""
        by_need = self._looked_at_by_need()
        rooms = {False: at_most, True: min(at_most, AT_MOST_BY_NEED - by_need.total())}
        ready: list[SourceKey] = []
        for kind, room in rooms.items():
            told = (
                key
                for key, seat in self._told.items()
                if seat.turn is None
                and seat.declared.by_need is kind
                and not (kind and by_need[key.partition.principal] >= AT_MOST_OF_ONE)
            )
            due = self._queues[kind].first(room, now) if room > 0 else ()
            ready += sorted(dict.fromkeys((*due, *told)), key=self._rank(now))[: max(0, room)]
        return sorted(ready, key=self._rank(now))[:at_most]

    def _rank(self, now: float) -> Callable[[SourceKey], tuple[bool, float]]:
        return lambda key: self._seats[key].rank(now)

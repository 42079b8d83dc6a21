"""Partitions in use: those that templates of sources feed are looked at while somebody asks for them.

A template is no list of partitions: nothing is known of one before it is asked for. Then it is looked for. Where it has
a place, that is looked at, at once and again on its schedule, until nobody has asked for a while; its layer is let go
of then, and the log keeps its last good. Where it has none, that is remembered for as long as a schedule would let a
source be, of a bounded number of partitions: callers choose projects, so that a million of them must cost nothing.

Where a template is gone that fed a partition, or a source that was declared for it alone, what it has left is taken out
of the layer before anybody is answered from it.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Final, Protocol

from skillsvc.catalog.current import Current
from skillsvc.catalog.learned import SOURCE as LEARNED
from skillsvc.catalog.refresh_loop import RefreshLoop
from skillsvc.catalog.reports import Declared, Looked
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.sources.source import Source

AT_MOST: Final = 10_000
"""Partitions in use at once; for one more the one is let go that nobody has asked for the longest."""
ABSENT: Final = 4_096
"""Partitions of which it is remembered that they have no place."""
_LOOKS_IN_AN_IDLE: Final = 10
"""How often, within the time after which a partition is idle, it is seen to that idle ones go."""


class PlacedSource(Source, Protocol):
    """A source whose place can be looked for without a look at it."""

    def is_there(self) -> bool:
        """Tell whether there is anything at its place, be it what cannot be read; it may take a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Templated:
    """A source for each of many partitions, as an operator declares it; the label, kind and pause are those of all.

    `feeds` tells whether it is for a partition at all. `source_of` makes the source of one that it feeds; the very same
    function stands for the same declaration.
    """

    label: str
    kind: str
    poll_s: float
    feeds: Callable[[Partition], bool]
    source_of: Callable[[Partition], PlacedSource]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fed:
    """A source of a partition in use, and the template that it was made from."""

    template: Templated
    source: PlacedSource

    @property
    def declared(self) -> Declared:
        return Declared(source=self.source, kind=self.template.kind, poll_s=self.template.poll_s, by_need=True)


@dataclass(slots=True, kw_only=True, eq=False)
class _Use:
    """A partition in use. While `is_awaited`, whoever asks waits for the first look."""

    asked_at: float
    fed: tuple[_Fed, ...]
    first_look: Future[Looked]
    is_awaited: bool = True


class PartitionsInUse:
    """Knows which partitions are in use. For any thread; `holds` and `give_up` return at once."""

    def __init__(
        self,
        loop: RefreshLoop,
        current: Current,
        *,
        idle_s: float,
        clock: Callable[[], float],
        now: Callable[[], datetime],
        at_most: int = AT_MOST,
    ) -> None:
        """Begin with none, and nothing declared; `replace` says what is.

        Args:
            loop: Looks at what is declared, and at what is in use.
            current: Where it is published.
            idle_s: For how many seconds a partition is in use that nobody asks for.
            clock: Tells seconds that only grow.
            now: The time.
            at_most: Partitions in use at once.
        """
        self._loop = loop
        self._current = current
        self._idle_s = idle_s
        self._clock = clock
        self._now = now
        self._at_most = at_most
        self._templates: tuple[Templated, ...] = ()
        self._declared = frozenset({DEPLOYMENT})
        # Taken by whoever changes what follows, and never by who reads it.
        self._changing = threading.Lock()
        self._uses: dict[Partition, _Use] = {}
        # Until when it is known that there is no place, and what no template feeds: of those that have a layer alone.
        self._absent: dict[Partition, float] = {}
        self._unfed: set[Partition] = set()

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The partitions in use."""
        return tuple(self._uses.copy())

    def holds(self, partitions: Iterable[Partition]) -> bool:
        """Tell whether all is known of partitions that a request has to know, and note that they are asked for."""
        now = self._clock()
        for partition in partitions:
            use = self._uses.get(partition)
            if use is not None:
                use.asked_at = now
                if use.is_awaited and not use.first_look.done():
                    return False
            elif not self._is_known_to_be_unused(partition, now):
                return False
        return True

    def bring_in(self, partitions: Sequence[Partition]) -> list[Future[Looked]]:
        """Find out what `holds` misses, which takes a while; return the first looks that are to be waited for.

        Raises:
            Unavailable: STORE_UNREACHABLE.
            DataLoss: The log is damaged.
        """
        looks: list[Future[Looked]] = []
        for partition in partitions:
            if not self.holds((partition,)):
                use = self._uses.get(partition) or self._looked_for(partition)
                if use is not None:
                    looks.append(use.first_look)
        return looks

    def give_up(self, partitions: Iterable[Partition]) -> None:
        """Have nobody wait for the first looks at partitions any more: what is served of them is all there is."""
        for partition in partitions:
            use = self._uses.get(partition)
            if use is not None:
                use.is_awaited = False

    def replace(self, declared: Mapping[Partition, Sequence[Declared]], templates: Sequence[Templated]) -> None:
        """Refresh the layers that are declared, and those in use by these templates, from now on.

        What is fed as before, by the same function, keeps how it stands. What a template has fed that does not any more
        is taken out of its layer. What nothing has fed since the last time is in use no more: whether it is to be fed
        again depends on whether there is a place. Raises as `RefreshLoop.replace`, and all is as it was then.
        """
        with self._changing:
            fed = {
                partition: self._fed(partition, templates, use.fed)
                for partition, use in self._uses.items()
                if use.fed and partition not in declared
            }
            self._loop.replace({**declared, **{each: [one.declared for one in of_it] for each, of_it in fed.items()}})
            self._templates, self._declared = tuple(templates), frozenset({DEPLOYMENT, *declared})
            for partition in tuple(self._uses):
                if partition in fed:
                    self._uses[partition].fed = fed[partition]
                elif partition not in declared:
                    self._end(partition)
                else:
                    # From now on it is always looked at.
                    self._current.pin(partition)
                    del self._uses[partition]
            self._absent, self._unfed = {}, set()

    def let_idle_go(self) -> None:
        """Let go of partitions that nobody has asked for, and of more where they take too much memory."""
        with self._changing:
            idle_since = self._clock() - self._idle_s
            for partition in [each for each, use in self._uses.items() if use.asked_at <= idle_since]:
                self._end(partition)
            while self._current.is_full and len(self._uses) > 1:
                self._end(self._longest_unasked())

    def run(self, stopping: threading.Event) -> None:
        """Let idle partitions go until stopped; for a thread of its own."""
        while not stopping.wait(self._idle_s / _LOOKS_IN_AN_IDLE):
            self.let_idle_go()

    def _is_known_to_be_unused(self, partition: Partition, now: float) -> bool:
        if partition in self._declared or partition in self._unfed or self._absent.get(partition, -inf) > now:
            return True
        if self._current.has_layer(partition):
            return False
        # What has no layer and no template is nothing to be found out about, whatever it is called.
        return not self._templates or not any(each.feeds(partition) for each in self._templates)

    def _looked_for(self, partition: Partition) -> _Use | None:
        """Have a partition in use if it has a place, or has had one whose skills are served; else note that it is not.

        Nothing is held up meanwhile: a place may take as long to be looked for as its file system likes.
        """
        templates = self._templates
        fed = self._fed(partition, templates, ())
        left: frozenset[str] = frozenset()
        if self._current.has_layer(partition):
            rows = self._current.ensure((partition,))[partition].present.rows
            left = frozenset(row.source for row in rows)
        if any(each.template.label in left for each in fed) or any(each.source.is_there() for each in fed):
            return self._begin(partition, templates, fed)
        with self._changing:
            # Else somebody else knows better by now, and what is there is not what was left.
            if templates is self._templates and partition not in self._uses and partition not in self._declared:
                if left - {LEARNED}:
                    self._current.keep_only(partition, {LEARNED}, self._now())
                self._note_unused(partition, fed)
        return None

    def _note_unused(self, partition: Partition, fed: Sequence[_Fed]) -> None:
        if not fed:
            self._unfed.add(partition)
            return
        self._absent.pop(partition, None)
        self._absent[partition] = self._clock() + min(each.template.poll_s for each in fed)
        if len(self._absent) > ABSENT:
            del self._absent[next(iter(self._absent))]

    def _begin(self, partition: Partition, templates: Sequence[Templated], fed: tuple[_Fed, ...]) -> _Use | None:
        """Have a partition in use; None where something else is declared by now, and it is to be looked for anew."""
        with self._changing:
            if templates is not self._templates or partition in self._declared:
                return None
            use = self._uses.get(partition)
            if use is None:
                while self._uses and (len(self._uses) >= self._at_most or self._current.is_full):
                    self._end(self._longest_unasked())
                self._loop.begin(partition, [each.declared for each in fed])
                use = _Use(asked_at=self._clock(), fed=fed, first_look=self._loop.look_now(partition))
                self._uses[partition] = use
            return use

    def _end(self, partition: Partition) -> None:
        del self._uses[partition]
        self._loop.end(partition)
        self._current.let_go(partition)

    def _longest_unasked(self) -> Partition:
        return min(self._uses, key=lambda each: self._uses[each].asked_at)

    def _fed(self, partition: Partition, templates: Iterable[Templated], before: Iterable[_Fed]) -> tuple[_Fed, ...]:
        """Return what templates feed a partition with, strongest first: as before where they are the same."""
        made = {each.template.label: each for each in before}
        fed: list[_Fed] = []
        for template in templates:
            if template.feeds(partition):
                known = made.get(template.label)
                is_same = known is not None and known.template.source_of is template.source_of
                source = known.source if known is not None and is_same else template.source_of(partition)
                fed.append(_Fed(template=template, source=source))
        return tuple(fed)

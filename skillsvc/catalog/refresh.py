"""Refreshing a layer: look at its sources, keep the last good of what fails, publish what came of it.

A broken skill never hides its siblings, a source that fails keeps its last good, a store that fails leaves what is
served as it is (rules.md 5). Whatever fails, the look comes to an end, and what it could not see or publish is told.

A look is for any thread; what it came to is admitted and published by one thread at a time.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import is_

from skillsvc.catalog.clashes import clashes_in
from skillsvc.catalog.current import Current
from skillsvc.catalog.kept_standing import KeptStanding, known_of, recalled
from skillsvc.catalog.layer import UnreachableSource
from skillsvc.catalog.learned import SOURCE as LEARNED
from skillsvc.catalog.reports import Placed, SourceReport, report_of
from skillsvc.catalog.standing import Moment, Standing, Unpublished, admit, behind, unseen
from skillsvc.content.blobs import BlobStore
from skillsvc.content.stopping import Abandoned, never
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import Exhausted, SkillsvcError
from skillsvc.domain.generation import Generation, Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.domain.skill import Bundle
from skillsvc.sources.merge import Merged, merge, remembered
from skillsvc.sources.soundness import fault_of
from skillsvc.sources.source import Observation, Outcome, Source

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What a look at one source came to. It counts as long as the source is the one that the layer has."""

    label: str
    source: Source
    observation: Observation


@dataclass(slots=True, kw_only=True)
class _Place:
    """What is known of a source besides how it stands. `mark` is set while what a look found is not admitted yet."""

    source: Source
    failed: bool = False
    mark: int | None = None
    looked_at: datetime | None = None
    complete_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What is told of a layer that is behind. One value, since other threads read it: no state without its reason."""

    unpublished: Unpublished | None
    unreachable: tuple[UnreachableSource, ...]


class Refresh:
    """Refreshes one layer from its sources.

    Attributes:
        diagnostics: All of the last looks, and of what the sources are to each other; the same object until it changes.
    """

    def __init__(
        self,
        current: Current,
        partition: Partition,
        sources: Sequence[Source],
        *,
        blobs: BlobStore,
        limits: Limits,
        now: Callable[[], datetime],
        clock: Callable[[], float],
        stopped: Callable[[], bool] = never,
        kept: KeptStanding | None = None,
        remembers: bool = True,
    ) -> None:
        """Prepare. The layer must be open; what it serves is the last good of every source until that is seen.

        Until then every source is reported as unreachable, stale or missing.

        Args:
            current: Where the layer is.
            partition: Whose layer it is.
            sources: Its sources, the strongest first.
            blobs: The store that the sources take skills into.
            limits: The limits in force.
            now: The time.
            clock: Tells seconds that only grow.
            stopped: As soon as it says so, what is under way is abandoned.
            kept: How the sources stood before a restart; it is told how they stand now.
            remembers: Whether sources may know of blobs that nothing names before they were looked at.
        """
        self._current = current
        self._partition = partition
        self._blobs = blobs
        self._limits = limits
        self._now = now
        self._clock = clock
        self._stopped = stopped
        self._kept = kept
        self._remembers = remembers
        self._last_known = {} if kept is None else kept.read()
        self._places: Mapping[str, _Place] = {}
        self._standings: Mapping[str, Standing] = {}
        self._merged = remembered(current.layers[partition].present.rows)
        self._published: Merged | None = None
        self._revoked = current.layers[partition].revoked
        self._digest = ""
        self._told = _Told(unpublished=None, unreachable=())
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.replace(sources)

    @property
    def has_looked(self) -> bool:
        """Whether every source has been looked at that may know of blobs which nothing names."""
        return not self._remembers or all(place.looked_at is not None for place in self._places.values())

    @property
    def unreachable(self) -> tuple[UnreachableSource, ...]:
        """The sources that the last look could not wholly see, or publish."""
        return self._told.unreachable

    @property
    def is_published(self) -> bool:
        """Whether what was admitted is what is served."""
        return self._told.unpublished is None and self._is_served()

    @property
    def present(self) -> Generation:
        """The generation that the layer serves."""
        return self._current.layers[self._partition].present

    def replace(self, sources: Sequence[Source]) -> bool:
        """Refresh from other sources from now on, the strongest first; for the thread that admits.

        How a source stands that there was before, the same object, stays; the others' last good is what is served of
        their labels. What is not there any more is published no longer from the next `admit` on.

        Returns:
            Whether something is served with a tier or a trust that is lower by now: the next `admit` should not wait.
        """
        now = self._now()
        rows = self._held_rows()
        standings: dict[str, Standing] = {}
        places: dict[str, _Place] = {}
        for source in sources:
            label = source.label
            place = self._places.get(label)
            if place is not None and place.source is source:
                standings[label], places[label] = self._standings[label], place
            else:
                standings[label] = unseen(label, source.admission, rows.get(label, ()), now)
                places[label] = _Place(source=source)
                # Once: what is declared anew under a label is another place.
                if (last := self._last_known.pop(label, None)) is not None:
                    standings[label] = recalled(standings[label], last)
                    places[label].complete_at = last.seen_at
        self._standings, self._places = standings, places
        self._published = None
        self._told = replace(self._told, unreachable=self._behind(self._told.unpublished))
        self._current.report(self._partition, self.unreachable)
        return any(
            _is_lower(standings[label].served, of_label) for label, of_label in rows.items() if label in standings
        )

    def look(self, changed: Mapping[str, Collection[str] | None] | None = None) -> Generation | None:
        """Look at every source, or at the changed paths of those named; return the generation published, if any.

        No fault of a source or a store ends a look: it is logged, and tells in `unreachable` and `diagnostics`.

        Args:
            changed: For each source that is to be looked at, by its label, the paths below it that changed, or None
                for all of it; None for a whole look at every source.

        Raises:
            Abandoned: The look was stopped; what is served stays.
        """
        return self.admit(
            [
                self.look_at(label, None if changed is None else changed[label])
                for label in self._places
                if changed is None or label in changed
            ]
        )

    def look_at(self, label: str, changed: Collection[str] | None = None, *, source: Source | None = None) -> Sighting:
        """Look at one source; for any thread. What the last look at it came to has been admitted.

        Args:
            label: The source's.
            changed: The paths below it that changed, None for all of it.
            source: Which one is meant, where it may have been replaced meanwhile.

        Raises:
            Abandoned: The look was stopped, or there is no such source any more.
        """
        place, standing = self._places.get(label), self._standings.get(label)
        if place is None or standing is None or (source is not None and source is not place.source):
            raise Abandoned
        place.mark = self._blobs.mark()
        return Sighting(label=label, source=place.source, observation=self._observe(label, place, standing, changed))

    def admit(self, sightings: Iterable[Sighting]) -> Generation | None:
        """Take in what looks came to, and publish it; return the generation published, if any.

        Where nothing differs from what stands, nothing is merged or published. Without sightings what could not be
        published before is tried again.

        Raises:
            Abandoned: It was stopped; what is served stays.
        """
        seen = {each.label: each.observation for each in sightings if self._is_placed(each)}
        now = Moment(at=self._now(), clock=self._clock())
        before, self._standings = self._standings, admit(self._standings, seen, now, self._limits)
        for label in seen:
            place = self._places[label]
            place.looked_at, place.mark = now.at, None
            if self._standings[label].unreachable is None:
                place.complete_at = now.at
        if self._published is None or not all(map(is_, before.values(), self._standings.values())):
            self._merged = merge((standing.served for standing in self._standings.values()), self._merged)
        published = self._publish()
        if self._kept is not None:
            places = self._places
            known = {label: known_of(each, places[label].complete_at) for label, each in self._standings.items()}
            self._kept.note(known, now.at)
        return published

    def close(self) -> None:
        """Keep what is to be known of the sources after a restart; for the thread that admits, at the end."""
        if self._kept is not None:
            self._kept.close()

    def told(self) -> tuple[Diagnostic, ...]:
        """Return all that an operator is told of the layer by itself as it is now; for any thread."""
        return (*self.diagnostics, *clashes_in(self._current.layers[self._partition].present.listed))

    def bundles(self) -> Iterator[Bundle]:
        """Yield the bundles whose blobs the sources count on: what stands of each, served or not."""
        for standing in self._standings.values():
            for seen in (standing.served, standing.refused):
                if seen is not None:
                    yield from (found.bundle for found in seen.found)

    def marks(self) -> list[int]:
        """Return the marks of the store since which looks count on what they found, and that are not admitted yet."""
        return [mark for place in self._places.values() if (mark := place.mark) is not None]

    def report(self, label: str, placed: Placed) -> SourceReport | None:
        """Return how a source stands, None where there is none of the label any more; for any thread."""
        place, standing = self._places.get(label), self._standings.get(label)
        if place is None or standing is None:
            return None
        part = self._merged.parts.get(label)
        behind_now = self._told
        unpublished = behind_now.unpublished
        return report_of(
            placed,
            standing,
            told=next((each for each in behind_now.unreachable if each.source == label), None),
            unpublished=unpublished if unpublished is not None and label in unpublished.sources else None,
            looked_at=place.looked_at,
            complete_at=place.complete_at,
            skills=len(part.rows) if part is not None else 0,
            diagnostics=len(part.diagnostics) if part is not None else 0,
        )

    def _observe(self, label: str, place: _Place, standing: Standing, changed: Collection[str] | None) -> Observation:
        held = standing.served.found
        try:
            # Whatever a look that failed was to see is still to be seen.
            seen = place.source.observe(None if place.failed else changed, held=held)
            fault = None if seen is standing.seen else fault_of(seen, label, held)
        except BaseException as error:
            # Whatever a source raises, also what ends a thread elsewhere, is its own fault and stops no other.
            if self._stopped() or isinstance(error, KeyboardInterrupt):
                raise Abandoned from error
            self._tell_failed(label, place, error)
            return _failed(standing, DiagnosticCode.SOURCE_UNREADABLE, f"the look at it failed: {_reason(error)}")
        if fault is not None:
            self._tell_failed(label, place, None)
            return _failed(standing, DiagnosticCode.SOURCE_MALFORMED, f"the look at it came to nothing: {fault}")
        place.failed = False
        return seen

    def _tell_failed(self, label: str, place: _Place, error: BaseException | None) -> None:
        if not place.failed:
            _log.error("the look at %s failed; what was seen last is served", label, exc_info=error)
        place.failed = True

    def _is_placed(self, sighting: Sighting) -> bool:
        place = self._places.get(sighting.label)
        return place is not None and place.source is sighting.source

    def _held_rows(self) -> Mapping[str, list[Row]]:
        held: dict[str, list[Row]] = {}
        for row in self.present.rows:
            held.setdefault(row.source, []).append(row)
        return held

    def _behind(self, unpublished: Unpublished | None) -> tuple[UnreachableSource, ...]:
        present = self.present.rows
        told = (behind(standing, unpublished, present) for standing in self._standings.values())
        return tuple(each for each in told if each is not None)

    def _publish(self) -> Generation | None:
        merged = self._merged
        published = None
        before, unpublished = self._told.unpublished, None
        unreachable = self._behind(None)
        try:
            self._go_on()
            # The log must never name a blob that a crash could lose.
            self._blobs.sync()
            self._go_on()
            revoked = self._current.layers[self._partition].revoked
            if self._is_served():
                self._current.report(self._partition, unreachable)
            elif not self._standings:
                # What programs have published meanwhile is theirs, and was made by no source that was here.
                published = self._current.keep_only(self._partition, {LEARNED}, self._now())
                self._current.report(self._partition, unreachable)
                self._published, self._revoked, self._digest = merged, revoked, self.present.digest
            else:
                published = self._current.publish(self._partition, merged.rows, unreachable, self._now())
                self._published, self._revoked, self._digest = merged, revoked, self.present.digest
        except Abandoned:
            raise
        except Exception as error:  # noqa: BLE001 - whatever fails, what is served is told to be behind
            if before is None:
                _log.error("what was seen could not be published; what is served stays", exc_info=error)
            present = self.present.rows
            unpublished = self._not_published(error, before, merged.rows, present)
            unreachable = self._behind(unpublished)
            self._current.report(self._partition, unreachable)
        self._told = _Told(unpublished=unpublished, unreachable=unreachable)
        self._say()
        return published

    def _is_served(self) -> bool:
        """Tell whether what is merged was published, and nothing of the layer was revoked, lifted or closed since.

        Nor published by a program that had asked before anything was known to feed the layer.
        """
        layer = self._current.layers[self._partition]
        return (
            self._published is self._merged
            and self._revoked is layer.revoked
            and self._digest == layer.present.digest
            and not self._current.is_closed(self._partition)
        )

    def _say(self) -> None:
        """Bring `diagnostics` up to date."""
        said = self._merged.diagnostics
        if self._told.unpublished is not None:
            said = (self._told.unpublished.diagnostic, *said)
        if said != self.diagnostics:
            self.diagnostics = said

    def _go_on(self) -> None:
        if self._stopped():
            raise Abandoned

    def _not_published(
        self, error: Exception, before: Unpublished | None, rows: Sequence[Row], present: Sequence[Row]
    ) -> Unpublished:
        seen, served = {row.encoded for row in rows}, {row.encoded for row in present}
        differ = {row.source for row in rows if row.encoded not in served}
        differ |= {row.source for row in present if row.encoded not in seen}
        if isinstance(error, Exhausted):
            code, message = DiagnosticCode.TOO_MANY_SKILLS, f"{error.message}, and there are {len(rows)}"
        else:
            code, message = DiagnosticCode.STORE_UNREACHABLE, f"nothing could be published: {_reason(error)}"
        return Unpublished(
            since=self._now() if before is None else before.since,
            # Where none differs, the store failed all the same, and no look succeeded.
            sources=frozenset(differ & self._standings.keys() or self._standings),
            diagnostic=Diagnostic(
                severity=Severity.ERROR, code=code, message=f"{message}; what is served stays as it was"
            ),
        )


def _is_lower(served: Observation, rows: Sequence[Row]) -> bool:
    """Tell whether rows are to be served with another tier or trust than they are, which is lower (see `unseen`)."""
    return any((row.tier, row.trust) != (served.tier, served.trust) for row in rows)


def _failed(standing: Standing, code: DiagnosticCode, message: str) -> Observation:
    """Return what a look comes to of which nothing can stand."""
    said = Diagnostic(severity=Severity.ERROR, code=code, message=message, source=standing.served.source)
    return replace(standing.served, outcome=Outcome.FAILED, found=(), diagnostics=(said,))


def _reason(error: BaseException) -> str:
    """Return why something failed, in words that hold no path."""
    return error.message if isinstance(error, SkillsvcError) else "the server's log says why"

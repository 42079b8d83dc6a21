"""Refreshing a layer: look at its sources, keep the last good of what fails, publish what came of it.

A broken skill never hides its siblings, a source that fails keeps its last good, a store that fails leaves what is
served as it is (rules.md 5). Whatever fails, the look comes to an end, and what it could not see or publish is told.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from skillsvc.catalog.current import Current, UnreachableSource
from skillsvc.catalog.standing import Standing, Unpublished, admit, behind, unseen
from skillsvc.content.blobs import BlobStore
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import Exhausted, SkillsvcError
from skillsvc.domain.generation import Generation, Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.domain.skill import Bundle
from skillsvc.sources.merge import merge
from skillsvc.sources.source import LookAbandoned, Observation, Outcome, Source, never

_log = logging.getLogger(__name__)


class Refresh:
    """Refreshes one layer from its sources, strongest first. One thread at a time.

    Attributes:
        has_looked: Whether a look has come to its end.
        diagnostics: Of the last look.
        unreachable: The sources that the last look could not wholly see, or publish.
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
        stopped: Callable[[], bool] = never,
    ) -> None:
        """Prepare. The layer must be open; what it serves is the last good of every source until that is seen.

        Until then every source is reported as unreachable, stale or missing.

        As soon as `stopped` says so, what is under way is abandoned.
        """
        self._current = current
        self._partition = partition
        self._sources = tuple(sources)
        self._blobs = blobs
        self._limits = limits
        self._now = now
        self._standings = _remembered(self._sources, current.layers[partition].present.rows, now())
        self._stopped = stopped
        self._failed: set[str] = set()
        self._unpublished: Unpublished | None = None
        self.has_looked = False
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.unreachable = _unreachable_of(self._standings.values(), None, ())
        current.report(partition, self.unreachable)

    def look(self, changed: Mapping[str, Collection[str] | None] | None = None) -> Generation | None:
        """Look at every source, or at the changed paths of those named; return the generation published, if any.

        No fault of a source or a store ends a look: it is logged, and tells in `unreachable` and `diagnostics`.

        Args:
            changed: For each source that is to be looked at, by its label, the paths below it that changed, or None
                for all of it; None for a whole look at every source.

        Raises:
            LookAbandoned: The look was stopped; what is served stays.
        """
        seen = {
            source.label: self._look_at(source, None if changed is None else changed[source.label])
            for source in self._sources
            if changed is None or source.label in changed
        }
        self._standings = admit(self._standings, seen, self._now(), self._limits)
        published = self._publish()
        self.has_looked = True
        return published

    def bundles(self) -> Iterator[Bundle]:
        """Yield the bundles whose blobs the sources count on: what stands of each, served or not."""
        for standing in self._standings.values():
            for seen in (standing.served, standing.refused):
                if seen is not None:
                    yield from (found.bundle for found in seen.found)

    def _look_at(self, source: Source, changed: Collection[str] | None) -> Observation:
        label = source.label
        try:
            # Whatever a look that failed was to see is still to be seen.
            seen = source.observe(None if label in self._failed else changed, held=self._standings[label].served.found)
        except LookAbandoned:
            raise
        except Exception as error:  # noqa: BLE001 - one source, whatever is wrong with it, stops no other
            if label not in self._failed:
                _log.error("the look at %s failed; what was seen last is served", label, exc_info=error)
            self._failed.add(label)
            return self._look_that_failed(label, error)
        self._failed.discard(label)
        return seen

    def _look_that_failed(self, label: str, error: Exception) -> Observation:
        """Return what a look comes to that ended in an error."""
        said = Diagnostic(
            severity=Severity.ERROR,
            code=DiagnosticCode.SOURCE_UNREADABLE,
            message=f"the look at it failed: {_reason(error)}",
            source=label,
        )
        return replace(self._standings[label].served, outcome=Outcome.FAILED, found=(), diagnostics=(said,))

    def _publish(self) -> Generation | None:
        standings = tuple(self._standings.values())
        present = self._current.layers[self._partition].present
        merged = merge([standing.served for standing in standings], present.rows)
        unreachable = _unreachable_of(standings, None, ())
        published = None
        try:
            self._go_on()
            # The log must never name a blob that a crash could lose.
            self._blobs.sync()
            self._go_on()
            published = self._current.publish(self._partition, merged.rows, unreachable, self._now())
        except LookAbandoned:
            raise
        except Exception as error:  # noqa: BLE001 - whatever fails, what is served is told to be behind
            if self._unpublished is None:
                _log.error("what was seen could not be published; what is served stays", exc_info=error)
            self._unpublished = self._not_published(error, merged.rows, present.rows)
            unreachable = _unreachable_of(standings, self._unpublished, present.rows)
            self._current.report(self._partition, unreachable)
        else:
            self._unpublished = None
        self.diagnostics = (
            merged.diagnostics if self._unpublished is None else (self._unpublished.diagnostic, *merged.diagnostics)
        )
        self.unreachable = unreachable
        return published

    def _go_on(self) -> None:
        if self._stopped():
            raise LookAbandoned

    def _not_published(self, error: Exception, rows: Sequence[Row], present: Sequence[Row]) -> Unpublished:
        seen, served = {row.encoded for row in rows}, {row.encoded for row in present}
        differ = {row.source for row in rows if row.encoded not in served}
        differ |= {row.source for row in present if row.encoded not in seen}
        if isinstance(error, Exhausted):
            code, message = DiagnosticCode.TOO_MANY_SKILLS, f"{error.message}, and there are {len(rows)}"
        else:
            code, message = DiagnosticCode.STORE_UNREACHABLE, f"nothing could be published: {_reason(error)}"
        return Unpublished(
            since=self._now() if self._unpublished is None else self._unpublished.since,
            # Where none differs, the store failed all the same, and no look succeeded.
            sources=frozenset(differ & self._standings.keys() or self._standings),
            diagnostic=Diagnostic(
                severity=Severity.ERROR, code=code, message=f"{message}; what is served stays as it was"
            ),
        )


def _remembered(sources: Iterable[Source], rows: Sequence[Row], now: datetime) -> Mapping[str, Standing]:
    """Take the last good of each source, strongest first, from the rows that a restart finds."""
    held: dict[str, list[Row]] = {source.label: [] for source in sources}
    for row in rows:
        if row.source in held:
            held[row.source].append(row)
    return {label: unseen(label, of_source, now) for label, of_source in held.items()}


def _unreachable_of(
    standings: Iterable[Standing], unpublished: Unpublished | None, present: Collection[Row]
) -> tuple[UnreachableSource, ...]:
    told = (behind(standing, unpublished, present) for standing in standings)
    return tuple(each for each in told if each is not None)


def _reason(error: Exception) -> str:
    """Return why something failed, in words that hold no path."""
    return error.message if isinstance(error, SkillsvcError) else "the server's log says why"

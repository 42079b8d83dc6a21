"""Refreshing a layer: look at its sources, keep the last good of what fails, publish what came of it.

Fail soft for freshness (rules.md 5): a broken skill never hides its siblings, a source that cannot be read keeps its
last good observation and is said to be unreachable, a store that fails leaves what is served as it is. Whatever fails,
the look comes to an end, and what it could not see or publish is told.
"""

import itertools
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from skillsvc.catalog.current import Current, SourceState, UnreachableSource
from skillsvc.content.blobs import BlobStore
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import Exhausted, SkillsvcError
from skillsvc.domain.generation import Generation, Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.domain.skill import Bundle
from skillsvc.domain.trust import Tier, trust_of
from skillsvc.sources.merge import merge
from skillsvc.sources.source import LookAbandoned, Observation, Outcome, Source, never

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a source stands: the observation that is served, and where that is not all there is, why and since when.

    `gone_since` is when its place was first found missing, None while it is there.
    """

    served: Observation
    unreachable: UnreachableSource | None = None
    gone_since: datetime | None = None


def stand(before: Standing | None, seen: Observation, now: datetime, limits: Limits) -> Standing:
    """Return how a source stands after a look. Pure.

    A place that never held skills and is not there is empty and complete; one that did is stale for `missing_after_s`,
    then empty and complete (rules.md 1).
    """
    if seen.outcome is Outcome.WHOLE:
        return Standing(served=seen)
    since = before.unreachable.since if before is not None and before.unreachable is not None else now
    if seen.outcome is Outcome.PARTIAL:
        return Standing(served=seen, unreachable=_unreachable(seen, since, SourceState.PARTIAL))
    held = before.served.found if before is not None else ()
    if seen.outcome is Outcome.FAILED:
        return Standing(
            served=replace(seen, found=held),
            unreachable=_unreachable(seen, since, SourceState.STALE if held else SourceState.MISSING),
        )
    # A place that was seen in part, or not at all, before it went has been gone since now only.
    gone_since = before.gone_since if before is not None and before.gone_since is not None else now
    if not held or (now - gone_since).total_seconds() >= limits.missing_after_s:
        note = _about(seen, Severity.NOTE, DiagnosticCode.SOURCE_MISSING, "the directory is not there")
        return Standing(served=replace(seen, found=(), diagnostics=(note,)))
    error = _about(
        seen,
        Severity.ERROR,
        DiagnosticCode.SOURCE_GONE,
        "the directory is gone; what was seen last is served for now",
    )
    return Standing(
        served=replace(seen, found=held, diagnostics=(error,)),
        unreachable=_unreachable(seen, since, SourceState.STALE),
        gone_since=gone_since,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpublished:
    """That what was seen is not what is served: since when, of which sources, and why."""

    since: datetime
    sources: frozenset[str]
    diagnostic: Diagnostic


def behind(standing: Standing, unpublished: Unpublished | None, present: Collection[Row]) -> UnreachableSource | None:
    """Return what callers are told of a source: None where it was wholly seen, and what was seen is served. Pure.

    Args:
        standing: How it stands after its last look.
        unpublished: What could not be published, if anything.
        present: The rows that are served.
    """
    source = standing.served.source
    if unpublished is None or source not in unpublished.sources:
        return standing.unreachable
    held = any(row.source == source for row in present)
    since = unpublished.since if standing.unreachable is None else min(unpublished.since, standing.unreachable.since)
    return UnreachableSource(source=source, since=since, state=SourceState.STALE if held else SourceState.MISSING)


class Refresh:
    """Refreshes one layer from its sources, strongest first. One thread at a time.

    Attributes:
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

        As soon as `stopped` says so, what is under way is abandoned.
        """
        self._current = current
        self._partition = partition
        self._sources = tuple(sources)
        self._blobs = blobs
        self._limits = limits
        self._now = now
        self._standings = dict(_remembered(current.layers[partition].present.rows))
        self._stopped = stopped
        self._failed: set[str] = set()
        self._unpublished: Unpublished | None = None
        self._unused: frozenset[str] = frozenset()
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.unreachable: tuple[UnreachableSource, ...] = ()

    def look(self, changed: Mapping[str, Collection[str] | None] | None = None) -> Generation | None:
        """Look at every source, or at the changed paths of those named; return the generation published, if any.

        No fault of a source or a store ends a look: it is logged, and tells in `unreachable` and `diagnostics`.

        Args:
            changed: For each source that is to be looked at, by its label, the paths below it that changed, or None
                for all of it; None for a whole look at every source.

        Raises:
            LookAbandoned: The look was stopped; what is served stays.
        """
        for source in self._sources:
            if changed is None:
                self._look_at(source, None)
            elif source.label in changed:
                self._look_at(source, changed[source.label])
        return self._publish()

    def collect(self) -> None:
        """Remove the blobs that nothing names, and that nothing named at the last collection either.

        The delay leaves an answer that is under way the blobs of a generation that was dropped meanwhile.
        """
        named = {
            digest
            for layer in self._current.layers.values()
            for generation in layer.generations
            for digest in _digests(row.bundle for row in generation.rows)
        }
        for standing in self._standings.values():
            named.update(_digests(found.bundle for found in standing.served.found))
        unused = frozenset(self._blobs.digests()) - named
        self._blobs.remove(itertools.takewhile(lambda _: not self._stopped(), unused & self._unused))
        self._unused = unused

    def _look_at(self, source: Source, changed: Collection[str] | None) -> None:
        label = source.label
        try:
            # Whatever a look that failed was to see is still to be seen.
            seen = source.observe(None if label in self._failed else changed)
        except LookAbandoned:
            raise
        except Exception as error:  # noqa: BLE001 - one source, whatever is wrong with it, stops no other
            if label not in self._failed:
                _log.error("the look at %s failed; what was seen last is served", label, exc_info=error)
            self._failed.add(label)
            seen = self._unseen(label, error)
        else:
            self._failed.discard(label)
        self._standings[label] = stand(self._standings.get(label), seen, self._now(), self._limits)

    def _unseen(self, label: str, error: Exception) -> Observation:
        """Return what a look comes to that ended in an error."""
        before = self._standings.get(label)
        return Observation(
            source=label,
            # Of what was never seen nothing is served, whatever it stands for here.
            tier=before.served.tier if before is not None else Tier.LEARNED,
            trust=before.served.trust if before is not None else trust_of(Tier.LEARNED),
            outcome=Outcome.FAILED,
            diagnostics=(
                Diagnostic(
                    severity=Severity.ERROR,
                    code=DiagnosticCode.SOURCE_UNREADABLE,
                    message=f"the look at it failed: {_reason(error)}",
                    source=label,
                ),
            ),
        )

    def _publish(self) -> Generation | None:
        standings = [self._standings[source.label] for source in self._sources if source.label in self._standings]
        present = self._current.layers[self._partition].present
        merged = merge([standing.served for standing in standings], present.rows)
        published = None
        try:
            self._go_on()
            # The log must never name a blob that a crash could lose.
            self._blobs.sync()
            self._go_on()
            published = self._current.publish(self._partition, merged.rows, self._now())
        except LookAbandoned:
            raise
        except Exception as error:  # noqa: BLE001 - whatever fails, what is served is told to be behind
            if self._unpublished is None:
                _log.error("what was seen could not be published; what is served stays", exc_info=error)
            self._unpublished = self._not_published(error, merged.rows, present.rows)
        else:
            self._unpublished = None
        self.diagnostics = (
            merged.diagnostics if self._unpublished is None else (self._unpublished.diagnostic, *merged.diagnostics)
        )
        unreachable = (behind(standing, self._unpublished, present.rows) for standing in standings)
        self.unreachable = tuple(each for each in unreachable if each is not None)
        self._current.report(self._partition, self.unreachable)
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


def _remembered(rows: Sequence[Row]) -> Iterable[tuple[str, Standing]]:
    """Take the last good observation of each source from the rows that a restart finds."""
    by_source: dict[str, list[Row]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    for source, held in by_source.items():
        observation = Observation(
            source=source,
            tier=held[0].tier,
            trust=held[0].trust,
            outcome=Outcome.WHOLE,
            found=tuple(row.found for row in held),
        )
        yield source, Standing(served=observation)


def _digests(bundles: Iterable[Bundle]) -> Iterable[str]:
    for bundle in bundles:
        if bundle.document is not None:
            yield bundle.document.digest
        for asset in bundle.assets:
            yield asset.digest


def _unreachable(seen: Observation, since: datetime, state: SourceState) -> UnreachableSource:
    return UnreachableSource(source=seen.source, since=since, state=state)


def _about(seen: Observation, severity: Severity, code: DiagnosticCode, message: str) -> Diagnostic:
    return Diagnostic(severity=severity, code=code, message=message, source=seen.source)


def _reason(error: Exception) -> str:
    """Return why something failed, in words that hold no path."""
    return error.message if isinstance(error, SkillsvcError) else "the server's log says why"

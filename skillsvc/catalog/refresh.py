"""Refreshing a layer: look at its sources, keep the last good of what fails, publish what came of it.

Fail soft for freshness (rules.md 5): a broken skill never hides its siblings, a source that cannot be read keeps its
last good observation and is said to be unreachable, a store that fails leaves what is served as it is.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from skillsvc.catalog.current import Current, SourceState, UnreachableSource
from skillsvc.content.blobs import BlobStore
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Generation, Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.domain.skill import Bundle
from skillsvc.sources.merge import merge
from skillsvc.sources.source import Observation, Outcome, Source


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


class Refresh:
    """Refreshes one layer from its sources, strongest first. One thread at a time."""

    def __init__(
        self,
        current: Current,
        partition: Partition,
        sources: Sequence[Source],
        *,
        blobs: BlobStore,
        limits: Limits,
        now: Callable[[], datetime],
    ) -> None:
        """Prepare. The layer must be open; what it serves is the last good of every source until that is seen."""
        self._current = current
        self._partition = partition
        self._sources = tuple(sources)
        self._blobs = blobs
        self._limits = limits
        self._now = now
        self._standings = dict(_remembered(current.layers[partition].present.rows))
        self._unused: frozenset[str] = frozenset()
        self.diagnostics: tuple[Diagnostic, ...] = ()

    def look(self, changed: Mapping[str, Collection[str] | None] | None = None) -> Generation | None:
        """Look at every source, or at the changed paths of those named; return the generation published, if any.

        Args:
            changed: For each source that is to be looked at, by its label, the paths below it that changed, or None
                for all of it; None for a whole look at every source.

        Raises:
            Unavailable: STORE_UNREACHABLE; what is served stays.
            Exhausted: LIMIT_EXCEEDED; what is served stays.
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
        self._blobs.remove(unused & self._unused)
        self._unused = unused

    def _look_at(self, source: Source, changed: Collection[str] | None) -> None:
        seen = source.observe(changed)
        self._standings[source.label] = stand(self._standings.get(source.label), seen, self._now(), self._limits)

    def _publish(self) -> Generation | None:
        standings = [self._standings[source.label] for source in self._sources if source.label in self._standings]
        merged = merge([standing.served for standing in standings], self._current.layers[self._partition].present.rows)
        self.diagnostics = merged.diagnostics
        # The log must never name a blob that a crash could lose.
        self._blobs.sync()
        try:
            return self._current.publish(self._partition, merged.rows, self._now())
        finally:
            # What could not be seen is told even where what was seen could not be published.
            self._current.report(
                self._partition,
                tuple(standing.unreachable for standing in standings if standing.unreachable is not None),
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

"""How sources stand: the one last good that there is of each, and what callers are told where that is not all. Pure.

Fail soft for freshness (rules.md 5): a source that cannot be read keeps its last good observation, and is said to be
unreachable; one whose observation is too much for its layer is refused alone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Admission
from skillsvc.sources.source import Observation, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When something is: `at` is what is told, `clock` seconds that only grow, by which is known how long it lasted.

    The time of day may be put forward by hours, and nothing that lasts minutes is over by that.
    """

    at: datetime
    clock: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a source stands: the observation that is served, and where that is not all there is, why and since when.

    What is served is the one last good that there is of a source: a look is given it, and keeps none of its own. `seen`
    is what its last look came to, None where there was none. `gone_since` is when its place was first found missing, in
    the seconds of `Moment.clock`, None while it is there. `refused` is what was seen last where that was too much for
    its layer: the source counts on the blobs of it.
    """

    served: Observation
    seen: Observation | None = None
    unreachable: UnreachableSource | None = None
    gone_since: float | None = None
    refused: Observation | None = None


def unseen(source: str, admission: Admission, held: Sequence[Row], now: datetime) -> Standing:
    """Return how a source stands that was not looked at yet as it is declared now: what is served is all that is known.

    What it is lowered to is in force at once (rules.md 6). What it is raised to waits for a look: the label may be that
    of another place now, and nobody raised what was seen at the one before.
    """
    for row in held[:1]:
        admission = admission.lowered_to(Admission(tier=row.tier, trust=row.trust))
    return Standing(
        served=Observation(
            source=source,
            tier=admission.tier,
            trust=admission.trust,
            outcome=Outcome.FAILED,
            found=tuple(row.found for row in held),
        ),
        unreachable=UnreachableSource(
            source=source, since=now, state=SourceState.STALE if held else SourceState.MISSING
        ),
    )


def stand(before: Standing | None, seen: Observation, now: Moment, limits: Limits) -> Standing:
    """Return how a source stands after a look. Pure.

    A place that never held skills and is not there is empty and complete; one that did is stale for `missing_after_s`,
    then empty and complete (rules.md 1). A look that came to what the last one came to leaves all as it is: the very
    same value is returned.
    """
    if before is not None and before.seen == seen and before.gone_since is None and before.refused is None:
        return before
    return replace(_after(before, seen, now, limits), seen=seen)


def _after(before: Standing | None, seen: Observation, now: Moment, limits: Limits) -> Standing:
    if seen.outcome is Outcome.WHOLE:
        return Standing(served=seen)
    since = before.unreachable.since if before is not None and before.unreachable is not None else now.at
    if seen.outcome is Outcome.PARTIAL:
        return Standing(served=seen, unreachable=_unreachable(seen, since, SourceState.PARTIAL))
    last_good = _last_good(before.served, seen) if before is not None else seen
    held = last_good.found
    if seen.outcome is Outcome.FAILED:
        return Standing(
            served=last_good,
            unreachable=_unreachable(seen, since, SourceState.STALE if held else SourceState.MISSING),
            refused=before.refused if before is not None else None,
        )
    # A place that was seen in part, or not at all, before it went has been gone since now only.
    gone_since = before.gone_since if before is not None and before.gone_since is not None else now.clock
    if not held or now.clock - gone_since >= limits.missing_after_s:
        note = _about(seen, Severity.NOTE, DiagnosticCode.SOURCE_MISSING, "the directory is not there")
        return Standing(served=replace(seen, found=(), diagnostics=(note,)))
    error = _about(
        seen,
        Severity.ERROR,
        DiagnosticCode.SOURCE_GONE,
        "the directory is gone; what was seen last is served for now",
    )
    return Standing(
        served=replace(last_good, diagnostics=(error,)),
        unreachable=_unreachable(seen, since, SourceState.STALE),
        gone_since=gone_since,
    )


def _last_good(served: Observation, seen: Observation) -> Observation:
    """Return what is served on after a look that saw nothing; it is raised no more than by `unseen`."""
    admission = seen.admission.lowered_to(served.admission) if served.found else seen.admission
    return replace(
        seen,
        tier=admission.tier,
        trust=admission.trust,
        found=served.found,
        revision=seen.revision or served.revision,
    )


def admit(
    standings: Mapping[str, Standing], seen: Mapping[str, Observation], now: Moment, limits: Limits
) -> dict[str, Standing]:
    """Return how sources stand after a look at some of them, in the order of `standings`, strongest first. Pure.

    What makes a layer hold more skills than it may is refused, observation by observation (rules.md 3): the last good
    of that source stays, and the others go on. What holds no more than before comes first, as it makes room.
    """
    after = dict(standings)
    most = sum(max(len(standings[label].served.found), _found(seen.get(label))) for label in standings)
    growing = (
        [] if most <= limits.layer_skills else [each for each in standings if _grows(standings[each], seen.get(each))]
    )
    for label, observation in seen.items():
        if label not in growing:
            after[label] = stand(standings[label], observation, now, limits)
    for label in growing:
        others = sum(_count(standing.served) for other, standing in after.items() if other != label)
        total = others + _count(seen[label])
        if total > limits.layer_skills:
            after[label] = _too_many(standings[label], seen[label], total, now, limits)
        else:
            after[label] = stand(standings[label], seen[label], now, limits)
    return after


def _found(seen: Observation | None) -> int:
    return len(seen.found) if seen is not None else 0


def _grows(standing: Standing, seen: Observation | None) -> bool:
    return seen is not None and _count(seen) > _count(standing.served)


def _count(observation: Observation) -> int:
    """Count the rows that an observation makes: one for each name."""
    return len({found.bundle.skill.name for found in observation.found})


def _too_many(before: Standing, seen: Observation, total: int, now: Moment, limits: Limits) -> Standing:
    error = _about(
        seen,
        Severity.ERROR,
        DiagnosticCode.TOO_MANY_SKILLS,
        f"a layer holds at most {limits.layer_skills} skills, and there are {total} with what this source holds now; "
        "what was seen of it last is served",
    )
    failed = replace(seen, outcome=Outcome.FAILED, found=(), diagnostics=(*seen.diagnostics, error))
    return replace(stand(before, failed, now, limits), seen=seen, refused=seen)


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


def _unreachable(seen: Observation, since: datetime, state: SourceState) -> UnreachableSource:
    return UnreachableSource(source=seen.source, since=since, state=state)


def _about(seen: Observation, severity: Severity, code: DiagnosticCode, message: str) -> Diagnostic:
    return Diagnostic(severity=severity, code=code, message=message, source=seen.source)

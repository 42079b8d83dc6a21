"""What a layer's sources are declared as, and what an operator is told of how each of them stands."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, unique
from typing import NamedTuple

from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.catalog.standing import Standing, Unpublished
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.source import Source


class SourceKey(NamedTuple):
    """Which source: labels are unique in a layer alone."""

    partition: Partition
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A source as an operator declares it: what looks, which kind of place it is, and how often it is looked at.

    `poll_s` is the time from the end of a whole look to the next one, in seconds, give or take a tenth. `by_need` tells
    that it is looked at only while somebody asks for its partition: nobody else waits for its first look.
    """

    source: Source
    kind: str
    poll_s: float
    by_need: bool = False


@unique
class ReportedState(Enum):
    """How a source stands, for an operator."""

    WAITING = 1
    """This process has not looked at it yet; what the log holds of it is served."""
    COMPLETE = 2
    """It was wholly seen at its last look, and what was seen is served."""
    STALE = 3
    """It could not be seen, or what was seen could not be published; its last good is served."""
    PARTIAL = 4
    """Some of it could not be seen; the last good of that is served."""
    MISSING = 5
    """It could not be seen, and nothing of it is served."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport:
    """How one source stands.

    `tier` and `trust` are None where nothing of it was ever seen. `last_success_at` is the end of the last look that
    saw all of it, `last_error` why the last one did not, "" where it did; `revision` is what was seen last. `skills`
    counts what stands of it, shadowed ones too, `diagnostics` all that is said of it. `looking` tells that a look is
    under way. `next_look_at` is None where the next look begins as soon as one can.
    """

    source: str
    kind: str
    tier: Tier | None
    trust: Trust | None
    state: ReportedState
    last_look_at: datetime | None
    last_success_at: datetime | None
    last_error: str
    revision: str
    skills: int
    diagnostics: int
    looking: bool
    next_look_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where a source stands in the schedule; the three are as in `SourceReport`."""

    kind: str
    looking: bool
    next_look_at: datetime | None


def report_of(
    placed: Placed,
    standing: Standing,
    *,
    told: UnreachableSource | None,
    unpublished: Unpublished | None,
    looked_at: datetime | None,
    complete_at: datetime | None,
    skills: int,
    diagnostics: int,
) -> SourceReport:
    """Return the report of a source. Pure.

    Args:
        placed: Where it stands in the schedule.
        standing: How it stands after its last look.
        told: What callers are told of it, None where it is complete.
        unpublished: What could not be published of it, if anything.
        looked_at: When it was looked at last, None where it was not.
        complete_at: When it was last wholly seen.
        skills: How many rows it has.
        diagnostics: How much is said of it.
    """
    served = standing.served
    is_known = looked_at is not None or bool(served.found)
    return SourceReport(
        source=served.source,
        kind=placed.kind,
        tier=served.tier if is_known else None,
        trust=served.trust if is_known else None,
        state=_state_of(told, looked_at),
        last_look_at=looked_at,
        last_success_at=complete_at,
        last_error=_error_of(standing, unpublished) if told is not None and looked_at is not None else "",
        revision=served.revision,
        skills=skills,
        diagnostics=diagnostics,
        looking=placed.looking,
        next_look_at=placed.next_look_at,
    )


def _state_of(told: UnreachableSource | None, looked_at: datetime | None) -> ReportedState:
    if looked_at is None:
        return ReportedState.WAITING
    return ReportedState.COMPLETE if told is None else _STATES[told.state]


_STATES = {
    SourceState.STALE: ReportedState.STALE,
    SourceState.PARTIAL: ReportedState.PARTIAL,
    SourceState.MISSING: ReportedState.MISSING,
}


_UNSEEN = frozenset(
    {
        DiagnosticCode.ENTRY_UNREACHABLE,
        DiagnosticCode.FILE_CHANGED,
        DiagnosticCode.FILE_UNREADABLE,
        DiagnosticCode.FOLDER_UNREADABLE,
        DiagnosticCode.STORE_UNREACHABLE,
    }
)
"""What keeps a look from seeing a place; any other error of a place is of what was seen of it."""
_WHOLE_UNSEEN = _UNSEEN | {
    DiagnosticCode.ARTIFACT_REFUSED,
    DiagnosticCode.INDEX_MALFORMED,
    DiagnosticCode.PROVIDER_FAILED,
    DiagnosticCode.PROVIDER_INCOMPLETE,
    DiagnosticCode.SOURCE_GONE,
    DiagnosticCode.SOURCE_MALFORMED,
    DiagnosticCode.SOURCE_UNREACHABLE,
    DiagnosticCode.SOURCE_UNREADABLE,
    DiagnosticCode.TOO_MANY_FOLDERS,
    DiagnosticCode.TOO_MANY_SKILLS,
}
"""The same, where it is told of the source as a whole."""


def _error_of(standing: Standing, unpublished: Unpublished | None) -> str:
    """Return the message of the error that says most: why not all was seen, before what was seen and is not taken."""
    if unpublished is not None:
        return unpublished.diagnostic.message
    errors = (each for each in standing.served.diagnostics if each.severity is Severity.ERROR)
    first = min(errors, key=_rank, default=None)
    return "" if first is None else first.message


def _rank(error: Diagnostic) -> tuple[bool, bool]:
    """Sort key: what says most comes first, of it what is said of the source as a whole."""
    return error.code not in (_UNSEEN if error.skill else _WHOLE_UNSEEN), bool(error.skill)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What came of a look that was asked for: the layer's generation when it was asked, and the one after the look."""

    before: Generation
    after: Generation

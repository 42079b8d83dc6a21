"""What an operator is told of one source, by how it stands."""

from datetime import timedelta

import pytest

from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.catalog.reports import Placed, ReportedState, SourceReport, report_of
from skillsvc.catalog.standing import Moment, Standing, Unpublished, stand, unseen
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Admission, Tier, Trust
from skillsvc.sources.source import Observation, Outcome
from tests.contract.layer_log_values import row
from tests.simulators.clock import START

PLACED = Placed(kind="git", looking=False, next_look_at=START + timedelta(seconds=60))
REGISTERED = Admission(tier=Tier.REGISTERED, trust=Trust.ASK)


def said(
    message: str,
    *,
    skill: str = "",
    severity: Severity = Severity.ERROR,
    code: DiagnosticCode = DiagnosticCode.SOURCE_UNREADABLE,
) -> Diagnostic:
    return Diagnostic(severity=severity, code=code, message=message, skill=skill, source="main")


def seen(outcome: Outcome, *diagnostics: Diagnostic) -> Observation:
    return Observation(
        source="main",
        tier=Tier.REGISTERED,
        trust=Trust.ASK,
        outcome=outcome,
        found=(row("a").found,) if outcome in {Outcome.WHOLE, Outcome.PARTIAL} else (),
        diagnostics=diagnostics,
        revision="0123abcd" if outcome is Outcome.WHOLE else "",
    )


def standing_after(*looks: Observation) -> Standing:
    standing = unseen("main", REGISTERED, [], START)
    for look in looks:
        standing = stand(standing, look, Moment(at=START, clock=0), Limits())
    return standing


def report(
    standing: Standing, *, looked: bool = True, told: UnreachableSource | None = None, **more: Unpublished
) -> SourceReport:
    return report_of(
        PLACED,
        standing,
        told=told or standing.unreachable,
        unpublished=more.get("unpublished"),
        looked_at=START if looked else None,
        complete_at=None,
        skills=1,
        diagnostics=2,
    )


@pytest.mark.parametrize(
    ("looks", "state", "error"),
    [
        ([seen(Outcome.WHOLE)], ReportedState.COMPLETE, ""),
        # A skill that is refused is known: nothing is wrong with the look.
        ([seen(Outcome.WHOLE, said("refused", skill="b"))], ReportedState.COMPLETE, ""),
        ([seen(Outcome.FAILED, said("no route"))], ReportedState.MISSING, "no route"),
        ([seen(Outcome.WHOLE), seen(Outcome.FAILED, said("no route"))], ReportedState.STALE, "no route"),
        (
            [seen(Outcome.WHOLE), seen(Outcome.ABSENT)],
            ReportedState.STALE,
            "the directory is gone; what was seen last is served for now",
        ),
        ([seen(Outcome.PARTIAL, said("locked", skill="b"))], ReportedState.PARTIAL, "locked"),
        # What is said of all of it says more than what is said of one skill, and a note is no error.
        (
            [
                seen(
                    Outcome.PARTIAL, said("by the way", severity=Severity.NOTE), said("locked", skill="b"), said("slow")
                )
            ],
            ReportedState.PARTIAL,
            "slow",
        ),
        # What kept the look from seeing all says more than what was seen, and refused.
        (
            [
                seen(
                    Outcome.PARTIAL,
                    said("left out", code=DiagnosticCode.ENTRY_LEFT_OUT),
                    said("too much", skill="a", code=DiagnosticCode.TOO_MANY_FOLDERS),
                    said("locked", skill="b", code=DiagnosticCode.FILE_UNREADABLE),
                )
            ],
            ReportedState.PARTIAL,
            "locked",
        ),
        (
            [
                seen(
                    Outcome.PARTIAL,
                    said("locked", skill="b", code=DiagnosticCode.FILE_UNREADABLE),
                    said("too much", code=DiagnosticCode.TOO_MANY_FOLDERS),
                )
            ],
            ReportedState.PARTIAL,
            "too much",
        ),
        ([seen(Outcome.FAILED)], ReportedState.MISSING, ""),
    ],
)
def test_a_state_and_its_error(looks: list[Observation], state: ReportedState, error: str) -> None:
    told = report(standing_after(*looks))
    assert (told.state, told.last_error) == (state, error)


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.ABSENT])
def test_the_revision_that_was_seen_last_is_told_as_long_as_the_source_is_stale(outcome: Outcome) -> None:
    told = report(standing_after(seen(Outcome.WHOLE), seen(outcome), seen(outcome, said("no route"))))
    assert (told.state, told.revision) == (ReportedState.STALE, "0123abcd")


def test_a_source_that_was_not_looked_at_waits_and_has_no_error() -> None:
    told = report(standing_after(), looked=False)
    assert (told.state, told.last_error, told.tier, told.trust) == (ReportedState.WAITING, "", None, None)
    held = report(unseen("main", REGISTERED, [row("a")], START), looked=False)
    assert (held.state, held.tier, held.trust) == (ReportedState.WAITING, Tier.REGISTERED, Trust.ASK)


def test_what_could_not_be_published_is_the_error_whatever_was_seen() -> None:
    full = said("the disk is full")
    unpublished = Unpublished(since=START, sources=frozenset({"main"}), diagnostic=full)
    behind = UnreachableSource(source="main", since=START, state=SourceState.STALE)
    told = report(standing_after(seen(Outcome.WHOLE)), told=behind, unpublished=unpublished)
    assert (told.state, told.last_error) == (ReportedState.STALE, "the disk is full")


def test_a_report_has_all_that_is_known() -> None:
    told = report(standing_after(seen(Outcome.WHOLE)))
    assert told == SourceReport(
        source="main",
        kind="git",
        tier=Tier.REGISTERED,
        trust=Trust.ASK,
        state=ReportedState.COMPLETE,
        last_look_at=START,
        last_success_at=None,
        last_error="",
        revision="0123abcd",
        skills=1,
        diagnostics=2,
        looking=False,
        next_look_at=START + timedelta(seconds=60),
    )

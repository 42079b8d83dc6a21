"""How a source stands after looks, and what is said of it."""

from datetime import timedelta

import pytest

from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.catalog.standing import Moment, Standing, stand
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.source import Observation, Outcome
from tests.contract.layer_log_values import row
from tests.simulators.clock import START

GOOD, LATER = (row("good").found,), (row("later").found,)
ODD = Diagnostic(severity=Severity.ERROR, code=DiagnosticCode.SOURCE_UNREADABLE, message="cannot be read")


def seen(outcome: Outcome, found: tuple[Found, ...] = ()) -> Observation:
    diagnostics = (ODD,) if outcome is Outcome.FAILED else ()
    return Observation(
        source="dir-1",
        tier=Tier.EXPLICIT,
        trust=Trust.ALLOWED,
        outcome=outcome,
        found=found,
        diagnostics=diagnostics,
    )


def standing_after(*looks: tuple[float, Outcome, tuple[Found, ...]]) -> Standing:
    """Return how a source stands after looks, each at a second since the start."""
    standing = None
    for at, outcome, found in looks:
        now = Moment(at=START + timedelta(seconds=at), clock=at)
        standing = stand(standing, seen(outcome, found), now, Limits())
    assert standing is not None
    return standing


WHOLE, PARTIAL, ABSENT, FAILED = Outcome.WHOLE, Outcome.PARTIAL, Outcome.ABSENT, Outcome.FAILED


@pytest.mark.parametrize(
    ("looks", "served", "state", "since"),
    [
        ([(0, WHOLE, GOOD)], GOOD, None, 0),
        ([(0, WHOLE, ())], (), None, 0),
        ([(0, ABSENT, ())], (), None, 0),
        ([(0, FAILED, ())], (), SourceState.MISSING, 0),
        ([(0, FAILED, ()), (9, FAILED, ())], (), SourceState.MISSING, 0),
        ([(0, PARTIAL, GOOD)], GOOD, SourceState.PARTIAL, 0),
        ([(0, WHOLE, GOOD), (9, PARTIAL, LATER)], LATER, SourceState.PARTIAL, 9),
        ([(0, WHOLE, GOOD), (9, FAILED, ())], GOOD, SourceState.STALE, 9),
        ([(0, WHOLE, GOOD), (9, FAILED, ()), (9_999, FAILED, ())], GOOD, SourceState.STALE, 9),
        ([(0, WHOLE, GOOD), (9, FAILED, ()), (10, WHOLE, LATER)], LATER, None, 0),
        ([(0, WHOLE, GOOD), (9, ABSENT, ())], GOOD, SourceState.STALE, 9),
        ([(0, WHOLE, GOOD), (9, ABSENT, ()), (308, ABSENT, ())], GOOD, SourceState.STALE, 9),
        ([(0, WHOLE, GOOD), (9, ABSENT, ()), (309, ABSENT, ())], (), None, 0),
        ([(0, WHOLE, GOOD), (9, ABSENT, ()), (309, ABSENT, ()), (310, ABSENT, ())], (), None, 0),
        ([(0, WHOLE, GOOD), (9, ABSENT, ()), (20, WHOLE, LATER), (309, ABSENT, ())], LATER, SourceState.STALE, 309),
        ([(0, WHOLE, ()), (9, ABSENT, ())], (), None, 0),
        ([(0, FAILED, ()), (9, ABSENT, ())], (), None, 0),
        ([(0, PARTIAL, GOOD), (5_000, ABSENT, ())], GOOD, SourceState.STALE, 0),
        ([(0, PARTIAL, GOOD), (5_000, ABSENT, ()), (5_300, ABSENT, ())], (), None, 0),
        ([(0, WHOLE, GOOD), (1, FAILED, ()), (5_000, ABSENT, ())], GOOD, SourceState.STALE, 1),
        ([(0, WHOLE, GOOD), (1, ABSENT, ()), (200, FAILED, ()), (400, ABSENT, ())], GOOD, SourceState.STALE, 1),
    ],
)
def test_how_a_source_stands_after_looks(
    looks: list[tuple[float, Outcome, tuple[Found, ...]]],
    served: tuple[Found, ...],
    state: SourceState | None,
    since: int,
) -> None:
    standing = standing_after(*looks)
    assert standing.served.found == served
    if state is None:
        assert standing.unreachable is None
    else:
        expected = UnreachableSource(source="dir-1", since=START + timedelta(seconds=since), state=state)
        assert standing.unreachable == expected


@pytest.mark.parametrize(
    ("looks", "codes"),
    [
        ([(0, WHOLE, GOOD)], []),
        ([(0, ABSENT, ())], [DiagnosticCode.SOURCE_MISSING]),
        ([(0, WHOLE, GOOD), (9, ABSENT, ())], [DiagnosticCode.SOURCE_GONE]),
        ([(0, WHOLE, GOOD), (9, ABSENT, ()), (309, ABSENT, ())], [DiagnosticCode.SOURCE_MISSING]),
        ([(0, WHOLE, GOOD), (9, FAILED, ())], [DiagnosticCode.SOURCE_UNREADABLE]),
        ([(0, FAILED, ())], [DiagnosticCode.SOURCE_UNREADABLE]),
    ],
)
def test_what_is_said_of_a_source(
    looks: list[tuple[float, Outcome, tuple[Found, ...]]], codes: list[DiagnosticCode]
) -> None:
    assert [diagnostic.code for diagnostic in standing_after(*looks).served.diagnostics] == codes

"""Values of operators as messages: every value has its number, every text its cap."""

from datetime import UTC, datetime

import pytest
from skillsource.v1 import admin_pb2 as pb

from skillsvc.catalog.reports import ReportedState
from skillsvc.domain.caps import CAPS
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.service import admin_wire
from tests.simulators.scripted_looks import report

LONG = "é\n" * 1_000


@pytest.mark.parametrize("state", list(ReportedState))
def test_every_state_has_the_name_that_the_contract_gives_it(state: ReportedState) -> None:
    told = admin_wire.source_report(report("house", state=state))
    assert pb.SourceStanding.Name(told.state) == f"SOURCE_STANDING_{state.name}"


def test_the_contract_has_no_state_beside_those() -> None:
    assert len(pb.SourceStanding.values()) == len(ReportedState) + 1


def test_texts_are_one_line_within_their_caps() -> None:
    told = admin_wire.source_report(report("house", kind=LONG, last_error=LONG, revision=LONG))
    for field in ("kind", "last_error", "revision"):
        text = getattr(told, field)
        assert len(text.encode()) <= CAPS[f"SourceReport.{field}"].max_bytes
        assert "\n" not in text
        assert text.endswith("…")
    said = Diagnostic(severity=Severity.NOTE, code=DiagnosticCode.FOLDED, message=LONG, skill=LONG, source=LONG)
    message = admin_wire.diagnostic(said)
    for field in ("message", "skill", "source"):
        assert len(getattr(message, field).encode()) <= CAPS[f"Diagnostic.{field}"].max_bytes


def test_a_moment_that_never_was_is_unset() -> None:
    never = admin_wire.source_report(report("house"))
    assert not any(never.HasField(field) for field in ("last_look_at", "last_success_at", "next_look_at"))
    once = admin_wire.source_report(report("house", last_look_at=datetime(1970, 1, 1, tzinfo=UTC)))
    assert once.HasField("last_look_at")


@pytest.mark.parametrize(
    ("partition", "told"),
    [
        (DEPLOYMENT, pb.Partition(deployment=True)),
        (Partition(principal="local", project=""), pb.Partition(principal="local")),
        (Partition(principal="local", project="x"), pb.Partition(principal="local", project="x")),
    ],
)
def test_a_partition_is_told_as_requests_name_it(partition: Partition, told: pb.Partition) -> None:
    assert admin_wire.partition(partition) == told

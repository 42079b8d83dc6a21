"""Errors: found by reason, then by code, whatever else a status carries."""

import pickle

import pytest
import skillsource
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from skillsource.errors import CLASSES_BY_CODE, CLASSES_BY_REASON
from skillsource.status import MAX_MESSAGE_BYTES, MAX_STATUS_BYTES, error_of
from skillsource.v1 import errors_pb2, skill_pb2

PREFIX = "ERROR_REASON_"
KEY = "grpc-status-details-bin"


def info(reason: str, domain: str = "skillsource.v1", **metadata: str) -> error_details_pb2.ErrorInfo:
    return error_details_pb2.ErrorInfo(reason=reason, domain=domain, metadata=metadata)


def trailers(*details: Message) -> list[tuple[str, str | bytes]]:
    status = status_pb2.Status()
    for detail in details:
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    return [("date", "today"), (KEY, status.SerializeToString())]


def test_every_reason_of_the_contract_has_a_class_and_no_other_has() -> None:
    reasons = {value.name.removeprefix(PREFIX) for value in errors_pb2.ErrorReason.DESCRIPTOR.values} - {"UNSPECIFIED"}
    assert set(CLASSES_BY_REASON) == reasons


def test_every_code_but_ok_has_a_class() -> None:
    codes = "CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED"
    codes += " RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS"
    assert set(CLASSES_BY_CODE) == {*codes.split(), "UNAUTHENTICATED"}


@pytest.mark.parametrize(("reason", "kind"), CLASSES_BY_REASON.items())
def test_a_reason_of_its_own_code_gives_its_class(reason: str, kind: type[skillsource.SkillsourceError]) -> None:
    error = error_of(kind.default_code, "said", trailers(info(reason, field="name")))
    assert type(error) is kind
    assert error.reason == reason
    assert error.code == kind.default_code
    assert error.metadata == {"field": "name"}
    assert str(error) == f"{reason}: said"


@pytest.mark.parametrize(("code", "kind"), CLASSES_BY_CODE.items())
def test_a_status_of_the_transport_is_found_by_its_code(code: str, kind: type[skillsource.SkillsourceError]) -> None:
    error = error_of(code, None, ())
    assert type(error) is kind
    assert error.reason == ""


@pytest.mark.parametrize("code", CLASSES_BY_CODE)
def test_text_of_the_transport_is_the_cause_and_never_the_message(code: str) -> None:
    error = error_of(code, "subchannel 7\x1bsaid no", (), target="127.0.0.1:1")
    assert "127.0.0.1:1" in error.message
    assert "subchannel" not in error.message
    assert str(error.__cause__) == "subchannel 7 said no"
    assert error_of(code, None, ()).__cause__ is None


@pytest.mark.parametrize(
    ("code", "detail", "kind", "reason"),
    [
        ("INTERNAL", info("SKILL_NOT_FOUND"), skillsource.Internal, ""),
        ("NOT_FOUND", info("SKILL_NOT_FOUND", domain="evil.example"), skillsource.NotFound, ""),
        ("NOT_FOUND", info("PLANET_NOT_FOUND"), skillsource.NotFound, "PLANET_NOT_FOUND"),
        ("NOT_FOUND", info("not a reason\x1b"), skillsource.NotFound, ""),
        ("OUT_OF_RANGE", info("ARGUMENT_OUT_OF_RANGE"), skillsource.InvalidArgument, "ARGUMENT_OUT_OF_RANGE"),
        ("MADE_UP", info("SKILL_NOT_FOUND"), skillsource.Internal, ""),
    ],
)
def test_a_reason_counts_only_where_it_belongs(
    code: str, detail: Message, kind: type[skillsource.SkillsourceError], reason: str
) -> None:
    error = error_of(code, "said", trailers(detail))
    assert type(error) is kind
    assert error.reason == reason


def test_text_of_a_server_is_one_short_line() -> None:
    said = "a\r\n\x1b[2J" + "é" * 4_000
    error = error_of("FAILED_PRECONDITION", said, trailers(info("GENERATION_EXPIRED", current_token="t\n")))  # noqa: S106 - as below
    assert error.message.startswith("a   [2J")
    assert len(error.message.encode()) <= MAX_MESSAGE_BYTES
    assert isinstance(error, skillsource.GenerationExpired)
    assert error.current_token == error.metadata["current_token"] == "t "  # noqa: S105 - a token of nothing


@pytest.mark.parametrize("encoded", [b"", b"\xff" * 100, b"\x1a\x05", b"\x1a\x00" * MAX_STATUS_BYTES])
def test_details_that_are_none_are_left_out(encoded: bytes) -> None:
    error = error_of("NOT_FOUND", "said", [(KEY, encoded)])
    assert type(error) is skillsource.NotFound


def test_a_wait_and_an_incident_are_told() -> None:
    delay = error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=2, nanos=500_000_000))
    assert error_of("RESOURCE_EXHAUSTED", "slow", trailers(info("RATE_LIMITED"), delay)).retry_after_s == 2.5
    incident = error_of("INTERNAL", "", trailers(info("INTERNAL_FAULT", incident_id="i-1")))
    assert isinstance(incident, skillsource.Internal)
    assert incident.incident_id == "i-1"


@pytest.mark.parametrize(
    ("value", "pushback_ms"), [("-1", -1), ("soon", -1), ("", -1), ("250", 250), ("9" * 30, -1), (b"0", 0)]
)
def test_a_pushback_that_is_no_number_means_never(value: str | bytes, pushback_ms: int) -> None:
    assert error_of("UNAVAILABLE", "", [("grpc-retry-pushback-ms", value)]).pushback_ms == pushback_ms


def test_a_refusal_names_its_tools() -> None:
    refusal = errors_pb2.ActivationRefusal(refused=[skill_pb2.Tool(id="lint", reason="not\ntrusted")], refused_total=3)
    error = error_of("PERMISSION_DENIED", "", trailers(info("TOOL_REFUSED"), refusal))
    assert isinstance(error, skillsource.ToolRefused)
    assert [(tool.id, tool.reason) for tool in error.refused] == [("lint", "not trusted")]
    assert error.refused_total == 3


def test_an_error_survives_pickling() -> None:
    error = error_of("NOT_FOUND", "said", trailers(info("SKILL_NOT_FOUND", field="name")))
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - pickled here
    assert type(copy) is skillsource.SkillNotFound
    assert (copy.reason, copy.code, copy.message, copy.metadata) == (
        error.reason,
        error.code,
        error.message,
        error.metadata,
    )

"""Errors to statuses: one code and one ErrorInfo each, and never more than 4 KiB."""

from collections.abc import Callable, Iterable
from typing import cast

import pytest
from google.rpc import code_pb2, error_details_pb2, status_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.access import Grant, Identity, Judgement, Refusal, Role
from skillsvc.domain.errors import Denied, ErrorReason, InternalFault, InvalidInput, SkillsvcError, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.service.boundary import Requests
from skillsvc.service.call import Call, Context
from skillsvc.service.statuses import status_of
from tests.integration.in_process import unpacked

INVALID, NOT_FOUND = code_pb2.INVALID_ARGUMENT, code_pb2.NOT_FOUND
CODES = {
    ErrorReason.REQUEST_MALFORMED: INVALID,
    ErrorReason.NAME_MALFORMED: INVALID,
    ErrorReason.ASSET_NAME_MALFORMED: INVALID,
    ErrorReason.ARGUMENT_MALFORMED: INVALID,
    ErrorReason.ARGUMENT_OUT_OF_RANGE: INVALID,
    ErrorReason.PAGE_TOKEN_MALFORMED: INVALID,
    ErrorReason.TOKEN_MALFORMED: INVALID,
    ErrorReason.REQUEST_ID_REUSED: INVALID,
    ErrorReason.SKILL_NOT_FOUND: NOT_FOUND,
    ErrorReason.ASSET_NOT_FOUND: NOT_FOUND,
    ErrorReason.BODY_NOT_FOUND: NOT_FOUND,
    ErrorReason.COLLECTION_NOT_FOUND: NOT_FOUND,
    ErrorReason.PARTITION_NOT_FOUND: NOT_FOUND,
    ErrorReason.SOURCE_NOT_FOUND: NOT_FOUND,
    ErrorReason.GENERATION_EXPIRED: code_pb2.FAILED_PRECONDITION,
    ErrorReason.TRANSITION_NOT_ALLOWED: code_pb2.FAILED_PRECONDITION,
    ErrorReason.GENERATION_NOT_YET: code_pb2.UNAVAILABLE,
    ErrorReason.NOT_READY: code_pb2.UNAVAILABLE,
    ErrorReason.DRAINING: code_pb2.UNAVAILABLE,
    ErrorReason.SOURCE_UNREACHABLE: code_pb2.UNAVAILABLE,
    ErrorReason.STORE_UNREACHABLE: code_pb2.UNAVAILABLE,
    ErrorReason.MCP_SERVER_UNREACHABLE: code_pb2.UNAVAILABLE,
    ErrorReason.CREDENTIALS_MISSING: code_pb2.UNAUTHENTICATED,
    ErrorReason.CREDENTIALS_INVALID: code_pb2.UNAUTHENTICATED,
    ErrorReason.ROLE_MISSING: code_pb2.PERMISSION_DENIED,
    ErrorReason.PROJECT_NOT_ALLOWED: code_pb2.PERMISSION_DENIED,
    ErrorReason.TOOL_REFUSED: code_pb2.PERMISSION_DENIED,
    ErrorReason.INVOCATION_NOT_ALLOWED: code_pb2.PERMISSION_DENIED,
    ErrorReason.REVISION_CONFLICT: code_pb2.ABORTED,
    ErrorReason.NAME_TAKEN: code_pb2.ALREADY_EXISTS,
    ErrorReason.QUOTA_EXCEEDED: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.RATE_LIMITED: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.LIMIT_EXCEEDED: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.DIGEST_MISMATCH: code_pb2.DATA_LOSS,
    ErrorReason.NOT_IMPLEMENTED: code_pb2.UNIMPLEMENTED,
    ErrorReason.INTERNAL_FAULT: code_pb2.INTERNAL,
}
"""The table of contract.md, "Errors"."""


def error_of(reason: ErrorReason, message: str = "Why.", **metadata: str) -> SkillsvcError:
    (kind,) = [each for each in SkillsvcError.__subclasses__() if reason in each.reasons]
    return kind(reason, message, metadata=metadata)


def test_the_table_has_every_reason() -> None:
    assert set(CODES) == set(ErrorReason)


@pytest.mark.parametrize("reason", ErrorReason)
def test_a_reason_has_its_code_and_one_error_info(reason: ErrorReason) -> None:
    status = status_of(error_of(reason, "Why.", field="x", limit="9"))
    assert (status.code, status.message) == (CODES[reason], "Why.")
    assert unpacked(status, error_details_pb2.ErrorInfo) == [
        error_details_pb2.ErrorInfo(reason=reason.value, domain="skillsource.v1", metadata={"field": "x", "limit": "9"})
    ]


@pytest.mark.parametrize("reason", ErrorReason)
def test_a_field_that_is_wrong_is_named_as_violated(reason: ErrorReason) -> None:
    status = status_of(error_of(reason, "Why.", field="x"))
    expected = [
        error_details_pb2.BadRequest(
            field_violations=[error_details_pb2.BadRequest.FieldViolation(field="x", description="Why.")]
        )
    ]
    assert unpacked(status, error_details_pb2.BadRequest) == (expected if CODES[reason] == INVALID else [])
    assert unpacked(status_of(error_of(reason)), error_details_pb2.BadRequest) == []


@pytest.mark.parametrize(("after_s", "nanos"), [(0.2, 200_000_000), (1.5, 1_500_000_000), (0.0, 0)])
def test_when_to_ask_again_is_told_where_it_is_known(after_s: float, nanos: int) -> None:
    error = Unavailable(ErrorReason.GENERATION_NOT_YET, "Soon.", retry_after_s=after_s)
    (retry,) = unpacked(status_of(error), error_details_pb2.RetryInfo)
    assert retry.retry_delay.ToNanoseconds() == nanos
    assert unpacked(status_of(error_of(ErrorReason.NOT_READY)), error_details_pb2.RetryInfo) == []


@pytest.mark.parametrize("reason", ErrorReason)
@pytest.mark.parametrize("letter", ["a", "é", "世", "😀", "\ud800"], ids=ascii)
@pytest.mark.parametrize("count", [1_000, 100_000])
def test_a_status_stays_below_4_kib_whatever_the_message(reason: ErrorReason, letter: str, count: int) -> None:
    error = error_of(reason, letter * count, field="f" * 64, current_token="t" * 512)
    status = status_of(error)
    assert len(status.SerializeToString()) <= 4_096
    assert len(status.message.encode()) <= 1_024
    assert status_pb2.Status.FromString(status.SerializeToString()) == status


def test_an_incident_id_is_all_that_is_told_of_a_fault_of_the_server() -> None:
    status = status_of(InternalFault(ErrorReason.INTERNAL_FAULT, "m", metadata={"incident_id": "id-1"}))
    (info,) = unpacked(status, error_details_pb2.ErrorInfo)
    assert (info.reason, dict(info.metadata), len(status.details)) == ("INTERNAL_FAULT", {"incident_id": "id-1"}, 1)


def test_a_request_that_is_wrong_as_a_whole_names_no_field() -> None:
    status = status_of(InvalidInput(ErrorReason.REQUEST_MALFORMED, "No message."))
    assert len(status.details) == 1


class TestRequests:
    """What is remembered of requests."""

    @staticmethod
    def reading(parsed: list[str]) -> Requests[pb.ListAssetsRequest, str]:
        def parse(request: pb.ListAssetsRequest, _limits: Limits) -> str:
            if not request.name:
                raise InvalidInput(ErrorReason.NAME_MALFORMED, "no name")
            parsed.append(request.name)
            return request.name

        return Requests(pb.ListAssetsRequest, parse, Limits())

    def test_equal_bytes_are_checked_once(self) -> None:
        parsed: list[str] = []
        requests = self.reading(parsed)
        raw = pb.ListAssetsRequest(name="a").SerializeToString()
        assert [requests.read(raw) for _ in range(3)] == ["a"] * 3
        assert parsed == ["a"]

    def test_a_refusal_is_found_anew_each_time(self) -> None:
        requests = self.reading([])
        for _ in range(2):
            with pytest.raises(InvalidInput):
                requests.read(b"")

    def test_large_requests_and_very_many_are_not_remembered(self) -> None:
        parsed: list[str] = []
        requests = self.reading(parsed)
        large = pb.ListAssetsRequest(name="n" * 300).SerializeToString()
        assert requests.read(large) == requests.read(large) == "n" * 300
        for number in range(10_000):
            assert requests.read(pb.ListAssetsRequest(name=str(number)).SerializeToString()) == str(number)
        assert len(parsed) == 10_002
        assert len(requests._remembered) <= 4_096
        assert all(isinstance(raw, bytes) and len(raw) <= 256 for raw in requests._remembered)


class Judged:
    """Identities that judge everybody alike and count how often they are asked."""

    version = 0

    def __init__(self, judged: Grant | Refusal) -> None:
        self.judged = judged
        self.asked = 0

    def recall(self, _headers: Iterable[tuple[str, str | bytes]]) -> Grant | None:
        return self.judged if isinstance(self.judged, Grant) else None

    def grant_of(self, _context: Context) -> Grant | Refusal:
        self.asked += 1
        return self.judged

    def explain(self, identity: Identity) -> Judgement:
        return Judgement(identity=identity, judged=self.judged, rules=())

    def subscribe(self, _told: Callable[[], None]) -> Callable[[], None]:
        return lambda: None


@pytest.mark.parametrize(
    ("judged", "caller", "rule"),
    [
        (Refusal(why="no rule", caller="token:x"), "token:x", ""),
        (Grant(principal="token:ci", rule="robots", roles=frozenset({Role.READER})), "token:ci", "robots"),
    ],
)
def test_who_is_not_let_in_is_judged_once_and_known_to_the_audit_alone(
    judged: Grant | Refusal, caller: str, rule: str
) -> None:
    identities = Judged(judged)
    with pytest.raises(Denied) as caught:
        Call(cast("Context", None), identities, Role.ADMIN)
    assert (caught.value.caller, caught.value.rule, identities.asked) == (caller, rule, 1)
    assert caller.encode() not in status_of(caught.value).SerializeToString()

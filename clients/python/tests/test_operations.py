"""Operations driven by hand: which states they ask for, what they repeat, where they begin anew."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

import pytest
from google.protobuf.message import Message
from skillsource import errors
from skillsource.answers import (
    BodyForm,
    CatalogFormat,
    CatalogOrder,
    InvocationFilter,
    McpMode,
    OfferedTool,
    SkillView,
    TextForm,
)
from skillsource.cache import Cache
from skillsource.listing import Pages
from skillsource.methods import Call, Operation, Pause
from skillsource.operations import Operations
from skillsource.retrying import TOKENS
from skillsource.scope import Scope
from skillsource.surroundings import Surroundings
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

BODY = b"one two three"
DIGEST = hashlib.sha256(BODY).hexdigest()

T = TypeVar("T")
M = TypeVar("M", bound=Message)

Reply = Message | bytes | errors.SkillsourceError


@dataclass(slots=True)
class Driven:
    """What an operation asked for on its way."""

    calls: list[Call] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)


def drive(operation: Operation[T], *replies: Reply, left_s: float = 60.0) -> tuple[T, Driven]:
    """Answer an operation's calls one after the other, and return its value and what it asked for."""
    driven = Driven()
    answers = iter(replies)
    try:
        step = next(operation)
        while True:
            if isinstance(step, Pause):
                driven.pauses.append(step.seconds)
                if step.seconds >= left_s:
                    step = operation.throw(errors.DeadlineExceeded("no time is left"))
                else:
                    step = operation.send(b"")
                continue
            driven.calls.append(step)
            reply = next(answers)
            if isinstance(reply, errors.SkillsourceError):
                step = operation.throw(reply)
            else:
                step = operation.send(reply if isinstance(reply, bytes) else reply.SerializeToString())
    except StopIteration as done:
        return done.value, driven


def asked(kind: type[M], call: Call) -> M:
    return kind.FromString(call.request)


@pytest.fixture
def surroundings() -> Surroundings:
    ids: Iterator[int] = count(1)
    return Surroundings(chance=lambda: 0.5, new_request_id=lambda: f"id-{next(ids)}")


def state(number: int) -> pb.Generation:
    return pb.Generation(token=f"t{number}", sequence=number, digest=f"{number:064}")


def body_range(at: int, end: int, *, of: int = 1, **fields: object) -> pb.SkillBodyResponse:
    answer = pb.SkillBodyResponse(
        generation=state(of),
        body=BODY[at:end].decode(),
        digest=DIGEST,
        total_bytes=len(BODY),
        next_offset=end if end < len(BODY) else 0,
    )
    for name, value in fields.items():
        setattr(answer, name, value)
    return answer


def activated(name: str = "first") -> pb.ActivateResponse:
    return pb.ActivateResponse(generation=state(1), name=name, text="text", body_digest=DIGEST)


def listed(*names: str, of: int = 1, next_page: str = "") -> pb.ListSkillsResponse:
    skills = [skill_pb2.Skill(name=name, digest=DIGEST) for name in names]
    return pb.ListSkillsResponse(generation=state(of), skills=skills, next_page_token=next_page, total_size=len(names))


def test_ranges_after_the_first_are_pinned_to_its_generation(surroundings: Surroundings) -> None:
    plan = Operations(Scope(at_least="t0"), surroundings).skill_body("first")
    body, driven = drive(plan.operation, body_range(0, 4), body_range(4, 9), body_range(9, 13))
    assert body.text.encode() == BODY
    requests = [asked(pb.SkillBodyRequest, call) for call in driven.calls]
    assert requests[0].consistency.at_least == "t0"
    assert [(request.consistency.at_exactly, request.offset) for request in requests[1:]] == [("t1", 4), ("t1", 9)]


def test_a_body_whose_generation_expires_between_two_ranges_is_read_anew(surroundings: Surroundings) -> None:
    plan = Operations(Scope(), surroundings).skill_body("first")
    expired = errors.GenerationExpired("gone")
    body, driven = drive(plan.operation, body_range(0, 4), expired, body_range(0, 4, of=2), body_range(4, 13, of=2))
    assert body.generation.sequence == 2
    assert [asked(pb.SkillBodyRequest, call).offset for call in driven.calls] == [0, 4, 0, 4]
    plan = Operations(Scope(), surroundings).skill_body("first")
    with pytest.raises(errors.GenerationExpired):
        drive(plan.operation, body_range(0, 4), expired, body_range(0, 4), expired)


def test_a_pinned_read_whose_generation_expires_says_so(surroundings: Surroundings) -> None:
    plan = Operations(Scope(at_exactly="t1"), surroundings).skill_body("first")
    with pytest.raises(errors.GenerationExpired):
        drive(plan.operation, body_range(0, 4), errors.GenerationExpired("gone"))


def test_a_listing_of_two_generations_begins_anew_once(surroundings: Surroundings) -> None:
    plan = Operations(Scope(), surroundings).list_skills()
    mixed = (listed("a", next_page="p"), listed("b", of=2))
    listing, _ = drive(plan.operation, *mixed, listed("a", of=2, next_page="p"), listed("c", of=2))
    assert [skill.name for skill in listing.skills] == ["a", "c"]
    plan = Operations(Scope(), surroundings).list_skills()
    with pytest.raises(errors.GenerationsMixed):
        drive(plan.operation, *mixed, *mixed)


def test_a_page_token_that_is_lost_begins_anew_and_another_fault_does_not(surroundings: Surroundings) -> None:
    plan = Operations(Scope(), surroundings).list_skills()
    lost = errors.InvalidArgument("lost", reason="PAGE_TOKEN_MALFORMED")
    listing, _ = drive(plan.operation, listed("a", next_page="p"), lost, listed("a"))
    assert len(listing.skills) == 1
    plan = Operations(Scope(), surroundings).list_skills()
    with pytest.raises(errors.InvalidArgument):
        drive(plan.operation, listed("a", next_page="p"), errors.InvalidArgument("no", reason="ARGUMENT_MALFORMED"))


def test_the_fields_of_a_listing_are_the_same_on_every_page(surroundings: Surroundings) -> None:
    scope = Scope(project="p", session="s", allow=("a", "b"), builtin_tools=("Read",), at_least="t0")
    plan = Operations(scope, surroundings).list_skills(
        view=SkillView.FULL, invocation=InvocationFilter.USER, collection="c", page_size=1
    )
    _, driven = drive(plan.operation, listed("a", next_page="p"), listed("b"))
    first, second = (asked(pb.ListSkillsRequest, call) for call in driven.calls)
    assert (first.page_token, second.page_token) == ("", "p")
    second.page_token = ""
    assert first == second
    assert (first.view, first.invocation) == (pb.SKILL_VIEW_FULL, pb.INVOCATION_FILTER_USER)


def test_what_means_what_the_server_means_anyway_is_not_sent(surroundings: Surroundings) -> None:
    operations = Operations(Scope(), surroundings)
    _, driven = drive(operations.list_skills().operation, listed("a"))
    assert driven.calls[0].request == b""
    _, driven = drive(operations.skill_body("first").operation, body_range(0, 13))
    assert asked(pb.SkillBodyRequest, driven.calls[0]) == pb.SkillBodyRequest(name="first")


def test_a_document_is_held_apart_from_the_body(surroundings: Surroundings) -> None:
    operations = Operations(Scope(), surroundings)
    drive(operations.skill_body("first").operation, body_range(0, 13))
    _, driven = drive(operations.skill_body("first", form=BodyForm.DOCUMENT).operation, body_range(0, 13))
    assert asked(pb.SkillBodyRequest, driven.calls[0]).if_none_match == ""
    _, driven = drive(operations.pinned("t1").skill_body("first").operation, body_range(0, 13))
    assert asked(pb.SkillBodyRequest, driven.calls[0]).if_none_match == DIGEST


def test_a_listing_is_held_for_the_same_scope_alone(surroundings: Surroundings) -> None:
    operations = Operations(Scope(project="p"), surroundings)
    drive(operations.list_skills().operation, listed("a"))
    _, driven = drive(operations.narrowed(project="q").list_skills().operation, listed("a"))
    assert asked(pb.ListSkillsRequest, driven.calls[0]).if_none_match == ""
    _, driven = drive(operations.list_skills().operation, listed("a"))
    assert asked(pb.ListSkillsRequest, driven.calls[0]).if_none_match == state(1).digest


def test_a_document_that_is_not_verified_is_not_held(surroundings: Surroundings) -> None:
    operations = Operations(Scope(), surroundings)
    text = "a\ufffdb"
    answer = pb.SkillBodyResponse(generation=state(1), body=text, digest=DIGEST, total_bytes=len(text.encode()))
    for _ in range(2):
        body, driven = drive(operations.skill_body("first", form=BodyForm.DOCUMENT).operation, answer)
        assert not body.verified
        assert asked(pb.SkillBodyRequest, driven.calls[0]).if_none_match == ""


def test_an_activation_is_repeated_with_growing_pauses_and_one_request_id(surroundings: Surroundings) -> None:
    gone = errors.Unavailable("gone")
    activation, driven = drive(
        Operations(Scope(), surroundings).activate("first").operation, gone, gone, gone, activated()
    )
    assert activation.name == "first"
    assert driven.pauses == pytest.approx([0.1, 0.2, 0.4])
    assert {asked(pb.ActivateRequest, call).request_id for call in driven.calls} == {"id-1"}
    with pytest.raises(errors.Unavailable):
        drive(Operations(Scope(), surroundings).activate("first").operation, *[gone] * 4)


def test_a_server_decides_how_long_an_activation_waits(surroundings: Surroundings) -> None:
    operations = Operations(Scope(), surroundings)
    soon = errors.Unavailable("gone", pushback_ms=50)
    _, driven = drive(operations.activate("first").operation, soon, activated())
    assert driven.pauses == [0.05]
    with pytest.raises(errors.Unavailable):
        drive(operations.activate("first").operation, errors.Unavailable("gone", pushback_ms=-1))


def test_no_time_left_is_told_as_what_went_wrong(surroundings: Surroundings) -> None:
    late = errors.Draining("gone", pushback_ms=90_000)
    with pytest.raises(errors.Draining):
        drive(Operations(Scope(), surroundings).activate("first").operation, late)


def test_where_most_calls_fail_nothing_is_repeated_any_more(surroundings: Surroundings) -> None:
    operations = Operations(Scope(), surroundings)
    never = errors.Unavailable("gone", pushback_ms=-1)
    for _ in range(TOKENS):
        with pytest.raises(errors.Unavailable):
            drive(operations.activate("first").operation, never)
    with pytest.raises(errors.Unavailable):
        drive(operations.activate("first").operation, errors.Unavailable("gone"))
    for _ in range(100):
        drive(operations.activate("first").operation, activated())
    drive(operations.activate("first").operation, errors.Unavailable("gone"), activated())


def test_only_what_is_asked_for_is_sent_with_an_activation(surroundings: Surroundings) -> None:
    operations = Operations(Scope(builtin_tools=("Read",)), surroundings)
    _, driven = drive(operations.activate("first").operation, activated())
    assert asked(pb.ActivateRequest, driven.calls[0]) == pb.ActivateRequest(
        name="first", builtin_tools=["Read"], request_id="id-1"
    )
    plan = operations.activate(
        "first",
        task="t",
        builtin_tools=["Bash"],
        invocation=InvocationFilter.USER,
        mcp=McpMode.CONNECT,
        allow_partial=True,
        text_form=TextForm.COMMAND,
        arguments={"k": "v"},
        request_id="mine",
        timeout=1,
    )
    _, driven = drive(plan.operation, activated())
    assert asked(pb.ActivateRequest, driven.calls[0]) == pb.ActivateRequest(
        name="first",
        task="t",
        builtin_tools=["Bash"],
        invocation=pb.INVOCATION_FILTER_USER,
        mcp=pb.MCP_MODE_CONNECT,
        allow_partial=True,
        text_form=pb.TEXT_FORM_COMMAND,
        arguments={"k": "v"},
        request_id="mine",
    )


def test_a_search_sends_what_it_is_asked(surroundings: Surroundings) -> None:
    plan = Operations(Scope(), surroundings).search_skills(
        "q", limit=3, invocation=InvocationFilter.MODEL, task="t", body_bytes=100
    )
    found, driven = drive(plan.operation, pb.SearchSkillsResponse(generation=state(1), engine="e"))
    assert found.engine == "e"
    assert asked(pb.SearchSkillsRequest, driven.calls[0]) == pb.SearchSkillsRequest(
        query="q", limit=3, invocation=pb.INVOCATION_FILTER_MODEL, task="t", body_bytes=100
    )
    tools = [OfferedTool(name="Read", description="Reads.")]
    plan_of_all = Operations(Scope(), surroundings).search_capabilities("q", limit=3, tools=tools)
    _, driven = drive(plan_of_all.operation, pb.SearchCapabilitiesResponse(generation=state(1)))
    assert asked(pb.SearchCapabilitiesRequest, driven.calls[0]) == pb.SearchCapabilitiesRequest(
        query="q", limit=3, tools=[pb.OfferedTool(name="Read", description="Reads.")]
    )


def test_a_rendered_catalog_is_held_for_the_same_request(surroundings: Surroundings) -> None:
    operations = Operations(Scope(), surroundings)
    rendered = pb.RenderCatalogResponse(
        generation=state(1),
        text=BODY.decode(),
        digest=DIGEST,
        entries_digest="no digest",
        omitted=[pb.OmittedSkill(name="a", reason="budget"), pb.OmittedSkill(name="../b")],
        omitted_total=2,
    )
    options: dict[str, Any] = {"max_tokens": 10, "query": "q", "task": "t"}
    plan = operations.render_catalog(format=CatalogFormat.LINES, order=CatalogOrder.NAME, max_bytes=50, **options)
    first, driven = drive(plan.operation, rendered)
    assert [omitted.name for omitted in first.omitted] == ["a"]
    assert first.entries_digest == ""
    assert asked(pb.RenderCatalogRequest, driven.calls[0]) == pb.RenderCatalogRequest(
        format=pb.CATALOG_FORMAT_LINES, order=pb.CATALOG_ORDER_NAME, max_bytes=50, **options
    )
    plan = operations.render_catalog(format=CatalogFormat.LINES, order=CatalogOrder.NAME, max_bytes=50, **options)
    same = pb.RenderCatalogResponse(generation=state(2), digest=DIGEST, not_modified=True)
    second, driven = drive(plan.operation, same)
    assert asked(pb.RenderCatalogRequest, driven.calls[0]).if_none_match == DIGEST
    assert (second.text, second.generation.sequence) == (first.text, 2)
    _, driven = drive(operations.render_catalog().operation, rendered)
    assert asked(pb.RenderCatalogRequest, driven.calls[0]) == pb.RenderCatalogRequest()


@pytest.mark.parametrize(
    ("budgets", "fits"),
    [
        ({}, 20_000),
        ({"max_bytes": 100}, 100),
        ({"max_tokens": 10}, 40),
        ({"max_bytes": 100, "max_tokens": 10}, 40),
        ({"max_bytes": 30, "max_tokens": 10}, 30),
    ],
)
def test_a_rendered_catalog_keeps_to_its_budget(
    surroundings: Surroundings, budgets: Mapping[str, Any], fits: int
) -> None:
    for size in (fits, fits + 1):
        text = "x" * size
        digest = hashlib.sha256(text.encode()).hexdigest()
        answer = pb.RenderCatalogResponse(generation=state(size), text=text, digest=digest)
        operation = Operations(Scope(session=str(size)), surroundings).render_catalog(**budgets).operation
        if size == fits:
            assert drive(operation, answer)[0].text == text
        else:
            with pytest.raises(errors.ProtocolError):
                drive(operation, answer)


def test_what_did_best_is_told(surroundings: Surroundings) -> None:
    answer = pb.BestMatchResponse(generation=state(1), found=True, skill="a", task_pattern="t\n", success_rate=0.5)
    match, driven = drive(Operations(Scope(), surroundings).best_match("t").operation, answer)
    assert (match.skill, match.task_pattern, match.success_rate) == ("a", "t ", 0.5)
    assert asked(pb.BestMatchRequest, driven.calls[0]) == pb.BestMatchRequest(task="t")
    nothing = pb.BestMatchResponse(generation=state(1), skill="../a", success_rate=7)
    match, _ = drive(Operations(Scope(), surroundings).best_match("t").operation, nothing)
    assert (match.found, match.skill, match.success_rate) == (False, "", 0.0)


@pytest.mark.parametrize("bounds", [{"max_skills": 3}, {"max_bytes": 400}])
def test_a_listing_larger_than_a_client_takes_says_so(bounds: Mapping[str, int]) -> None:
    pages = Pages({}, ascending=False, **bounds)
    drive(pages.next(), listed("a", "b", next_page="p"))
    with pytest.raises(errors.Exhausted):
        drive(pages.next(), listed("c", "d", next_page="q"))


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_refused_here(surroundings: Surroundings, rate: float) -> None:
    with pytest.raises(errors.InvalidArgument) as refused:
        drive(Operations(Scope(), surroundings).report_outcome(rate, activation_id="a").operation)
    assert refused.value.reason == "ARGUMENT_OUT_OF_RANGE"


def test_a_rate_of_zero_is_sent(surroundings: Surroundings) -> None:
    plan = Operations(Scope(), surroundings).report_outcome(0.0, skill="first", task="t")
    recorded, driven = drive(plan.operation, pb.ReportOutcomeResponse(generation=state(1), recorded=True))
    assert recorded
    request = asked(pb.ReportOutcomeRequest, driven.calls[0])
    assert request.HasField("success_rate")
    assert request.request_id == "id-1"


def test_a_scope_is_pinned_to_one_state_at_a_time(surroundings: Surroundings) -> None:
    operations = Operations(Scope(project="p"), surroundings)
    assert operations.at_least("t1").pinned("t2").scope == Scope(project="p", at_exactly="t2")
    assert operations.pinned("t2").at_least("t1").scope == Scope(project="p", at_least="t1")
    assert operations.narrowed(session="s", allow=[]).scope == Scope(project="p", session="s", allow=())


def test_deadlines_are_those_of_the_contract_unless_the_call_says_otherwise(surroundings: Surroundings) -> None:
    operations = Operations(Scope(), surroundings)
    assert operations.skill_body("first").timeout_s == 10.0
    assert operations.activate("first").timeout_s == 60.0
    assert operations.skill_body("first", timeout=1).timeout_s == 1
    assert Operations(Scope(), Surroundings(cache=Cache(0), read_timeout_s=3)).list_skills().timeout_s == 3

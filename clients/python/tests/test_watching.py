"""The watch, driven by hand: where it goes on, how long it waits, when it gives up."""

import pytest
from skillsource.answers import CatalogEvent
from skillsource.errors import (
    ClientClosed,
    DeadlineExceeded,
    Exhausted,
    GenerationExpired,
    InvalidArgument,
    ProtocolError,
    SkillsourceError,
    Unauthenticated,
    Unavailable,
)
from skillsource.methods import Pause
from skillsource.scope import Scope
from skillsource.v1 import skill_source_pb2 as pb
from skillsource.watching import ATTEMPTS_BEFORE_THE_FIRST, Open, Receive, Watch, watch

GONE = Unavailable("gone")


def event(sequence: int, *, going_away: bool = False) -> bytes:
    generation = pb.Generation(token=f"t{sequence}", sequence=sequence, digest="0" * 64)
    return pb.WatchCatalogResponse(generation=generation, going_away=going_away).SerializeToString()


def half() -> float:
    return 0.5


def opened(step: object) -> pb.WatchCatalogRequest:
    assert isinstance(step, Open)
    return pb.WatchCatalogRequest.FromString(step.request)


def heard(steps: Watch, message: bytes) -> CatalogEvent:
    """Send a message to a watch that waits for one, take its event, and let it wait again."""
    step = steps.send(message)
    assert isinstance(step, CatalogEvent)
    if not step.going_away:
        assert isinstance(next(steps), Receive)
    return step


def paused(steps: Watch) -> float:
    """Break a stream, and return how long the watch waits then."""
    step = steps.throw(GONE)
    assert isinstance(step, Pause)
    return step.seconds


def begun(since: str = "") -> Watch:
    steps = watch(Scope(), since, half)
    assert opened(next(steps)).since == since
    assert next(steps) == Receive(90.0)
    return steps


def test_the_scope_goes_with_it_and_its_consistency_does_not() -> None:
    steps = watch(Scope(project="p", allow=("a",), at_exactly="t"), "", half)
    request = opened(next(steps))
    assert request.project == "p"
    assert list(request.allow.names) == ["a"]
    assert not request.HasField("consistency")


@pytest.mark.parametrize("breaks", [GONE, DeadlineExceeded("silent"), Exhausted("slow down"), None])
def test_a_stream_that_breaks_or_ends_goes_on_from_the_last_state(breaks: SkillsourceError | None) -> None:
    steps = begun()
    heard(steps, event(1))
    heard(steps, event(2))
    pause = steps.send(None) if breaks is None else steps.throw(breaks)
    assert isinstance(pause, Pause)
    assert opened(next(steps)).since == "t2"


def test_a_server_that_goes_away_is_left_at_once() -> None:
    steps = begun()
    assert heard(steps, event(1, going_away=True)).going_away
    assert isinstance(next(steps), Pause)
    assert opened(next(steps)).since == "t1"


def test_pauses_grow_to_a_bound_and_differ() -> None:
    steps = begun()
    heard(steps, event(1))
    pauses = []
    step = steps.throw(GONE)
    for _ in range(12):
        assert isinstance(step, Pause)
        pauses.append(step.seconds)
        assert isinstance(next(steps), Open)
        step = steps.throw(GONE)
    assert pauses[:3] == pytest.approx([0.3, 0.6, 1.2])
    assert pauses == sorted(pauses)
    assert pauses[-1] == pytest.approx(30 * 0.75)


def test_a_server_that_asks_for_a_longer_pause_gets_it() -> None:
    steps = begun()
    heard(steps, event(1))
    assert steps.throw(Exhausted("slow down", retry_after_s=7.0)) == Pause(7.0)


def test_pauses_begin_anew_after_a_second_event_and_not_after_the_first() -> None:
    steps = begun()
    heard(steps, event(1))
    assert paused(steps) == pytest.approx(0.3)
    next(steps)
    next(steps)
    heard(steps, event(1))
    assert paused(steps) == pytest.approx(0.6)
    next(steps)
    next(steps)
    heard(steps, event(1))
    heard(steps, event(2))
    assert paused(steps) == pytest.approx(0.3)


def test_a_first_event_has_to_come_in_four_attempts() -> None:
    steps = begun()
    for _ in range(ATTEMPTS_BEFORE_THE_FIRST - 1):
        assert isinstance(steps.throw(GONE), Pause)
        assert isinstance(next(steps), Open)
    with pytest.raises(Unavailable):
        steps.throw(GONE)


@pytest.mark.parametrize("error", [Unauthenticated("who"), ProtocolError("lie"), InvalidArgument("what")])
def test_what_no_attempt_mends_is_raised(error: SkillsourceError) -> None:
    steps = begun()
    heard(steps, event(1))
    with pytest.raises(type(error)):
        steps.throw(error)


@pytest.mark.parametrize("error", [InvalidArgument("no", reason="TOKEN_MALFORMED"), GenerationExpired("old")])
def test_a_token_that_the_next_server_does_not_take_is_left_behind(error: SkillsourceError) -> None:
    steps = begun()
    heard(steps, event(1))
    assert isinstance(steps.throw(error), Pause)
    assert opened(next(steps)).since == ""
    next(steps)
    assert heard(steps, event(3)).resync


def test_a_token_of_the_caller_that_no_server_takes_is_told() -> None:
    steps = begun("mine")
    with pytest.raises(InvalidArgument):
        steps.throw(InvalidArgument("no", reason="TOKEN_MALFORMED"))


def test_an_event_that_leads_back_is_a_lie_in_one_stream_and_none_in_the_next() -> None:
    steps = begun()
    heard(steps, event(5))
    steps.throw(GONE)
    next(steps)
    next(steps)
    assert heard(steps, event(3)).generation.sequence == 3
    with pytest.raises(ProtocolError):
        steps.send(event(2))


def test_who_follows_is_told_of_every_break_and_never_given_up() -> None:
    told: list[SkillsourceError] = []
    steps = watch(Scope(), "", half, on_break=told.append)
    next(steps)
    errors = [GONE] * 10 + [Unauthenticated("who"), ProtocolError("lie")]
    for error in errors:
        assert isinstance(steps.throw(error), Pause)
        assert isinstance(next(steps), Open)
    assert told == errors
    with pytest.raises(ClientClosed):
        steps.throw(ClientClosed("closed"))

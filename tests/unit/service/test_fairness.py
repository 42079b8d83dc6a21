"""Fairness: what one principal may take, what it is told, and what is forgotten."""

from dataclasses import replace

import pytest

from skillsvc.domain.errors import ErrorReason, Exhausted
from skillsvc.domain.shares import Group, Shares
from skillsvc.service.fairness import Fairness, Turn

SHARES = Shares(
    reads_a_second=2,
    reads_burst=3,
    lists_a_second=1,
    lists_burst=1,
    watches_burst=9,
    calls=4,
    watches=2,
    waiting_bytes=100,
)
ALICE, BOB = "token:alice", "token:bob"


class Seconds:
    """A clock that goes when the test says so."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def now() -> Seconds:
    return Seconds()


@pytest.fixture
def fairness(now: Seconds) -> Fairness:
    return Fairness(SHARES, now)


def enter(fairness: Fairness, principal: str, group: Group = Group.READS) -> Turn:
    return fairness.turnstile(group).enter(principal)


def refused(fairness: Fairness, principal: str, group: Group = Group.READS) -> Exhausted:
    with pytest.raises(Exhausted) as caught:
        enter(fairness, principal, group)
    return caught.value


def test_beyond_its_burst_a_principal_is_told_when_the_next_call_fits(fairness: Fairness, now: Seconds) -> None:
    for _ in range(3):
        enter(fairness, ALICE).end()
    error = refused(fairness, ALICE)
    assert (error.reason, error.retry_after_s, dict(error.metadata)) == (ErrorReason.RATE_LIMITED, 0.5, {"limit": "2"})
    assert error.subject == ALICE
    now.time += 0.5
    enter(fairness, ALICE).end()
    assert refused(fairness, ALICE).retry_after_s == 0.5


def test_a_refused_call_counts_for_nothing(fairness: Fairness, now: Seconds) -> None:
    for _ in range(3):
        enter(fairness, ALICE).end()
    for _ in range(50):
        refused(fairness, ALICE)
    now.time += 1.5
    for _ in range(3):
        enter(fairness, ALICE).end()


def test_what_one_principal_takes_leaves_the_share_of_another(fairness: Fairness) -> None:
    for _ in range(3):
        enter(fairness, ALICE)
    refused(fairness, ALICE)
    for _ in range(3):
        enter(fairness, BOB)


def test_groups_are_counted_apart(fairness: Fairness) -> None:
    for _ in range(3):
        enter(fairness, ALICE).end()
    refused(fairness, ALICE)
    enter(fairness, ALICE, Group.LISTS).end()
    assert refused(fairness, ALICE, Group.LISTS).retry_after_s == 1
    enter(fairness, ALICE, Group.ACTIVATIONS).end()


def test_calls_under_way_are_bounded_whatever_their_group(fairness: Fairness) -> None:
    turns = [enter(fairness, ALICE) for _ in range(3)] + [enter(fairness, ALICE, Group.LISTS)]
    error = refused(fairness, ALICE, Group.ACTIVATIONS)
    assert (error.reason, error.subject) == (ErrorReason.QUOTA_EXCEEDED, ALICE)
    assert dict(error.metadata) == {"quota": "calls", "limit": "4"}
    turns[0].end()
    enter(fairness, ALICE, Group.ACTIVATIONS)


def test_watches_are_counted_by_themselves(fairness: Fairness) -> None:
    first, _second = enter(fairness, ALICE, Group.WATCHES), enter(fairness, ALICE, Group.WATCHES)
    assert dict(refused(fairness, ALICE, Group.WATCHES).metadata) == {"quota": "watches", "limit": "2"}
    enter(fairness, ALICE)
    first.end()
    enter(fairness, ALICE, Group.WATCHES)


def test_answers_that_wait_to_be_sent_are_bounded_by_their_bytes(fairness: Fairness) -> None:
    first, second = enter(fairness, ALICE), enter(fairness, ALICE)
    first.hold(60)
    with pytest.raises(Exhausted) as caught:
        second.hold(41)
    assert caught.value.subject == ALICE
    assert dict(caught.value.metadata) == {"quota": "waiting_bytes", "limit": "100"}
    second.end()
    third = enter(fairness, ALICE)
    third.hold(40)
    first.end()
    third.end()


def test_one_answer_alone_may_wait_however_large_it_is(fairness: Fairness) -> None:
    turn = enter(fairness, ALICE)
    turn.hold(1_000_000)
    turn.end()


def test_who_has_not_called_for_longest_is_forgotten_first(now: Seconds) -> None:
    fairness = Fairness(SHARES, now, principals=2)
    for _ in range(3):
        enter(fairness, ALICE).end()
    enter(fairness, BOB).end()
    enter(fairness, ALICE, Group.LISTS).end()
    enter(fairness, "token:carol").end()
    # It is Bob who is forgotten: Alice called after him.
    refused(fairness, ALICE)
    for _ in range(3):
        enter(fairness, BOB).end()


def test_nobody_with_a_call_under_way_is_forgotten(now: Seconds) -> None:
    fairness = Fairness(SHARES, now, principals=2)
    held = [enter(fairness, ALICE, Group.WATCHES), enter(fairness, ALICE, Group.WATCHES)]
    for number in range(20):
        enter(fairness, f"token:{number}").end()
    refused(fairness, ALICE, Group.WATCHES)
    for turn in held:
        turn.end()
    for number in range(20):
        enter(fairness, f"token:{number}").end()
    enter(fairness, ALICE, Group.WATCHES)


def test_calls_of_nobody_are_counted_by_their_address(now: Seconds) -> None:
    fairness = Fairness(replace(SHARES, strangers_a_second=4, strangers_burst=2), now)
    fairness.turn_away("192.0.2.1")
    fairness.turn_away("192.0.2.1")
    with pytest.raises(Exhausted) as caught:
        fairness.turn_away("192.0.2.1")
    assert (caught.value.reason, caught.value.retry_after_s) == (ErrorReason.RATE_LIMITED, 0.25)
    assert caught.value.subject == "192.0.2.1"
    fairness.turn_away("192.0.2.2")
    now.time += 0.25
    fairness.turn_away("192.0.2.1")


def test_an_address_of_nobody_says_nothing_of_who_has_an_identity(now: Seconds) -> None:
    fairness = Fairness(replace(SHARES, strangers_burst=1), now)
    fairness.turn_away("192.0.2.1")
    with pytest.raises(Exhausted):
        fairness.turn_away("192.0.2.1")
    enter(fairness, ALICE)

"""Who waits for looks, and how long that is known."""

import gc
import weakref
from concurrent.futures import Future
from datetime import UTC, datetime

from skillsvc.catalog.asked import Asked, Waiting
from skillsvc.catalog.reports import Looked, SourceKey
from skillsvc.domain.generation import make_generation
from skillsvc.domain.partition import DEPLOYMENT

HANGS = SourceKey(partition=DEPLOYMENT, label="hangs")


def waiting() -> Waiting:
    before = make_generation(
        partition=DEPLOYMENT, log_id=bytes(16), sequence=1, published_at=datetime(2026, 1, 1, tzinfo=UTC), rows=()
    )
    return Waiting(partition=DEPLOYMENT, turns={HANGS: 1}, before=before)


def come_and_give_up(asked: Asked) -> "weakref.ref[Future[Looked]]":
    one = waiting()
    asked.wait(one)
    one.answer.cancel()
    return weakref.ref(one.answer)


def test_a_look_that_hangs_for_ever_gathers_nobody_who_has_given_up() -> None:
    asked = Asked()
    gone = [come_and_give_up(asked) for _ in range(3)]
    last = waiting()
    asked.wait(last)
    gc.collect()
    assert [each() for each in gone] == [None, None, None]
    assert asked.take_all() == [last]


def test_who_waits_for_a_later_turn_is_not_done_with_an_earlier_one() -> None:
    asked = Asked()
    first, second = waiting(), waiting()
    second.turns[HANGS] = 2
    asked.wait(first)
    asked.wait(second)
    asked.note(HANGS, 1)
    assert asked.take_done(lambda _: True) == [first]
    assert asked.take_done(lambda _: False) == [second]
    assert asked.take_all() == []

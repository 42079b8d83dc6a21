"""When each source is looked at: a table of times."""

from collections.abc import Iterable

import pytest

from skillsvc.catalog.reports import Declared, SourceKey
from skillsvc.catalog.schedule import (
    AT_MOST,
    AT_MOST_BY_NEED,
    AT_MOST_OF_ONE,
    AT_ONCE,
    EVERY_S,
    LONG_S,
    SLOW_S,
    Schedule,
    Turn,
    pause_after,
)
from skillsvc.domain.partition import DEPLOYMENT, Partition
from tests.simulators.scripted_source import ScriptedSource

POLL_S = 60.0


@pytest.mark.parametrize(
    ("failures", "poll_s", "chance", "pause"),
    [
        (0, 60.0, 0.5, 60.0),
        (0, 60.0, 0.0, 54.0),
        (0, 60.0, 0.999_999, 66.0),
        (1, 60.0, 0.5, 1.0),
        (1, 60.0, 0.0, 0.9),
        (2, 60.0, 0.5, 2.0),
        (3, 60.0, 0.5, 4.0),
        (6, 60.0, 0.5, 32.0),
        (7, 60.0, 0.5, 60.0),
        (10_000, 60.0, 0.5, 60.0),
        (1, 0.25, 0.5, 0.25),
        (5_000, 1e9, 0.5, 1e9),
    ],
)
def test_how_long_a_source_is_let_be(failures: int, poll_s: float, chance: float, pause: float) -> None:
    assert pause_after(failures, poll_s, chance) == pytest.approx(pause, rel=1e-5)


def key(label: str) -> SourceKey:
    return SourceKey(partition=DEPLOYMENT, label=label)


def declared(*sources: ScriptedSource, poll_s: float = POLL_S) -> dict[SourceKey, Declared]:
    return {key(each.label): Declared(source=each, kind="scripted", poll_s=poll_s) for each in sources}


ONE, TWO = ScriptedSource("one"), ScriptedSource("two")
MANY = [ScriptedSource(f"s{number}") for number in range(100)]


def schedule_of(*sources: ScriptedSource) -> Schedule:
    schedule = Schedule(lambda: 0.5)
    schedule.declare(declared(*sources), 0.0)
    return schedule


def labels(turns: Iterable[Turn]) -> list[str]:
    return [turn.key.label for turn in turns]


def over(schedule: Schedule, turns: Iterable[Turn], now: float, *, complete: bool = True) -> None:
    for turn in turns:
        schedule.end(turn)
        schedule.admit(turn, complete=complete, now=now)


def test_all_are_looked_at_once_and_then_when_they_are_due() -> None:
    schedule = schedule_of(ONE, TWO)
    assert not schedule.has_seen_all()
    turns = schedule.begin(0.0)
    assert [(turn.key.label, turn.source, turn.changed, turn.urgent) for turn in turns] == [
        ("one", ONE, None, False),
        ("two", TWO, None, False),
    ]
    assert schedule.begin(0.0) == []
    over(schedule, turns[:1], 2.0)
    assert not schedule.has_seen_all()
    over(schedule, turns[1:], 3.0)
    assert schedule.has_seen_all()
    assert (schedule.begin(61.9), schedule.wakes_at(61.9)) == ([], 62.0)
    assert labels(schedule.begin(62.0)) == ["one"]
    assert labels(schedule.begin(64.0)) == ["two"]


def test_what_is_told_is_looked_at_before_it_is_due_at_its_paths() -> None:
    schedule = schedule_of(ONE, TWO)
    over(schedule, schedule.begin(0.0), 0.0)
    schedule.tell(key("two"), ["a"])
    schedule.tell(key("two"), ["b"])
    schedule.tell(key("unheard-of"), ["b"])
    [turn] = schedule.begin(1.0)
    assert (turn.key.label, turn.changed, turn.urgent) == ("two", frozenset({"a", "b"}), True)
    over(schedule, [turn], 2.0)
    # It is due as if nothing had been told.
    assert labels(schedule.begin(60.0)) == ["one", "two"]


def test_once_anything_may_have_changed_it_is_looked_at_wholly() -> None:
    schedule = schedule_of(ONE)
    over(schedule, schedule.begin(0.0), 0.0)
    for paths in (["a"], [], ["b"]):
        schedule.tell(key("one"), paths)
    [turn] = schedule.begin(1.0)
    assert turn.changed is None


def test_what_is_told_while_it_is_looked_at_waits_until_that_was_admitted() -> None:
    schedule = schedule_of(ONE)
    [turn] = schedule.begin(0.0)
    schedule.tell(key("one"), ["a"])
    assert schedule.begin(0.0) == []
    assert not schedule.is_pressing(0.0)
    schedule.end(turn)
    assert schedule.begin(0.0) == []
    assert schedule.is_pressing(0.0)
    schedule.admit(turn, complete=True, now=0.0)
    assert [turn.changed for turn in schedule.begin(0.0)] == [frozenset({"a"})]


def test_what_was_not_wholly_seen_is_looked_at_soon_and_then_less_and_less_often() -> None:
    schedule = schedule_of(ONE)
    now, begun = 0.0, []
    for complete in [False] * 8 + [True, False]:
        turns = schedule.begin(now)
        begun.append(now)
        over(schedule, turns, now, complete=complete)
        now = schedule.wakes_at(now)
    assert begun == [0, 1, 3, 7, 15, 31, 63, 123, 183, 243]
    assert now == 244


def test_a_look_at_changed_paths_that_failed_brings_a_whole_one_forward() -> None:
    schedule = schedule_of(ONE)
    over(schedule, schedule.begin(0.0), 0.0)
    schedule.tell(key("one"), ["a"])
    over(schedule, schedule.begin(10.0), 10.0, complete=False)
    assert schedule.wakes_at(10.0) == 11.0
    schedule.tell(key("one"), ["a"])
    over(schedule, schedule.begin(10.5), 10.5, complete=False)
    assert schedule.wakes_at(10.5) == 11.0
    assert [turn.changed for turn in schedule.begin(11.0)] == [None]


def test_so_many_looks_work_at_once_and_what_is_told_comes_first() -> None:
    schedule = schedule_of(*MANY)
    turns = schedule.begin(0.0)
    assert labels(turns) == [f"s{number}" for number in range(AT_ONCE)]
    schedule.tell(key("s99"), ["a"])
    assert schedule.begin(0.0) == []
    assert schedule.wakes_at(0.0) == LONG_S
    over(schedule, turns, 0.1)
    assert labels(schedule.begin(0.1)) == ["s99", f"s{AT_ONCE}"]


def test_what_is_told_without_end_keeps_nothing_waiting_that_is_due() -> None:
    busy = MANY[:AT_ONCE]
    schedule = schedule_of(*busy, ONE)
    now = 0.0
    turns = schedule.begin(now)
    while "one" not in labels(turns) and now < POLL_S:
        for each in busy:
            schedule.tell(key(each.label), ["a"])
        now += LONG_S / 2
        over(schedule, turns, now)
        turns = schedule.begin(now)
    assert now <= SLOW_S + LONG_S


def test_looks_that_take_long_hold_up_no_others() -> None:
    schedule = schedule_of(*MANY[: 2 * AT_ONCE])
    assert len(schedule.begin(0.0)) == AT_ONCE
    assert schedule.begin(LONG_S - 0.01) == []
    others = schedule.begin(LONG_S)
    assert len(others) == AT_ONCE
    over(schedule, others, LONG_S)
    # What the others came to is kept back for them a while, as they may end any moment.
    assert not schedule.is_pressing(SLOW_S - 0.01)
    assert schedule.is_pressing(SLOW_S)
    assert schedule.wakes_at(SLOW_S) == LONG_S + POLL_S


def test_of_looks_that_take_long_there_are_not_any_number() -> None:
    schedule = schedule_of(*MANY)
    begun = sum(len(schedule.begin(round_ * LONG_S)) for round_ in range(50))
    assert begun == AT_MOST


def test_a_source_that_stays_keeps_its_turn_and_what_is_new_is_due() -> None:
    schedule = schedule_of(ONE, TWO)
    turns = schedule.begin(0.0)
    three = ScriptedSource("three")
    another = ScriptedSource("two")
    # The look at `one` has taken long by then, and the one at what was `two` is nobody's any more.
    schedule.declare(declared(three, another, ONE), 5.0)
    assert list(schedule.keys) == [key("three"), key("two"), key("one")]
    begun = schedule.begin(5.0)
    assert [(turn.key.label, turn.source) for turn in begun] == [("three", three), ("two", another)]
    over(schedule, turns, 6.0)
    # The look at the one that was `two` says nothing of the one that is.
    assert not schedule.has_seen_all()
    over(schedule, begun, 7.0)
    assert schedule.has_seen_all()
    assert schedule.due(key("one")) == 66.0


def test_a_source_that_is_to_be_looked_at_more_often_is_due_sooner() -> None:
    schedule = schedule_of(ONE)
    over(schedule, schedule.begin(0.0), 0.0)
    schedule.declare(declared(ONE, poll_s=5.0), 10.0)
    assert schedule.wakes_at(10.0) == 15.0


def test_who_asks_waits_for_a_turn_that_begins_later() -> None:
    schedule = schedule_of(ONE, TWO)
    [one, two] = schedule.begin(0.0)
    turns = schedule.ask([key("one")], ["a"])
    assert one.number < two.number < turns[key("one")]
    over(schedule, [one, two], 1.0)
    [again] = schedule.begin(1.0)
    assert (again.number, again.changed, again.urgent) == (turns[key("one")], frozenset({"a"}), True)


def by_need(*sources: ScriptedSource) -> dict[SourceKey, Declared]:
    return {key(each.label): Declared(source=each, kind="scripted", poll_s=POLL_S, by_need=True) for each in sources}


def test_what_is_added_is_due_and_what_is_removed_is_looked_at_no_more() -> None:
    schedule = schedule_of(ONE)
    over(schedule, schedule.begin(0.0), 0.0)
    schedule.add(by_need(TWO), 10.0)
    assert list(schedule.keys) == schedule.keys_of(DEPLOYMENT) == [key("one"), key("two")]
    turns = schedule.begin(10.0)
    assert labels(turns) == ["two"]
    schedule.remove([key("two")])
    schedule.end(turns[0])
    assert not schedule.admit(turns[0], complete=True, now=11.0)
    assert labels(schedule.begin(10_000.0)) == ["one"]
    assert not schedule.is_declared(key("two"))
    schedule.remove([key("one"), key("two")])
    assert (list(schedule.keys), schedule.keys_of(DEPLOYMENT)) == ([], [])


def test_one_of_the_same_label_that_comes_again_is_another_and_is_due() -> None:
    schedule = schedule_of()
    schedule.add(by_need(TWO), 0.0)
    before = schedule.begin(0.0)
    schedule.remove([key("two")])
    schedule.add(by_need(TWO), 1.0)
    again = schedule.begin(1.0)
    assert labels(again) == ["two"]
    over(schedule, before, 2.0)
    # The turn of the one before is nothing to it.
    assert schedule.begin(2.0) == []
    assert schedule.is_looking(key("two"))


def test_a_start_waits_for_no_source_that_is_looked_at_by_need() -> None:
    schedule = schedule_of(ONE)
    schedule.add(by_need(TWO), 0.0)
    (one, _two) = schedule.begin(0.0)
    over(schedule, [one], 0.0)
    assert schedule.has_seen_all()


def of_principal(name: str, partitions: int) -> dict[SourceKey, Declared]:
    return {
        SourceKey(partition=Partition(f"token:{name}", f"p{number}"), label="tenants"): Declared(
            source=ScriptedSource("tenants"), kind="scripted", poll_s=POLL_S, by_need=True
        )
        for number in range(partitions)
    }


def test_looks_by_need_that_hang_leave_room_for_those_that_are_declared() -> None:
    schedule = Schedule(lambda: 0.5)
    many = {key: each for number in range(100) for key, each in of_principal(f"p{number}", 1).items()}
    schedule.declare({**declared(ONE), **many}, 0.0)
    now = 0.0
    over(schedule, [turn for turn in schedule.begin(now) if turn.key == key("one")], now)
    for _ in many:
        now += LONG_S
        over(schedule, [turn for turn in schedule.begin(now) if turn.key == key("one")], now)
    assert sum(map(schedule.is_looking, many)) == AT_MOST_BY_NEED
    schedule.tell(next(each for each in many if not schedule.is_looking(each)), [])
    schedule.tell(key("one"), [])
    assert labels(schedule.begin(now + LONG_S)) == ["one"]


@pytest.mark.parametrize("is_told", [True, False])
def test_looks_at_partitions_of_one_principal_that_hang_leave_room_for_those_of_others(*, is_told: bool) -> None:
    schedule = Schedule(lambda: 0.5)
    hers, his = of_principal("alice", 200), of_principal("bob", 1)
    schedule.add(hers, 0.0)
    schedule.add(his, 0.0)
    if is_told:
        schedule.ask([*hers, *his], [])
    now, begun = 0.0, []
    for _ in range(AT_MOST_BY_NEED):
        begun += schedule.begin(now)
        now += LONG_S
    assert sum(map(schedule.is_looking, hers)) <= AT_MOST_OF_ONE + 1
    assert all(map(schedule.is_looking, his))
    # When hers go on, so do the others of hers.
    for turn in [turn for turn in begun if turn.key in hers]:
        over(schedule, [turn], now)
    assert {turn.key.partition.principal for turn in schedule.begin(now + SLOW_S)} == {"token:alice"}


def test_where_sources_are_very_many_each_waits_longer_so_that_looks_keep_their_distance() -> None:
    many = [ScriptedSource(f"s{number}") for number in range(int(2 * POLL_S / EVERY_S))]
    schedule = schedule_of(*many)
    over(schedule, schedule.begin(0.0), 0.0)
    assert schedule.due(key("s0")) == pytest.approx(2 * POLL_S)


def test_changes_told_of_without_end_gather_nothing() -> None:
    schedule = schedule_of(ONE)
    over(schedule, schedule.begin(0.0), 0.0)
    for number in range(1_000):
        schedule.tell(key("one"), [f"a{number}"])
        over(schedule, schedule.begin(1.0), 1.0)
    assert schedule.begin(1.0) == []
    assert (schedule.wakes_at(1.0), labels(schedule.begin(60.0))) == (60.0, ["one"])

"""What is more than a layer may hold is refused source by source, and the last good stays."""

from datetime import timedelta

from skillsvc.catalog.layer import SourceState
from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.sources.source import Outcome
from tests.simulators.clock import START
from tests.unit.catalog.house import House


def test_of_a_source_with_too_many_skills_the_last_good_stays_and_its_siblings_go_on() -> None:
    house = House(Limits(layer_skills=3))
    house.one.hold(house.skill("a"), house.skill("b"))
    house.two.hold(house.skill("c"))
    house.refresh.look()
    house.two.hold(house.skill("c", "Edited."), *(house.skill(f"s{number}") for number in range(3)))
    house.one.hold(house.skill("b"))
    assert house.refresh.look() is not None
    assert house.listed == {"b": "one", "c": "two"}
    assert house.unreachable == [("two", SourceState.STALE)]
    [said] = house.refresh.diagnostics
    assert (said.code, said.source) == (DiagnosticCode.TOO_MANY_SKILLS, "two")
    house.one.hold(house.skill("b", "Edited."))
    assert house.refresh.look({"one": None}) is not None
    assert house.unreachable == [("two", SourceState.STALE)]


def test_what_one_source_gives_up_makes_room_for_another_in_the_same_look() -> None:
    house = House(Limits(layer_skills=2))
    house.two.hold(house.skill("a"), house.skill("b"))
    house.refresh.look()
    house.one.hold(house.skill("c"), house.skill("d"))
    house.two.hold()
    house.refresh.look()
    assert (house.listed, house.unreachable) == ({"c": "one", "d": "one"}, [])


def test_of_two_that_grow_too_much_the_stronger_goes_on() -> None:
    house = House(Limits(layer_skills=2))
    for source, names in ((house.two, "cd"), (house.one, "ab")):
        source.hold(*map(house.skill, names))
    house.refresh.look()
    assert house.listed == {"a": "one", "b": "one"}
    assert house.unreachable == [("two", SourceState.MISSING)]


def test_repeated_names_within_a_source_count_once() -> None:
    house = House(Limits(layer_skills=2))
    house.one.hold(
        house.skill("a"), house.skill("a", "Again.", place="c"), house.skill("b"), house.skill("b", "Again.", place="d")
    )
    house.refresh.look()
    assert (house.listed, house.unreachable) == ({"a": "one", "b": "one"}, [])


def test_a_layer_that_held_more_than_it_may_since_stays_as_it_is_and_is_told() -> None:
    house = House(Limits(layer_skills=2))
    house.one.hold(house.skill("a"), house.skill("b"))
    house.refresh.look()
    house.limits = Limits(layer_skills=1)
    house.start()
    house.one.outcome = Outcome.FAILED
    assert house.refresh.look() is None
    assert house.listed == {"a": "one", "b": "one"}
    assert [said.code for said in house.refresh.diagnostics] == [DiagnosticCode.TOO_MANY_SKILLS]
    house.one.outcome = Outcome.WHOLE
    house.one.hold(house.skill("b"))
    assert house.refresh.look() is not None
    assert (house.listed, house.unreachable) == ({"b": "one"}, [])


def test_what_is_too_much_for_a_layer_is_told_and_the_last_good_stays() -> None:
    house = House(Limits(layer_skills=2))
    house.one.hold(house.skill("a"))
    house.two.hold(house.skill("b"))
    house.refresh.look()
    house.clock.advance(5)
    house.two.hold(house.skill("b"), house.skill("c"))
    for _ in range(2):
        assert house.refresh.look() is None
        assert house.listed == {"a": "one", "b": "two"}
        assert house.unreachable == [("two", SourceState.STALE)]
        assert house.current.layers[DEPLOYMENT].unreachable[0].since == START + timedelta(seconds=5)
        [said] = house.refresh.diagnostics
        assert (said.code, said.severity) == (DiagnosticCode.TOO_MANY_SKILLS, Severity.ERROR)
        assert "at most 2 skills, and there are 3" in said.message
        house.clock.advance(5)
    house.two.hold(house.skill("c"))
    assert house.refresh.look() is not None
    assert (house.unreachable, house.refresh.diagnostics) == ([], ())


def test_of_a_source_of_which_nothing_could_ever_be_published_nothing_was_seen() -> None:
    house = House(Limits(layer_skills=1))
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.one.outcome = Outcome.FAILED
    house.two.hold(house.skill("b"), house.skill("c"))
    house.refresh.look()
    assert house.listed == {"a": "one"}
    assert house.unreachable == [("one", SourceState.STALE), ("two", SourceState.MISSING)]


def test_what_was_too_much_is_admitted_when_there_is_room_for_the_same_observation() -> None:
    house = House(Limits(layer_skills=2))
    house.one.hold(house.skill("a"))
    house.two.hold(house.skill("b"), house.skill("c"))
    house.refresh.look({"one": None})
    sighting = house.refresh.look_at("two")
    house.refresh.admit([sighting])
    assert house.listed == {"a": "one"}
    house.one.hold()
    house.refresh.look({"one": None})
    house.refresh.admit([sighting])
    assert house.listed == {"b": "two", "c": "two"}

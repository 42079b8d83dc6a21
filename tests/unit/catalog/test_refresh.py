"""Refreshing: the last good of each source stays, over restarts and changed declarations."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.catalog.refresh import Refresh
from skillsvc.content.stopping import Abandoned
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.trust import Admission, Tier, Trust
from skillsvc.sources.source import Observation, Outcome
from tests.simulators.clock import START
from tests.simulators.scripted_source import ScriptedSource
from tests.unit.catalog.house import House
from tests.unit.sources.trees import grow, skill, source_of


def test_what_the_sources_hold_is_published_once(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.two.hold(house.skill("a", "Other."), house.skill("b"))
    published = house.refresh.look()
    assert published is not None
    assert house.listed == {"a": "one", "b": "two"}
    assert house.refresh.look() is None
    assert [diagnostic.code for diagnostic in house.refresh.diagnostics] == [DiagnosticCode.SHADOWED]


def test_only_the_sources_named_are_looked_at_with_the_paths_that_changed(house: House) -> None:
    house.refresh.look()
    house.refresh.look({"two": ["b/SKILL.md"]})
    house.refresh.look({"two": None, "unheard-of": None})
    assert (house.one.looks, house.two.looks) == ([None], [None, ["b/SKILL.md"], None])


def test_a_source_that_fails_keeps_what_it_had_and_the_others_go_on(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.one.outcome = Outcome.FAILED
    house.two.hold(house.skill("b"))
    house.refresh.look()
    assert house.listed == {"a": "one", "b": "two"}
    assert house.unreachable == [("one", SourceState.STALE)]
    house.one.outcome = Outcome.WHOLE
    house.refresh.look()
    assert house.unreachable == []


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.ABSENT])
def test_after_a_restart_the_last_good_of_a_source_that_fails_is_what_the_log_holds(
    house: House, outcome: Outcome
) -> None:
    house.one.hold(house.skill("a"))
    house.two.hold(house.skill("a", "Other."), house.skill("b"))
    house.refresh.look()
    sequence = house.current.layers[DEPLOYMENT].present.sequence
    house.one.outcome = outcome
    house.start()
    assert house.refresh.look() is None
    assert house.listed == {"a": "one", "b": "two"}
    assert house.current.layers[DEPLOYMENT].present.sequence == sequence
    assert house.unreachable == [("one", SourceState.STALE)]


def test_after_a_restart_the_last_good_of_a_skill_is_where_it_was_seen_last(house: House) -> None:
    house.one.hold(house.skill("a", place="a"), house.skill("b", place="b"))
    house.refresh.look()
    sequence = house.current.layers[DEPLOYMENT].present.sequence
    house.one.hold(house.skill("a", place="moved"), house.skill("b", place="b"))
    assert house.refresh.look() is None
    house.start()
    house.refresh.look()
    assert house.current.layers[DEPLOYMENT].present.sequence == sequence
    assert [found.place for found in house.one.held] == ["moved", "b"]


def test_a_source_taken_out_of_the_settings_is_served_no_more_after_a_restart(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.one = ScriptedSource("renamed")
    house.start()
    house.refresh.look()
    assert house.listed == {}


def test_before_the_first_look_each_source_is_stale_or_missing(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.clock.advance(5)
    house.start()
    assert house.refresh.unreachable == house.current.layers[DEPLOYMENT].unreachable
    assert house.current.layers[DEPLOYMENT].unreachable == (
        UnreachableSource(source="one", since=START + timedelta(seconds=5), state=SourceState.STALE),
        UnreachableSource(source="two", since=START + timedelta(seconds=5), state=SourceState.MISSING),
    )
    house.refresh.look()
    assert house.unreachable == []


def test_a_look_is_told_once_with_what_it_saw_and_what_it_could_not_see(house: House) -> None:
    house.refresh.look()
    told: list[tuple[dict[str, str], list[tuple[str, SourceState]]]] = []
    house.current.subscribe(lambda: told.append((house.listed, house.unreachable)))
    house.one.hold(house.skill("a"))
    house.one.outcome = Outcome.PARTIAL
    house.refresh.look()
    assert told == [({"a": "one"}, [("one", SourceState.PARTIAL)])]


def test_a_look_is_given_what_is_served_of_its_source(house: House) -> None:
    a, b = house.skill("a"), house.skill("b")
    house.one.hold(a)
    house.two.hold(house.skill("a", "Shadowed."), b)
    house.refresh.look()
    assert (house.one.held, house.two.held) == ((), ())
    house.one.outcome = Outcome.ABSENT
    house.refresh.look()
    for _ in range(2):
        house.refresh.look()
        assert (house.one.held, house.two.held) == ((a.found,), house.two.found)
    house.clock.advance(house.limits.missing_after_s)
    house.refresh.look()
    house.refresh.look()
    assert house.one.held == ()
    house.start()
    house.refresh.look()
    assert (house.one.held, house.two.held) == ((), house.two.found)


def test_a_directory_that_is_back_with_a_skill_that_cannot_be_read_keeps_its_last_good(tmp_path: Path) -> None:
    root = grow(tmp_path / "skills", {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    house = House()
    refresh = Refresh(
        house.current,
        DEPLOYMENT,
        [source_of(root, blobs=house.blobs, label="one")],
        blobs=house.blobs,
        limits=house.limits,
        now=house.clock,
        clock=house.clock.monotonic,
    )
    refresh.look()
    root.rename(tmp_path / "away")
    refresh.look()
    (tmp_path / "away").rename(root)
    (root / "a").rename(tmp_path / "a")
    # Longer than a system can look up, whoever asks: modes do not bind a superuser.
    (root / "a").symlink_to("x" * 300)
    refresh.look()
    assert house.listed == {"a": "one", "b": "one"}
    assert house.unreachable == [("one", SourceState.PARTIAL)]


@pytest.mark.parametrize("again", [lambda seen: seen, replace])
def test_of_what_was_seen_before_nothing_is_made(house: House, again: Callable[[Observation], Observation]) -> None:
    house.one.hold(house.skill("a"))
    house.two.outcome = Outcome.FAILED
    sightings = [house.refresh.look_at(label) for label in ("one", "two")]
    house.refresh.admit(sightings)
    layer, merged = house.current.layers[DEPLOYMENT], house.refresh._merged
    told: list[object] = []
    house.current.subscribe(lambda: told.append(None))
    house.clock.advance(5)
    house.refresh.admit([replace(each, observation=again(each.observation)) for each in sightings])
    assert house.current.layers[DEPLOYMENT] is layer
    assert house.refresh._merged is merged
    assert told == []


def test_a_place_that_stays_away_is_judged_anew_by_the_same_observation(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.one.outcome = Outcome.ABSENT
    sighting = house.refresh.look_at("one")
    house.refresh.admit([sighting])
    assert house.unreachable == [("one", SourceState.STALE)]
    house.clock.advance(house.limits.missing_after_s)
    house.refresh.admit([sighting])
    assert (house.listed, house.unreachable) == ({}, [])


@pytest.mark.parametrize("seconds", [9_999, -9_999])
def test_a_time_that_is_put_forward_or_back_changes_nothing_of_how_long_the_last_good_stays(
    house: House, seconds: float
) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.one.outcome = Outcome.ABSENT
    house.refresh.look()
    house.clock.put(seconds)
    house.clock.advance(house.limits.missing_after_s - 1)
    house.refresh.look()
    assert (house.listed, house.unreachable) == ({"a": "one"}, [("one", SourceState.STALE)])
    house.clock.advance(1)
    house.refresh.look()
    assert (house.listed, house.unreachable) == ({}, [])


def test_a_layer_goes_on_from_other_sources_and_keeps_what_stands_of_those_that_stay(house: House) -> None:
    house.one.hold(house.skill("a"), house.skill("b"))
    house.two.hold(house.skill("a", "Other."), house.skill("c"))
    house.refresh.look()
    three = ScriptedSource("three")
    house.refresh.replace([three, house.two])
    assert house.unreachable == [("three", SourceState.MISSING)]
    assert house.listed == {"a": "one", "b": "one", "c": "two"}
    assert house.refresh.admit([]) is not None
    assert house.listed == {"a": "two", "c": "two"}
    three.hold(house.skill("c", "Stronger."))
    house.refresh.look({"three": None})
    assert (house.listed, house.unreachable) == ({"a": "two", "c": "three"}, [])
    house.refresh.replace([house.two, three])
    house.refresh.admit([])
    assert house.listed == {"a": "two", "c": "two"}


def test_another_source_of_a_label_serves_what_was_served_of_it_until_it_is_seen(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    before = house.refresh.look_at("one")
    house.one = ScriptedSource("one")
    house.refresh.replace([house.one, house.two])
    assert house.unreachable == [("one", SourceState.STALE)]
    house.refresh.admit([before])
    assert (house.listed, house.unreachable) == ({"a": "one"}, [("one", SourceState.STALE)])
    house.refresh.look({"one": None})
    assert (house.listed, house.unreachable) == ({}, [])


ASK = Admission(tier=Tier.REGISTERED, trust=Trust.ASK)
UNTRUSTED = Admission(tier=Tier.LEARNED, trust=Trust.UNTRUSTED)


def declared(house: House, admission: Admission, *, is_new_process: bool = False) -> ScriptedSource:
    """Declare source `one` with another tier and trust; return it."""
    house.one = ScriptedSource("one")
    house.one.admission = admission
    if is_new_process:
        house.start()
    else:
        house.refresh.replace([house.one, house.two])
    return house.one


@pytest.mark.parametrize("is_new_process", [False, True])
def test_a_trust_that_is_lowered_is_in_force_before_any_look(house: House, *, is_new_process: bool) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    declared(house, UNTRUSTED, is_new_process=is_new_process)
    assert house.refresh.admit([]) is not None
    [served] = house.current.layers[DEPLOYMENT].present.listed
    assert (served.name, served.tier, served.trust) == ("a", Tier.LEARNED, Trust.UNTRUSTED)
    assert house.unreachable[0] == ("one", SourceState.STALE)


def test_whether_what_is_served_is_lower_now_is_said_when_sources_are_replaced(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    assert not house.refresh.replace([house.one, house.two])
    house.one = ScriptedSource("one")
    assert not house.refresh.replace([house.one, house.two])
    house.one = ScriptedSource("one")
    house.one.admission = ASK
    assert house.refresh.replace([house.one, house.two])
    house.refresh.admit([])
    assert not house.refresh.replace([house.one, house.two])


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.ABSENT, None])
def test_a_trust_that_is_lowered_is_in_force_where_the_look_fails(house: House, outcome: Outcome | None) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    one = declared(house, UNTRUSTED)
    one.outcome, one.error = outcome or Outcome.WHOLE, None if outcome else RuntimeError("a bug")
    house.refresh.look()
    assert (house.admitted, house.unreachable) == ({"a": Trust.UNTRUSTED}, [("one", SourceState.STALE)])


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.ABSENT, None])
def test_a_trust_that_is_raised_waits_for_a_look_that_sees_the_place(house: House, outcome: Outcome | None) -> None:
    one = declared(house, UNTRUSTED)
    one.hold(house.skill("a"))
    house.refresh.look()
    one = declared(house, ASK)
    assert house.refresh.admit([]) is None
    one.outcome, one.error = outcome or Outcome.WHOLE, None if outcome else RuntimeError("a bug")
    house.refresh.look()
    assert house.admitted == {"a": Trust.UNTRUSTED}
    one.outcome, one.error = Outcome.WHOLE, None
    one.hold(house.skill("a"))
    house.refresh.look()
    assert house.admitted == {"a": Trust.ASK}


def test_a_look_at_a_source_that_is_not_there_any_more_is_abandoned(house: House) -> None:
    house.refresh.replace([house.two])
    with pytest.raises(Abandoned):
        house.refresh.look_at("one")


def test_after_a_restart_with_another_order_what_is_down_stands_where_it_is_now(house: House) -> None:
    house.one.hold(house.skill("a"), house.skill("b"))
    house.two.hold(house.skill("a", "Other."), house.skill("c"))
    house.refresh.look()
    house.one.outcome = house.two.outcome = Outcome.FAILED
    house.clock.advance(5)
    house.start()
    house.refresh.replace([house.two, house.one])
    house.refresh.look()
    assert house.listed == {"a": "two", "b": "one", "c": "two"}
    [shadowed] = [row for row in house.current.layers[DEPLOYMENT].present.rows if row.shadowed]
    assert (shadowed.name, shadowed.source) == ("a", "one")
    assert house.current.layers[DEPLOYMENT].unreachable == tuple(
        UnreachableSource(source=source, since=START + timedelta(seconds=5), state=SourceState.STALE)
        for source in ("two", "one")
    )
    assert [said.code for said in house.refresh.diagnostics if said.source == "one"].count(DiagnosticCode.SHADOWED) == 1


def test_a_source_that_is_down_at_the_start_comes_forward_where_the_one_before_it_gave_up(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.two.hold(house.skill("a", "Other."))
    house.refresh.look()
    house.two.outcome = Outcome.FAILED
    house.one.hold()
    house.start()
    house.refresh.look()
    assert (house.listed, house.unreachable) == ({"a": "two"}, [("two", SourceState.STALE)])


class TestRevoked:
    def test_no_look_brings_back_what_is_revoked_and_the_next_one_does_what_is_lifted(self, house: House) -> None:
        house.one.hold(house.skill("a"), house.skill("b"))
        house.two.hold(house.skill("a", "Weaker."))
        house.refresh.look()
        house.current.revoke(DEPLOYMENT, "a", house.clock())
        assert house.listed == {"b": "one"}
        house.one.hold(house.skill("a", "Anew."), house.skill("b", "Anew."))
        house.refresh.look()
        assert house.listed == {"b": "one"}
        house.start()
        house.refresh.look()
        assert house.listed == {"b": "one"}
        house.current.lift(DEPLOYMENT, "a", house.clock())
        assert house.listed == {"b": "one"}
        # Nothing of the sources is another, and yet there is something to publish.
        published = [house.refresh.is_published]
        house.refresh.look()
        assert house.listed == {"a": "one", "b": "one"}
        assert [*published, house.refresh.is_published] == [False, True]

"""Sweeping: no blob that anything names is removed, and what nothing names is."""

from collections.abc import Callable

import pytest

from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.sources.source import Outcome
from tests.simulators.scripted_source import ScriptedSource
from tests.unit.catalog.house import House


@pytest.fixture
def house() -> House:
    return House()


def test_a_sweep_that_is_stopped_removes_no_more(house: House) -> None:
    stray = house.blobs.put(b"of a crash")
    stopped = False
    house.refresh.look()
    sweep = BlobSweep(house.current, blobs=house.blobs, now=house.clock, stopped=lambda: stopped)
    sweep.sweep([house.refresh])
    stopped = True
    sweep.sweep([house.refresh])
    assert house.blobs.has(stray)


def test_a_skill_that_is_back_after_its_blobs_were_swept_is_served_whole(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.one.hold()
    for number in range(4):
        house.two.hold(house.skill("b", str(number)))
        house.refresh.look()
        house.sweep()
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.sweep()
    house.sweep()
    assert _named(house) <= set(house.blobs.digests())


def test_a_blob_that_nothing_names_is_removed_at_the_second_sweep(house: House) -> None:
    stray = house.blobs.put(b"of a crash")
    house.refresh.look()
    house.sweep()
    assert house.blobs.has(stray)
    house.sweep()
    assert not house.blobs.has(stray)


def test_nothing_is_removed_before_every_refresh_of_the_store_has_looked(house: House) -> None:
    stray = house.blobs.put(b"of a crash")
    other = Partition(principal="local", project="")
    house.current.open_layer(other, house.clock())
    second = Refresh(
        house.current,
        other,
        [three := ScriptedSource("three")],
        blobs=house.blobs,
        limits=Limits(layer_skills=1),
        now=house.clock,
    )
    sweep = BlobSweep(house.current, blobs=house.blobs, now=house.clock)
    house.refresh.look()
    three.hold(house.skill("a"), house.skill("b"))
    for _ in range(3):
        sweep.sweep([house.refresh, second])
    assert house.blobs.has(stray)
    # Refused as too many, so that no generation names them: what looks there counts on them all the same.
    second.look()
    held = set(house.blobs.digests())
    for _ in range(3):
        sweep.sweep([house.refresh, second])
    assert held - set(house.blobs.digests()) == {stray}


def test_a_blob_that_is_named_again_in_between_stays(house: House) -> None:
    skill = house.skill("a")
    house.refresh.look()
    house.sweep()
    house.one.hold(skill)
    house.refresh.look()
    house.sweep()
    assert set(house.blobs.digests()) == _named(house) != set()


def _hold_retained(house: House) -> None:
    house.one.hold(house.skill("a", "Old."))
    house.refresh.look()
    house.one.hold(house.skill("a", "New."))
    house.refresh.look()


def _hold_shadowed(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.two.hold(house.skill("a", "Shadowed."))
    house.refresh.look()


def _hold_repeated(house: House) -> None:
    house.one.hold(house.skill("a"), house.skill("a", "Second of its name.", place="b"))
    house.refresh.look()


def _hold_stale(house: House) -> None:
    _hold_retained(house)
    house.one.outcome = Outcome.FAILED
    house.refresh.look()


def _hold_after_a_restart(house: House) -> None:
    _hold_retained(house)
    house.start()
    house.one.outcome = Outcome.FAILED
    house.refresh.look()


def _hold_unpublished(house: House) -> None:
    house.refresh.look()
    house.one.hold(*(house.skill(f"s{number}") for number in range(4)))
    house.refresh.look()
    assert house.listed == {}


def _hold_refused_and_failed(house: House) -> None:
    _hold_unpublished(house)
    house.one.outcome = Outcome.FAILED
    house.refresh.look()


@pytest.mark.parametrize(
    "prepare",
    [
        _hold_retained,
        _hold_shadowed,
        _hold_repeated,
        _hold_stale,
        _hold_after_a_restart,
        _hold_unpublished,
        _hold_refused_and_failed,
    ],
)
def test_a_blob_that_anything_names_is_never_removed(prepare: Callable[[House], None]) -> None:
    house = House(Limits(layer_skills=3))
    prepare(house)
    held = set(house.blobs.digests())
    for _ in range(3):
        house.sweep()
    assert set(house.blobs.digests()) == held


def _named(house: House) -> set[str]:
    named: set[str] = set()
    for generation in house.current.layers[DEPLOYMENT].generations:
        for each in generation.rows:
            assert each.bundle.document is not None
            named |= {each.bundle.document.digest, *(asset.digest for asset in each.bundle.assets)}
    return named

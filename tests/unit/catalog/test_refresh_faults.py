"""Whatever a source or a store raises, what is served stays, and what is behind is told with its reason."""

import asyncio
import os
from collections.abc import Collection
from datetime import timedelta

import pytest
from typing_extensions import override

from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.catalog.reports import Placed, ReportedState
from skillsvc.content.stopping import Abandoned
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import DEPLOYMENT
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.clock import START
from tests.simulators.memory_log import MemoryLayerLog
from tests.unit.catalog.house import House

ERRORS = {
    "of ours": (Unavailable(ErrorReason.STORE_UNREACHABLE, "the store is away"), "the store is away"),
    "of nobody": (RuntimeError("/secret/path"), "the server's log says why"),
}


@pytest.mark.parametrize(("error", "why"), ERRORS.values(), ids=ERRORS)
def test_an_exception_in_one_source_makes_it_stale_and_stops_no_other(house: House, error: Exception, why: str) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.clock.advance(5)
    house.one.error = error
    house.two.hold(house.skill("b"))
    assert house.refresh.look() is not None
    house.clock.advance(5)
    assert house.refresh.look({"one": ["a/SKILL.md"]}) is None
    assert house.listed == {"a": "one", "b": "two"}
    assert house.current.layers[DEPLOYMENT].unreachable == (
        UnreachableSource(source="one", since=START + timedelta(seconds=5), state=SourceState.STALE),
    )
    [said] = house.refresh.diagnostics
    assert (said.code, said.source) == (DiagnosticCode.SOURCE_UNREADABLE, "one")
    assert said.message == f"the look at it failed: {why}"
    # A look at some of it does not tell whether all is well again.
    house.one.error = None
    house.refresh.look({"one": ["a/SKILL.md"]})
    assert house.one.looks[-2:] == [None, None]
    assert house.unreachable == []
    house.refresh.look({"one": ["a/SKILL.md"]})
    assert house.one.looks[-1] == ["a/SKILL.md"]


def test_a_source_that_was_never_seen_for_an_exception_is_missing(house: House) -> None:
    house.one.error = RuntimeError("a bug")
    house.two.hold(house.skill("b"))
    house.refresh.look()
    assert house.listed == {"b": "two"}
    assert house.unreachable == [("one", SourceState.MISSING)]


class AwayBlobs(MemoryBlobStore):
    """A blob store that cannot reach the disk as long as `error` is set."""

    error: Exception | None = None

    @override
    def sync(self) -> None:
        if self.error is not None:
            raise self.error


class AwayLog(MemoryLayerLog):
    """A log that takes no generation as long as `error` is set."""

    error: Exception | None = None

    @override
    def append(self, generation: Generation, *, dropped: Collection[int]) -> None:
        if self.error is not None:
            raise self.error
        super().append(generation, dropped=dropped)


@pytest.mark.parametrize(("error", "why"), ERRORS.values(), ids=ERRORS)
@pytest.mark.parametrize("of", ["blobs", "log"])
def test_a_store_that_fails_leaves_what_is_served_and_says_that_it_is_behind(
    of: str, error: Exception, why: str
) -> None:
    house = House()
    house.blobs, house.log = (blobs := AwayBlobs()), (log := AwayLog(os.urandom))
    house.start()
    house.one.hold(house.skill("a"))
    house.two.hold(house.skill("b"))
    house.refresh.look()
    blobs.error, log.error = (error, None) if of == "blobs" else (None, error)
    house.clock.advance(5)
    house.one.hold(house.skill("a", "Edited."), house.skill("c"))
    for _ in range(2):
        assert house.refresh.look({"one": ["a/SKILL.md"]}) is None
        assert house.listed == {"a": "one", "b": "two"}
        assert house.current.layers[DEPLOYMENT].unreachable == (
            UnreachableSource(source="one", since=START + timedelta(seconds=5), state=SourceState.STALE),
        )
        [said] = house.refresh.diagnostics
        assert (said.code, said.source) == (DiagnosticCode.STORE_UNREACHABLE, "")
        assert said.message == f"nothing could be published: {why}; what is served stays as it was"
        house.clock.advance(5)
    blobs.error = log.error = None
    # What was seen is published by the next look, also by one that sees nothing new.
    assert house.refresh.look({"two": ["b/SKILL.md"]}) is not None
    assert house.listed == {"a": "one", "b": "two", "c": "one"}
    assert (house.unreachable, house.refresh.diagnostics) == ([], ())


def test_why_a_layer_is_behind_is_told_also_while_it_is_tried_again() -> None:
    house = House()
    told: list[tuple[ReportedState, bool]] = []

    class Tried(AwayLog):
        @override
        def append(self, generation: Generation, *, dropped: Collection[int]) -> None:
            if self.error is not None and house.refresh.has_looked:
                report = house.refresh.report("one", Placed(kind="git", looking=False, next_look_at=None))
                assert report is not None
                told.append((report.state, bool(report.last_error)))
            super().append(generation, dropped=dropped)

    house.log = log = Tried(os.urandom)
    house.start()
    house.one.hold(house.skill("a"))
    house.refresh.look()
    log.error = Unavailable(ErrorReason.STORE_UNREACHABLE, "locked")
    house.one.hold(house.skill("b"))
    house.refresh.look()
    house.refresh.look()
    assert told == [(ReportedState.COMPLETE, False), (ReportedState.STALE, True)]


def test_a_store_that_fails_where_nothing_changed_has_failed_all_the_same() -> None:
    house = House()
    house.blobs = blobs = AwayBlobs()
    house.start()
    house.one.hold(house.skill("a"))
    house.refresh.look()
    blobs.error = RuntimeError("a bug")
    house.refresh.look()
    assert house.unreachable == [("one", SourceState.STALE), ("two", SourceState.MISSING)]


def test_a_look_that_is_abandoned_publishes_nothing_and_reports_nothing(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.two.error = Abandoned()
    house.stopped = True
    before = house.unreachable
    with pytest.raises(Abandoned):
        house.refresh.look()
    assert (house.listed, house.unreachable) == ({}, before)


def test_a_look_that_is_stopped_after_its_last_source_publishes_nothing(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.stopped = True
    with pytest.raises(Abandoned):
        house.refresh.look()
    assert house.listed == {}


@pytest.mark.parametrize("error", [Abandoned(), SystemExit(1), asyncio.CancelledError(), GeneratorExit()])
def test_a_source_may_raise_anything(house: House, error: BaseException) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.one.error = error
    house.two.hold(house.skill("b"))
    house.refresh.look()
    assert house.listed == {"a": "one", "b": "two"}
    assert house.unreachable == [("one", SourceState.STALE)]


def test_an_error_after_the_stop_is_the_stop(house: House) -> None:
    house.one.error = RuntimeError("woken from its wait")
    house.stopped = True
    with pytest.raises(Abandoned):
        house.refresh.look_at("one")


def test_a_malformed_observation_fails_its_source_alone(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.one.hold(house.skill("a", "Edited."), house.skill("b", place="a"))
    house.two.hold(house.skill("c"))
    house.refresh.look({"one": ["a/SKILL.md"], "two": None})
    assert house.listed == {"a": "one", "c": "two"}
    assert house.unreachable == [("one", SourceState.STALE)]
    [said] = house.refresh.diagnostics
    assert (said.code, said.source) == (DiagnosticCode.SOURCE_MALFORMED, "one")
    assert said.message == "the look at it came to nothing: it found two skills at one place"
    house.one.hold(house.skill("a", "Edited."))
    assert house.refresh.look({"one": ["a/SKILL.md"]}) is not None
    assert house.one.looks[-1] is None
    assert (house.unreachable, house.refresh.diagnostics) == ([], ())

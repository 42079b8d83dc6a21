"""When it is looked: at the start, when something is told, every so often, and soon again after what failed."""

import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import pytest
from typing_extensions import override

from skillsvc.catalog.current import Current, SourceState
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.refresh_loop import RefreshLoop
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.skill import Found
from skillsvc.sources.source import LookAbandoned, Observation, Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.clock import Clock
from tests.simulators.memory_log import MemoryLayerLog
from tests.simulators.scripted_source import ScriptedSource
from tests.simulators.skills import skill_row

WITHIN_S = 20.0
NEVER_S = 3_600.0
Kept = TypeVar("Kept")


class Watched(ScriptedSource):
    """A source that tells when it is looked at, and lets a look take as long as a test likes.

    `after` is called with the number of a look when that is over.
    """

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.looked = threading.Condition()
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Event()
        self.after: Callable[[int], object] = lambda _number: None

    @override
    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        self.begun.set()
        assert self.gate.wait(WITHIN_S)
        try:
            return super().observe(changed, held=held)
        finally:
            with self.looked:
                self.looked.notify_all()
            self.after(len(self.looks))

    def wait_for_looks(self, number: int) -> None:
        with self.looked:
            assert self.looked.wait_for(lambda: len(self.looks) >= number, WITHIN_S)


class House:
    def __init__(self) -> None:
        self.blobs = MemoryBlobStore()
        self.source = Watched("dir-1")
        self.current = Current(MemoryLayerLog(os.urandom), Limits())
        clock = Clock()
        self.current.open_layer(DEPLOYMENT, clock())
        self.stopping = threading.Event()
        self.refresh = Refresh(
            self.current,
            DEPLOYMENT,
            [self.source],
            blobs=self.blobs,
            limits=Limits(),
            now=clock,
            stopped=self.stopping.is_set,
        )
        self.published = threading.Condition()
        self.current.subscribe(self._tell)

    def _tell(self) -> None:
        with self.published:
            self.published.notify_all()

    @property
    def names(self) -> tuple[str, ...]:
        return self.current.layers[DEPLOYMENT].present.names

    def wait_for_names(self, *names: str) -> None:
        with self.published:
            assert self.published.wait_for(lambda: self.names == names, WITHIN_S)

    def hold(self, *names: str) -> None:
        self.source.hold(*(skill_row(self.blobs, name) for name in names))

    def loop(self, every_s: float = NEVER_S, clock: Callable[[], float] = time.monotonic) -> RefreshLoop:
        sweep = BlobSweep(self.current, [self.refresh], blobs=self.blobs, stopped=self.stopping.is_set)
        return RefreshLoop(self.refresh, sweep, every_s=every_s, stopping=self.stopping, clock=clock)

    @contextmanager
    def looking(self, every_s: float = NEVER_S) -> Iterator[RefreshLoop]:
        loop = self.loop(every_s)
        thread = threading.Thread(target=loop.run)
        thread.start()
        try:
            yield loop
        finally:
            loop.stop()
            self.source.gate.set()
            thread.join(WITHIN_S)
        assert not thread.is_alive()


@pytest.fixture
def house() -> House:
    return House()


def test_the_first_look_is_whole_and_is_told(house: House) -> None:
    house.hold("a")
    with house.looking() as loop:
        assert loop.first_look.wait(WITHIN_S)
        assert house.names == ("a",)
    assert house.source.looks == [None]


def test_what_is_told_is_looked_at(house: House) -> None:
    with house.looking() as loop:
        loop.first_look.wait(WITHIN_S)
        house.hold("a")
        loop.tell("dir-1", ["a/SKILL.md"])
        house.wait_for_names("a")
    assert house.source.looks[1:] == [{"a/SKILL.md"}]


def test_what_is_told_during_a_look_is_one_look_afterwards(house: House) -> None:
    house.source.gate.clear()
    with house.looking() as loop:
        assert house.source.begun.wait(WITHIN_S)
        for path in ("a/SKILL.md", "b/SKILL.md", "a/SKILL.md"):
            loop.tell("dir-1", [path])
        house.source.gate.set()
        house.source.wait_for_looks(2)
    assert house.source.looks == [None, {"a/SKILL.md", "b/SKILL.md"}]


@pytest.mark.parametrize("order", [([], ["a"]), (["a"], []), (["a"], [], ["b"])])
def test_anything_may_have_changed_once_it_was_told_so(house: House, order: tuple[list[str], ...]) -> None:
    house.source.gate.clear()
    with house.looking() as loop:
        assert house.source.begun.wait(WITHIN_S)
        for paths in order:
            loop.tell("dir-1", paths)
        house.source.gate.set()
        house.source.wait_for_looks(2)
    assert house.source.looks == [None, None]


def test_every_so_often_it_is_looked_wholly_whatever_is_told(house: House) -> None:
    with house.looking(every_s=0.001):
        house.source.wait_for_looks(5)
        house.hold("a")
        house.wait_for_names("a")
    assert set(house.source.looks) == {None}


def test_what_nothing_names_is_swept_in_time(house: House) -> None:
    stray = house.blobs.put(b"stray")
    with house.looking(every_s=0.001):
        house.source.wait_for_looks(40)
    assert not house.blobs.has(stray)


class Steps:
    """A loop on the test's own thread, for which time passes when a look or its waiting makes it pass."""

    def __init__(self, house: House, every_s: float) -> None:
        self.now = 0.0
        self.house = house
        self.loop = house.loop(every_s, clock=lambda: self.now)
        self.loop._woken = Passing(self)

    def run(self, step: Callable[[int], object]) -> None:
        """Run the loop; `step` is called with the number of each look when that is over, and ends the last one."""
        self.house.source.after = step
        self.loop.run()


class Passing(threading.Condition):
    """Waits by letting the seconds pass."""

    def __init__(self, steps: Steps) -> None:
        super().__init__()
        self._steps = steps

    @override
    def wait_for(self, predicate: Callable[[], Kept], timeout: float | None = None) -> Kept:
        assert timeout is not None
        if not predicate():
            self._steps.now += timeout
        return predicate()


def test_what_is_told_all_the_time_keeps_no_whole_look_and_no_sweep_waiting(house: House) -> None:
    steps = Steps(house, every_s=10.0)
    stray = house.blobs.put(b"stray")
    whole_at: list[float] = []
    gone_at: list[float] = []

    def step(number: int) -> None:
        if house.source.looks[-1] is None:
            whole_at.append(steps.now)
        if not gone_at and not house.blobs.has(stray):
            gone_at.append(steps.now)
        steps.now += 3.0
        steps.loop.tell("dir-1", ["a/SKILL.md"])
        if number == 200:
            steps.loop.stop()

    steps.run(step)
    # Ten seconds after the end of the one before, as soon as the look under way is over.
    assert whole_at == [0.0, *range(15, 600, 15)]
    # Thirty times ten seconds after the first sweep is the second, which removes.
    assert gone_at == [303.0]


def test_what_failed_is_looked_at_again_soon_and_then_less_and_less_often(house: House) -> None:
    steps = Steps(house, every_s=10.0)
    house.source.outcome = Outcome.PARTIAL
    looked_at: list[float] = []

    def step(number: int) -> None:
        looked_at.append(steps.now)
        if number == 7:
            house.source.outcome = Outcome.WHOLE
        if number == 9:
            house.source.outcome = Outcome.FAILED
        if number == 12:
            steps.loop.stop()

    steps.run(step)
    assert house.source.looks == [None] * 12
    # The eighth look is complete, and so is the ninth; what fails then is looked at soon again.
    assert looked_at == [0, 1, 3, 7, 15, 25, 35, 45, 55, 65, 66, 68]


def test_a_change_that_a_passing_fault_hid_is_not_forgotten_while_another_keeps_coming(house: House) -> None:
    steps = Steps(house, every_s=1_000.0)
    house.hold("a")

    def step(number: int) -> None:
        if number == 1:
            house.source.error = RuntimeError("a passing fault")
        if number == 2:
            house.source.error = None
            house.hold("a", "hidden")
        steps.now += 0.25
        steps.loop.tell("dir-1", ["a/SKILL.md"])
        if number == 12:
            steps.loop.stop()

    steps.run(step)
    # The look after the one that failed is whole for this source, and one second after the failure comes one at all.
    some = {"a/SKILL.md"}
    assert house.source.looks == [None, some, None, some, some, some, None, some, some, some, some, some]
    assert house.names == ("a", "hidden")


@pytest.mark.parametrize("error", [Unavailable(ErrorReason.STORE_UNREACHABLE, "it is away"), RuntimeError("a bug")])
def test_a_look_that_fails_is_logged_once_and_what_is_served_stays(
    house: House, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    house.hold("a")
    with house.looking() as loop:
        assert loop.first_look.wait(WITHIN_S)
        house.source.error = error
        for number in (2, 3):
            loop.tell("dir-1", [])
            house.source.wait_for_looks(number)
        assert house.names == ("a",)
        house.source.error = None
        house.hold("b")
        loop.tell("dir-1", [])
        house.wait_for_names("b")
    [record] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info is not None
    assert record.exc_info[1] is error
    [told] = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "the look at it failed" in told


def test_a_first_look_that_fails_does_not_hold_up_the_start(house: House) -> None:
    house.source.error = RuntimeError("a bug")
    with house.looking() as loop:
        assert loop.first_look.wait(WITHIN_S)
        assert [each.state for each in house.current.layers[DEPLOYMENT].unreachable] == [SourceState.MISSING]
    assert house.names == ()


def test_what_is_stopped_before_it_runs_looks_at_nothing(house: House) -> None:
    loop = house.loop()
    loop.stop()
    loop.run()
    assert house.source.looks == []
    assert loop.first_look.is_set()


def test_a_look_that_is_abandoned_publishes_nothing_and_ends_it(house: House) -> None:
    house.hold("a")
    before = house.current.layers[DEPLOYMENT].unreachable
    house.source.gate.clear()
    loop = house.loop()
    thread = threading.Thread(target=loop.run)
    thread.start()
    assert house.source.begun.wait(WITHIN_S)
    house.source.error = LookAbandoned()
    loop.stop()
    house.source.gate.set()
    thread.join(WITHIN_S)
    assert not thread.is_alive()
    assert house.names == ()
    assert house.current.layers[DEPLOYMENT].unreachable == before


def test_a_publish_is_logged_with_its_numbers(house: House, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    house.hold("a", "b")
    with house.looking() as loop:
        assert loop.first_look.wait(WITHIN_S)
    (record,) = [record for record in caplog.records if record.getMessage() == "published"]
    present = house.current.layers[DEPLOYMENT].present
    told = (record.__dict__["sequence"], record.__dict__["layer_digest"], record.__dict__["skills"])
    assert told == (2, present.digest, 2)


def refused(*skills: str) -> tuple[Diagnostic, ...]:
    return tuple(
        Diagnostic(
            severity=Severity.ERROR,
            code=DiagnosticCode.DESCRIPTION_MISSING,
            message=f"{skill} has no description",
            skill=skill,
            source="dir-1",
        )
        for skill in skills
    )


def test_what_is_refused_is_logged_when_it_is_news(house: House, caplog: pytest.LogCaptureFixture) -> None:
    looks = [refused("a"), refused("a", "b"), refused("b"), refused("a", "b")]
    house.source.diagnostics = looks[0]
    with house.looking() as loop:
        assert loop.first_look.wait(WITHIN_S)
        for number, diagnostics in enumerate(looks[1:], start=2):
            house.source.diagnostics = diagnostics
            loop.tell("dir-1", [])
            house.source.wait_for_looks(number)
    told = [(record.getMessage(), record.__dict__["code"]) for record in caplog.records]
    assert told == [(f"{skill} has no description", "description-missing") for skill in ("a", "b", "a")]


def test_of_very_many_refusals_the_first_are_logged_and_the_rest_counted(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.source.diagnostics = refused(*(f"s{number}" for number in range(130)))
    with house.looking() as loop:
        assert loop.first_look.wait(WITHIN_S)
    told = [record.getMessage() for record in caplog.records]
    assert told[:100] == [f"s{number} has no description" for number in range(100)]
    assert len(told) == 101
    assert "30 more" in told[100]

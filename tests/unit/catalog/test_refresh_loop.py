"""When it is looked: at the start, when something is told, every so often; and nothing ends it but `stop`."""

import logging
import os
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import pytest
from typing_extensions import override

from skillsvc.catalog.current import Current
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.refresh_loop import RefreshLoop
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.sources.source import Observation
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.clock import Clock
from tests.simulators.memory_log import MemoryLayerLog
from tests.simulators.scripted_source import ScriptedSource
from tests.simulators.skills import skill_row

WITHIN_S = 20.0
NEVER_S = 3_600.0


class Watched(ScriptedSource):
    """A source that tells when it is looked at, and lets a look take as long as a test likes."""

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.looked = threading.Condition()
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Event()

    @override
    def observe(self, changed: Collection[str] | None = None) -> Observation:
        self.begun.set()
        assert self.gate.wait(WITHIN_S)
        try:
            return super().observe(changed)
        finally:
            with self.looked:
                self.looked.notify_all()

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
        self.refresh = Refresh(self.current, DEPLOYMENT, [self.source], blobs=self.blobs, limits=Limits(), now=clock)
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

    @contextmanager
    def looking(self, every_s: float = NEVER_S) -> Iterator[RefreshLoop]:
        loop = RefreshLoop(self.refresh, every_s=every_s)
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


def test_what_nothing_names_is_collected_in_time(house: House) -> None:
    stray = house.blobs.put(b"stray")
    with house.looking(every_s=0.001):
        house.source.wait_for_looks(40)
    assert not house.blobs.has(stray)


@pytest.mark.parametrize(
    ("error", "told", "level"),
    [
        (Unavailable(ErrorReason.STORE_UNREACHABLE, "the store is away"), "the store is away", logging.ERROR),
        (RuntimeError("a bug"), "what is served stays", logging.ERROR),
    ],
)
def test_a_look_that_fails_is_logged_and_what_is_served_stays(
    house: House, caplog: pytest.LogCaptureFixture, error: Exception, told: str, level: int
) -> None:
    house.hold("a")
    with house.looking() as loop:
        assert loop.first_look.wait(WITHIN_S)
        house.source.error = error
        loop.tell("dir-1", [])
        house.source.wait_for_looks(2)
        house.source.error = None
        house.hold("b")
        loop.tell("dir-1", [])
        house.wait_for_names("b")
    (record,) = [record for record in caplog.records if told in record.getMessage()]
    assert record.levelno == level
    assert (record.exc_info is not None) == isinstance(error, RuntimeError)


def test_a_first_look_that_fails_does_not_hold_up_the_start(house: House) -> None:
    house.source.error = RuntimeError("a bug")
    with house.looking() as loop:
        assert loop.first_look.wait(WITHIN_S)
    assert house.names == ()


def test_it_can_be_stopped_before_it_runs(house: House) -> None:
    loop = RefreshLoop(house.refresh, every_s=NEVER_S)
    loop.stop()
    loop.run()
    assert house.source.looks == [None]


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

"""What is kept over restarts of how sources stand: when it is written, and that what is damaged is as good as lost."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from skillsvc.catalog.kept_standing import KeptStanding, LastKnown
from skillsvc.catalog.reports import Placed, SourceReport
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.sources.source import Outcome
from tests.simulators.clock import START
from tests.simulators.scripted_source import ScriptedSource
from tests.unit.catalog.house import House

SEEN = LastKnown(behind_since=None, seen_at=START, revision="c0ffee")
BEHIND = LastKnown(behind_since=START, seen_at=None, revision="")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sources" / "standing"


def seen_after(seconds: float) -> LastKnown:
    return LastKnown(behind_since=None, seen_at=START + timedelta(seconds=seconds), revision="c0ffee")


def test_what_was_noted_is_read_after_a_restart(path: Path) -> None:
    assert KeptStanding(path).read() == {}
    KeptStanding(path).note({"a": SEEN, "b": BEHIND}, START)
    assert KeptStanding(path).read() == {"a": SEEN, "b": BEHIND}


def test_that_a_source_was_seen_again_is_written_once_a_minute_and_at_the_end(path: Path) -> None:
    kept = KeptStanding(path)
    for seconds, written in ((0, 0), (5, 0), (59, 0), (60, 60), (70, 60)):
        kept.note({"a": seen_after(seconds)}, START + timedelta(seconds=seconds))
        assert KeptStanding(path).read() == {"a": seen_after(written)}
    kept.close()
    assert KeptStanding(path).read() == {"a": seen_after(70)}


@pytest.mark.parametrize(
    "changed",
    [
        {"a": BEHIND},
        {"a": LastKnown(behind_since=None, seen_at=START, revision="decaf")},
        {"a": SEEN, "b": BEHIND},
        {},
    ],
)
def test_what_is_of_another_kind_is_written_at_once(path: Path, changed: dict[str, LastKnown]) -> None:
    kept = KeptStanding(path)
    kept.note({"a": SEEN}, START)
    kept.note(changed, START + timedelta(seconds=1))
    assert KeptStanding(path).read() == changed


def test_a_clock_that_was_put_back_stops_no_writing(path: Path) -> None:
    kept = KeptStanding(path)
    kept.note({"a": seen_after(3600)}, START + timedelta(hours=1))
    kept.note({"a": SEEN}, START)
    assert KeptStanding(path).read() == {"a": SEEN}


def test_where_nothing_is_new_nothing_is_written(path: Path) -> None:
    kept = KeptStanding(path)
    kept.note({"a": SEEN}, START)
    path.unlink()
    kept.note({"a": SEEN}, START + timedelta(hours=1))
    kept.close()
    assert not path.exists()


def test_what_is_damaged_is_as_good_as_lost(path: Path) -> None:
    KeptStanding(path).note({"a": SEEN}, START)
    path.write_bytes(path.read_bytes()[:-1])
    assert KeptStanding(path).read() == {}


def test_since_when_a_source_is_behind_what_was_seen_of_it_and_when_outlive_a_restart(path: Path) -> None:
    house = House()

    def reported(source: str) -> SourceReport:
        report = house.refresh.report(source, Placed(kind="git", looking=False, next_look_at=None))
        assert report is not None
        return report

    def since(source: str) -> datetime:
        return next(each.since for each in house.current.layers[DEPLOYMENT].unreachable if each.source == source)

    house.start(KeptStanding(path))
    house.one.hold(house.skill("a"))
    house.one.revision = "c0ffee"
    house.two.hold(house.skill("b"))
    house.refresh.look()
    seen_at = house.clock()
    house.one.outcome = Outcome.FAILED
    house.clock.advance(10)
    house.refresh.look()
    failed_at = house.clock()
    for _ in range(2):
        house.clock.advance(3600)
        house.start(KeptStanding(path))
        began_at = house.clock()
        for looked in (False, True):
            if looked:
                house.refresh.look()
            assert since("one") == failed_at
            assert (reported("one").revision, reported("one").last_success_at) == ("c0ffee", seen_at)
        assert reported("two").last_success_at == began_at
    # Another source of the label is another place.
    house.refresh.replace([ScriptedSource("one"), house.two])
    assert (reported("one").revision, reported("one").last_success_at) == ("", None)

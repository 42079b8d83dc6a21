"""What is kept over restarts of how sources stand: when it is written, and that what is damaged is as good as lost."""

from datetime import timedelta
from pathlib import Path

import pytest

from skillsvc.catalog.kept_standing import KeptStanding, LastKnown
from tests.simulators.clock import START

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

"""SIGHUP: none is lost, and none ends the process."""

import os
import signal
from collections.abc import Iterator

import pytest

from skillsvc.cli.hang_ups import HangUps


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


def hang_up() -> None:
    os.kill(os.getpid(), signal.SIGHUP)


def test_one_that_comes_before_anybody_is_told_is_remembered() -> None:
    hang_ups = HangUps()
    told: list[int] = []
    hang_up()
    hang_up()
    hang_ups.tell(lambda: told.append(1))
    assert told == [1]
    hang_up()
    assert told == [1, 1]


def test_nobody_is_told_of_none() -> None:
    hang_ups = HangUps()
    told: list[int] = []
    hang_ups.tell(lambda: told.append(1))
    assert told == []


def test_what_is_ignored_ends_nothing() -> None:
    hang_ups = HangUps()
    told: list[int] = []
    hang_ups.tell(lambda: told.append(1))
    hang_ups.ignore()
    hang_up()
    assert told == []

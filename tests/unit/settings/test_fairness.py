"""The table [fairness]."""

import pytest

from skillsvc.domain.shares import Shares
from skillsvc.settings.fairness import FairnessTable
from skillsvc.settings.settings import make_settings
from tests.unit.settings.faults import faults_of


def test_nothing_said_are_the_default_shares() -> None:
    assert make_settings({}).fairness.shares() == Shares()


def test_every_share_is_a_key_and_no_other_is() -> None:
    assert set(FairnessTable.model_fields) == set(Shares.__dataclass_fields__)


def test_what_is_said_is_in_force() -> None:
    shares = make_settings({"fairness": {"reads_a_second": 0.5, "watches": 3}}).fairness.shares()
    assert (shares.reads_a_second, shares.watches, shares.reads_burst) == (0.5, 3, Shares().reads_burst)


@pytest.mark.parametrize("key", list(FairnessTable.model_fields))
def test_a_share_of_nothing_is_a_mistake(key: str) -> None:
    assert faults_of({"fairness": {key: 0}}) == [f"[fairness] {key} must be more than 0"]


def test_a_key_that_is_not_known_is_told() -> None:
    assert faults_of({"fairness": {"watchs": 1}}) == ["[fairness] watchs is not known; is watches meant?"]

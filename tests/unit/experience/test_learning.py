"""What becomes of a prior when an outcome is told. Numbers follow from the rule of succession."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.domain.prior import Prior
from skillsvc.experience.learning import Outcome, Rate, learned, pattern_of, rate_of

RATES = st.floats(0, 1)


def outcome(rate: float) -> Outcome:
    return Outcome(skill="a", task_pattern="review it", success_rate=rate)


def after(*rates: float) -> Prior:
    """Return the prior after such outcomes, the last one last."""
    prior = None
    for rate in rates:
        prior = learned(prior, outcome(rate))
    assert prior is not None
    return prior


class TestPattern:
    @pytest.mark.parametrize(
        ("task", "pattern"),
        [
            ("review rust", "review rust"),
            ("  kept as it is ", "  kept as it is "),
            ("x" * 256, "x" * 256),
            ("x" * 1_000, "x" * 256),
            ("世" * 1_000, "世" * 256),
            ("😀" * 257, "😀" * 256),
            ("two\nlines\tand\x00more", "two lines and more"),
            ("", ""),
            (" \n\t", ""),
            (" " * 256 + "word", ""),
        ],
    )
    def test_it_is_the_beginning_of_a_task_on_one_line(self, task: str, pattern: str) -> None:
        assert pattern_of(task) == pattern


class TestLearning:
    def test_the_first_outcome_is_all_that_is_known(self) -> None:
        assert after(0.25) == Prior(skill="a", task_pattern="review it", success_rate=0.25, mean=0.25, outcomes=1)

    def test_the_last_outcome_and_the_mean_of_all_are_held(self) -> None:
        prior = after(1, 0, 1, 0)
        assert (prior.success_rate, prior.mean, prior.outcomes) == (0, 0.5, 4)

    def test_an_outcome_counts_for_no_less_than_a_hundredth(self) -> None:
        many = after(*[1.0] * 10_000)
        assert learned(many, outcome(0)).mean == pytest.approx(0.99)

    @given(st.lists(RATES, min_size=1, max_size=300))
    def test_rates_stay_between_failure_and_success(self, rates: list[float]) -> None:
        prior = after(*rates)
        assert 0 <= prior.mean <= 1
        assert 0 < rate_of(prior, Rate.SMOOTHED) < 1
        assert rate_of(prior, Rate.LAST) == rates[-1]

    @given(st.lists(RATES, min_size=1, max_size=100))
    def test_up_to_a_hundred_outcomes_all_count_as_much(self, rates: list[float]) -> None:
        expected = (sum(rates) + 1) / (len(rates) + 2)
        assert rate_of(after(*rates), Rate.SMOOTHED) == pytest.approx(expected)


class TestRate:
    @pytest.mark.parametrize(
        ("rates", "smoothed", "last"),
        [
            ([1], 2 / 3, 1),
            ([0], 1 / 3, 0),
            ([1, 1, 1], 4 / 5, 1),
            ([1, 0], 1 / 2, 0),
            ([0.5], 1 / 2, 0.5),
            ([1] * 100, 101 / 102, 1),
        ],
    )
    def test_few_outcomes_say_little_unless_the_last_one_is_all_that_counts(
        self, rates: list[float], smoothed: float, last: float
    ) -> None:
        assert rate_of(after(*rates), Rate.SMOOTHED) == pytest.approx(smoothed)
        assert rate_of(after(*rates), Rate.LAST) == last

    def test_one_failure_does_not_erase_a_hundred_successes(self) -> None:
        prior = after(*[1] * 100, 0)
        assert rate_of(prior, Rate.SMOOTHED) == pytest.approx((99 + 1) / 102)
        assert rate_of(prior, Rate.LAST) == 0

    def test_a_hundred_failures_outweigh_ten_thousand_successes(self) -> None:
        prior = reduce(learned, [outcome(0)] * 100, after(*[1] * 10_000))
        assert rate_of(prior, Rate.SMOOTHED) < 0.5

"""Which priors are about a task. Scores are those of ARES's rule, counted by hand."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.domain.prior import Prior
from skillsvc.experience.learning import Rate
from skillsvc.experience.matching import KnownPrior, best_match, known, score, weights_at, weights_of_all


def prior(skill: str, pattern: str, *, last: float = 1, mean: float = 1, outcomes: int = 1) -> KnownPrior:
    return known(Prior(skill=skill, task_pattern=pattern, success_rate=last, mean=mean, outcomes=outcomes))


def anything(_name: str) -> bool:
    return True


def best(priors: Sequence[KnownPrior], task: str) -> str:
    found = best_match(priors, task, anything)
    return found.skill if found else ""


class TestScore:
    @pytest.mark.parametrize(
        ("task", "pattern", "fits"),
        [
            # Fewer than four tokens: one text holds the other.
            ("review rust code", "please review rust code now", 1),
            ("review rust code", "rust", 1),
            ("rust", "RUST unsafe", 1),
            ("  RUST\n", "rust", 1),
            ("review rust code", "code rust review", 0),
            ("rus", "crust", 1),
            ("c++", "write c++ headers", 1),
            # No tokens at all.
            ("東京の地図", "地図", 1),
            ("東京", "大阪", 0),
            ("+++", "a +++ b", 1),
            # Four or more: the share of the task's tokens that the pattern has.
            ("review the rust code", "review rust", 0.5),
            ("review the rust code", "review", 0.25),
            ("review the rust code", "the code of rust, for review", 1),
            ("review review rust code", "review", 0.5),
            ("a b c d", "b c", 0.5),
            ("a_b c-d e f", "a_b c-d", 0.5),
            ("a_b c-d e f", "a b c d", 0),
            ("one two three four five", "one two", 0.4),
            # The pattern's tokens never decide how it is compared.
            ("a b c", "a b c d e f g", 1),
            ("a b c d", "a", 0.25),
            # Nothing is about what is blank.
            ("", "anything", 0),
            (" \n", "anything", 0),
        ],
    )
    def test_it_is_containment_for_few_tokens_and_a_share_for_more(self, task: str, pattern: str, fits: float) -> None:
        assert score(task, pattern) == fits

    def test_a_pattern_that_was_cut_is_found_by_its_whole_beginning(self) -> None:
        assert score("x" * 300, "x" * 256) == 1
        assert score("世" * 10, "世" * 256) == 1

    @given(st.text(), st.text(min_size=1))
    def test_it_is_from_0_to_1_whatever_is_asked(self, task: str, pattern: str) -> None:
        assert 0 <= score(task, pattern) <= 1


class TestBestMatch:
    def test_a_half_is_enough_and_less_is_not(self) -> None:
        assert best([prior("a", "review rust")], "review the rust code") == "a"
        assert best([prior("a", "review")], "review the rust code") == ""

    def test_the_greatest_score_wins_whatever_its_rate(self) -> None:
        priors = [prior("half", "review rust", last=1, mean=1), prior("whole", "review the rust code", last=0, mean=0)]
        assert best(priors, "review the rust code") == "whole"

    def test_of_equal_scores_the_oldest_wins_whatever_its_rate(self) -> None:
        assert best([prior("z", "rust", last=0, mean=0), prior("a", "rust", last=1)], "rust") == "z"

    def test_nothing_is_about_what_is_blank(self) -> None:
        assert best([prior("a", "rust")], " ") == ""

    def test_what_may_not_be_told_of_leaves_the_next_best(self) -> None:
        priors = [prior("hidden", "rust"), prior("seen", "rust")]
        found = best_match(priors, "rust", lambda name: name != "hidden")
        assert found is not None
        assert found.skill == "seen"


class TestWeights:
    def test_success_is_above_0_and_failure_below_as_much_as_the_task_fits(self) -> None:
        priors = [
            prior("good", "review the rust code", mean=1, last=1),
            prior("bad", "review rust", mean=0, last=0),
            prior("other", "deploy", mean=1, last=1),
        ]
        assert weights_at(priors, "review the rust code", Rate.LAST) == {"good": 1, "bad": -0.5}
        smoothed = weights_at(priors, "review the rust code", Rate.SMOOTHED)
        assert smoothed == {"good": pytest.approx(1 / 3), "bad": pytest.approx(-1 / 6)}

    def test_of_one_skill_the_prior_counts_that_fits_best_and_of_equal_ones_the_oldest(self) -> None:
        priors = [prior("a", "rust x", last=0.25), prior("a", "rust", last=1), prior("a", "review rust", last=0)]
        assert weights_at(priors, "rust", Rate.LAST) == {"a": -0.5}
        longer = [prior("a", "review rust", last=0), prior("a", "review the rust code", last=1)]
        assert weights_at(longer, "review the rust code", Rate.LAST) == {"a": 1}

    def test_a_blank_task_weighs_nothing(self) -> None:
        assert weights_at([prior("a", "rust")], "", Rate.LAST) == {}

    def test_whatever_the_task_all_outcomes_of_a_skill_count(self) -> None:
        priors = [prior("a", "rust", mean=1, outcomes=3), prior("a", "web", mean=0, last=0), prior("b", "web")]
        assert weights_of_all(priors, Rate.SMOOTHED) == {
            "a": pytest.approx(2 * (4 / 6) - 1),
            "b": pytest.approx(2 * (2 / 3) - 1),
        }
        assert weights_of_all(priors, Rate.LAST) == {"a": 0, "b": 1}

"""Which terms a word may have been meant for."""

import pytest

from skillsvc.catalog.spelling import meant, parted

HELD = {
    "kubernet": 5,
    "python": 9,
    "review": 4,
    "react": 3,
    "reach": 7,
    "beach": 3,
    "pull": 6,
    "request": 6,
    "dock": 2,
    "er": 2,
    "internationalisationalis": 1,
    "configuration": 1,
}


def count(term: str) -> int:
    return HELD.get(term, 0)


def beginning_with(text: str) -> list[str]:
    return sorted(term for term in HELD if term.startswith(text))


@pytest.mark.parametrize(
    ("spelt", "expected"),
    [
        ("pyhton", (("python",), 1)),
        ("pythn", (("python",), 1)),
        ("pythoon", (("python",), 1)),
        ("oython", (("python",), 1)),
        ("reviwing", (("review",), 1)),
        ("kuberntes", (("kubernet",), 1)),
        ("configuratoin", (("configuration",), 1)),
        ("confgurtion", (("configuration",), 2)),
        ("confgurtoin", ((), 0)),
        ("reacj", (("reach", "react"), 1)),
        ("teach", (("reach", "beach"), 1)),
        ("pyt", ((), 0)),
        ("internationalisationalism", ((), 0)),
        ("quantum", ((), 0)),
        ("", ((), 0)),
    ],
)
def test_a_word_is_meant_for_the_nearest_terms(spelt: str, expected: tuple[tuple[str, ...], int]) -> None:
    terms, away = meant(spelt, count, beginning_with)
    assert (terms, away) == expected


@pytest.mark.parametrize(
    ("spelt", "expected"),
    [("pullrequest", ("pull", "request")), ("requestpull", ("request", "pull")), ("docker", ()), ("quantum", ())],
)
def test_a_word_is_parted_into_two_that_are_known(spelt: str, expected: tuple[str, ...]) -> None:
    assert parted(spelt, count) == expected

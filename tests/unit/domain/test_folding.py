"""Folding: compatible characters and case do not tell two names apart, anything else does."""

import pytest

from skillsvc.domain.folding import folded


@pytest.mark.parametrize(
    ("one", "other"), [("foo", "FOO"), ("\uff46oo", "foo"), ("Straße", "STRASSE"), ("\ufb01t", "Fit"), ("e\u0301", "É")]
)
def test_spellings_of_one_name_are_equal(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize(("one", "other"), [("foo", "fo"), ("e", "é"), ("a-b", "a_b")])
def test_two_names_differ(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@pytest.mark.parametrize("text", ["İI", "\u017f\u0345", "\u1e9e", "\uff21\u0301", "\u03f4\u0345"])
def test_what_is_folded_stays_as_it_is_when_it_is_folded_again(text: str) -> None:
    assert folded(folded(text)) == folded(text)

"""Identities: compatible characters and case do not tell two names apart, anything else does."""

import pytest

from skillsvc.domain.identity import identity_of


@pytest.mark.parametrize(
    ("one", "other"), [("foo", "FOO"), ("\uff46oo", "foo"), ("Straße", "STRASSE"), ("\ufb01t", "Fit"), ("e\u0301", "É")]
)
def test_spellings_of_one_identity_are_equal(one: str, other: str) -> None:
    assert identity_of(one) == identity_of(other)


@pytest.mark.parametrize(("one", "other"), [("foo", "fo"), ("e", "é"), ("a-b", "a_b")])
def test_two_identities_differ(one: str, other: str) -> None:
    assert identity_of(one) != identity_of(other)


@pytest.mark.parametrize("text", ["İI", "\u017f\u0345", "\u1e9e", "\uff21\u0301", "\u03f4\u0345"])
def test_the_identity_of_an_identity_is_itself(text: str) -> None:
    assert identity_of(identity_of(text)) == identity_of(text)

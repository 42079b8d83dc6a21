"""Patterns: whole texts, and stars that say how far they reach."""

import pytest

from skillsvc.domain.patterns import LONGEST_TEXT, Pattern


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("", "", True),
        ("", "a", False),
        ("a", "a", True),
        ("a", "A", False),
        ("a", "aa", False),
        ("a", "a\n", False),
        ("a.c", "abc", False),
        ("[ab]", "a", False),
        ("?", "a", False),
        ("*", "", True),
        ("*", "a/b\nc", True),
        ("**", "a/b", True),
        ("***", "a/b", True),
        ("a*", "a", True),
        ("a*", "abc", True),
        ("a*", "a/c", False),
        ("a**", "a/c", True),
        ("a**c", "ac", True),
        ("a**c", "a/b/c", True),
        ("a**c", "a/b/cd", False),
        ("*a", "ba", True),
        ("*a", "ab", False),
        ("*a*", "xay", True),
        ("*a*b*", "xxbxa", False),
        ("*ab*ab*", "abab", True),
        ("*ab*ab*", "aba", False),
        ("a*/b", "axx/b", True),
        ("a*/b", "a/x/b", False),
        ("a**/b", "a/x/b", True),
        ("spiffe://example.org/ns/*/sa/x", "spiffe://example.org/ns/prod/sa/x", True),
        ("spiffe://example.org/ns/*/sa/x", "spiffe://example.org/ns/prod/sa/evil/sa/x", False),
        ("spiffe://example.org/*", "spiffe://example.org.evil/x", False),
        ("*@example.org", "eve@example.org.evil", False),
        ("*\n*", "a\nb", True),
        ("**a*b", "a/ab", True),
        ("**a*b", "a/b", False),
        ("*a**b*c", "xa/bb/bc", True),
        ("*a**b*c", "x/a/bc", False),
        ("*//*b", "///b", False),
        ("a*a", "a", False),
        ("a**a", "aa", True),
    ],
)
def test_the_whole_text_is_of_the_pattern(pattern: str, text: str, *, fits: bool) -> None:
    assert Pattern(pattern).fits(text) is fits


@pytest.mark.parametrize(
    "pattern", ["*a" * 1000 + "b", "**a" * 600 + "b*", "*a**a" * 400 + "b*", "*a*a**" * 300 + "*b"]
)
def test_a_text_made_to_take_long_does_not(pattern: str) -> None:
    # A search that goes back would try more ways than there is time.
    assert not Pattern(pattern).fits("a" * LONGEST_TEXT)


@pytest.mark.parametrize("pattern", ["a*", "*a", "a**a", "*a**"])
def test_a_text_that_is_too_long_fits_itself_alone(pattern: str) -> None:
    longest = "a" * LONGEST_TEXT
    assert Pattern(pattern).fits(longest)
    assert not Pattern(pattern).fits(longest + "a")
    assert Pattern(longest + "a").fits(longest + "a")
    assert Pattern("*").fits(longest + "a")


def test_patterns_of_one_text_are_equal() -> None:
    assert Pattern("a*") == Pattern("a*")
    assert len({Pattern("a*"), Pattern("a*"), Pattern("a**")}) == 2
    assert repr(Pattern("a*")) == "Pattern(text='a*')"

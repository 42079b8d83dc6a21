"""Finding rules: however many there are, a caller is judged by few, and none is overlooked."""

from collections.abc import Callable, Mapping

import pytest

from skillsvc.domain.patterns import Pattern
from skillsvc.domain.rule_index import MOST_ALIKE, MOST_HELD, RuleIndex

MANY = 10_000


def index_of(*rules: Mapping[str, tuple[str, ...]]) -> RuleIndex[str]:
    return RuleIndex.of([[(key, tuple(map(Pattern, texts))) for key, texts in rule.items()] for rule in rules])


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (lambda number: f"team-{number}", "team-77"),
        (lambda number: f"team-{number}/*", "team-77/a"),
        (lambda number: f"*@team-{number}.example.org", "a@team-77.example.org"),
        (lambda number: f"spiffe://example.org/ns/*/sa/{number}", "spiffe://example.org/ns/a/sa/77"),
        (lambda number: f"spiffe://example.org/{number}/*/sa/agent", "spiffe://example.org/77/a/sa/agent"),
    ],
)
def test_of_ten_thousand_rules_those_of_one_text_are_found(pattern: Callable[[int], str], text: str) -> None:
    index = index_of(*({"name": (pattern(number),)} for number in range(MANY)))
    assert index.places([("name", (text,))]) == [77]
    assert not index.crowded


def test_what_stands_between_stars_alone_finds_rules_too() -> None:
    index = index_of(*({"name": (f"*/team-{number}/*",)} for number in range(1000, 1000 + MOST_HELD)))
    assert index.places([("name", ("a/team-1077/b",))]) == [77]
    assert not index.crowded


def test_of_what_all_rules_hold_and_one_alone_the_latter_finds_it() -> None:
    index = index_of(*({"name": (f"*/{number}/*/agents/*",)} for number in range(100, 200)))
    assert index.places([("name", ("a/177/b/agents/c",))]) == [77]


def test_a_rule_is_found_by_what_fewest_share() -> None:
    index = index_of(*({"name": ("*",), "group": ("all",), "org": (f"org-{number}",)} for number in range(MANY)))
    assert index.places([("name", ("x",)), ("group", ("all",)), ("org", ("other", "org-77"))]) == [77]
    assert index.places([("name", ("x",)), ("group", ("all",))]) == []
    assert not index.crowded


def test_any_of_several_patterns_finds_a_rule() -> None:
    index = index_of({"name": ("a", "b*", "*c", "*d*")}, {"name": ("*",)})
    for text in ("a", "bx", "xc", "xdx"):
        assert index.places([("name", (text,))]) == [0, 1]


def test_a_text_without_a_value_finds_nothing() -> None:
    assert index_of({"name": ("*",)}, {"name": ("*a*",)}).places([("name", ())]) == []


@pytest.mark.parametrize(
    ("rules", "most"),
    [
        ([{"name": ("*",)}], MOST_ALIKE),
        ([{"name": ("same",)}], MOST_ALIKE),
        ([{"name": ("a*b",)}], MOST_ALIKE),
        ([{"name": ("*a*b*",)}, {"name": ("*b*a*",)}], MOST_ALIKE),
        ([{"name": (f"**{number}**",)} for number in range(10_000, 20_000)], MOST_HELD),
    ],
)
def test_rules_that_only_judging_tells_apart_are_too_many_beyond_a_bound(
    rules: list[dict[str, tuple[str, ...]]], most: int
) -> None:
    many = (rules * (most + 1))[: most + 1]
    assert index_of(*many[:most]).crowded == ()
    assert index_of(*many).crowded == (most,)

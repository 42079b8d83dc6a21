"""Postings, packed."""

import pytest

from skillsvc.catalog.postings import HEAVIEST, WEIGHT_BITS, Entries, Postings, merged, postings_of

HEAVY = 100
SKILLS = [(0, {"a": 1, "b": 250}), (2, {"b": 99, "\u6771\u4eac": 7}), (5, {"b": 100, "a": HEAVIEST})]


@pytest.fixture
def postings() -> Postings:
    return postings_of(SKILLS, heavy=HEAVY)


def said(entries: Entries) -> dict[int, int]:
    return {entry >> WEIGHT_BITS: entry & HEAVIEST for half in (entries.heavy, entries.light) for entry in half}


def all_said(postings: Postings) -> dict[str, dict[int, int]]:
    return {term.decode(): said(entries) for term, entries in postings.items()}


def test_what_was_said_of_skills_is_found_by_term(postings: Postings) -> None:
    assert said(postings.find("a")) == {0: 1, 5: HEAVIEST}
    assert said(postings.find("b")) == {0: 250, 2: 99, 5: 100}
    assert said(postings.find("\u6771\u4eac")) == {2: 7}
    assert [postings.count(term) for term in ("a", "b", "\u6771\u4eac")] == [2, 3, 1]
    assert len(postings) == 3


@pytest.mark.parametrize("term", ["", "0", "aa", "z", "\u6771", "\U0010ffff", "\ud800"])
def test_of_a_term_that_nobody_has_nothing_is_said(postings: Postings, term: str) -> None:
    assert (said(postings.find(term)), postings.count(term), postings.weight(term, 0)) == ({}, 0, 0)


def test_heavy_entries_come_first_and_the_heaviest_is_known(postings: Postings) -> None:
    found = postings.find("b")
    assert [entry >> WEIGHT_BITS for entry in found.heavy] == [0, 5]
    assert [entry >> WEIGHT_BITS for entry in found.light] == [2]
    assert (found.heaviest, found.heaviest_light, len(found)) == (250, 99, 3)


@pytest.mark.parametrize(
    ("term", "slot", "weight"), [("b", 0, 250), ("b", 2, 99), ("b", 5, 100), ("b", 1, 0), ("b", 6, 0), ("a", 2, 0)]
)
def test_a_weight_is_looked_up_in_one_skill(postings: Postings, term: str, slot: int, weight: int) -> None:
    assert postings.weight(term, slot) == weight


def test_terms_are_listed_from_a_prefix_on() -> None:
    words = ["car", "carbon", "cart", "cat", "\u00e9t\u00e9"]
    postings = postings_of([(0, dict.fromkeys(words, 1))], heavy=HEAVY)
    assert list(postings.terms()) == words
    assert list(postings.terms("car")) == ["car", "carbon", "cart"]
    assert list(postings.terms("d")) == []


def test_parts_merged_are_what_one_would_have_been(postings: Postings) -> None:
    parts = [postings_of(SKILLS[:1], heavy=HEAVY), postings_of(SKILLS[1:], heavy=HEAVY)]
    assert merged(parts) == postings
    assert merged([]) == postings_of([], heavy=HEAVY)


def test_a_merge_renumbers_skills_and_leaves_out_what_is_gone(postings: Postings) -> None:
    assert all_said(merged([postings], {0: 0, 5: 1})) == {"a": {0: 1, 1: HEAVIEST}, "b": {0: 250, 1: 100}}


def test_what_it_takes_grows_with_what_it_holds(postings: Postings) -> None:
    assert postings_of([], heavy=HEAVY).taken_bytes < postings.taken_bytes < 200

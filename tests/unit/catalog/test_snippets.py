"""Snippets of bodies."""

import pytest

from skillsvc.catalog.snippets import MOST_BYTES, snippet_of
from skillsvc.parsing.words import Words
from tests.simulators.searchable import Shelves

LONG = "Nothing of interest is said here. " * 100


def snippet(body: str, *terms: str, description: str = "What it does.", when_to_use: str = "") -> str:
    skill = Shelves().row("a", description, when_to_use=when_to_use).bundle.skill
    return snippet_of(skill, body, dict.fromkeys(terms, 1.0), Words())


def test_a_short_body_is_its_own_snippet() -> None:
    assert snippet("Opens the valve.", "valv") == "Opens the valve."


def test_a_snippet_is_where_most_terms_stand_together() -> None:
    body = f"# A valve\n{LONG}\n## Repair\n\nFirst close the valve, then the pump.\n{LONG}\nThe pump."
    assert snippet(body, "valv", "pump").startswith("First close the valve, then the pump. Nothing")


def test_a_term_that_is_worth_more_counts_for_more() -> None:
    body = f"tea and milk\n{LONG}\nsaffron\n{LONG}"
    terms = {"tea": 1.0, "milk": 1.0, "saffron": 5.0}
    assert snippet_of(Shelves().row("a").bundle.skill, body, terms, Words()).startswith("saffron")


def test_what_is_left_out_at_either_end_is_marked() -> None:
    words = " ".join(f"w{number}" for number in range(500))
    cut = snippet(words, "w250")
    assert cut.startswith("\u2026w")
    assert cut.endswith("\u2026")
    assert " w250 " in cut


def test_a_snippet_is_one_line_without_control_characters() -> None:
    assert snippet("The\tvalve\n\n- is\r\nopen\x1b[0m \u2028now", "valv") == "The valve - is open [0m now"


@pytest.mark.parametrize("letter", ["x", "\u00e9", "\u6771", "\U0001f600"])
@pytest.mark.parametrize("before", [0, 10, 1000])
def test_a_snippet_has_512_bytes_at_most_and_ends_with_a_whole_character(letter: str, before: int) -> None:
    made = snippet(f"{letter * before} valve {letter * 1000}", "valv")
    assert 0 < len(made.encode()) <= MOST_BYTES
    assert "valve" in made


def test_without_a_term_in_the_body_it_is_of_what_else_is_said() -> None:
    assert snippet("Nothing.", "rain", when_to_use="When it rains.") == "When it rains."
    assert snippet("Nothing.", "rain") == "What it does."
    assert snippet("", "rain") == "What it does."

"""What terms weigh in a skill, by field."""

from collections.abc import Mapping

import pytest

from skillsvc.catalog.postings import HEAVIEST
from skillsvc.catalog.weights import SCALE, WEIGHINGS, Field, matched_fields, weigh
from skillsvc.domain.skill import Skill
from skillsvc.parsing.words import Words
from tests.simulators.searchable import Said, Shelves

WORD = "harbor"
IN_EACH: Mapping[Field, tuple[str, Said]] = {
    Field.NAME: (WORD, {}),
    Field.DESCRIPTION: ("other", {"description": WORD}),
    Field.KEYWORDS: ("other", {"keywords": (WORD,)}),
    Field.CAPABILITIES: ("other", {"capabilities": (WORD,)}),
    Field.WHEN_TO_USE: ("other", {"when_to_use": WORD}),
    Field.BODY: ("other", {"body": WORD}),
}


def skill_of(field: Field) -> tuple[Skill, str]:
    shelves = Shelves()
    name, said = IN_EACH[field]
    row = shelves.row(name, **said)
    return row.bundle.skill, shelves.bodies[row.bundle.digest]


@pytest.mark.parametrize("field", list(Field))
def test_a_word_weighs_by_the_field_it_is_in(field: Field) -> None:
    weighing = WEIGHINGS[field]
    weight = weigh(*skill_of(field), Words())[WORD] / SCALE
    assert 0 < weight < weighing.weight
    assert weight == pytest.approx(weighing.of(1, 1), abs=1 / SCALE)


@pytest.mark.parametrize("field", list(Field))
def test_the_fields_that_have_a_term_are_named(field: Field) -> None:
    assert matched_fields(*skill_of(field), {WORD, "elsewhere"}, Words()) == (field,)
    assert matched_fields(*skill_of(field), {"elsewhere"}, Words()) == ()


def test_fields_are_named_in_one_order() -> None:
    row = Shelves().row("harbor-map", "Maps of a harbor.", keywords=("map",))
    assert matched_fields(row.bundle.skill, "a map", {"map"}, Words()) == (
        Field.NAME,
        Field.DESCRIPTION,
        Field.KEYWORDS,
        Field.BODY,
    )


def test_a_term_of_all_fields_said_for_ever_stays_below_the_heaviest_weight() -> None:
    assert SCALE * sum(weighing.weight for weighing in WEIGHINGS.values()) < HEAVIEST


def test_a_name_that_has_a_word_weighs_more_than_any_body_that_has_it() -> None:
    name, body = WEIGHINGS[Field.NAME], WEIGHINGS[Field.BODY]
    assert name.of(1, 64) >= body.weight > body.of(1_000_000, 1_000_000)


def test_more_of_a_word_weighs_more_and_more_of_others_less() -> None:
    def weight(body: str) -> int:
        return weigh(Shelves().row("a").bundle.skill, body, Words())[WORD]

    assert weight(WORD) < weight(f"{WORD} {WORD}")
    assert weight(WORD + " sea" * 10) > weight(WORD + " sea" * 1000) > 0


def test_a_display_name_counts_as_the_name() -> None:
    row = Shelves().row("map", display_name="Harbor Charts")
    assert matched_fields(row.bundle.skill, "", {"harbor"}, Words()) == (Field.NAME,)

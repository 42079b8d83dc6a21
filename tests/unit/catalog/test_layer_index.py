"""The index of a layer, and how it follows the layer's generations."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from skillsvc.catalog.layer_index import LayerIndex, followed
from skillsvc.catalog.weights import weigh
from skillsvc.domain.generation import Row
from skillsvc.domain.skill import Bundle
from tests.simulators.searchable import Shelves, layer_of


@pytest.fixture
def shelves() -> Shelves:
    return Shelves()


def counts(index: LayerIndex) -> dict[str, int]:
    """Return in how many skills each term is that is in any."""
    terms = {term for part in index.parts for term in part.terms()}
    return {term: count for term in terms if (count := index.count(term))}


def have(index: LayerIndex, row: Row, term: str) -> bool:
    return index.has(term, index.slots[row.bundle.digest])


def test_an_index_has_what_the_listed_skills_say(shelves: Shelves) -> None:
    tea, sea = shelves.row("tea", "Brews."), shelves.row("sea", "Swims.", "Salt and tea.")
    index = shelves.index(layer_of([tea, sea]))
    assert len(index) == 2
    assert counts(index) == {"tea": 2, "brew": 1, "sea": 1, "swim": 1, "salt": 1, "and": 1}
    assert have(index, sea, "salt")
    assert not have(index, tea, "salt")


def test_an_empty_layer_has_an_empty_index(shelves: Shelves) -> None:
    index = shelves.index(layer_of([]))
    assert (len(index), counts(index), index.taken_bytes) == (0, {}, 0)


def test_many_skills_are_one_part(shelves: Shelves) -> None:
    index = shelves.index(layer_of([shelves.row(f"skill-{number}") for number in range(5000)]))
    assert (len(index.parts), index.count("skill"), index.count("4999")) == (1, 5000, 1)


def test_it_is_known_which_generation_an_index_is_of(shelves: Shelves) -> None:
    generation = layer_of([shelves.row("tea")])
    assert shelves.index(generation).layer_digest == generation.digest


def test_following_reads_what_came_and_what_went_and_nothing_else(shelves: Shelves) -> None:
    rows = [shelves.row(name, f"About {name}.") for name in ("one", "two", "three")]
    index = shelves.index(layer_of(rows))
    shelves.read.clear()
    changed = shelves.row("two", "Other.")
    index = followed(index, layer_of([rows[0], changed, shelves.row("four")]), shelves.weights_of)
    assert sorted(shelves.read) == ["four", "three", "two", "two"]
    assert counts(index) == counts(shelves.index(layer_of([rows[0], changed, shelves.row("four")])))


def test_a_row_that_differs_in_nothing_of_its_own_is_not_read_again(shelves: Shelves) -> None:
    index = shelves.index(layer_of([shelves.row("one")]))
    shelves.read.clear()
    assert len(followed(index, layer_of([shelves.row("one", source="another")]), shelves.weights_of)) == 1
    assert shelves.read == []


def test_what_comes_back_is_found_again(shelves: Shelves) -> None:
    one, two = shelves.row("one", "First."), shelves.row("two", "Second.")
    index = shelves.index(layer_of([one, two]))
    index = followed(index, layer_of([two]), shelves.weights_of)
    assert index.count("first") == 0
    index = followed(index, layer_of([one, two]), shelves.weights_of)
    assert (index.count("first"), have(index, one, "first"), len(index)) == (1, True, 2)


def test_what_went_is_struck_out_even_where_its_text_is_no_longer_there(shelves: Shelves) -> None:
    one, two = shelves.row("one", "Same words."), shelves.row("two", "Same words.")
    index = shelves.index(layer_of([one, two]))

    def lost(bundle: Bundle) -> Mapping[str, int]:
        return {} if bundle.skill.name == "one" else shelves.weights_of(bundle)

    assert counts(followed(index, layer_of([two]), lost)) == counts(shelves.index(layer_of([two])))


def test_an_index_does_not_grow_by_what_went(shelves: Shelves) -> None:
    index = shelves.index(layer_of([]))
    for number in range(600):
        index = followed(index, layer_of([shelves.row("one", f"Version {number}.")]), shelves.weights_of)
    assert len(index.bundles) < 300
    assert counts(index) == {"one": 1, "version": 1, "599": 1}


def test_changes_one_by_one_leave_few_parts(shelves: Shelves) -> None:
    rows = [shelves.row(f"skill-{number}", f"Does {number}.") for number in range(200)]
    index = shelves.index(layer_of([]))
    for count in range(1, len(rows) + 1):
        index = followed(index, layer_of(rows[:count]), shelves.weights_of)
    assert len(index.parts) < 12
    assert counts(index) == counts(shelves.index(layer_of(rows)))


def test_who_may_not_begin_the_use_of_a_skill_is_known_by_slot(shelves: Shelves) -> None:
    rows = [shelves.row("a", model=False), shelves.row("b", user=False), shelves.row("c")]
    index = shelves.index(layer_of(rows))
    assert {index.bundles[slot].skill.name for slot in index.not_for_model} == {"a"}
    assert {index.bundles[slot].skill.name for slot in index.not_for_user} == {"b"}
    index = followed(index, layer_of(rows[1:]), shelves.weights_of)
    assert index.not_for_model == frozenset()


def test_what_was_unread_is_taken_in_anew_and_nothing_else_is_asked_for(shelves: Shelves) -> None:
    rows = [shelves.row("one", "First.", "Body of one."), shelves.row("two", "Second.", "Body of two.")]
    layer = layer_of(rows)

    def without_bodies(bundle: Bundle) -> Mapping[str, int]:
        return weigh(bundle.skill, "", shelves.words)

    unread = frozenset(row.bundle.digest for row in rows)
    index = replace(followed(shelves.index(layer_of([])), layer, without_bodies), unread=unread)
    taken = followed(index, layer, shelves.weights_of, said_of=without_bodies, anew={rows[0].bundle.digest})
    assert shelves.read == ["one"]
    assert taken.unread == {rows[1].bundle.digest}
    assert (taken.count("body"), have(taken, rows[0], "body"), have(taken, rows[1], "body")) == (1, True, False)
    whole = followed(taken, layer, shelves.weights_of, said_of=without_bodies, anew=taken.unread)
    assert (whole.unread, counts(whole)) == (frozenset(), counts(shelves.index(layer)))


def test_what_was_unread_stays_it_while_it_is_listed(shelves: Shelves) -> None:
    rows = [shelves.row(name) for name in ("one", "two", "three")]
    unread = frozenset(row.bundle.digest for row in rows[:2])
    index = replace(shelves.index(layer_of(rows)), unread=unread)
    assert followed(index, layer_of(rows[1:]), shelves.weights_of).unread == {rows[1].bundle.digest}

"""Search without an index: OpenAI4S's smoothed IDF, by its vectors."""

from typing import TypedDict, Unpack

import pytest

from skillsvc.catalog.listing import Invoker
from skillsvc.catalog.plain_search import PlainTerms, SaidByIndexes, plain_search, plain_terms, summary_terms
from skillsvc.catalog.search import rarity
from skillsvc.domain.generation import Row
from skillsvc.domain.view import View
from tests.simulators.searchable import Shelves, layer_of, view_of


@pytest.fixture
def shelves() -> Shelves:
    return Shelves()


class Narrowed(TypedDict, total=False):
    """What narrows a search."""

    allow: frozenset[str]
    invoker: Invoker


def find(shelves: Shelves, view: View, query: str, limit: int = 50, **narrowed: Unpack[Narrowed]) -> dict[str, float]:
    hits = plain_search(view, shelves.plain_terms_of, query, limit=limit, **narrowed)
    return {hit.row.name: hit.score for hit in hits}


def worked(shelves: Shelves) -> View:
    return view_of(
        [
            shelves.row("alpha", "t test statistics", "run the t test"),
            shelves.row("beta", "genomics", "the the test pipeline"),
            shelves.row("gamma", "plots", "the plot"),
        ]
    )


@pytest.mark.parametrize(
    ("skills", "having", "worth"),
    [(3, 1, 0.98083), (3, 2, 0.47000), (3, 3, 0.13353), (1, 1, 0.28768), (604, 479, 0.23248), (604, 1, 5.99976)],
)
def test_rarity_is_smoothed_as_the_vectors_say(skills: int, having: int, worth: float) -> None:
    assert rarity(skills, having) == pytest.approx(worth, abs=5e-6)


def test_the_worked_corpus_scores_as_the_vectors_say(shelves: Shelves) -> None:
    found = find(shelves, worked(shelves), "t-test the")
    assert list(found) == ["alpha", "beta", "gamma"]
    assert list(found.values()) == pytest.approx([1.3085, 0.6035, 0.1335], abs=5e-5)


def test_one_letter_is_looked_for_where_there_is_nothing_longer(shelves: Shelves) -> None:
    found = find(shelves, worked(shelves), "t")
    assert list(found) == ["alpha"]
    assert found["alpha"] == pytest.approx(2.4521, abs=5e-5)


def test_one_skill_is_found_by_its_own_word(shelves: Shelves) -> None:
    assert list(find(shelves, view_of([shelves.row("only", "own")]), "own")) == ["only"]


def test_unknown_words_find_nothing(shelves: Shelves) -> None:
    assert find(shelves, worked(shelves), "unknown words") == {}


def test_scripts_without_blanks_are_found(shelves: Shelves) -> None:
    view = view_of([shelves.row("map", "\u6771\u4eac\u90fd\u306e\u5730\u56f3"), shelves.row("other")])
    assert list(find(shelves, view, "\u6771\u4eac")) == ["map"]


def test_ties_narrowing_and_the_limit_are_as_with_an_index(shelves: Shelves) -> None:
    view = view_of(
        [
            shelves.row("a", "tea", collection="pots"),
            shelves.row("b", "tea", model=False),
            shelves.row("c", "tea", user=False),
        ]
    )
    found = find(shelves, view, "tea")
    assert list(found) == ["b", "c", "a"]
    assert find(shelves, view, "tea", limit=1) == {"b": found["b"]}
    assert find(shelves, view, "tea", limit=1, allow=frozenset({"a"})) == {"a": found["a"]}
    assert find(shelves, view, "tea", invoker=Invoker.MODEL) == {"c": found["c"], "a": found["a"]}
    ruled = view_of(view.layers[0].listed, allow=frozenset({"c"}))
    # As if there were nothing else.
    assert find(shelves, ruled, "tea") == find(shelves, view_of([view.layers[0].listed[2]]), "tea")


def test_of_a_name_in_two_layers_the_stronger_one_counts(shelves: Shelves) -> None:
    strong, weak = [shelves.row("tea", "green")], [shelves.row("tea", "black"), shelves.row("pot", "black")]
    view = view_of(strong, weak)
    assert find(shelves, view, "black") == find(shelves, view_of([*strong, weak[1]]), "black")


def test_an_index_of_another_state_says_of_a_skill_what_it_says_itself(shelves: Shelves) -> None:
    held = [
        shelves.row("alpha", "t test statistics", "run the t test", keywords=("sums",)),
        shelves.row("beta", "genomics", "the the test pipeline"),
        shelves.row("gamma", "plots", "the plot"),
    ]
    index = shelves.index(layer_of([*held, shelves.row("later", "test")]))
    query = "t-test the sums"
    known = SaidByIndexes([index], plain_terms(query), shelves.words)
    unknown = shelves.row("unknown", "test", "test")
    assert known.of(unknown) is None

    def said_by(row: Row) -> PlainTerms:
        said = known.of(row)
        assert said is not None
        return said

    view = view_of(held)
    hits = plain_search(view, said_by, query, limit=50)
    assert {hit.row.name: hit.score for hit in hits} == find(shelves, view, query)


def test_all_that_a_skill_says_is_looked_for(shelves: Shelves) -> None:
    row = shelves.row("a", "b", "c", keywords=("kk",), capabilities=("cc",), when_to_use="ww", display_name="DD")
    for query in ("kk", "cc", "ww", "dd"):
        assert list(find(shelves, view_of([row]), query)) == ["a"]


@pytest.mark.parametrize(
    ("query", "is_found"),
    [("draw", True), ("drawing", True), ("harbors", True), ("sea", False), ("maps", True), ("a", True)],
)
def test_a_summary_alone_is_looked_through_by_how_terms_begin(shelves: Shelves, query: str, is_found: bool) -> None:  # noqa: FBT001 - a case
    row = shelves.row("a", "Draws MAPS of harbors.", "sea")
    said = summary_terms(row.bundle.skill, plain_terms(query), shelves.words)
    assert said.everything == said.summary
    assert any(term in said.everything for term in plain_terms(query)) == is_found

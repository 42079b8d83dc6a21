"""How well search finds real skills, against what others would find: a table, and what must hold of it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from skillsvc.catalog.layer_index import indexed
from skillsvc.catalog.plain_search import plain_search, terms_of_skill
from skillsvc.catalog.search import search
from skillsvc.catalog.weights import weigh
from skillsvc.domain.view import compose
from skillsvc.parsing.words import Words
from tests.retrieval import rivals
from tests.retrieval.measuring import ALL, Figures, measure, table
from tests.retrieval.queries import Split, read_queries
from tests.retrieval.rivals import DEPTH, Ranker
from tests.retrieval.shelf import Shelf, shelf_of

OURS, PLAIN = "ours", "ours without an index"
LEAST_HIT_5 = 0.88


def ours(shelf: Shelf) -> Ranker:
    words, view = Words(), compose((shelf.generation,))
    index = indexed(shelf.generation, lambda bundle: weigh(bundle.skill, shelf.bodies[bundle.digest], words))
    return lambda query: [hit.row.found.place for hit in search(view, (index,), query, limit=DEPTH)]


def plain(shelf: Shelf) -> Ranker:
    words, view = Words(), compose((shelf.generation,))
    terms = {row.name: terms_of_skill(row.bundle.skill, shelf.body(row), words) for row in shelf.generation.listed}
    return lambda query: [
        hit.row.found.place for hit in plain_search(view, lambda row: terms[row.name], query, limit=DEPTH)
    ]


@pytest.fixture(scope="module")
def measured(corpus: Path) -> Mapping[str, Mapping[str, Figures]]:
    """The figures of every ranking on the queries that nothing was chosen by."""
    shelf = shelf_of(corpus)
    held = [query for query in read_queries() if query.split is Split.HELD]
    rankers = {
        OURS: ours(shelf),
        PLAIN: plain(shelf),
        "bm25s": rivals.library(shelf),
        "OpenAI4S": rivals.openai4s(shelf),
        "ARES": rivals.ares(shelf),
    }
    return {name: measure(ranker, held) for name, ranker in rankers.items()}


def test_search_finds_more_among_the_first_five_than_any_other(
    measured: Mapping[str, Mapping[str, Figures]], capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        print(f"\n{table(measured)}")  # noqa: T201 - the table is what this test is run for
    others = {name: figures for name, figures in measured.items() if name != OURS}
    assert all(measured[OURS][ALL].hit_5 > figures[ALL].hit_5 for figures in others.values())


def test_search_finds_as_much_as_was_aimed_for(measured: Mapping[str, Mapping[str, Figures]]) -> None:
    assert round(measured[OURS][ALL].hit_5, 2) >= LEAST_HIT_5

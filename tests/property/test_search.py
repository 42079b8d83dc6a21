"""Search against laws, and against a model that goes through all that was said of all skills."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.catalog.layer_index import LayerIndex, followed
from skillsvc.catalog.listing import Invoker
from skillsvc.catalog.plain_search import plain_search
from skillsvc.catalog.postings import HEAVIEST, postings_of
from skillsvc.catalog.search import Hit, learned_factor, rarity, search
from skillsvc.catalog.snippets import MOST_BYTES, snippet_of
from skillsvc.catalog.weights import HEAVY, SCALE
from skillsvc.domain.generation import Row
from skillsvc.domain.view import View, compose
from skillsvc.parsing.words import LONGEST_QUERY_BYTES, MOST_TERMS, Words, words_of_query
from tests.simulators.searchable import Shelves, layer_of, view_of

pytestmark = pytest.mark.property

SHELVES = Shelves()
VOCABULARY = ("tea", "milk", "rust", "review", "rust-review", "c++", "\u6771\u4eac\u90fd", "the", "harbor")
NAMES = ("tea", "rust-review", "milk", "a", "b", "c", "d", "e")

texts = st.lists(st.sampled_from(VOCABULARY), max_size=12).map(" ".join)
queries = st.one_of(texts, st.text(max_size=40), st.sampled_from(("harbur", "reveiw tea", "rustreview", "milktea")))


@st.composite
def rows(draw: st.DrawFn) -> tuple[Row, ...]:
    """Skills of one layer."""
    return tuple(
        SHELVES.row(
            name,
            draw(texts),
            draw(texts),
            collection=draw(st.sampled_from(("", "lab"))),
            model=draw(st.booleans()),
        )
        for name in draw(st.sets(st.sampled_from(NAMES)))
    )


views = st.lists(rows(), min_size=1, max_size=3).map(lambda layers: view_of(*layers))
invokers = st.sampled_from(Invoker)


def indexes(view: View) -> list[LayerIndex]:
    return [SHELVES.index(layer) for layer in view.layers]


def found(hits: tuple[Hit, ...]) -> list[tuple[str, float]]:
    return [(hit.row.name, hit.score) for hit in hits]


@given(text=st.text())
def test_there_is_no_text_that_is_no_query(text: str) -> None:
    words = words_of_query(text)
    assert len(words) <= MOST_TERMS
    assert len({word.term for word in words}) == len(words)


@given(text=st.text(alphabet="a\u0301\u6771 .-+#'\u2019A1_\ud800", max_size=300))
def test_terms_of_a_text_are_those_of_its_places(text: str) -> None:
    words = Words()
    terms = words.count(text)
    assert {term for _start, _end, term in words.places(text, terms.keys())} == terms.keys()


@given(text=st.text())
def test_a_query_is_made_of_what_skills_are_made_of(text: str) -> None:
    if len(text.encode(errors="replace")) <= LONGEST_QUERY_BYTES and not any(
        "\ud800" <= each <= "\udfff" for each in text
    ):
        held = Words().count(text)
        asked = words_of_query(text)
        assert len(asked) == MOST_TERMS or held.keys() <= {word.term for word in asked}


@given(view=views, query=queries, limit=st.integers(1, 9), invoker=invokers)
def test_the_best_are_those_of_a_search_for_all(view: View, query: str, limit: int, invoker: Invoker) -> None:
    held = indexes(view)
    every = search(view, held, query, limit=100, invoker=invoker)
    assert found(search(view, held, query, limit=limit, invoker=invoker)) == found(every)[:limit]
    assert [(hit.row.name, hit.row) for hit in every] == [(hit.row.name, view.find(hit.row.name)) for hit in every]


@given(
    view=views,
    query=queries,
    known=st.dictionaries(st.sampled_from((*NAMES, "nobody")), st.floats(-1, 1)),
    allow=st.none() | st.frozensets(st.sampled_from(NAMES)),
    limit=st.integers(1, 9),
)
def test_what_is_known_of_skills_orders_what_is_found_and_finds_nothing(
    view: View, query: str, known: dict[str, float], allow: frozenset[str] | None, limit: int
) -> None:
    held = indexes(view)
    every = search(view, held, query, limit=100, allow=allow)
    scored = {hit.row.name: hit.score * learned_factor(known.get(hit.row.name, 0)) for hit in every}
    hits = search(view, held, query, limit=limit, allow=allow, known=known)
    assert {hit.row.name: hit.score for hit in hits} == {
        hit.row.name: pytest.approx(scored[hit.row.name], rel=1e-2) for hit in hits
    }
    assert hits == search(view, held, query, limit=100, allow=allow, known=known)[:limit]
    assert len(hits) == min(limit, len(every))
    unknown = dict.fromkeys(known, 0.0)
    assert search(view, held, query, limit=limit, allow=allow, known=unknown) == every[:limit]


@given(view=views, query=queries, allow=st.frozensets(st.sampled_from((*NAMES, "nobody"))), limit=st.integers(1, 9))
def test_an_allow_list_takes_names_out_of_the_answer_and_changes_nothing_else(
    view: View, query: str, allow: frozenset[str], limit: int
) -> None:
    held = indexes(view)
    every = found(search(view, held, query, limit=100))
    narrowed = [hit for hit in every if hit[0] in allow][:limit]
    assert found(search(view, held, query, limit=limit, allow=allow)) == narrowed


@given(view=views, query=queries, allow=st.frozensets(st.sampled_from((*NAMES, "nobody"))))
def test_what_an_access_rule_hides_is_as_if_it_were_nowhere(view: View, query: str, allow: frozenset[str]) -> None:
    ruled = compose(view.layers, allow)
    without = view_of(tuple(ruled.listed()))
    every = search(without, indexes(without), query, limit=100)
    assert found(search(ruled, indexes(view), query, limit=100)) == found(every)
    plainly = plain_search(without, SHELVES.plain_terms_of, query, limit=100)
    assert found(plain_search(ruled, SHELVES.plain_terms_of, query, limit=100)) == found(plainly)


@given(view=views, query=queries)
def test_layers_are_scored_as_one_of_what_they_list(view: View, query: str) -> None:
    merged = view_of(tuple(view.listed()))
    assert found(search(view, indexes(view), query, limit=100)) == found(
        search(merged, indexes(merged), query, limit=100)
    )


@given(steps=st.lists(rows(), min_size=1, max_size=5), query=queries)
def test_however_an_index_came_to_be_it_finds_the_same(steps: list[tuple[Row, ...]], query: str) -> None:
    generations = [layer_of(step) for step in steps]
    index = SHELVES.index(generations[0])
    for generation in generations[1:]:
        index = followed(index, generation, SHELVES.weights_of)
    view = compose((generations[-1],))
    assert found(search(view, [index], query, limit=100)) == found(search(view, indexes(view), query, limit=100))


@given(view=views, asked=st.lists(st.sampled_from(("tea", "milk", "rust", "the")), min_size=1, unique=True))
def test_scores_are_the_sum_of_what_each_term_is_worth_and_weighs(view: View, asked: list[str]) -> None:
    weights = {row.name: SHELVES.weights_of(row.bundle) for row in view.listed()}
    terms = [word.term for word in words_of_query(" ".join(asked)) if not word.compound]
    held = {term: sum(term in each for each in weights.values()) for term in terms}
    model = {
        name: sum(rarity(len(weights), held[term]) ** 1.4 * each.get(term, 0) / SCALE for term in terms)
        for name, each in weights.items()
    }
    hits = search(view, indexes(view), " , ".join(asked), limit=100)
    if all(held.values()):
        scores = dict(found(hits))
        assert all(scores.get(name, 0.0) == pytest.approx(score, abs=0.02) for name, score in model.items())


@given(view=views, query=queries, limit=st.integers(1, 9), invoker=invokers)
def test_without_an_index_the_best_are_those_of_a_search_for_all(
    view: View, query: str, limit: int, invoker: Invoker
) -> None:
    every = plain_search(view, SHELVES.plain_terms_of, query, limit=100, invoker=invoker)
    first = plain_search(view, SHELVES.plain_terms_of, query, limit=limit, invoker=invoker)
    assert found(first) == found(every)[:limit]


@given(
    weights=st.dictionaries(
        st.integers(0, 200),
        st.dictionaries(st.sampled_from(VOCABULARY), st.integers(1, HEAVIEST), max_size=5),
        max_size=20,
    )
)
def test_postings_give_back_what_they_were_made_of(weights: dict[int, dict[str, int]]) -> None:
    postings = postings_of(sorted(weights.items()), heavy=HEAVY)
    assert {
        (term, slot): weight
        for slot, terms in weights.items()
        for term in terms
        if (weight := postings.weight(term, slot))
    } == {(term, slot): weight for slot, terms in weights.items() for term, weight in terms.items()}
    assert all(
        postings.count(term) == sum(term in terms for terms in weights.values()) for term in (*VOCABULARY, "nobody")
    )


@given(body=st.text(max_size=2000), query=st.text(max_size=40), padding=st.integers(0, 2000))
def test_a_snippet_is_short_and_on_one_line_whatever_the_body(body: str, query: str, padding: int) -> None:
    terms = {word.term: 1.0 for word in words_of_query(query)}
    made = snippet_of(SHELVES.row("a").bundle.skill, "x " * padding + body + query, terms, Words())
    assert len(made.encode(errors="surrogatepass")) <= MOST_BYTES
    assert len(made.splitlines()) <= 1

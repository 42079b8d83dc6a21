"""Search over the indexes of a view's layers."""

import pytest

from skillsvc.catalog.layer_index import followed
from skillsvc.catalog.listing import Invoker
from skillsvc.catalog.search import search
from skillsvc.domain.generation import Row
from skillsvc.domain.view import compose
from tests.simulators.searchable import Said, Shelves, layer_of, view_of


@pytest.fixture
def shelves() -> Shelves:
    return Shelves()


def fill(shelves: Shelves, count: int = 20) -> list[Row]:
    """Return skills that have nothing to do with what is searched for."""
    return [shelves.row(f"other-{number}", f"Does thing {number}.", "Some text.") for number in range(count)]


@pytest.mark.parametrize("query", ["", " ", "\0", "AND", "*", '"', "(((", "NEAR(a b)", "zzzz-zzzz", "\ud800", "^", "-"])
def test_nothing_that_is_asked_is_an_error(shelves: Shelves, query: str) -> None:
    assert isinstance(shelves.search(view_of(fill(shelves)), query), dict)


@pytest.mark.parametrize(
    ("name", "said", "query"),
    [
        ("rust-review", {}, "review of rust"),
        ("rust-review", {}, "rustreview"),
        ("rust-review", {}, "RustReview"),
        ("x", {"description": "Writes C++ and C#."}, "c++"),
        ("x", {"description": "Writes C++ and C#."}, "c#"),
        ("x", {"keywords": ("k8s",)}, "K8S?"),
        ("x", {"capabilities": ("charts",)}, "a chart"),
        ("x", {"when_to_use": "When it rains."}, "raining"),
        ("x", {"display_name": "Harbor Master"}, "harbor"),
        ("x", {"body": "Open the valve."}, "valves"),
        ("x", {"body": "\u4f7f\u7528Python\u7f16\u5199\u6d4b\u8bd5"}, "\u7f16\u5199\u6d4b\u8bd5"),
        ("x", {"description": "\u6771\u4eac\u90fd\u306e\u5730\u56f3"}, "\u4eac\u90fd"),
        ("websocket", {}, "web socket"),
        ("x", {"body": "Make a pull request."}, "pullrequest"),
        ("x", {"description": "Deploys to Kubernetes."}, "kuberntes"),
        ("x", {"description": "Deploys to Kubernetes."}, "kubrenetes"),
        ("x", {"description": "Deploys to Kubernetes."}, "kubernitas"),
    ],
)
def test_a_skill_is_found_by_any_of_its_texts(shelves: Shelves, name: str, said: Said, query: str) -> None:
    wanted = shelves.row(name, **said)
    assert next(iter(shelves.search(view_of([*fill(shelves), wanted]), query))) == wanted.name


@pytest.mark.parametrize("query", ["rust OR other", "other NOT thing", "name:rust", '"thing other"', "oth*"])
def test_operators_are_words(shelves: Shelves, query: str) -> None:
    view = view_of([shelves.row("rust"), *fill(shelves)])
    plain = "".join(character if character.isalnum() else " " for character in query)
    assert shelves.search(view, query).keys() == shelves.search(view, plain).keys()


def test_a_word_in_the_name_beats_the_same_word_in_a_body(shelves: Shelves) -> None:
    rows = [shelves.row("tea"), shelves.row("pot", body="tea"), *fill(shelves)]
    assert list(shelves.search(view_of(rows), "tea")) == ["tea", "pot"]


def test_a_rare_word_counts_for_more_than_a_common_one(shelves: Shelves) -> None:
    rows = [shelves.row("a", "thing valve"), shelves.row("b", "thing thing"), *fill(shelves)]
    assert next(iter(shelves.search(view_of(rows), "thing valve"))) == "a"


def test_a_word_of_all_skills_finds_them_all(shelves: Shelves) -> None:
    rows = [shelves.row(f"s{number}", "common") for number in range(2000)]
    assert len(shelves.search(view_of(rows), "common", limit=2000)) == 2000
    assert list(shelves.search(view_of([shelves.row("only", "own word")]), "own")) == ["only"]


def test_of_equal_scores_those_of_no_collection_come_first_then_the_names_decide(shelves: Shelves) -> None:
    rows = [
        shelves.row("b", "tea"),
        shelves.row("a", "tea", collection="pots"),
        shelves.row("d", "tea"),
        shelves.row("c", "tea"),
    ]
    found = shelves.search(view_of(rows), "tea")
    assert list(found) == ["b", "c", "d", "a"]
    assert len(set(found.values())) == 1
    assert list(shelves.search(view_of(rows), "tea", limit=2)) == ["b", "c"]


def test_the_limit_is_applied_after_the_allow_list(shelves: Shelves) -> None:
    rows = [shelves.row(f"s{number}", "tea " * (9 - number)) for number in range(9)]
    view = view_of(rows)
    index = shelves.index(view.layers[0])
    ranked = [hit.row.name for hit in search(view, [index], "tea", limit=9)]
    (hit,) = search(view, [index], "tea", limit=1, allow=frozenset({ranked[5], "nobody"}))
    assert hit.row.name == ranked[5]
    assert search(view, [index], "tea", limit=1, allow=frozenset()) == ()


def test_an_allow_list_changes_no_score(shelves: Shelves) -> None:
    rows = [shelves.row("a", "tea and milk"), shelves.row("b", "tea"), *fill(shelves)]
    view = view_of(rows)
    every = shelves.search(view, "tea milk")
    hits = search(view, [shelves.index(view.layers[0])], "tea milk", limit=9, allow=frozenset({"b"}))
    assert [(hit.row.name, hit.score) for hit in hits] == [("b", every["b"])]


def test_no_query_tells_which_words_an_access_rule_hides(shelves: Shelves) -> None:
    """`storm` is what nobody says for whom the rule is, and so taken for a typing error, whoever else says it."""
    rows = [shelves.row("a", "a store"), shelves.row("b", "tea")]
    hidden = shelves.row("hidden", "a storm of tea")
    rule = frozenset({"a", "b"})
    for query in ("storm", "tea", "stor", "a store of tea"):
        found = shelves.search(view_of([*rows, hidden], allow=rule), query)
        assert found == shelves.search(view_of(rows), query)
    assert list(shelves.search(view_of([*rows, hidden], allow=rule), "storm")) == ["a"]


@pytest.mark.parametrize(
    ("invoker", "expected"),
    [(Invoker.ANY, ["a", "b", "c"]), (Invoker.MODEL, ["b", "c"]), (Invoker.USER, ["a", "c"])],
)
def test_what_somebody_may_not_begin_is_not_found_and_still_counts(
    shelves: Shelves, invoker: Invoker, expected: list[str]
) -> None:
    view = view_of([shelves.row("a", "tea", model=False), shelves.row("b", "tea", user=False), shelves.row("c", "tea")])
    hits = search(view, [shelves.index(view.layers[0])], "tea", limit=5, invoker=invoker)
    assert [hit.row.name for hit in hits] == expected
    assert {hit.score for hit in hits} == set(shelves.search(view, "tea").values())


def test_of_a_name_in_two_layers_the_stronger_one_is_found_and_counted(shelves: Shelves) -> None:
    strong = [shelves.row("tea", "green"), *fill(shelves)]
    weak = [shelves.row("tea", "black"), shelves.row("pot", "black")]
    view = view_of(strong, weak)
    assert shelves.search(view, "black") == {"pot": pytest.approx(shelves.search(view, "black")["pot"])}
    assert list(shelves.search(view, "green")) == ["tea"]
    merged = view_of([*strong, weak[1]])
    assert shelves.search(view, "black pot green") == shelves.search(merged, "black pot green")


def test_what_another_tenant_has_changes_nothing(shelves: Shelves) -> None:
    shared, own = fill(shelves), [shelves.row("own", "tea")]
    before = shelves.search(view_of(shared, own), "tea thing")
    shelves.index(layer_of([shelves.row("theirs", "tea " * 50)]))
    assert shelves.search(view_of(shared, own), "tea thing") == before


def test_an_index_that_followed_finds_what_a_new_one_finds(shelves: Shelves) -> None:
    rows = [shelves.row(f"s{number}", "tea " * (number % 7) + "milk", f"body {number}") for number in range(60)]
    index = shelves.index(layer_of(rows[:40]))
    for start in range(20):
        index = followed(index, layer_of(rows[start : 40 + start]), shelves.weights_of)
    view = compose((layer_of(rows[19:59]),))
    hits = search(view, [index], "tea milk 33", limit=50)
    assert {hit.row.name: hit.score for hit in hits} == shelves.search(view, "tea milk 33")


def test_a_view_is_not_searched_by_the_index_of_another_generation(shelves: Shelves) -> None:
    view = view_of([shelves.row("tea")])
    with pytest.raises(ValueError, match="very generation"):
        search(view, [shelves.index(layer_of([]))], "tea", limit=5)
    with pytest.raises(ValueError, match="very generation"):
        search(view, [], "tea", limit=5)


def test_a_hit_says_what_was_looked_for_and_what_it_is_worth(shelves: Shelves) -> None:
    view = view_of([shelves.row("tea", "brews"), *fill(shelves)])
    (hit,) = search(view, [shelves.index(view.layers[0])], "Tea pots", limit=5)
    assert set(hit.terms) == {"tea"}
    assert hit.terms["tea"] > 0


def test_a_typing_error_counts_for_less_than_the_word_itself(shelves: Shelves) -> None:
    view = view_of([shelves.row("harbor", "tea"), *fill(shelves)])
    exact, erred = (shelves.search(view, query)["harbor"] for query in ("harbor", "harbur"))
    assert 0 < erred < exact

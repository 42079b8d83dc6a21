"""Selections: what is listed of a view is gone through once for all who ask alike, and a bounded number is kept."""

from datetime import UTC, datetime

import pytest

from skillsvc.catalog.listing import Invoker, Selection
from skillsvc.domain.generation import Generation, Row, make_generation
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.view import View, compose
from skillsvc.service.selections import Selections
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.skills import in_order, skill_row

ALL = Selection()
BY_MODEL = Selection(invoker=Invoker.MODEL)
ALICE = Partition("token:alice", "")


def generation(partition: Partition, *rows: Row) -> Generation:
    return make_generation(
        partition=partition,
        log_id=bytes(16),
        sequence=1,
        published_at=datetime(2026, 1, 1, tzinfo=UTC),
        rows=in_order(rows),
    )


def view_of(*own: str) -> View:
    """Return a view of the deployment's `a` and `b`, and of what is one's own."""
    shared, mine = (generation(each, *map(_row, names)) for each, names in ((DEPLOYMENT, "ab"), (ALICE, own)))
    return compose((shared, mine))


def _row(name: str) -> Row:
    return skill_row(MemoryBlobStore(), name, model=name != "b")


def listed(selections: Selections, view: View, selection: Selection) -> list[str]:
    return [row.name for row in selections.of(view, selection, selection.key)]


def test_each_selection_of_each_view_has_its_own_rows() -> None:
    selections, first, second = Selections(), view_of("c"), view_of("d")
    for _ in range(2):
        assert listed(selections, first, ALL) == ["a", "b", "c"]
        assert listed(selections, first, BY_MODEL) == ["a", "c"]
        assert listed(selections, second, ALL) == ["a", "b", "d"]
        assert listed(selections, first, Selection(allow=frozenset("b"))) == ["b"]


def test_who_asks_alike_gets_what_was_gone_through_before() -> None:
    selections, view = Selections(), view_of("c")
    assert selections.of(view, ALL, ALL.key) is selections.of(view, Selection(), Selection().key)


@pytest.mark.parametrize("bounds", [{"at_most": 2}, {"rows": 7}], ids=["by number", "by rows"])
def test_what_was_asked_for_longest_ago_goes_first(bounds: dict[str, int]) -> None:
    selections, first, second, third = Selections(**bounds), view_of("c"), view_of("d"), view_of("e")
    kept = selections.of(first, ALL, ALL.key)
    gone = selections.of(second, ALL, ALL.key)
    assert selections.of(first, ALL, ALL.key) is kept
    selections.of(third, ALL, ALL.key)
    assert selections.of(first, ALL, ALL.key) is kept
    assert selections.of(second, ALL, ALL.key) is not gone


def test_what_is_larger_than_all_that_may_be_kept_is_answered_all_the_same() -> None:
    selections, view = Selections(rows=2), view_of("c")
    assert listed(selections, view, ALL) == ["a", "b", "c"]
    assert listed(selections, view, ALL) == ["a", "b", "c"]


def test_a_collection_is_held_where_one_of_its_members_is_allowed_whoever_may_begin_it() -> None:
    rows = (
        skill_row(MemoryBlobStore(), "a", model=False, collection="Lab"),
        skill_row(MemoryBlobStore(), "b", collection="art"),
        skill_row(MemoryBlobStore(), "c"),
    )
    view = compose((generation(DEPLOYMENT, *rows),))
    selections = Selections()
    for _ in range(2):
        for allow, held in (
            (None, ["LAB", "art"]),
            (frozenset({"a", "c"}), ["LAB"]),
            (frozenset({"c", "nobody"}), []),
            (frozenset[str](), []),
        ):
            asked = ["LAB", "art", "nowhere"]
            assert [
                id_
                for id_ in asked
                if selections.holds_collection(view, Selection(allow=allow, collection=id_, invoker=Invoker.MODEL))
            ] == held


def test_what_collections_are_held_is_kept_for_few_views() -> None:
    rows = (skill_row(MemoryBlobStore(), "a", collection="lab"),)
    selections = Selections(at_most=2)
    for _ in range(5):
        view = compose((generation(DEPLOYMENT, *rows),))
        assert selections.holds_collection(view, Selection(collection="lab"))
        assert not selections.holds_collection(view, Selection(collection="art"))

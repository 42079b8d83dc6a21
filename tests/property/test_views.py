"""Views of one to five layers against a model that a reader can check by eye: dictionaries, laid one over the other."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.catalog.collection import collections_of, identities_of
from skillsvc.catalog.diff import difference
from skillsvc.catalog.listing import (
    Invoker,
    Reference,
    Selection,
    find,
    select,
    start_after,
)
from skillsvc.domain.generation import Generation, Row, make_generation
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.tokens import MAX_LAYERS
from skillsvc.domain.view import View, compose
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.skills import in_order, skill_row

pytestmark = pytest.mark.property

BLOBS = MemoryBlobStore()
NAMES = ("a", "a-b", "a0", "b", "c")
SOURCES = ("dir-1", "dir-2", "x")
COLLECTIONS = {"a": "lab", "a-b": "LAB", "b": "art"}
ROWS = {
    (name, source, version, shadowed, flags): skill_row(
        BLOBS,
        name,
        description=version,
        source=source,
        shadowed=shadowed,
        model=flags[0],
        user=flags[1],
        collection=COLLECTIONS.get(name, ""),
    )
    for name in NAMES
    for source in SOURCES
    for version in "12"
    for shadowed in (False, True)
    for flags in ((True, True), (True, False), (False, True))
}


@st.composite
def row_sets(draw: st.DrawFn) -> tuple[Row, ...]:
    """Rows of one layer: of a name any sources, at most one of them listed."""
    rows = []
    for name in draw(st.sets(st.sampled_from(NAMES))):
        sources = sorted(draw(st.sets(st.sampled_from(SOURCES), min_size=1)))
        winner = draw(st.sampled_from([*sources, None]))
        flags = draw(st.sampled_from([(True, True), (True, False), (False, True)]))
        rows += [ROWS[name, source, draw(st.sampled_from("12")), source != winner, flags] for source in sources]
    return in_order(rows)


VIEWS = st.lists(row_sets(), min_size=1, max_size=MAX_LAYERS)
SOME_NAMES = st.sampled_from([*NAMES, "", "A", "a-", "aa", "d"])


def layers_of(row_sets: list[tuple[Row, ...]]) -> tuple[Generation, ...]:
    return tuple(
        make_generation(
            partition=Partition(principal="local", project=str(number)) if number else DEPLOYMENT,
            log_id=bytes([number]) * 16,
            sequence=10**number,
            published_at=datetime(2026, 1, 9 - number, tzinfo=UTC),
            rows=rows,
        )
        for number, rows in enumerate(row_sets)
    )


def view_of(row_sets: list[tuple[Row, ...]]) -> View:
    return compose(layers_of(row_sets))


def listed_by_the_rule(row_sets: list[tuple[Row, ...]]) -> dict[str, Row]:
    """Lay the listings over each other, the strongest last, so that it covers what is beneath."""
    listed: dict[str, Row] = {}
    for rows in reversed(row_sets):
        listed.update({row.name: row for row in rows if not row.shadowed})
    return dict(sorted(listed.items()))


@given(VIEWS)
def test_a_view_lists_each_name_once_from_the_strongest_layer_that_lists_it(rows: list[tuple[Row, ...]]) -> None:
    view = view_of(rows)
    assert list(view.listed()) == list(listed_by_the_rule(rows).values())
    assert view.total == len(listed_by_the_rule(rows))


@given(VIEWS, SOME_NAMES)
def test_a_name_is_found_where_it_is_listed(rows: list[tuple[Row, ...]], name: str) -> None:
    assert view_of(rows).find(name) is listed_by_the_rule(rows).get(name)


@given(VIEWS, SOME_NAMES)
def test_a_listing_goes_on_beyond_any_name(rows: list[tuple[Row, ...]], name: str) -> None:
    expected = [row for row in listed_by_the_rule(rows).values() if row.name > name]
    assert list(view_of(rows).listed(after=name)) == expected
    everything = select(view_of(rows), Selection())
    assert list(everything[start_after(everything, name) :]) == expected


@given(VIEWS, st.sampled_from([*SOURCES, "dir", "y"]), SOME_NAMES)
def test_a_qualified_name_is_found_in_the_strongest_layer_that_has_it_shadowed_or_not(
    rows: list[tuple[Row, ...]], source: str, name: str
) -> None:
    expected = next((row for layer in rows for row in layer if (row.source, row.name) == (source, name)), None)
    assert view_of(rows).find_qualified(source, name) is expected
    assert find(view_of(rows), Reference(source=source, name=name), None) is expected


@given(VIEWS, st.none() | st.frozensets(SOME_NAMES), st.sampled_from(Invoker), st.sampled_from(["", "Lab", "art", "x"]))
def test_a_selection_is_the_listing_filtered(
    rows: list[tuple[Row, ...]], allow: frozenset[str] | None, invoker: Invoker, collection: str
) -> None:
    may: dict[Invoker, Callable[[Row], bool]] = {
        Invoker.ANY: lambda _row: True,
        Invoker.MODEL: lambda row: row.bundle.skill.model_invocable,
        Invoker.USER: lambda row: row.bundle.skill.user_invocable,
    }
    allowed = [
        row
        for name, row in listed_by_the_rule(rows).items()
        if (allow is None or name in allow)
        and (not collection or COLLECTIONS.get(name, "").lower() == collection.lower())
    ]
    expected = [row for row in allowed if may[invoker](row)]
    selection = Selection(allow=allow, invoker=invoker, collection=collection)
    assert list(select(view_of(rows), selection)) == expected
    whole = select(view_of(rows), Selection(allow=allow))
    assert not collection or (collection.lower() in identities_of(view_of(rows), whole)) == bool(allowed)


@given(VIEWS)
def test_collections_count_each_member_once_under_the_id_of_the_strongest_layer(rows: list[tuple[Row, ...]]) -> None:
    listed = listed_by_the_rule(rows)
    expected: dict[str, list[tuple[int, str]]] = {}
    for name, row in listed.items():
        if COLLECTIONS.get(name):
            expected.setdefault(COLLECTIONS[name].lower(), []).append((_first(rows, row), name))
    view = view_of(rows)
    entries = collections_of(view, select(view, Selection()))
    assert [(entry.id, entry.count) for entry in entries] == sorted(
        (COLLECTIONS[min(members)[1]], len(members)) for members in expected.values()
    )


@given(VIEWS, SOME_NAMES, st.frozensets(SOME_NAMES))
def test_what_is_not_allowed_is_not_found(rows: list[tuple[Row, ...]], name: str, allow: frozenset[str]) -> None:
    expected = listed_by_the_rule(rows).get(name) if name in allow else None
    assert find(view_of(rows), Reference(source="", name=name), allow) is expected


@given(VIEWS, st.frozensets(SOME_NAMES), st.none() | st.frozensets(SOME_NAMES), st.booleans())
def test_rows_among_names_are_the_listing_filtered_however_many_names_there_are(
    rows: list[tuple[Row, ...]],
    names: frozenset[str],
    allow: frozenset[str] | None,
    many: bool,  # noqa: FBT001 - drawn
) -> None:
    view = compose(layers_of(rows), allow)
    asked = names | {f"nowhere-{number}" for number in range(100)} if many else names
    assert list(view.among(asked)) == [row for row in view.listed() if row.name in names]


ALLOWED = st.frozensets(SOME_NAMES)


@given(VIEWS, ALLOWED)
def test_a_view_of_allowed_names_is_that_of_layers_that_have_no_others(
    rows: list[tuple[Row, ...]], allow: frozenset[str]
) -> None:
    view = compose(layers_of(rows), allow)
    less = view_of([tuple(row for row in layer if row.name in allow) for layer in rows])
    assert list(view.listed()) == list(less.listed())
    assert (view.total, view.digest) == (less.total, less.digest)
    for name in NAMES:
        assert view.find(name) is less.find(name)
        assert list(view.listed(after=name)) == list(less.listed(after=name))
        for source in SOURCES:
            assert view.find_qualified(source, name) is less.find_qualified(source, name)


@given(VIEWS, ALLOWED, st.none() | ALLOWED, st.sampled_from(Invoker), st.sampled_from(["", "Lab", "art", "x"]))
def test_a_selection_of_a_view_of_allowed_names_is_that_of_both(
    rows: list[tuple[Row, ...]], allow: frozenset[str], asked: frozenset[str] | None, invoker: Invoker, collection: str
) -> None:
    view = compose(layers_of(rows), allow)
    both = allow if asked is None else allow & asked
    selection = Selection(allow=asked, invoker=invoker, collection=collection)
    narrow = Selection(allow=both, invoker=invoker, collection=collection)
    assert select(view, selection) == select(view_of(rows), narrow)
    whole = select(view_of(rows), Selection(allow=both))
    assert identities_of(view, select(view, Selection(allow=asked))) == identities_of(view_of(rows), whole)


@given(VIEWS, ALLOWED, st.sampled_from(NAMES))
def test_what_a_rule_hides_is_told_by_no_digest(rows: list[tuple[Row, ...]], allow: frozenset[str], name: str) -> None:
    hidden = [tuple(row for row in layer if row.name != name) for layer in rows]
    digests = [compose(layers_of(each), allow - {name}).digest for each in (rows, hidden)]
    assert digests[0] == digests[1]


@given(VIEWS)
def test_the_overlay_names_the_winners_of_the_names_that_clash_and_no_others(rows: list[tuple[Row, ...]]) -> None:
    listing = [{row.name for row in layer if not row.shadowed} for layer in rows]
    ranks = {name: [rank for rank, names in enumerate(listing) if name in names] for name in NAMES}
    expected = {name: where[0] for name, where in ranks.items() if len(where) > 1}
    assert dict(view_of(rows).overlay) == expected


@given(VIEWS)
def test_sequence_is_the_sum_and_the_time_that_of_the_latest_layer(rows: list[tuple[Row, ...]]) -> None:
    view = view_of(rows)
    assert view.sequence == sum(10**number for number in range(len(rows)))
    assert view.published_at == datetime(2026, 1, 9, tzinfo=UTC)


@given(VIEWS, st.integers(min_value=0, max_value=MAX_LAYERS - 1))
def test_a_layer_without_rows_changes_no_digest(rows: list[tuple[Row, ...]], at: int) -> None:
    fuller = [*rows[:at], (), *rows[at:]]
    assert view_of(fuller).digest == view_of(rows).digest


@given(VIEWS, VIEWS)
def test_views_have_one_digest_where_they_show_and_hide_the_same(
    one: list[tuple[Row, ...]], other: list[tuple[Row, ...]]
) -> None:
    assert (view_of(one).digest == view_of(other).digest) == (_covered(one) == _covered(other))


def _covered(rows: list[tuple[Row, ...]]) -> list[tuple[str, bytes, bool]]:
    """Say of each row, by name and then by the strength of its layer, whether the view lists it."""
    listed = listed_by_the_rule(rows)
    ranked = [(row.name, rank, row) for rank, layer in enumerate(rows) for row in layer]
    return [
        (name, row.encoded, not row.shadowed and listed[name] is row and _first(rows, row) == rank)
        for name, rank, row in sorted(ranked, key=lambda each: each[:2])
    ]


def _first(rows: list[tuple[Row, ...]], row: Row) -> int:
    return next(rank for rank, layer in enumerate(rows) if row in layer)


@given(row_sets(), st.randoms(use_true_random=False))
def test_rows_out_of_order_are_no_generation(rows: tuple[Row, ...], chance: Random) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)
    if shuffled == list(rows):
        assert layers_of([rows])[0].rows == rows
    else:
        with pytest.raises(ValueError, match="sorted"):
            layers_of([tuple(shuffled)])


@given(VIEWS, VIEWS)
def test_a_difference_leads_from_one_listing_to_the_other(
    one: list[tuple[Row, ...]], other: list[tuple[Row, ...]]
) -> None:
    before, after = listed_by_the_rule(one), listed_by_the_rule(other)
    change = difference(view_of(one).listed(), view_of(other).listed())
    assert [row.name for row in change.added] == sorted(after.keys() - before.keys())
    assert list(change.removed) == sorted(before.keys() - after.keys())
    assert list(change.modified) == [row for name, row in after.items() if name in before and before[name] != row]
    replayed = {name: row for name, row in before.items() if name not in change.removed}
    replayed.update({row.name: row for row in (*change.added, *change.modified)})
    assert dict(sorted(replayed.items())) == after


def test_digests_of_views_do_not_meet_those_of_layers() -> None:
    (layer,) = layers_of([()])
    assert compose((layer,)).digest != layer.digest
    assert layer.digest != hashlib.sha256(b"").hexdigest()

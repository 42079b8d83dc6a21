"""Generations: complete and checked when they exist, found by bisection."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from skillsvc.domain.generation import Generation, Row, make_generation, make_row
from skillsvc.domain.partition import DEPLOYMENT, Partition, layer_id
from skillsvc.domain.trust import Tier, Trust
from tests.contract.layer_log_values import row

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def generation(*rows: Row, partition: Partition = DEPLOYMENT, sequence: int = 1) -> Generation:
    return make_generation(partition=partition, log_id=b"l" * 16, sequence=sequence, published_at=NOW, rows=rows)


HELD = generation(
    row("a", source="one"),
    row("b", source="one", shadowed=True),
    row("b", source="two"),
    row("b-c", source="two"),
    row("b0", source="three", shadowed=True),
    row("c", source="one"),
)


def test_the_rows_listed_are_those_not_shadowed() -> None:
    assert HELD.names == ("a", "b", "b-c", "c")
    assert [(each.name, each.source) for each in HELD.listed] == [
        ("a", "one"),
        ("b", "two"),
        ("b-c", "two"),
        ("c", "one"),
    ]


@pytest.mark.parametrize(
    ("name", "source"),
    [("a", "one"), ("b", "two"), ("b-c", "two"), ("c", "one"), ("b0", None), ("", None), ("d", None)],
)
def test_a_name_finds_its_listed_row(name: str, source: str | None) -> None:
    found = HELD.find(name)
    assert (found and found.source) == source


@pytest.mark.parametrize(
    ("source", "name", "there"),
    [
        ("one", "b", True),
        ("two", "b", True),
        ("three", "b", False),
        ("three", "b0", True),
        ("one", "a", True),
        ("one", "c", True),
        ("two", "c", False),
        ("one", "", False),
        ("", "a", False),
        ("one", "d", False),
    ],
)
def test_a_qualified_name_finds_its_row_shadowed_or_not(source: str, name: str, there: bool) -> None:  # noqa: FBT001 - a column of a table
    found = HELD.find_qualified(source, name)
    assert (found is not None) == there
    assert found is None or (found.source, found.name) == (source, name)


def test_a_generation_without_rows_finds_nothing() -> None:
    empty = generation()
    assert (empty.find("a"), empty.find_qualified("one", "a"), empty.names) == (None, None, ())


@pytest.mark.parametrize(
    "rows",
    [
        (row("b"), row("a")),
        (row("a", source="two"), row("a", source="one", shadowed=True)),
        (row("a"), row("a", shadowed=True)),
        (row("a", source="one"), row("a", source="two")),
    ],
    ids=["names out of order", "sources out of order", "one row twice", "a name listed twice"],
)
def test_what_no_builder_may_make_is_refused(rows: tuple[Row, ...]) -> None:
    with pytest.raises(ValueError, match="sorted by name and source"):
        generation(*rows)


def test_names_are_in_order_of_their_bytes() -> None:
    names = ["0", "a", "a-b", "a0", "a_b", "aa", "b"]
    assert names == sorted(names, key=str.encode)
    assert generation(*map(row, names)).names == tuple(names)


@pytest.mark.parametrize(
    "change",
    [
        lambda held: replace(held, found=replace(held.found, place="elsewhere")),
        lambda held: replace(held, found=replace(held.found, diagnostics=())),
    ],
    ids=["place", "diagnostics"],
)
def test_what_no_digest_covers_changes_none(change: Callable[[Row], Row]) -> None:
    changed = change(row("a", place="here"))
    assert generation(changed).digest == generation(row("a", place="here")).digest


@pytest.mark.parametrize(
    "changed",
    [
        row("a", "changed"),
        row("a", source="other"),
        row("a", shadowed=True),
        make_row(source="main", shadowed=False, found=row("a").found, tier=Tier.LEARNED, trust=Trust.ALLOWED),
        make_row(source="main", shadowed=False, found=row("a").found, tier=Tier.EXPLICIT, trust=Trust.ASK),
        make_row(
            source="main",
            shadowed=False,
            found=replace(row("a").found, collection="greek"),
            tier=Tier.EXPLICIT,
            trust=Trust.ALLOWED,
        ),
    ],
    ids=["bundle", "source", "shadowed", "tier", "trust", "collection"],
)
def test_what_a_row_says_is_covered(changed: Row) -> None:
    assert generation(changed).digest != generation(row("a")).digest


def test_no_counter_clock_or_owner_enters_the_digest() -> None:
    local = Partition(principal="local", project="p")
    other = make_generation(
        partition=local,
        log_id=b"o" * 16,
        sequence=99,
        published_at=datetime(2030, 1, 1, tzinfo=UTC),
        rows=(row("a"),),
    )
    assert other.digest == generation(row("a")).digest
    assert (other.layer_id, other.partition) == (layer_id(local), local)

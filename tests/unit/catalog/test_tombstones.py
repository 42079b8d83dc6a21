"""What is revoked is in no row and in no retained generation."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from skillsvc.catalog.layer import followed, new_layer
from skillsvc.catalog.tombstones import holds, with_revoked, without
from skillsvc.domain.generation import Row
from skillsvc.domain.partition import Partition
from tests.contract.layer_log_values import row

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ALICE = Partition(principal="token:alice", project="")
A, B, C = row("a"), row("b"), row("c")
SHADOWED = row("a", source="other", shadowed=True)


def test_all_rows_of_a_name_go_shadowed_ones_too() -> None:
    assert without((A, SHADOWED, B), {"a"}) == (B,)


def test_rows_of_other_names_are_the_very_same() -> None:
    rows = (A, B)
    assert without(rows, ()) is rows
    assert without(rows, {"c", "aa", ""}) is rows


def test_a_generation_holds_the_names_of_its_rows_and_no_beginning_of_one() -> None:
    generation = new_layer(ALICE, b"x" * 16, (SHADOWED, row("ab")), NOW).present
    assert [holds(generation, name) for name in ("a", "ab", "abc", "", "b")] == [True, True, False, False, False]


@given(
    st.lists(st.frozensets(st.sampled_from("abcd")), min_size=1, max_size=8),
    st.sampled_from("abcd"),
)
def test_no_retained_generation_holds_what_is_revoked_and_all_others_stay(
    history: list[frozenset[str]], name: str
) -> None:
    layer = new_layer(ALICE, b"x" * 16, rows_of(history[0]), NOW)
    for names in history[1:]:
        layer = followed(layer, rows_of(names), NOW)
    after = with_revoked(layer, name, NOW)
    assert after.revoked == {name}
    assert not any(holds(held, name) for held in after.generations)
    assert [held for held in layer.generations if not holds(held, name)] == [
        held for held in after.generations if held.sequence <= layer.present.sequence
    ]
    assert after.present.rows == without(layer.present.rows, {name})
    assert after.present.sequence == layer.present.sequence + holds(layer.present, name)
    assert len(after.own_bytes) == len(after.generations) - 1


def rows_of(names: frozenset[str]) -> tuple[Row, ...]:
    return tuple(row(name) for name in sorted(names))

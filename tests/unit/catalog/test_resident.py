"""Which layers stay in memory: within their bytes, whoever was asked for lately before the others."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from skillsvc.catalog.layer import Layer, bytes_of, followed, new_layer
from skillsvc.catalog.resident import Resident
from skillsvc.domain.partition import Partition
from tests.contract.layer_log_values import row

NOW = datetime(2026, 3, 1, tzinfo=UTC)
A = row("a")


def partition(number: int) -> Partition:
    return Partition(principal="local", project=f"p{number}")


def layer(number: int) -> Layer:
    return new_layer(partition(number), b"x" * 16, (A,), NOW)


SIZE = bytes_of(layer(0))


def filled(count: int, room: int) -> Resident:
    resident = Resident(room * SIZE)
    for number in range(count):
        assert resident.take_in({partition(number): layer(number)}, kept=()) == []
    return resident


def test_what_has_room_stays() -> None:
    resident = filled(8, 8)
    assert resident.take_in({partition(7): layer(7)}, kept=()) == []


def test_the_longest_held_go_first_and_a_little_more_room_is_made_than_is_needed() -> None:
    assert filled(8, 8).take_in({partition(8): layer(8)}, kept=()) == [partition(0), partition(1)]


def test_what_was_asked_for_lately_goes_after_all_others() -> None:
    resident = filled(8, 8)
    for number in (0, 1, 3):
        resident.note(partition(number))
    assert resident.take_in({partition(8): layer(8)}, kept=()) == [partition(2), partition(4)]
    # What was asked for before then is forgotten.
    assert resident.take_in({partition(9): layer(9), partition(10): layer(10)}, kept=())[0] == partition(0)


def test_what_must_be_kept_is_kept_even_where_there_is_no_room() -> None:
    resident = filled(1, 1)
    kept = {partition(1): layer(1), partition(2): layer(2)}
    assert resident.take_in(kept, kept=kept) == [partition(0)]


def test_what_is_pinned_never_goes_and_takes_no_room_of_others() -> None:
    resident = Resident(2 * SIZE)
    resident.pin(partition(0))
    for number in range(3):
        assert resident.take_in({partition(number): layer(number)}, kept=()) == []
    assert resident.take_in({partition(3): layer(3)}, kept=()) == [partition(1), partition(2)]


def test_what_is_held_stays_and_counts_until_it_is_released() -> None:
    resident = Resident(2 * SIZE)
    resident.hold(partition(0))
    for number in range(2):
        assert resident.take_in({partition(number): layer(number)}, kept=()) == []
    assert resident.take_in({partition(2): layer(2)}, kept=()) == [partition(1), partition(2)]
    assert not resident.is_full
    resident.release(partition(0), layer(0))
    assert resident.take_in({partition(3): layer(3), partition(4): layer(4)}, kept=()) == [partition(0), partition(3)]


def test_it_is_full_where_more_is_held_than_there_is_room_for() -> None:
    resident = Resident(SIZE)
    for number in range(2):
        resident.hold(partition(number))
        assert resident.take_in({partition(number): layer(number)}, kept=()) == []
    assert resident.is_full
    resident.release(partition(0), layer(0))
    assert resident.take_in({}, kept=()) == [partition(0)]
    assert not resident.is_full


def test_what_is_pinned_after_it_was_counted_stays_and_counts_no_more() -> None:
    resident = filled(2, 2)
    resident.pin(partition(0))
    assert resident.take_in({partition(2): layer(2)}, kept=()) == []
    assert resident.take_in({partition(3): layer(3)}, kept=()) == [partition(1), partition(2)]


@given(st.lists(st.integers(min_value=0, max_value=9), max_size=40))
def test_the_bytes_of_all_that_stay_are_within_the_limit(asked: list[int]) -> None:
    resident = Resident(4 * SIZE)
    held: set[Partition] = set()
    for number in asked:
        held.add(partition(number))
        held -= set(resident.take_in({partition(number): layer(number)}, kept=()))
        assert len(held) <= 4


def test_a_layer_takes_what_its_generations_share_once() -> None:
    grown = followed(layer(0), (A, row("b")), NOW)
    apart = followed(layer(0), (row("a", "changed"), row("b")), NOW)
    assert bytes_of(layer(0)) < bytes_of(grown) < bytes_of(apart)

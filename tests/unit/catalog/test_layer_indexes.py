"""Which indexes of layers stay in memory."""

import pytest

from skillsvc.catalog.layer_indexes import Indexed, LayerIndexes
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition
from tests.simulators.searchable import Shelves, layer_of

PARTITIONS = [Partition(f"tenant-{number:02}", "") for number in range(40)]


@pytest.fixture
def shelves() -> Shelves:
    return Shelves()


def layer(shelves: Shelves, partition: Partition, *names: str) -> Generation:
    return layer_of([shelves.row(name, body="wind") for name in names], partition)


def indexed(shelves: Shelves, partition: Partition, *names: str) -> Indexed:
    generation = layer(shelves, partition, *names)
    return Indexed(generation, shelves.index(generation))


def test_an_index_is_of_one_generation_of_one_layer(shelves: Shelves) -> None:
    alice, bob = PARTITIONS[:2]
    held = LayerIndexes(1 << 20)
    mine = indexed(shelves, alice, "a")
    held.keep(mine)
    assert held.find(mine.generation) is mine.index
    # Made anew, as one that came back from the log.
    assert held.find(layer(shelves, alice, "a")) is mine.index
    assert held.find(layer(shelves, alice, "a", "b")) is None
    assert held.latest(alice) is mine
    # Equal in content, and somebody else's.
    assert held.find(layer(shelves, bob, "a")) is None
    assert held.latest(bob) is None


def test_a_later_index_takes_the_place_of_an_earlier_one(shelves: Shelves) -> None:
    held = LayerIndexes(1 << 20)
    earlier, later = (indexed(shelves, PARTITIONS[0], *names) for names in ("a", "ab"))
    held.keep(earlier)
    held.keep(later)
    assert (len(held), held.taken_bytes) == (1, later.taken_bytes)
    assert held.find(earlier.generation) is None


def test_those_searched_for_longest_go_where_there_is_no_room(shelves: Shelves) -> None:
    three = [indexed(shelves, partition, "a") for partition in PARTITIONS[:3]]
    held = LayerIndexes(2 * three[0].taken_bytes)
    held.keep(three[0])
    held.keep(three[1])
    assert held.find(three[0].generation) is not None
    held.keep(three[2])
    assert [held.find(each.generation) is not None for each in three] == [True, False, True]
    assert held.taken_bytes == 2 * three[0].taken_bytes


def test_what_does_not_fit_by_itself_is_not_kept_nor_made_again_before_it_is_smaller(shelves: Shelves) -> None:
    alice, bob = PARTITIONS[:2]
    large, small = indexed(shelves, alice, *"abcdefghij"), indexed(shelves, bob, "a")
    held = LayerIndexes(large.taken_bytes - 1)
    held.keep(small)
    assert not held.is_too_large(large.generation)
    held.keep(large)
    assert held.latest(alice) is None
    assert held.find(small.generation) is small.index
    assert held.is_too_large(large.generation)
    assert held.is_too_large(layer(shelves, alice, *"abcdefghi"))
    smaller = indexed(shelves, alice, *"abcdefgh")
    assert not held.is_too_large(smaller.generation)
    held.drop(bob)
    held.keep(smaller)
    assert not held.is_too_large(large.generation)


def test_an_index_goes_with_its_layer(shelves: Shelves) -> None:
    held = LayerIndexes(1 << 20)
    for partition in PARTITIONS:
        held.keep(indexed(shelves, partition, "a"))
    staying = set(PARTITIONS[::4])
    # However few are looked at each time, all are in the end; twice as many looks as there are.
    for _ in range(2 * len(PARTITIONS)):
        held.drop_some_but(staying)
    assert {partition for partition in PARTITIONS if held.latest(partition) is not None} == staying
    assert held.taken_bytes == len(staying) * indexed(shelves, PARTITIONS[0], "a").taken_bytes


def test_to_drop_what_is_not_there_changes_nothing() -> None:
    held = LayerIndexes(1 << 20)
    held.drop(PARTITIONS[0])
    held.drop_some_but(())
    assert (len(held), held.taken_bytes) == (0, 0)

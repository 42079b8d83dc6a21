"""Layers of partitions: brought in and let go, replaced together, revoked; by many threads at once."""

import itertools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.catalog.contents import Content
from skillsvc.catalog.current import Current
from skillsvc.catalog.log import LayerStep
from skillsvc.catalog.refresh import Refresh
from skillsvc.domain.errors import ErrorReason, NotFound, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.store.sqlite import SqliteStore
from tests.contract.layer_log_values import row
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.clock import Clock
from tests.simulators.scripted_source import ScriptedSource
from tests.simulators.skills import skill_row

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ALICE = Partition(principal="token:alice", project="")
PROJECT = Partition(principal="token:alice", project="p")
SMALL = Limits(resident_layer_bytes=40_000)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[Limits], Current]]:
    """Give what begins anew on one file, as the next process would."""
    with closing(SqliteStore(tmp_path / "skillsvc.db", random_bytes=os.urandom)) as store:

        def begin(limits: Limits) -> Current:
            current = Current(store, limits)
            current.open_layer(DEPLOYMENT, NOW)
            return current

        yield begin


def numbered(number: int) -> Partition:
    return Partition(principal="local", project=f"p{number:03}")


def test_a_start_knows_all_partitions_and_reads_none(opened: Callable[[Limits], Current]) -> None:
    opened(Limits()).replace([Content(partition=numbered(each), rows=(row("a"),)) for each in range(20)], NOW)
    current = opened(Limits())
    assert current.partitions == (DEPLOYMENT, *map(numbered, range(20)))
    assert tuple(current.layers) == (DEPLOYMENT,)
    assert current.has_layer(numbered(3))
    assert not current.has_layer(ALICE)
    assert current.holding((DEPLOYMENT, ALICE)) is current.layers
    assert current.holding((DEPLOYMENT, numbered(3))) is None
    held = current.ensure((DEPLOYMENT, numbered(3), ALICE))
    assert set(held) == {DEPLOYMENT, numbered(3)}
    assert held[numbered(3)].present.rows == (row("a"),)


def test_a_layer_that_comes_back_is_the_same_by_value(opened: Callable[[Limits], Current]) -> None:
    current = opened(SMALL)
    current.replace([Content(partition=ALICE, rows=(row("a"),), log_generation=4)], NOW)
    current.replace([Content(partition=ALICE, rows=(row("a"), row("b")))], NOW)
    current.revoke(ALICE, "c", NOW)
    before = current.layers[ALICE]
    for number in range(30):
        current.replace([Content(partition=numbered(number), rows=(row("a"),))], NOW)
    assert ALICE not in current.layers
    assert current.ensure((ALICE,))[ALICE] == before


def test_a_layer_that_is_held_stays_until_it_is_let_go_and_is_read_again_then(
    opened: Callable[[Limits], Current],
) -> None:
    current = opened(SMALL)
    current.open_layer(ALICE, NOW, held=True)
    current.publish(ALICE, (row("a"),), (), NOW)
    fill = [Content(partition=numbered(number), rows=(row("a"),)) for number in range(30)]
    for content in fill:
        current.replace([content], NOW)
    before = current.layers[ALICE]
    assert not current.is_full
    current.let_go(ALICE)
    for content in fill:
        current.replace([replace(content, rows=(row("b"),))], NOW)
    assert ALICE not in current.layers
    assert current.ensure((ALICE,))[ALICE] == before


def test_what_is_held_beyond_all_room_is_told_and_makes_room_when_it_is_let_go(
    opened: Callable[[Limits], Current],
) -> None:
    current = opened(Limits(resident_layer_bytes=1))
    current.open_layer(ALICE, NOW, held=True)
    assert current.is_full
    current.let_go(ALICE)
    assert (current.is_full, tuple(current.layers)) == (False, (DEPLOYMENT,))


def test_a_layer_that_is_declared_while_it_is_in_memory_stays_there(opened: Callable[[Limits], Current]) -> None:
    current = opened(SMALL)
    current.replace([Content(partition=ALICE, rows=(row("a"),))], NOW)
    current.open_layer(ALICE, NOW)
    for number in range(30):
        current.replace([Content(partition=numbered(number), rows=(row("a"),))], NOW)
    assert ALICE in current.layers


def test_what_other_sources_have_left_is_taken_out_and_kept_out(opened: Callable[[Limits], Current]) -> None:
    current = opened(Limits())
    current.replace([Content(partition=ALICE, rows=(row("a"), row("b")))], NOW)
    before = current.layers[ALICE].present
    current.keep_only(ALICE, {row("a").source}, NOW)
    assert current.layers[ALICE].present is before
    current.keep_only(ALICE, {"another"}, NOW)
    after = current.layers[ALICE].present
    assert (after.rows, after.sequence) == ((), before.sequence + 1)
    assert opened(Limits()).ensure((ALICE,))[ALICE].present == after
    with pytest.raises(NotFound):
        current.keep_only(PROJECT, {"another"}, NOW)


def test_what_is_replaced_away_from_memory_goes_on_with_its_log(opened: Callable[[Limits], Current]) -> None:
    current = opened(SMALL)
    for turn, number in itertools.product(range(3), range(30)):
        (told,) = current.replace([Content(partition=numbered(number), rows=(row("a", str(turn)),))], NOW)
        assert (told.changed, told.layer.present.sequence) == (True, turn + 1)
    assert len(current.layers) < 20


def test_no_name_of_a_partition_that_nobody_published_to_is_revoked(opened: Callable[[Limits], Current]) -> None:
    current = opened(Limits())
    for change in (current.revoke, current.lift):
        with pytest.raises(NotFound) as caught:
            change(ALICE, "a", NOW)
        assert caught.value.reason is ErrorReason.PARTITION_NOT_FOUND
    assert current.partitions == (DEPLOYMENT,)


class Full(SqliteStore):
    """A store whose disk may be full."""

    is_full = False

    @override
    def keep(self, steps: Sequence[LayerStep]) -> None:
        if self.is_full:
            raise Unavailable(ErrorReason.STORE_UNREACHABLE, "full")
        super().keep(steps)


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Full]:
    with closing(Full(tmp_path / "full.db", random_bytes=os.urandom)) as store:
        yield store


def test_what_could_not_be_kept_as_revoked_does_not_come_back_with_a_source(full: Full) -> None:
    current = Current(full, Limits())
    current.open_layer(DEPLOYMENT, NOW)
    current.replace([Content(partition=ALICE, rows=(row("a"), row("b")))], NOW)
    full.is_full = True
    with pytest.raises(Unavailable):
        current.revoke(ALICE, "a", NOW)
    assert current.layers[ALICE].present.rows == ()
    emptied = current.layers[ALICE].present.sequence
    full.is_full = False
    # A reload declares a source that feeds the partition.
    layer = current.open_layer(ALICE, NOW)
    assert (layer.present.names, layer.revoked) == (("b",), frozenset({"a"}))
    assert layer.present.sequence > emptied
    assert current.layers[ALICE] == layer


def test_what_could_not_be_kept_is_by_the_next_look_of_the_sources_though_they_hold_what_they_held(full: Full) -> None:
    current, blobs = Current(full, Limits()), MemoryBlobStore()
    source, clock = ScriptedSource("main"), Clock()
    source.hold(skill_row(blobs, "a"), skill_row(blobs, "b"))
    current.open_layer(DEPLOYMENT, NOW)
    current.open_layer(ALICE, NOW)
    refresh = Refresh(current, ALICE, [source], blobs=blobs, limits=Limits(), now=clock, clock=clock.monotonic)
    refresh.look()
    full.is_full = True
    with pytest.raises(Unavailable):
        current.revoke(ALICE, "a", NOW)
    refresh.look()
    # Not told as complete: it has more than is served.
    assert (refresh.present.names, refresh.is_published, len(refresh.unreachable)) == ((), False, 1)
    full.is_full = False
    refresh.look()
    assert (refresh.present.names, refresh.unreachable) == (("b",), ())
    # What was made good is a revoke more, after which sources are asked once more.
    refresh.look()
    assert refresh.is_published
    assert Current(full, Limits()).ensure((ALICE,))[ALICE].revoked == {"a"}


def test_layers_replaced_together_are_one_assignment_told_once(opened: Callable[[Limits], Current]) -> None:
    current = opened(Limits())
    seen: list[tuple[int, int]] = []
    current.subscribe(
        lambda: seen.append((len(current.layers[ALICE].present.rows), len(current.layers[PROJECT].present.rows)))
    )
    current.replace([Content(partition=ALICE, rows=(row("a"),)), Content(partition=PROJECT, rows=())], NOW)
    current.replace([Content(partition=PROJECT, rows=(row("b"),)), Content(partition=ALICE, rows=())], NOW)
    assert seen == [(1, 0), (0, 1)]


def test_pairs_are_whole_for_readers_in_threads_while_layers_come_and_go(opened: Callable[[Limits], Current]) -> None:
    current = opened(SMALL)
    stopped = threading.Event()

    def pair(number: int) -> list[Content]:
        rows = (row("a", str(number)),)
        return [Content(partition=ALICE, rows=rows), Content(partition=PROJECT, rows=rows)]

    seen: tuple[set[str], ...] = (set(), set())

    def read(mine: set[str]) -> None:
        while not stopped.is_set():
            held = current.ensure((PROJECT, ALICE))
            one, other = held[ALICE].present.rows, held[PROJECT].present.rows
            assert one == other
            mine.add(one[0].bundle.skill.description)

    def crowd() -> None:
        for number in itertools.cycle(range(30)):
            if stopped.is_set():
                return
            current.ensure((numbered(number),))

    current.replace([Content(partition=numbered(each), rows=(row("a"),)) for each in range(30)], NOW)
    current.replace(pair(0), NOW)
    with ThreadPoolExecutor(3) as threads:
        beside = [*(threads.submit(read, mine) for mine in seen), threads.submit(crowd)]
        try:
            for number in itertools.count(1):
                current.replace(pair(number), NOW)
                # Until each has read several of them, however busy the machine is.
                if (number >= 200 and min(map(len, seen)) >= 3) or any(each.done() for each in beside):
                    break
        finally:
            stopped.set()
        for each in beside:
            each.result()

"""The one mutable cell: what is published, what is kept, who is told."""

import os
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from skillsvc.catalog.current import Current
from skillsvc.catalog.layer import Layer, SourceState, UnreachableSource, retained
from skillsvc.domain.errors import ErrorReason, Exhausted, Unavailable
from skillsvc.domain.generation import EMPTY_LAYER_DIGEST, Generation, Row, layer_digest
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from tests.contract.layer_log_values import generation, row
from tests.simulators.memory_log import MemoryLayerLog

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LOCAL = Partition(principal="local", project="")
STALE = UnreachableSource(source="dir-1", since=NOW, state=SourceState.STALE)
A, B, C = row("a"), row("b"), row("c")


class FailingLog(MemoryLayerLog):
    """A log whose disk may be full."""

    full = False

    @override
    def append(self, generation: Generation, *, dropped: Collection[int]) -> None:
        if self.full:
            raise Unavailable(ErrorReason.STORE_UNREACHABLE, "full")
        super().append(generation, dropped=dropped)


@pytest.fixture
def log() -> FailingLog:
    return FailingLog(os.urandom)


@pytest.fixture
def current(log: FailingLog) -> Current:
    current = Current(log, Limits())
    current.open_layer(DEPLOYMENT, NOW)
    return current


def digests(current: Current, partition: Partition = DEPLOYMENT) -> list[str]:
    return [held.digest for held in current.layers[partition].generations]


def test_a_new_layer_begins_with_an_empty_generation_that_the_log_has(current: Current, log: FailingLog) -> None:
    present = current.layers[DEPLOYMENT].present
    assert (present.sequence, present.digest, present.rows) == (1, EMPTY_LAYER_DIGEST, ())
    assert log.load(DEPLOYMENT).generations == (present,)


def test_what_is_published_is_served_numbered_and_in_the_log(current: Current, log: FailingLog) -> None:
    published = current.publish(DEPLOYMENT, (A, B), (), NOW + timedelta(seconds=1))
    assert published is not None
    assert (published.sequence, published.digest) == (2, layer_digest((A, B)))
    assert published.published_at == NOW + timedelta(seconds=1)
    assert current.layers[DEPLOYMENT].present is published
    assert log.load(DEPLOYMENT).generations[-1] == published


def test_equal_content_publishes_nothing_and_tells_nobody(current: Current, log: FailingLog) -> None:
    current.publish(DEPLOYMENT, (A,), (), NOW)
    told: list[int] = []
    current.subscribe(lambda: told.append(1))
    assert current.publish(DEPLOYMENT, (row("a"),), (), NOW + timedelta(hours=1)) is None
    assert current.layers[DEPLOYMENT].present.sequence == 2
    assert current.layers[DEPLOYMENT].present.published_at == NOW
    assert (told, len(log.load(DEPLOYMENT).generations)) == ([], 2)


def test_places_and_diagnostics_are_renewed_without_a_publish(current: Current) -> None:
    current.publish(DEPLOYMENT, (row("a", place="old"), B), (), NOW)
    assert current.publish(DEPLOYMENT, (row("a", place="new"), B), (), NOW) is None
    layer = current.layers[DEPLOYMENT]
    assert [each.found.place for each in layer.present.rows] == ["new", ""]
    assert layer.present.sequence == 2


def test_what_a_renewed_generation_does_not_share_counts_for_the_one_before(current: Current) -> None:
    old, new = row("a", place="old"), row("a", place="new")
    current.publish(DEPLOYMENT, (old,), (), NOW)
    current.publish(DEPLOYMENT, (old, B), (), NOW)
    assert current.layers[DEPLOYMENT].own_bytes == (0, 24)
    current.publish(DEPLOYMENT, (new, B), (), NOW)
    assert current.layers[DEPLOYMENT].own_bytes == (0, 24 + len(old.encoded))


def test_a_revert_is_a_new_generation_with_the_old_digest(current: Current) -> None:
    for rows in ((A,), (B,), (A,)):
        current.publish(DEPLOYMENT, rows, (), NOW)
    layer = current.layers[DEPLOYMENT]
    assert [held.sequence for held in layer.generations] == [1, 2, 3, 4]
    assert layer.generations[1].digest == layer.generations[3].digest
    assert layer.with_digest(layer.present.digest) is layer.present
    assert layer.with_digest("0" * 64) is None


@pytest.mark.parametrize(("sequence", "there"), [(1, False), (2, True), (3, True), (4, True)])
def test_a_layer_had_a_digest_from_its_first_generation_on(current: Current, sequence: int, there: bool) -> None:  # noqa: FBT001 - a column of a table
    for rows in ((A,), (B,), (A,)):
        current.publish(DEPLOYMENT, rows, (), NOW)
    assert current.layers[DEPLOYMENT].had(layer_digest((A,)), sequence) is there


def test_a_layer_with_too_many_rows_is_refused_and_what_is_served_stays(log: FailingLog) -> None:
    current = Current(log, Limits(layer_skills=2))
    current.open_layer(DEPLOYMENT, NOW)
    current.publish(DEPLOYMENT, (A, B), (), NOW)
    with pytest.raises(Exhausted) as caught:
        current.publish(DEPLOYMENT, (A, B, C), (), NOW)
    assert caught.value.reason is ErrorReason.LIMIT_EXCEEDED
    assert current.layers[DEPLOYMENT].present.names == ("a", "b")


def test_a_log_that_fails_leaves_what_is_served_and_the_next_publish_has_its_number(
    current: Current, log: FailingLog
) -> None:
    current.publish(DEPLOYMENT, (A,), (), NOW)
    before = current.layers
    log.full = True
    with pytest.raises(Unavailable):
        current.publish(DEPLOYMENT, (B,), (), NOW)
    assert current.layers is before
    log.full = False
    published = current.publish(DEPLOYMENT, (B,), (), NOW)
    assert published is not None
    assert published.sequence == 3


def test_a_state_that_was_taken_never_changes(current: Current) -> None:
    current.publish(DEPLOYMENT, (A,), (), NOW)
    taken = current.layers
    held = taken[DEPLOYMENT]
    current.publish(DEPLOYMENT, (B,), (), NOW)
    current.report(DEPLOYMENT, (STALE,))
    current.open_layer(LOCAL, NOW)
    assert (taken[DEPLOYMENT], list(taken)) == (held, [DEPLOYMENT])
    with pytest.raises(TypeError):
        taken[LOCAL] = held  # type: ignore[index] # what must not work


def test_layers_are_published_apart(current: Current) -> None:
    current.open_layer(LOCAL, NOW)
    before = current.layers[DEPLOYMENT]
    current.publish(LOCAL, (A,), (), NOW)
    assert current.layers[DEPLOYMENT] is before
    assert current.layers[LOCAL].present.log_id != before.present.log_id


def test_a_restart_finds_what_was_published(current: Current, log: FailingLog) -> None:
    current.publish(DEPLOYMENT, (A, B), (), NOW)
    current.publish(DEPLOYMENT, (B,), (), NOW)
    again = Current(log, Limits())
    layer = again.open_layer(DEPLOYMENT, NOW + timedelta(days=1))
    assert layer == replace(current.layers[DEPLOYMENT], unreachable=())
    assert layer.own_bytes == (0, 2 * 24 + len(A.encoded))


def test_a_report_of_sources_is_told_once_and_changes_no_generation(current: Current) -> None:
    told: list[int] = []
    current.subscribe(lambda: told.append(1))
    present = current.layers[DEPLOYMENT].present
    current.report(DEPLOYMENT, (STALE,))
    current.report(DEPLOYMENT, (STALE,))
    assert current.layers[DEPLOYMENT].unreachable == (STALE,)
    assert current.layers[DEPLOYMENT].present is present
    assert told == [1]
    current.report(DEPLOYMENT, ())
    assert told == [1, 1]


def test_whoever_is_told_sees_the_new_state_already(current: Current) -> None:
    seen: list[int] = []
    current.subscribe(lambda: seen.append(current.layers[DEPLOYMENT].present.sequence))
    current.publish(DEPLOYMENT, (A,), (), NOW)
    assert seen == [2]


def test_whoever_unsubscribed_is_told_no_more(current: Current) -> None:
    told: list[str] = []
    end_one = current.subscribe(lambda: told.append("one"))
    current.subscribe(lambda: told.append("two"))
    end_one()
    end_one()
    current.publish(DEPLOYMENT, (A,), (), NOW)
    assert told == ["two"]


FEW = Limits(retained_generations=3, retained_at_most=6, retained_age_s=100, retained_row_bytes=50)


def layer_of(ages_s: list[int], own_bytes: list[int]) -> Layer:
    """Return a layer of generations of these ages, the oldest first; the last one is the present."""
    generations = tuple(
        replace(generation(DEPLOYMENT, b"l" * 16, at), published_at=NOW - timedelta(seconds=age))
        for at, age in enumerate(ages_s, start=1)
    )
    return Layer(generations=generations, own_bytes=tuple(own_bytes))


@pytest.mark.parametrize(
    ("ages_s", "own_bytes", "kept"),
    [
        ([0], [], 1),
        ([900, 800, 700], [1, 1], 3),
        ([900, 800, 700], [99, 99], 3),
        ([900, 800, 700, 600], [1, 1, 1], 3),
        ([100, 3, 2, 1], [1, 1, 1], 3),
        ([99, 3, 2, 1], [1, 1, 1], 4),
        ([300, 200, 99, 98, 3, 2, 1], [1] * 6, 5),
        ([9, 8, 7, 6, 5, 4, 3], [1] * 6, 6),
        ([9, 8, 7, 6, 5], [20, 10, 10, 10], 5),
        ([9, 8, 7, 6, 5], [21, 10, 10, 10], 4),
        ([9, 8, 7, 6, 5], [1, 1, 1, 51], 3),
        ([9, 8, 7, 6, 5], [1, 50, 0, 0], 4),
    ],
)
def test_of_older_generations_those_young_few_and_small_enough_are_kept(
    ages_s: list[int], own_bytes: list[int], kept: int
) -> None:
    layer = layer_of(ages_s, own_bytes)
    left = retained(layer, NOW, FEW)
    assert left.generations == layer.generations[-kept:]
    assert left.own_bytes == (layer.own_bytes[-(kept - 1) :] if kept > 1 else ())


@given(
    st.lists(st.tuples(st.integers(min_value=0, max_value=200), st.integers(min_value=0, max_value=30)), min_size=1),
    st.integers(min_value=0, max_value=30),
)
def test_what_is_kept_is_the_longest_end_that_the_rule_allows(held: list[tuple[int, int]], newest_age: int) -> None:
    older = sorted((age + newest_age, size) for age, size in held)[::-1]
    ages_s, own_bytes = [age for age, _ in older] + [newest_age], [size for _, size in older]

    def allowed(kept: int) -> bool:
        if kept <= 3:
            return True
        beyond = ages_s[-kept:-3]
        return kept <= 6 and max(beyond) < 100 and sum(own_bytes[-(kept - 1) :]) <= 50

    longest = max(kept for kept in range(1, len(ages_s) + 1) if allowed(kept))
    assert len(retained(layer_of(ages_s, own_bytes), NOW, FEW).generations) == longest


def test_a_publish_drops_from_the_log_what_is_dropped_here(log: FailingLog) -> None:
    current = Current(log, Limits(retained_generations=2, retained_at_most=3))
    current.open_layer(DEPLOYMENT, NOW)
    for number in range(10):
        current.publish(DEPLOYMENT, (row("a", str(number)),), (), NOW)
        assert log.load(DEPLOYMENT).generations == current.layers[DEPLOYMENT].generations
    assert [held.sequence for held in current.layers[DEPLOYMENT].generations] == [9, 10, 11]


def test_the_last_16_are_kept_for_ever_and_256_for_a_day(log: FailingLog) -> None:
    current = Current(log, Limits())
    current.open_layer(DEPLOYMENT, NOW)
    for number in range(300):
        current.publish(DEPLOYMENT, (row("a", str(number)),), (), NOW + timedelta(seconds=number))
    assert len(digests(current)) == 256
    rows: tuple[Row, ...] = (A,)
    current.publish(DEPLOYMENT, rows, (), NOW + timedelta(days=2))
    assert len(digests(current)) == 16
    assert digests(current)[-1] == layer_digest(rows)


def test_at_most_16_mib_of_rows_are_kept_beyond_the_last_16(log: FailingLog) -> None:
    current = Current(log, Limits())
    current.open_layer(DEPLOYMENT, NOW)
    many = [row(f"skill-{number:05}") for number in range(2_000)]
    size = sum(24 + len(each.encoded) for each in many)
    rows_of = (tuple(many), tuple(row(each.name, "other") for each in many))
    for number in range(120):
        # Each generation is made anew, as nothing is shared when the content goes back and forth.
        fresh = tuple(replace(each) for each in rows_of[number % 2])
        current.publish(DEPLOYMENT, fresh, (), NOW)
    layer = current.layers[DEPLOYMENT]
    assert sum(layer.own_bytes) <= 16 * 1024 * 1024 < sum(layer.own_bytes) + size
    assert len(layer.generations) > 16


def test_of_a_large_layer_few_generations_are_kept_though_they_share_nearly_all_rows(log: FailingLog) -> None:
    current = Current(log, Limits(retained_generations=2, retained_row_bytes=24 * 1_000 * 5))
    current.open_layer(DEPLOYMENT, NOW)
    many = tuple(row(f"skill-{number:04}") for number in range(1_000))
    for number in range(12):
        current.publish(DEPLOYMENT, (row("a", str(number)), *many[1:]), (), NOW)
    # Five generations before the present one would fit, were it not for the row that each has alone.
    assert len(digests(current)) == 1 + 4
    assert log.load(DEPLOYMENT).generations == current.layers[DEPLOYMENT].generations


def test_what_is_too_old_is_dropped_by_a_look_that_publishes_nothing_as_well(log: FailingLog) -> None:
    current = Current(log, Limits(retained_generations=2))
    current.open_layer(DEPLOYMENT, NOW)
    for number in range(5):
        current.publish(DEPLOYMENT, (row("a", str(number)),), (), NOW + timedelta(hours=number))
    told: list[int] = []
    current.subscribe(lambda: told.append(1))
    same = current.layers[DEPLOYMENT].present.rows
    assert current.publish(DEPLOYMENT, same, (), NOW + timedelta(hours=25, minutes=30)) is None
    layer = current.layers[DEPLOYMENT]
    assert [held.sequence for held in layer.generations] == [4, 5, 6]
    assert (log.load(DEPLOYMENT).generations, told) == (layer.generations, [])


@pytest.mark.parametrize("rows", [(A, B), (A,)], ids=["with new rows", "with the same rows"])
def test_rows_and_what_could_not_be_seen_are_one_assignment_told_once(current: Current, rows: tuple[Row, ...]) -> None:
    current.publish(DEPLOYMENT, (A,), (), NOW)
    seen: list[tuple[int, tuple[UnreachableSource, ...]]] = []
    current.subscribe(
        lambda: seen.append((len(current.layers[DEPLOYMENT].present.rows), current.layers[DEPLOYMENT].unreachable))
    )
    current.publish(DEPLOYMENT, rows, (STALE,), NOW)
    assert seen == [(len(rows), (STALE,))]
    current.publish(DEPLOYMENT, rows, (STALE,), NOW)
    assert len(seen) == 1

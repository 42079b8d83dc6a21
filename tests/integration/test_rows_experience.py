"""Rows 72 to 75 of the merged list: what outcomes teach. A docstring says what is decided otherwise, and why."""

import math
import os
from contextlib import closing
from pathlib import Path

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.experience.learning import Rate
from skillsvc.store.sqlite import SqliteStore
from tests.integration.in_process import World, in_process
from tests.integration.outcomes import HERE, best, report
from tests.simulators.skills import skill_row

pytestmark = pytest.mark.integration


@pytest.fixture
def world() -> World:
    return World(rate=Rate.LAST)


async def test_row_72_a_rate_beyond_success_and_an_empty_skill_are_refused(world: World) -> None:
    """`contract.md`: a rate that is absent, no number or outside of 0 to 1 is refused, never brought into range."""
    async with in_process(skill_row(world.blobs, "a"), world=world) as server:
        for rate in (1.5, -0.1, math.nan, math.inf, -math.inf):
            refusal = await server.refused(pb.ReportOutcomeRequest(skill="a", task="rust", success_rate=rate))
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "ARGUMENT_OUT_OF_RANGE")
            assert refusal.metadata == {"field": "success_rate"}
        for request, field in (
            (pb.ReportOutcomeRequest(skill="a", task="rust"), "success_rate"),
            (pb.ReportOutcomeRequest(task="rust", success_rate=1), "skill"),
            (pb.ReportOutcomeRequest(skill="a", success_rate=1), "task"),
            (pb.ReportOutcomeRequest(skill="a", task=" \n", success_rate=1), "task"),
            (pb.ReportOutcomeRequest(skill="a", task="rust", activation_id="id-1", success_rate=1), "skill"),
        ):
            refusal = await server.refused(request)
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "ARGUMENT_MALFORMED")
            assert refusal.metadata == {"field": field}
    assert world.experience.priors(HERE) == ()


async def test_row_72_a_pair_is_replaced_and_a_long_task_is_kept_by_its_beginning(world: World) -> None:
    async with in_process(skill_row(world.blobs, "a"), world=world) as server:
        await report(server, "a", "世" * 1_000, 0)
        assert (await report(server, "a", "世" * 1_000, 1)).recorded
        (prior,) = world.experience.priors(HERE)
        assert (prior.task_pattern, prior.success_rate) == ("世" * 256, 1)
        found = await best(server, "世" * 10)
        assert (found.found, found.skill, found.task_pattern) == (True, "a", "世" * 256)


async def test_row_72_the_thousand_and_first_pair_takes_the_place_of_the_first(world: World) -> None:
    async with in_process(skill_row(world.blobs, "a"), world=world) as server:
        for number in range(1_001):
            await report(server, "a", f"task-{number:04}", 1)
        held = world.experience.priors(HERE)
        assert len(held) == 1_000
        assert not (await best(server, "task-0000")).found
        assert (await best(server, "task-0001")).found
        assert (await best(server, "task-1000")).found


async def test_row_73_few_words_are_held_against_each_other_and_of_more_half_must_be_there(world: World) -> None:
    rows = [skill_row(world.blobs, name) for name in ("a", "b", "z")]
    async with in_process(*rows, world=world) as server:
        await report(server, "z", "Review Rust", 0)
        await report(server, "a", "review rust", 1)
        for task in ("rust", "please review rust", "REVIEW RUST "):
            assert (await best(server, task)).skill == "z"
        for task in ("", " ", "rust review"):
            assert not (await best(server, task)).found
        assert (await best(server, "review the rust code")).skill == "z"
        assert not (await best(server, "review the ruby code")).found
        await report(server, "b", "the rust code", 0)
        assert (await best(server, "review the rust code")).skill == "b"


async def test_row_74_what_was_told_is_known_after_a_restart(tmp_path: Path, world: World) -> None:
    """Kept in the store, by partition, beside all else that outlives a process; its file is for its owner alone."""
    path = tmp_path / "skillsvc.db"
    for expected in (1, 2):
        with closing(SqliteStore(path, random_bytes=os.urandom)) as store:
            world.experience, world.requests = store, store
            async with in_process(skill_row(world.blobs, "a"), world=world) as server:
                assert (await best(server, "rust")).found == (expected == 2)
                await report(server, "a", "rust", 1)
                (prior,) = store.priors(HERE)
                assert prior.outcomes == expected
    assert path.stat().st_mode & 0o777 == 0o600


async def test_row_75_the_last_outcome_is_the_rate_where_the_operator_says_so(world: World) -> None:
    async with in_process(skill_row(world.blobs, "a"), world=world) as server:
        unknown = await best(server, "rust")
        assert (unknown.found, unknown.success_rate) == (False, 0)
        await report(server, "a", "rust", 1)
        assert (await best(server, "rust")).success_rate == 1
        await report(server, "a", "rust", 0)
        found = await best(server, "rust")
        assert (found.found, found.success_rate) == (True, 0)


async def test_row_75_one_failure_does_not_erase_a_hundred_successes() -> None:
    """ADR 0014: by default the rate is of all outcomes, as if one success and one failure had come before."""
    world = World()
    async with in_process(skill_row(world.blobs, "a"), world=world) as server:
        await report(server, "a", "rust", 1)
        assert (await best(server, "rust")).success_rate == pytest.approx(2 / 3)
        for _ in range(99):
            await report(server, "a", "rust", 1)
        await report(server, "a", "rust", 0)
        assert (await best(server, "rust")).success_rate == pytest.approx(100 / 102)

"""WatchCatalog: what the first event is, what is told afterwards, and how a stream ends (contract.md, "Watch")."""

import asyncio

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.trust import Trust
from tests.integration.in_process import InProcess, Watcher, World, in_process
from tests.simulators.memory_log import MemoryLayerLog
from tests.simulators.skills import skill_row

QUIET = Limits(retained_generations=3, retained_at_most=3, heartbeat_s=30)
LIVELY = Limits(retained_generations=3, retained_at_most=3, heartbeat_s=0.05)
LOCAL = Partition(principal="local", project="")


def publish(server: InProcess, **versions: str) -> None:
    """Publish skills, each with a description."""
    server.publish(*(skill_row(server.world.blobs, name, description=text) for name, text in versions.items()))


def told(event: pb.WatchCatalogResponse) -> tuple[list[str], list[str], list[str]]:
    """Return the names of an event: added, modified, removed."""
    return [skill.name for skill in event.added], [skill.name for skill in event.modified], list(event.removed)


async def present(server: InProcess) -> pb.Generation:
    return (await server.list()).generation


async def begun(
    server: InProcess, since: str = "", allow: dict[str, list[str]] | None = None, project: str = ""
) -> Watcher:
    """Return a stream whose first event has come."""
    watcher = server.watch(since=since, allow=allow, project=project)
    await watcher.event()
    return watcher


@pytest.fixture
def world() -> World:
    return World(limits=QUIET)


class TestFirstEvent:
    async def test_without_a_state_it_is_a_resync_of_the_present(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1")
            event = await server.watch().event()
            assert event == pb.WatchCatalogResponse(
                generation=await present(server), resync=True, heartbeat_interval_ms=30_000
            )

    async def test_since_the_present_it_is_empty(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1")
            generation = await present(server)
            event = await server.watch(since=generation.token).event()
            assert event == pb.WatchCatalogResponse(generation=generation, heartbeat_interval_ms=30_000)

    async def test_since_a_retained_state_it_is_the_difference(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1", b="1", c="1", z="1")
            since = (await present(server)).token
            publish(server, b="1", c="2", d="2", aa="2")
            event = await server.watch(since=since).event()
            assert told(event) == (["aa", "d"], ["c"], ["a", "z"])
            assert (event.generation, event.resync) == (await present(server), False)
            assert event.modified[0] == (await server.list(allow={"names": ["c"]})).skills[0]

    async def test_since_a_state_that_has_expired_it_is_a_resync(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="0")
            since = (await present(server)).token
            for version in "123":
                publish(server, a=version)
            event = await server.watch(since=since).event()
            assert (event.resync, told(event)) == (True, ([], [], []))

    @pytest.mark.parametrize("since", ["x", "a" * 2_048, "é"])
    async def test_since_what_is_no_token_it_is_a_resync(self, world: World, since: str) -> None:
        async with in_process(world=world) as server:
            event = await server.watch(since=since).event()
            assert (event.resync, event.generation) == (True, await present(server))

    async def test_since_a_state_of_a_lost_log_it_is_a_resync(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1")
            since = (await present(server)).token
        world.log = MemoryLayerLog(lambda size: b"another log's id"[:size])
        async with in_process(world=world) as server:
            publish(server, a="2")
            assert (await server.watch(since=since).event()).resync

    async def test_since_a_state_of_another_log_with_the_present_content_it_is_empty(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1")
            since = (await present(server)).token
        world.log = MemoryLayerLog(lambda size: b"another log's id"[:size])
        async with in_process(world=world) as server:
            publish(server, a="1")
            event = await server.watch(since=since).event()
            assert (event.resync, told(event)) == (False, ([], [], []))

    async def test_a_since_longer_than_its_cap_is_refused(self, world: World) -> None:
        async with in_process(world=world) as server:
            refusal = await server.watch(since="a" * 2_049).refusal()
            assert (refusal.reason, refusal.metadata["field"]) == ("ARGUMENT_OUT_OF_RANGE", "since")


class TestChanges:
    async def test_a_publish_is_told_as_its_difference_and_its_generation(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1", b="1")
            watcher = await begun(server)
            publish(server, a="2", c="1")
            event = await watcher.event()
            assert told(event) == (["c"], ["a"], ["b"])
            assert event.generation == await present(server)
            assert event.heartbeat_interval_ms == 30_000

    async def test_a_change_of_policy_alone_is_a_modification(self, world: World) -> None:
        async with in_process(world=world) as server:
            server.publish(skill_row(world.blobs, "a"))
            watcher = await begun(server)
            server.publish(skill_row(world.blobs, "a", trust=Trust.UNTRUSTED))
            event = await watcher.event()
            assert told(event) == ([], ["a"], [])

    async def test_equal_content_wakes_nobody(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1")
            watcher = await begun(server)
            publish(server, a="1")
            publish(server, a="2")
            assert (await watcher.event()).generation.sequence == 3

    async def test_a_change_of_completeness_is_an_event_without_names(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1")
            watcher = await begun(server)
            since = world.clock()
            source = UnreachableSource(source="dir-1", since=since, state=SourceState.STALE)
            for unreachable in ((source,), ()):
                server.current.report(DEPLOYMENT, unreachable)
                event = await watcher.event()
                assert told(event) == ([], [], [])
                assert event.generation.complete == (not unreachable)
                assert event.generation == await present(server)

    async def test_a_slow_reader_gets_one_difference_from_what_it_got_last(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1", b="1")
            watcher = await begun(server)
            # All in one step of the event loop, so that the stream finds them together.
            publish(server, a="1", b="1", brief="gone again")
            publish(server, a="2", b="1", c="1")
            publish(server, a="1", b="2", c="1")
            event = await watcher.event()
            assert told(event) == (["c"], ["b"], [])
            assert event.generation.sequence == 5

    async def test_what_came_back_to_what_the_reader_holds_is_no_event(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1")
            watcher = await begun(server)
            publish(server, a="2")
            publish(server, a="1")
            await present(server)
            publish(server, a="3")
            event = await watcher.event()
            assert (told(event), event.generation.sequence) == (([], ["a"], []), 5)

    async def test_names_that_are_not_allowed_are_not_told(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1", hidden="1")
            watcher = await begun(server, allow={"names": ["a", "b"]})
            publish(server, hidden="2", b="1", other="1")
            assert told(await watcher.event()) == (["b"], [], ["a"])

    async def test_watchers_who_see_the_same_are_told_the_same(self, world: World) -> None:
        async with in_process(world=world) as server:
            watchers = [await begun(server) for _ in range(3)]
            publish(server, a="1")
            events = [await watcher.event() for watcher in watchers]
            assert told(events[0]) == (["a"], [], [])
            assert events == [events[0]] * 3

    async def test_a_project_is_told_of_its_own_layer(self, world: World) -> None:
        project = Partition(principal="local", project="p")
        async with in_process(world=world, partitions=(DEPLOYMENT, project, LOCAL)) as server:
            publish(server, a="1")
            watcher = await begun(server, project="p")
            server.publish(skill_row(world.blobs, "mine"), skill_row(world.blobs, "a"), partition=project)
            assert told(await watcher.event()) == (["mine"], [], [])
            server.publish(skill_row(world.blobs, "a", description="2"), skill_row(world.blobs, "mine", body="2"))
            assert told(await watcher.event()) == ([], ["a", "mine"], [])

    @pytest.mark.parametrize(("names", "resync"), [(1_000, False), (1_001, True)])
    async def test_more_than_1000_names_are_a_resync(self, world: World, names: int, resync: bool) -> None:  # noqa: FBT001 - a column of a table
        async with in_process(world=world) as server:
            publish(server, old="1")
            watcher = await begun(server)
            publish(server, **{f"s{number}": "1" for number in range(names - 1)})
            event = await watcher.event()
            assert event.resync is resync
            assert len(event.added) + len(event.removed) == (0 if resync else names)

    async def test_more_than_512_kib_are_a_resync(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, **{f"s{number}": "1" for number in range(700)})
            watcher = await begun(server)
            publish(server, **{f"s{number}": "d" * 800 for number in range(700)})
            event = await watcher.event()
            assert (event.resync, told(event)) == (True, ([], [], []))
            publish(server, **{f"s{number}": "d" * 800 for number in range(701)})
            assert told(await watcher.event()) == (["s700"], [], [])

    async def test_consistency_is_ignored(self, world: World) -> None:
        async with in_process(world=world) as server:
            assert (await server.watch(consistency={"at_exactly": "x"}).event()).resync


class TestHeartbeats:
    async def test_they_come_while_nothing_changes_and_name_the_present(self) -> None:
        async with in_process(world=World(limits=LIVELY)) as server:
            publish(server, a="1")
            watcher = await begun(server)
            expected = pb.WatchCatalogResponse(
                generation=await present(server), heartbeat=True, heartbeat_interval_ms=50
            )
            assert [await watcher.event() for _ in range(3)] == [expected] * 3
            publish(server, a="2")
            event = await watcher.event()
            while event.heartbeat:  # begun before the publish, on a busy machine
                event = await watcher.event()
            assert told(event) == ([], ["a"], [])
            assert (await watcher.event()).heartbeat

    async def test_changes_that_a_watcher_cannot_see_do_not_keep_them_back(self) -> None:
        other = Partition(principal="local", project="other")
        async with in_process(world=World(limits=LIVELY), partitions=(DEPLOYMENT, other)) as server:
            watcher = await begun(server)
            waiting = asyncio.create_task(watcher.event())
            number = 0
            while not waiting.done():
                number += 1
                server.publish(skill_row(server.world.blobs, "x", description=str(number)), partition=other)
                await present(server)
            assert (await waiting).heartbeat


class TestEnd:
    async def test_a_drain_is_told_and_ends_the_stream_without_an_error(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, a="1")
            watcher = await begun(server)
            generation = await present(server)
            draining = asyncio.create_task(server.server.drain(20.0))
            assert await watcher.event() == pb.WatchCatalogResponse(
                generation=generation, going_away=True, heartbeat_interval_ms=30_000
            )
            assert await watcher.ended()
            await draining

    async def test_a_stream_is_refused_before_the_first_look(self, world: World) -> None:
        async with in_process(world=world, serving=False) as server:
            refusal = await server.watch().refusal()
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "NOT_READY")

    async def test_a_watcher_who_goes_away_leaves_the_others(self, world: World) -> None:
        async with in_process(world=world) as server:
            leaving, staying = await begun(server), await begun(server)
            leaving.stream.cancel()
            publish(server, a="1")
            assert told(await staying.event()) == (["a"], [], [])

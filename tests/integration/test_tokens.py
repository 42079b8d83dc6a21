"""Naming a state: at least, exactly, expired, not yet, and never another caller's (contract.md, "Tokens")."""

import asyncio
import copy
from typing import TypeAlias

import grpc
import pytest
from google.rpc import error_details_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.tokens import TokenKeys
from tests.integration.in_process import KEYS, InProcess, World, in_process, unpacked
from tests.patience import PATIENCE_S
from tests.simulators.memory_log import MemoryLayerLog
from tests.simulators.skills import skill_row

PATIENT = Limits(retained_generations=2, retained_at_most=2, wait_for_generation_s=PATIENCE_S)
HASTY = Limits(retained_generations=2, retained_at_most=2, wait_for_generation_s=0.001)


def publish(server: InProcess, version: str, partition: Partition = DEPLOYMENT) -> None:
    server.publish(
        skill_row(server.world.blobs, "a", description=version, body=f"Body {version}."), partition=partition
    )


async def present(server: InProcess) -> pb.Generation:
    return (await server.list()).generation


async def description(server: InProcess, **consistency: str) -> str:
    (skill,) = (await server.list(consistency=consistency)).skills
    return skill.description


@pytest.fixture
def world() -> World:
    return World(limits=HASTY)


ReadRequest: TypeAlias = (
    pb.ListSkillsRequest | pb.SkillBodyRequest | pb.ListAssetsRequest | pb.ReadAssetRequest | pb.ActivateRequest
)
EVERY_READ: list[ReadRequest] = [
    pb.ListSkillsRequest(),
    pb.SkillBodyRequest(name="a"),
    pb.ListAssetsRequest(name="a"),
    pb.ReadAssetRequest(skill="a", asset="a.txt"),
    pb.ActivateRequest(name="a"),
]
CALLS = pytest.mark.parametrize("request_", EVERY_READ, ids=lambda request: type(request).__name__)


def naming(request: ReadRequest, how: str, token: str) -> ReadRequest:
    """Return a request with a `consistency`."""
    asked = copy.deepcopy(request)
    setattr(asked.consistency, how, token)
    return asked


async def test_a_retained_state_is_answered_from_exactly(world: World) -> None:
    async with in_process(world=world) as server:
        publish(server, "1")
        first = await present(server)
        publish(server, "2")
        assert await description(server, at_exactly=first.token) == "1"
        assert (await server.list(consistency={"at_exactly": first.token})).generation == first
        assert await description(server) == "2"


@CALLS
async def test_every_call_refuses_a_state_that_is_no_longer_held_and_names_the_present(
    world: World,
    request_: ReadRequest,
) -> None:
    async with in_process(world=world) as server:
        token = (await present(server)).token
        for version in "12":
            publish(server, version)
        refusal = await server.refused(naming(request_, "at_exactly", token))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "GENERATION_EXPIRED")
        assert refusal.metadata == {"current_token": (await present(server)).token}


@CALLS
async def test_every_call_says_of_a_state_that_is_not_there_when_to_ask_again(
    world: World,
    request_: ReadRequest,
) -> None:
    async with in_process(world=world) as server:
        later = server.later_token()
        refusal = await server.refused(naming(request_, "at_least", later))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "GENERATION_NOT_YET")
        assert refusal.status is not None
        (retry,) = unpacked(refusal.status, error_details_pb2.RetryInfo)
        assert 0 < retry.retry_delay.ToMilliseconds() <= 2_000


@CALLS
@pytest.mark.parametrize("how", ["at_least", "at_exactly"])
async def test_every_call_refuses_what_is_no_token_of_the_caller(
    world: World,
    request_: ReadRequest,
    how: str,
) -> None:
    async with in_process(world=world) as server:
        generation = server.current.layers[DEPLOYMENT].present
        tokens = [
            "",
            "x",
            "a" * 512,
            TokenKeys((b"o" * 32,)).sign_generation([generation], Partition(principal="local", project="")),
            KEYS.sign_generation([generation], Partition(principal="local", project="p")),
            KEYS.sign_generation([generation], Partition(principal="token:local", project="")),
            KEYS.sign_generation([generation] * 2, Partition(principal="local", project="")),
        ]
        for token in tokens:
            refusal = await server.refused(naming(request_, how, token))
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "TOKEN_MALFORMED")


@CALLS
async def test_every_call_refuses_a_token_longer_than_its_cap(
    world: World,
    request_: ReadRequest,
) -> None:
    async with in_process(world=world) as server:
        for how in ("at_least", "at_exactly"):
            refusal = await server.refused(naming(request_, how, "a" * 2_049))
            assert refusal.reason == "ARGUMENT_OUT_OF_RANGE"
            assert refusal.metadata == {"field": how, "limit": "2048"}


async def test_an_unset_consistency_is_whatever_is_at_hand(world: World) -> None:
    async with in_process(world=world) as server:
        publish(server, "1")
        assert await server.list(consistency=pb.Consistency()) == await server.list()


async def test_a_caller_waits_for_a_state_that_comes_in_time() -> None:
    async with in_process(world=World(limits=PATIENT)) as server:
        later = server.later_token()
        waiting = asyncio.create_task(server.list(consistency={"at_least": later}))
        await server.settled()
        publish(server, "1")
        answer = await waiting
        assert answer.generation.sequence == 2


async def test_a_caller_who_waits_is_answered_at_the_state_and_not_at_any_change() -> None:
    async with in_process(world=World(limits=PATIENT)) as server:
        later = server.later_token(by=3)
        waiting = asyncio.create_task(server.list(consistency={"at_least": later}))
        await server.settled()
        publish(server, "1")
        server.current.report(
            DEPLOYMENT,
            (UnreachableSource(source="s", since=server.world.clock(), state=SourceState.STALE),),
        )
        publish(server, "2")
        await server.settled()
        assert not waiting.done()
        publish(server, "3")
        assert (await waiting).generation.sequence == 4


async def test_a_caller_with_little_time_is_refused_before_it_is_over() -> None:
    async with in_process(world=World(limits=PATIENT)) as server:
        request = pb.ListSkillsRequest(consistency={"at_least": server.later_token()})
        refusal = await server.refused(request, within_s=3.0)
        assert refusal.reason == "GENERATION_NOT_YET"


async def test_a_state_before_the_present_is_at_least_reached_though_it_is_no_longer_held(world: World) -> None:
    async with in_process(world=world) as server:
        token = (await present(server)).token
        for version in "123":
            publish(server, version)
        assert await description(server, at_least=token) == "3"


async def test_tokens_outlive_a_restart_and_a_change_of_the_signing_key(world: World) -> None:
    async with in_process(world=world) as server:
        publish(server, "1")
        token = (await present(server)).token
    world.keys = TokenKeys((b"n" * 32, *KEYS.keys))
    async with in_process(world=world) as server:
        assert await description(server, at_exactly=token) == "1"
        renewed = await present(server)
        assert renewed.token != token
        publish(server, "2")
        assert await description(server, at_exactly=token) == "1"
        assert await description(server, at_exactly=renewed.token) == "1"
    world.keys = TokenKeys((b"n" * 32,))
    async with in_process(world=world) as server:
        assert await description(server, at_exactly=renewed.token) == "1"
        refusal = await server.refused(pb.ListSkillsRequest(consistency={"at_exactly": token}))
        assert refusal.reason == "TOKEN_MALFORMED"


async def test_a_lost_log_is_never_mistaken_for_the_one_before(world: World) -> None:
    async with in_process(world=world) as server:
        publish(server, "1")
        publish(server, "2")
        token = (await present(server)).token
    world.log = MemoryLayerLog(lambda size: b"another log's id"[:size])
    async with in_process(world=world) as server:
        for version in "3456":
            publish(server, version)
        for how in ("at_least", "at_exactly"):
            refusal = await server.refused(pb.ListSkillsRequest(consistency={how: token}))
            assert refusal.reason == "GENERATION_EXPIRED"
        publish(server, "2")
        assert await description(server, at_exactly=token) == "2"
        assert await description(server, at_least=token) == "2"


async def test_the_same_content_gives_the_same_digest_in_every_log(world: World) -> None:
    async with in_process(world=world) as server:
        publish(server, "1")
        here = await present(server)
    async with in_process(world=World(limits=HASTY)) as server:
        publish(server, "0")
        publish(server, "1")
        there = await present(server)
    assert (here.digest, here.sequence) == (there.digest, there.sequence - 1)
    assert here.token != there.token


async def test_completeness_is_told_as_it_is_now_under_an_old_token_too(world: World) -> None:
    async with in_process(world=world) as server:
        publish(server, "1")
        before = await present(server)
        publish(server, "2")
        since = server.world.clock()
        for state, number in ((SourceState.STALE, 1), (SourceState.MISSING, 2), (SourceState.PARTIAL, 3)):
            server.current.report(DEPLOYMENT, (UnreachableSource(source="dir-1", since=since, state=state),))
            answer = (await server.list(consistency={"at_exactly": before.token})).generation
            assert not answer.complete
            (source,) = answer.unreachable_sources
            assert (source.source, source.state) == ("dir-1", number)
            assert (answer.token, answer.digest, answer.sequence) == (before.token, before.digest, before.sequence)
        server.current.report(DEPLOYMENT, ())
        assert (await server.list(consistency={"at_exactly": before.token})).generation == before


async def test_a_project_has_tokens_of_its_own_and_sees_its_own_layer(world: World) -> None:
    project = Partition(principal="local", project="p")
    async with in_process(world=world, partitions=(DEPLOYMENT, project)) as server:
        publish(server, "1")
        server.publish(skill_row(world.blobs, "mine"), skill_row(world.blobs, "a"), partition=project)
        without, within = await server.list(), await server.list(project="p")
        assert [skill.name for skill in without.skills] == ["a"]
        assert [(skill.name, skill.description) for skill in within.skills] == [
            ("a", "1"),
            ("mine", "Does what its name says."),
        ]
        for token, other in ((without.generation.token, "p"), (within.generation.token, "")):
            request = pb.ListSkillsRequest(project=other, consistency={"at_exactly": token})
            assert (await server.refused(request)).reason == "TOKEN_MALFORMED"

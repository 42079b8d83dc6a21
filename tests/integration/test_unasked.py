"""What is open to whoever connects: health alone, as often as anybody likes and with so many streams; no reflection."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TypeAlias

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from skillsvc.domain.access import Refusal as NoRule
from skillsvc.domain.access import Role
from skillsvc.domain.shares import Shares
from skillsvc.service.health_watches import HealthWatches
from tests.integration.in_process import InProcess, Refusal, in_process, refusal_of, unpacked
from tests.patience import PATIENCE_S
from tests.simulators.known_callers import HEADER, KnownCallers, granted

HEALTH = "grpc.health.v1.Health"
REFLECTION = "grpc.reflection.v1alpha.ServerReflection"
SERVING = health_pb2.HealthCheckResponse.SERVING
Watching: TypeAlias = "grpc.aio.UnaryStreamCall[bytes, bytes]"
LISTED = reflection_pb2.ServerReflectionRequest(list_services="").SerializeToString()


def watch(server: InProcess, within_s: float = PATIENCE_S) -> Watching:
    method: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = server.channel.unary_stream(f"/{HEALTH}/Watch")
    return method(b"", timeout=within_s)


async def told(watching: Watching) -> int:
    raw = await watching.read()
    assert isinstance(raw, bytes)
    return health_pb2.HealthCheckResponse.FromString(raw).status


async def refused(watching: Watching) -> Refusal:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await watching.read()
    return refusal_of(caught.value)


async def begins(server: InProcess) -> bool:
    watching = watch(server)
    try:
        return await told(watching) == SERVING
    except grpc.aio.AioRpcError:
        return False
    finally:
        watching.cancel()


async def check(server: InProcess) -> int:
    method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = server.channel.unary_unary(f"/{HEALTH}/Check")
    return health_pb2.HealthCheckResponse.FromString(await method(b"", timeout=PATIENCE_S)).status


@pytest.mark.parametrize(
    ("most", "limit"),
    [
        (HealthWatches(of_an_address=3), "3"),
        (HealthWatches(in_all=3), "3"),
    ],
)
async def test_so_many_streams_of_health_are_open_and_a_check_is_answered_in_any_case(
    most: HealthWatches, limit: str
) -> None:
    async with in_process(health_watches=most) as server:
        watching = [watch(server) for _ in range(3)]
        assert [await told(each) for each in watching] == [SERVING] * 3
        refusal = await refused(watch(server))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED")
        assert refusal.metadata == {"quota": "health_watches", "limit": limit}
        for _ in range(20):
            assert await check(server) == SERVING
        watching[0].cancel()
        # The server hears of it when it comes; from then on there is room again.
        async with asyncio.timeout(PATIENCE_S):
            while not await begins(server):
                pass


async def test_streams_that_were_counted_are_told_of_the_end() -> None:
    async with in_process(health_watches=HealthWatches(of_an_address=1)) as server:
        watching = watch(server)
        assert await told(watching) == SERVING
        await server.server.drain(PATIENCE_S)
        assert await told(watching) == health_pb2.HealthCheckResponse.NOT_SERVING


@asynccontextmanager
async def of_callers(shares: Shares | None = None) -> AsyncIterator[InProcess]:
    callers = KnownCallers(
        alice=granted("token:alice"),
        operator=granted("token:operator", Role.ADMIN),
        nobody=NoRule(why="no rule", caller="token:nobody"),
    )
    async with in_process(identities=callers, shares=shares or Shares()) as server:
        yield server


Reflected: TypeAlias = "grpc.aio.StreamStreamCall[bytes, bytes]"


def reflect(server: InProcess, caller: str, *requests: bytes) -> Reflected:
    """Begin a stream; without requests it stays open."""

    async def opened() -> AsyncIterator[bytes]:
        yield LISTED
        await asyncio.Event().wait()

    def said() -> Iterator[bytes]:
        yield from requests

    method: grpc.aio.StreamStreamMultiCallable[bytes, bytes]
    method = server.channel.stream_stream(f"/{REFLECTION}/ServerReflectionInfo")
    metadata = ((HEADER, caller),) if caller else ()
    return method(said() if requests else opened(), timeout=PATIENCE_S, metadata=metadata)


async def refusal_of_stream(stream: Reflected) -> Refusal:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await _to_the_end(stream)
    return refusal_of(caught.value)


async def _to_the_end(stream: Reflected) -> None:
    while await stream.read() is not grpc.aio.EOF:
        pass


@pytest.mark.parametrize(
    ("caller", "code", "reason"),
    [
        ("", grpc.StatusCode.UNAUTHENTICATED, "CREDENTIALS_MISSING"),
        ("mallory", grpc.StatusCode.UNAUTHENTICATED, "CREDENTIALS_INVALID"),
        ("nobody", grpc.StatusCode.PERMISSION_DENIED, "ROLE_MISSING"),
    ],
)
async def test_reflection_answers_nobody_for_whom_there_is_no_rule(
    caller: str, code: grpc.StatusCode, reason: str
) -> None:
    async with of_callers() as server:
        refusal = await refusal_of_stream(reflect(server, caller, LISTED))
        assert (refusal.code, refusal.reason) == (code, reason)


@pytest.mark.parametrize("caller", ["alice", "operator"])
async def test_reflection_answers_whoever_is_known(caller: str) -> None:
    async with of_callers() as server:
        stream = reflect(server, caller, LISTED, b"")
        answers = [reflection_pb2.ServerReflectionResponse.FromString(raw) async for raw in stream]
        assert {each.name for each in answers[0].list_services_response.service} == {
            "skillsource.v1.SkillSourceService",
            HEALTH,
            REFLECTION,
        }
        assert answers[1].error_response.error_code == grpc.StatusCode.INVALID_ARGUMENT.value[0]


async def test_streams_of_reflection_count_as_watches_of_their_caller() -> None:
    async with of_callers(Shares(watches=2)) as server:
        held = [reflect(server, "alice"), reflect(server, "alice")]
        for stream in held:
            assert await stream.read()
        refusal = await refusal_of_stream(reflect(server, "alice", LISTED))
        assert (refusal.reason, refusal.metadata) == ("QUOTA_EXCEEDED", {"quota": "watches", "limit": "2"})
        assert await reflect(server, "operator", LISTED).read()
        for stream in held:
            stream.cancel()


async def test_one_stream_of_reflection_is_no_way_around_the_rate_of_reads() -> None:
    async with of_callers(Shares(reads_a_second=1e-6, reads_burst=5)) as server:
        stream = reflect(server, "alice", *[LISTED] * 6)
        answers = [await stream.read() for _ in range(5)]
        assert all(isinstance(each, bytes) for each in answers)
        refusal = await refusal_of_stream(stream)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
        assert refusal.status is not None
        assert unpacked(refusal.status, error_details_pb2.RetryInfo)


async def test_a_request_of_reflection_that_is_no_message_is_refused_in_our_own_words() -> None:
    async with of_callers() as server:
        refusal = await refusal_of_stream(reflect(server, "alice", b"\xff\xff"))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_MALFORMED")


async def test_whoever_the_rules_know_no_more_is_told_nothing_more() -> None:
    callers = KnownCallers(alice=granted("token:alice"))
    asked: asyncio.Queue[bytes] = asyncio.Queue()

    async def requests() -> AsyncIterator[bytes]:
        while True:
            yield await asked.get()

    async with in_process(identities=callers, shares=Shares()) as server:
        method: grpc.aio.StreamStreamMultiCallable[bytes, bytes]
        method = server.channel.stream_stream(f"/{REFLECTION}/ServerReflectionInfo")
        stream = method(requests(), timeout=PATIENCE_S, metadata=((HEADER, "alice"),))
        asked.put_nowait(LISTED)
        assert await stream.read()
        callers.change(alice=None)
        asked.put_nowait(LISTED)
        assert (await refusal_of_stream(stream)).reason == "CREDENTIALS_INVALID"

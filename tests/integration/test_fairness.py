"""Fairness through real gRPC: what one caller may take, what it is told, and what the others notice of it: nothing."""

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain import access
from skillsvc.domain.access import Role
from skillsvc.domain.shares import Shares
from tests.hostile.http2 import DATA, END_HEADERS, END_STREAM, HEADERS, PREFACE, SETTINGS, frame, literal, message
from tests.integration.in_process import (
    SERVICE,
    InProcess,
    Refusal,
    Watcher,
    World,
    in_process,
    refusal_of,
    unpacked,
)
from tests.patience import PATIENCE_S
from tests.simulators.known_callers import HEADER, KnownCallers, granted
from tests.simulators.skills import skill_row

ALICE, BOB = "token:alice", "token:bob"
NEVER = 1e-6
"""So few a second that nothing comes back while a test runs."""


def shares(**others: float) -> Shares:
    """Return shares of one call of a group, which does not come back, but for others."""
    fields: dict[str, float] = {
        **{f"{group}_a_second": NEVER for group in ("reads", "lists", "activations", "watches", "strangers")},
        **{f"{group}_burst": 1 for group in ("reads", "lists", "activations", "watches", "strangers")},
        **others,
    }
    return Shares(**fields)  # type: ignore[arg-type] # whole numbers where these are needed


@asynccontextmanager
async def running(fair: Shares, body: str = "Do it.", callers: KnownCallers | None = None) -> AsyncIterator[InProcess]:
    """Run a server that knows Alice, Bob, and Carol, who may do nothing, and four for whom there is no rule."""
    world = World()
    callers = callers or KnownCallers(
        alice=granted(ALICE),
        bob=granted(BOB),
        carol=granted("token:carol", Role.ADMIN),
        operator=granted("token:o"),
        **{f"unmapped{at}": access.Refusal(why="no rule", caller=f"oidc:corp:{at}") for at in range(4)},
    )
    async with in_process(
        skill_row(world.blobs, "a", body=body), world=world, identities=callers, shares=fair
    ) as server:
        yield server


def headers(path: str, caller: str) -> bytes:
    """Return the header fields of a call."""
    return b"\x83\x86" + b"".join(  # the static table's POST and http
        literal(name, value)
        for name, value in (
            (b":path", path.encode()),
            (b":authority", b"test"),
            (b"content-type", b"application/grpc"),
            (b"te", b"trailers"),
            (HEADER.encode(), caller.encode()),
        )
    )


async def headers_of(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Return the flags and the fields of the next frame with header fields."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            head = await reader.readexactly(9)
            payload = await reader.readexactly(int.from_bytes(head[:3], "big"))
            if head[3] == HEADERS:
                return head[4], payload


def retry_after_s(refusal: Refusal) -> float:
    assert refusal.status is not None
    (info,) = unpacked(refusal.status, error_details_pb2.RetryInfo)
    return info.retry_delay.seconds + info.retry_delay.nanos / 1e9


async def refusal_or_none(server: InProcess, rpc: str, raw: bytes) -> Refusal | None:
    """Call, and return how it was refused, if it was."""
    try:
        await server.raw(rpc, raw)
    except grpc.aio.AioRpcError as error:
        return refusal_of(error)
    return None


async def begins(watcher: Watcher) -> bool:
    """Tell whether a watch begins."""
    try:
        await watcher.event()
    except grpc.aio.AioRpcError:
        return False
    return True


def violation(refusal: Refusal) -> error_details_pb2.QuotaFailure.Violation:
    assert refusal.status is not None
    (failure,) = unpacked(refusal.status, error_details_pb2.QuotaFailure)
    (told,) = failure.violations
    return told


@pytest.mark.parametrize(
    "request_",
    [
        pb.GetServerInfoRequest(),
        pb.ListSkillsRequest(),
        pb.SkillBodyRequest(name="a"),
        pb.ListAssetsRequest(name="a"),
        pb.ReadAssetRequest(skill="a", asset="none"),
        pb.ActivateRequest(name="a"),
        pb.SearchSkillsRequest(),
        pb.RenderCatalogRequest(),
        pb.ReportOutcomeRequest(),
        pb.BestMatchRequest(),
        pb.SearchCapabilitiesRequest(),
    ],
)
async def test_each_call_is_counted_by_principal_and_told_when_the_next_one_fits(request_: Message) -> None:
    async with running(shares(reads_a_second=0.01, lists_a_second=0.01, activations_a_second=0.01)) as server:
        alice, bob = server.of("alice"), server.of("bob")
        rpc = type(request_).__name__.removesuffix("Request")
        raw = request_.SerializeToString()
        first = await refusal_or_none(alice, rpc, raw)
        refusal = await alice.refused_raw(rpc, raw)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
        assert refusal.metadata == {"limit": "0.01"}
        assert 90 < retry_after_s(refusal) <= 100
        assert violation(refusal).subject == ALICE
        of_bob = await refusal_or_none(bob, rpc, raw)
        for let_in in (first, of_bob):
            # Answered, or refused for what it asks.
            assert let_in is None or let_in.code is not grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_naming_many_projects_gets_nobody_more() -> None:
    async with running(shares(reads_burst=3)) as server:
        alice = server.of("alice")
        for project in ("", "p", "q"):
            await alice.call(pb.SkillBodyRequest(name="a", project=project), pb.SkillBodyResponse)
        for project in ("", "p", "q", "r"):
            refusal = await alice.refused(pb.SkillBodyRequest(name="a", project=project))
            assert refusal.reason == "RATE_LIMITED"


async def test_watches_are_counted_while_they_are_open() -> None:
    async with running(shares(watches_burst=10, watches=2)) as server:
        alice = server.of("alice")
        watchers = [alice.watch(), alice.watch()]
        for watcher in watchers:
            await watcher.event()
        refusal = await alice.watch().refusal()
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED")
        assert refusal.metadata == {"quota": "watches", "limit": "2"}
        assert violation(refusal).subject == ALICE
        await server.of("bob").watch().event()
        watchers[0].stream.cancel()
        # The server hears of the cancellation when it comes.
        async with asyncio.timeout(PATIENCE_S):
            while not await begins(alice.watch()):
                pass


async def test_who_asks_and_does_not_read_holds_no_more_than_its_share() -> None:
    async with running(shares(reads_burst=1_000_000, waiting_bytes=250_000), body="x" * 100_000) as server:
        request = pb.SkillBodyRequest(name="a").SerializeToString()
        host, port = server.address.rsplit(":", 1)
        _reader, writer = await asyncio.open_connection(host, int(port))
        # A window of nothing: no byte of any answer may be sent.
        window = struct.pack(">HI", 4, 0)
        writer.write(PREFACE + frame(SETTINGS, 0, 0, window))
        for stream in (1, 3, 5, 7):
            writer.write(frame(HEADERS, END_HEADERS, stream, headers(f"/{SERVICE}/SkillBody", "alice")))
            writer.write(frame(DATA, END_STREAM, stream, message(request)))
        await writer.drain()
        alice = server.of("alice")
        async with asyncio.timeout(PATIENCE_S):
            while (refusal := await refusal_or_none(alice, "SkillBody", request)) is None:
                pass
        assert refusal.metadata == {"quota": "waiting_bytes", "limit": "250000"}
        assert violation(refusal).subject == ALICE
        await server.of("bob").raw("SkillBody", request)
        writer.close()
        # What nobody will ever read is held no longer.
        async with asyncio.timeout(PATIENCE_S):
            while await refusal_or_none(alice, "SkillBody", request) is not None:
                pass


async def test_an_event_that_nobody_reads_counts_among_the_bytes_that_wait() -> None:
    async with running(shares(watches_burst=1_000_000, waiting_bytes=100)) as server:
        host, port = server.address.rsplit(":", 1)
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0)))
        writer.write(frame(HEADERS, END_HEADERS, 1, headers(f"/{SERVICE}/WatchCatalog", "alice")))
        writer.write(frame(DATA, END_STREAM, 1, message(b"")))
        await writer.drain()
        # The event is sent after these: another watch before it would be the one that is let in.
        flags, _fields = await headers_of(reader)
        assert not flags & END_STREAM
        alice = server.of("alice")
        async with asyncio.timeout(PATIENCE_S):
            while await begins(watcher := alice.watch()):
                watcher.stream.cancel()
        refusal = await watcher.refusal()
        assert (refusal.reason, refusal.metadata) == ("QUOTA_EXCEEDED", {"quota": "waiting_bytes", "limit": "100"})
        await server.of("bob").watch().event()
        writer.close()
        async with asyncio.timeout(PATIENCE_S):
            while not await begins(alice.watch()):
                pass


async def test_events_that_are_read_never_add_up() -> None:
    async with running(shares(watches_burst=2, waiting_bytes=100)) as server:
        watcher = server.of("alice").watch()
        for number in range(5):
            assert len((await watcher.event()).SerializeToString()) > 100
            server.publish(skill_row(server.world.blobs, f"a{number}"))


async def ended(server: InProcess, path: str, caller: str) -> bytes:
    """Begin a call whose request never comes, and return the last header fields of what it ends with."""
    host, port = server.address.rsplit(":", 1)
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 1, headers(path, caller)))
    await writer.drain()
    try:
        flags, fields = await headers_of(reader)
        while not flags & END_STREAM:
            flags, fields = await headers_of(reader)
        return fields
    finally:
        writer.close()


def status(code: grpc.StatusCode) -> bytes:
    """Return the header field of a status, as it stands where no header was sent before."""
    number: int = code.value[0]
    return b"grpc-status" + bytes([len(str(number))]) + str(number).encode()


@pytest.mark.parametrize("rpc", ["SkillBody", "WatchCatalog"])
async def test_who_may_not_call_is_refused_before_the_request_has_come(rpc: str) -> None:
    path = f"/{SERVICE}/{rpc}"
    async with running(shares(strangers_burst=1, reads_burst=1, watches_burst=1)) as server:
        assert status(grpc.StatusCode.UNAUTHENTICATED) in await ended(server, path, "mallory")
        assert status(grpc.StatusCode.RESOURCE_EXHAUSTED) in await ended(server, path, "mallory")
        assert status(grpc.StatusCode.PERMISSION_DENIED) in await ended(server, path, "carol")
        assert status(grpc.StatusCode.RESOURCE_EXHAUSTED) in await ended(server, path, "carol")


async def test_a_call_whose_request_has_not_come_is_under_way() -> None:
    async with running(shares(calls=1, reads_burst=100)) as server:
        method: grpc.aio.StreamUnaryMultiCallable[bytes, bytes]
        method = server.channel.stream_unary(f"/{SERVICE}/SkillBody")
        waiting = method(metadata=((HEADER, "alice"),))
        await waiting.wait_for_connection()
        while (refusal := await refusal_or_none(server.of("alice"), "SkillBody", b"")) is None or (
            refusal.reason != "QUOTA_EXCEEDED"
        ):
            pass
        waiting.cancel()


@pytest.mark.parametrize("rpc", ["SkillBody", "ListSkills", "WatchCatalog"])
async def test_a_request_that_is_kept_back_is_answered_by_the_rules_of_when_it_comes(rpc: str) -> None:
    callers = KnownCallers(alice=granted(ALICE), bob=granted(BOB))
    async with running(shares(reads_burst=1_000), callers=callers) as server:
        method: grpc.aio.StreamStreamMultiCallable[bytes, bytes]
        method = server.channel.stream_stream(f"/{SERVICE}/{rpc}")
        kept_back = method(metadata=((HEADER, "alice"),))
        await kept_back.wait_for_connection()
        asked_of_bob = 0
        while callers.asked == asked_of_bob:
            await server.of("bob").call(pb.SkillBodyRequest(name="a"), pb.SkillBodyResponse)
            asked_of_bob += 1
        callers.change(alice=None)
        await kept_back.write(pb.SkillBodyRequest(name="a").SerializeToString() if rpc == "SkillBody" else b"")
        await kept_back.done_writing()
        # Nothing but an empty message comes with a refusal of a unary call.
        assert rpc == "WatchCatalog" or await kept_back.read() == b""
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await kept_back.read()
        assert refusal_of(caught.value).reason == "CREDENTIALS_INVALID"


async def test_a_probe_without_a_request_is_ended_in_time() -> None:
    async with running(shares()) as server:
        assert status(grpc.StatusCode.INVALID_ARGUMENT) in await ended(server, "/grpc.health.v1.Health/Check", "")


async def test_a_call_without_a_request_is_an_invalid_argument() -> None:
    async with running(shares()) as server:
        method: grpc.aio.StreamUnaryMultiCallable[bytes, bytes]
        method = server.channel.stream_unary(f"/{SERVICE}/SkillBody")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await method(iter(()), metadata=((HEADER, "bob"),))
        refusal = refusal_of(caught.value)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_MALFORMED")


async def test_who_has_no_valid_identity_is_counted_by_address_and_nobody_else_is() -> None:
    async with running(shares(strangers_burst=3, reads_burst=100)) as server:
        request = pb.SkillBodyRequest(name="a")
        stranger = server.of("mallory")
        for _ in range(3):
            assert (await stranger.refused(request)).reason == "CREDENTIALS_INVALID"
        refusal = await stranger.refused(request)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
        assert (await server.refused(request)).reason == "RATE_LIMITED"
        await server.of("alice").call(request, pb.SkillBodyResponse)


async def test_who_may_not_call_is_counted_by_principal() -> None:
    async with running(shares(reads_burst=3)) as server:
        request = pb.SkillBodyRequest(name="a")
        carol = server.of("carol")
        for _ in range(3):
            assert (await carol.refused(request)).reason == "ROLE_MISSING"
        assert (await carol.refused(request)).reason == "RATE_LIMITED"
        await server.of("alice").call(request, pb.SkillBodyResponse)


async def test_those_for_whom_no_rule_is_are_counted_by_address_however_many_names_they_have() -> None:
    async with running(shares(strangers_burst=3, reads_burst=100)) as server:
        request = pb.SkillBodyRequest(name="a")
        refusals = [await server.of(f"unmapped{at}").refused(request) for at in range(4)]
        assert [each.reason for each in refusals] == ["ROLE_MISSING"] * 3 + ["RATE_LIMITED"]
        await server.of("alice").call(request, pb.SkillBodyResponse)


async def test_health_is_never_counted() -> None:
    async with running(shares()) as server:
        for _ in range(5):
            await server.refused(pb.SkillBodyRequest(name="a"))
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
        method = server.channel.unary_unary("/grpc.health.v1.Health/Check")
        for _ in range(20):
            raw = await method(health_pb2.HealthCheckRequest().SerializeToString())
            assert health_pb2.HealthCheckResponse.FromString(raw).status == health_pb2.HealthCheckResponse.SERVING


async def test_a_quota_says_nothing_of_other_callers() -> None:
    async with running(shares(watches=1, watches_burst=10)) as server:
        await server.of("alice").watch().event()
        await server.of("bob").watch().event()
        refusal = await server.of("bob").watch().refusal()
        assert refusal.status is not None
        assert b"alice" not in refusal.status.SerializeToString()
        assert violation(refusal).subject == BOB

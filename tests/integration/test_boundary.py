"""The boundary through real gRPC: malformed requests, faults of the server, phases, health, reflection."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator

import grpc
import pytest
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from skillsource.v1 import skill_source_pb2 as pb
from typing_extensions import override

from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.service.arrivals import Arrivals
from skillsvc.service.audit import Audit
from skillsvc.service.boundary import Boundary
from skillsvc.service.call import Call, OfThisMachine
from skillsvc.service.skill_source import FEATURES
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.integration.in_process import SERVICE, InProcess, World, in_process, refusal_of
from tests.patience import PATIENCE_S
from tests.simulators.skills import skill_row

METHODS = pb.DESCRIPTOR.services_by_name["SkillSourceService"].methods
UNARY = [method.name for method in METHODS if not method.server_streaming]
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING

GARBAGE = [
    b"\xff",
    b"\x0a",
    b"\x0a\xff",
    b"\x0a\x02a",
    b"\x00\x00",
    b"\x0b" * 200,
    b"\x0a\x02\xc3\x28",  # a text that is no UTF-8
    b"\x0a" + b"\xff" * 9 + b"\x01",  # a length beyond all bounds
    b"\x1a\x04\x0a\x02\xff\xfe",  # within a nested message
]


class BrokenBlobStore(MemoryBlobStore):
    """A store with a bug, or one that cannot be reached."""

    error: Exception = RuntimeError("open('/srv/data/blobs/ab/cd'): unexpected")

    @override
    def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
        raise self.error


async def health(server: InProcess, service: str) -> int:
    method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
    method = server.channel.unary_unary("/grpc.health.v1.Health/Check")
    raw = await method(health_pb2.HealthCheckRequest(service=service).SerializeToString())
    return health_pb2.HealthCheckResponse.FromString(raw).status


class TestMalformedRequests:
    @pytest.mark.parametrize("rpc", UNARY)
    async def test_bytes_that_are_no_message_are_an_invalid_argument(self, rpc: str) -> None:
        async with in_process() as server:
            # An empty message has no field that could be malformed.
            for garbage in GARBAGE[:4] if rpc == "GetServerInfo" else GARBAGE:
                refusal = await server.refused_raw(rpc, garbage)
                assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_MALFORMED")
                assert refusal.message == f"the request is no skillsource.v1.{rpc}Request"

    async def test_the_stream_refuses_them_too(self) -> None:
        async with in_process() as server:
            method: grpc.aio.UnaryStreamMultiCallable[bytes, bytes]
            method = server.channel.unary_stream(f"/{SERVICE}/WatchCatalog")
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await method(b"\xff").read()
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT

    @pytest.mark.parametrize("rpc", UNARY)
    async def test_a_request_larger_than_1_mib_is_out_of_range(self, rpc: str) -> None:
        unknown_field = b"\xfa\x3f"  # number 1023, with a length
        async with in_process() as server:
            for size in (1024 * 1024 + 1, 1024 * 1024 + 60_000):
                padding = size - len(unknown_field) - 3
                request = unknown_field + _varint(padding) + b"x" * padding
                assert len(request) == size
                refusal = await server.refused_raw(rpc, request)
                assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "ARGUMENT_OUT_OF_RANGE")
                assert refusal.metadata == {"field": "", "limit": "1048576"}

    async def test_a_request_of_1_mib_is_read(self) -> None:
        async with in_process() as server:
            padding = 1024 * 1024 - 5
            await server.raw("GetServerInfo", b"\xfa\x3f" + _varint(padding) + b"x" * padding)

    async def test_what_the_transport_refuses_carries_no_reason(self) -> None:
        async with in_process() as server:
            large = await server.refused_raw("SkillBody", b"x" * (2 * 1024 * 1024))
            unknown = await server.refused_raw("NoSuchCall", b"")
        assert (large.code, large.info) == (grpc.StatusCode.RESOURCE_EXHAUSTED, None)
        assert (unknown.code, unknown.info) == (grpc.StatusCode.UNIMPLEMENTED, None)

    async def test_fields_of_a_later_contract_are_passed_over(self) -> None:
        async with in_process() as server:
            await server.raw("ListSkills", b"\xfa\x3f\x03new")


class TestFaultsOfTheServer:
    @pytest.mark.parametrize(
        "request_",
        [
            pb.SkillBodyRequest(name="a"),
            pb.SkillBodyRequest(name="a", form=pb.BODY_FORM_DOCUMENT),
            pb.ReadAssetRequest(skill="a", asset="a.txt"),
            pb.ReadAssetRequest(skill="a", asset="a.txt", as_text=True),
            pb.ActivateRequest(name="a"),
        ],
        ids=repr,
    )
    async def test_an_unexpected_error_reaches_the_log_whole_and_the_caller_as_an_incident_id(
        self, request_: Message, caplog: pytest.LogCaptureFixture
    ) -> None:
        world = World(blobs=BrokenBlobStore())
        async with in_process(skill_row(world.blobs, "a", assets={"a.txt": b"a"}), world=world) as server:
            refusal = await server.refused(request_)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL_FAULT")
        incident = refusal.metadata["incident_id"]
        assert refusal.metadata == {"incident_id": incident}
        assert refusal.status is not None
        assert b"srv" not in refusal.status.SerializeToString()
        assert b"unexpected" not in refusal.status.SerializeToString()
        (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
        assert (record.__dict__["incident_id"], incident in record.getMessage()) == (incident, True)
        assert record.exc_info is not None
        assert record.exc_info[1] is BrokenBlobStore.error

    async def test_each_incident_has_an_id_of_its_own(self, caplog: pytest.LogCaptureFixture) -> None:
        world = World(blobs=BrokenBlobStore())
        async with in_process(skill_row(world.blobs, "a"), world=world) as server:
            refusals = [await server.refused(pb.SkillBodyRequest(name="a")) for _ in range(3)]
        assert len({refusal.metadata["incident_id"] for refusal in refusals}) == 3
        assert len([record for record in caplog.records if record.levelno >= logging.ERROR]) == 3

    async def test_a_store_that_cannot_be_reached_is_no_fault_of_the_server(self) -> None:
        blobs = BrokenBlobStore()
        blobs.error = Unavailable(ErrorReason.STORE_UNREACHABLE, "the blob store cannot be read")
        world = World(blobs=blobs)
        async with in_process(skill_row(blobs, "a"), world=world) as server:
            refusal = await server.refused(pb.SkillBodyRequest(name="a"))
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_UNREACHABLE")
            assert [skill.name for skill in (await server.list()).skills] == ["a"]

    async def test_a_fault_in_a_stream_is_an_incident_too(self, caplog: pytest.LogCaptureFixture) -> None:
        async def fail(_ask: None, _call: Call) -> AsyncIterator[bytes]:
            yield b"first"
            raise RuntimeError("open('/srv/data'): unexpected")

        boundary = Boundary(
            limits=Limits(), new_incident=lambda: "id-1", identities=OfThisMachine(), audit=Audit(lambda: 0.0)
        )
        handler = boundary.stream(pb.WatchCatalogRequest, lambda _request, _limits: None, fail)
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((Arrivals({"t.Test": {"Watch": handler}}),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            method: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream("/t.Test/Watch")
            stream = method(b"")
            assert await stream.read() == b"first"
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stream.read()
        await server.stop(0)
        refusal = refusal_of(caught.value)
        assert (refusal.reason, refusal.metadata) == ("INTERNAL_FAULT", {"incident_id": "id-1"})
        assert "srv" not in refusal.message
        assert [record.__dict__["incident_id"] for record in caplog.records] == ["id-1"]

    async def test_a_body_that_its_document_does_not_make_is_never_served(self) -> None:
        world = World()
        row = skill_row(world.blobs, "a", body="As taken in.", document=b"---\nname: a\n---\nOf another parser.\n")
        async with in_process(row, world=world) as server:
            for request in (pb.SkillBodyRequest(name="a"), pb.ActivateRequest(name="a")):
                assert (await server.refused(request)).reason == "DIGEST_MISMATCH"

    @pytest.mark.parametrize("damage", [b"", b"other bytes"])
    async def test_damaged_bytes_are_never_served(self, damage: bytes) -> None:
        blobs = MemoryBlobStore()
        world = World(blobs=blobs)
        async with in_process(skill_row(blobs, "a", assets={"a.txt": b"a"}), world=world) as server:
            for digest in blobs.blobs:
                blobs.blobs[digest] = damage
            for request in (
                pb.SkillBodyRequest(name="a"),
                pb.SkillBodyRequest(name="a", form=pb.BODY_FORM_DOCUMENT),
                pb.ReadAssetRequest(skill="a", asset="a.txt"),
                pb.ActivateRequest(name="a"),
            ):
                refusal = await server.refused(request)
                assert (refusal.code, refusal.reason) == (grpc.StatusCode.DATA_LOSS, "DIGEST_MISMATCH")


class TestPhases:
    async def test_before_the_first_look_calls_are_not_ready_while_health_and_server_info_answer(self) -> None:
        async with in_process(serving=False) as server:
            for rpc in FEATURES:
                if rpc == "WatchCatalog":
                    continue
                refusal = await server.refused(_valid(rpc))
                assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "NOT_READY")
            info = await server.call(pb.GetServerInfoRequest(), pb.GetServerInfoResponse)
            assert info.contract > 0
            assert {await health(server, service) for service in ("", SERVICE)} == {NOT_SERVING}
            server.server.serve()
            assert {await health(server, service) for service in ("", SERVICE)} == {SERVING}
            await server.list()

    async def test_a_drain_before_the_first_look_answers_nothing_on_its_way(self) -> None:
        async with in_process(serving=False) as server:
            draining = asyncio.create_task(server.server.drain(20.0))
            await asyncio.sleep(0)  # the drain has begun, up to its first wait
            refusal = await server.refused(_valid("ListSkills"))
            assert refusal.code is grpc.StatusCode.UNAVAILABLE
            await draining

    async def test_a_drain_tells_health_first_then_watchers_then_waits_for_calls_under_way(self) -> None:
        async with in_process(world=World(limits=Limits(wait_for_generation_s=PATIENCE_S))) as server:
            order: list[str] = []
            served = asyncio.Event()
            watcher = server.watch()
            await watcher.event()

            async def follow_health() -> None:
                method: grpc.aio.UnaryStreamMultiCallable[bytes, bytes]
                method = server.channel.unary_stream("/grpc.health.v1.Health/Watch")
                call = method(health_pb2.HealthCheckRequest(service=SERVICE).SerializeToString())
                async for raw in call:
                    status = health_pb2.HealthCheckResponse.FromString(raw).status
                    order.extend(["health"] * (status == NOT_SERVING))
                    served.set()

            async def follow_catalog() -> None:
                while not (await watcher.event()).going_away:
                    pass
                order.append("watchers")

            async def wait_for_a_call() -> None:
                refusal = await server.refused(pb.ListSkillsRequest(consistency={"at_least": server.later_token()}))
                assert refusal.reason == "DRAINING"
                order.append("calls")

            followers = [asyncio.create_task(each()) for each in (follow_health, follow_catalog, wait_for_a_call)]
            await served.wait()
            await server.settled()
            await server.server.drain(20.0)
            await asyncio.gather(*followers)
            assert order[0] == "health"
            assert set(order) == {"health", "watchers", "calls"}

    async def test_a_drained_server_is_unavailable(self) -> None:
        async with in_process() as server:
            await server.server.drain(0.0)
            refusal = await server.refused(pb.ListSkillsRequest())
            assert refusal.code is grpc.StatusCode.UNAVAILABLE


async def test_server_info_tells_what_is_built_and_the_limits_in_force() -> None:
    world = World(limits=Limits(page_skills=7, retained_generations=5))
    async with in_process(world=world) as server:
        info = await server.call(pb.GetServerInfoRequest(), pb.GetServerInfoResponse)
    assert (info.version, info.contract) == ("0.0.0", 4)
    assert list(info.features) == sorted(info.features)
    assert set(info.features) <= {method.name for method in METHODS}
    assert (info.limits.page_skills, info.limits.activation_text_bytes) == (7, 25_000)
    assert all(getattr(info.limits, field.name) > 0 for field in pb.ServerLimits.DESCRIPTOR.fields)
    assert info.retention == pb.Retention(generations=5, max_age_seconds=86_400, max_generations=256)
    assert info.now.ToDatetime(world.clock().tzinfo) == world.clock()


async def test_reflection_lists_the_service() -> None:
    def requests() -> Iterator[bytes]:
        yield reflection_pb2.ServerReflectionRequest(list_services="").SerializeToString()
        yield reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICE).SerializeToString()

    async with in_process() as server:
        path = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
        method: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = server.channel.stream_stream(path)
        answers = [reflection_pb2.ServerReflectionResponse.FromString(raw) async for raw in method(requests())]
    services = {service.name for service in answers[0].list_services_response.service}
    assert services == {SERVICE, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}
    assert answers[1].file_descriptor_response.file_descriptor_proto


async def test_every_answer_begins_with_its_generation() -> None:
    for method in METHODS:
        if method.name != "GetServerInfo":
            assert method.output_type.fields_by_name["generation"].number == 1, method.name


def _valid(rpc: str) -> Message:
    return {
        "ListSkills": pb.ListSkillsRequest(),
        "SkillBody": pb.SkillBodyRequest(name="a"),
        "ListAssets": pb.ListAssetsRequest(name="a"),
        "ReadAsset": pb.ReadAssetRequest(skill="a", asset="a.txt"),
        "Activate": pb.ActivateRequest(name="a"),
        "SearchSkills": pb.SearchSkillsRequest(query="a"),
        "RenderCatalog": pb.RenderCatalogRequest(),
        "ReportOutcome": pb.ReportOutcomeRequest(skill="a", task="t", success_rate=1.0),
        "BestMatch": pb.BestMatchRequest(task="t"),
        "SearchCapabilities": pb.SearchCapabilitiesRequest(query="a"),
    }[rpc]


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])

"""Where operators call: a socket for one user alone, beside the listener of agents, and never on it."""

import asyncio
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from skillsource.v1 import admin_pb2 as pb
from skillsource.v1 import skill_source_pb2

from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.service.listening import CannotListen
from tests.integration.admin_in_process import HERE, SERVICE, Operator, operated, request_of
from tests.integration.in_process import in_process
from tests.patience import PATIENCE_S
from tests.simulators.scripted_looks import ScriptedLooks, report

AGENTS = skill_source_pb2.DESCRIPTOR.services_by_name["SkillSourceService"].full_name
REFLECTION = "grpc.reflection.v1alpha.ServerReflection"
CHANNELZ = "grpc.channelz.v1.Channelz"
HEALTH = "grpc.health.v1.Health"
_LONGEST = 107
"""Bytes of a path of a unix socket, the kernel's own number."""


def looks() -> ScriptedLooks:
    made = ScriptedLooks()
    made.feed(DEPLOYMENT, report("house"))
    return made


async def reflected(channel: grpc.aio.Channel, **asked: str) -> reflection_pb2.ServerReflectionResponse:
    def requests() -> Iterator[bytes]:
        yield reflection_pb2.ServerReflectionRequest(**asked).SerializeToString()  # type: ignore[arg-type] # of any field

    method: grpc.aio.StreamStreamMultiCallable[bytes, bytes]
    method = channel.stream_stream(f"/{REFLECTION}/ServerReflectionInfo")
    (answer,) = [reflection_pb2.ServerReflectionResponse.FromString(raw) async for raw in method(requests())]
    return answer


async def services(channel: grpc.aio.Channel) -> set[str]:
    answer = await reflected(channel, list_services="")
    return {service.name for service in answer.list_services_response.service}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def answers(operator: Operator) -> bool:
    told = await operator.call(pb.ListSourcesRequest(partition=HERE), pb.ListSourcesResponse)
    return [source.name for source in told.sources] == ["house"]


async def test_only_this_user_may_connect_whatever_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        async with operated(looks(), tmp_path) as operator:
            found = (tmp_path / "admin.sock").stat()
            assert stat.S_ISSOCK(found.st_mode)
            assert stat.S_IMODE(found.st_mode) == 0o600
            assert await answers(operator)
            # Nothing but the socket: the folder in which it was made is gone.
            assert names(tmp_path) == ["admin.sock"]
    finally:
        os.umask(before)
    assert names(tmp_path) == []


@pytest.mark.parametrize("rpc", [method.name for method in SERVICE.methods])
async def test_agents_are_answered_no_admin_call(tmp_path: Path, rpc: str) -> None:
    async with operated(looks(), tmp_path) as operator:
        path = f"/{SERVICE.full_name}/{rpc}"
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = operator.server.channel.unary_unary(path)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await method(request_of(rpc).SerializeToString(), timeout=PATIENCE_S)
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_operators_are_answered_no_call_of_agents(tmp_path: Path) -> None:
    async with operated(looks(), tmp_path) as operator:
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
        method = operator.channel.unary_unary(f"/{AGENTS}/GetServerInfo")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await method(b"", timeout=PATIENCE_S)
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_reflection_knows_of_each_listener_what_is_served_there(tmp_path: Path) -> None:
    async with operated(looks(), tmp_path) as operator:
        agents, operators = operator.server.channel, operator.channel
        assert await services(agents) == {AGENTS, HEALTH, REFLECTION}
        assert await services(operators) == {SERVICE.full_name, CHANNELZ, HEALTH, REFLECTION}
        hidden = await reflected(agents, file_containing_symbol=SERVICE.full_name)
        assert hidden.error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]
        shown = await reflected(operators, file_containing_symbol=SERVICE.full_name)
        assert shown.HasField("file_descriptor_response")
        for channel in (agents, operators):
            # What a status may carry is known to both.
            for name in ("skillsource.v1.ErrorReason", "google.rpc.ErrorInfo"):
                assert (await reflected(channel, file_containing_symbol=name)).HasField("file_descriptor_response")


async def test_health_of_the_admin_listener_is_that_of_the_server(tmp_path: Path) -> None:
    async with operated(looks(), tmp_path, serving=False) as operator:
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = operator.channel.unary_unary(f"/{HEALTH}/Check")
        request = health_pb2.HealthCheckRequest(service=SERVICE.full_name).SerializeToString()
        told = [health_pb2.HealthCheckResponse.FromString(await method(request, timeout=PATIENCE_S)).status]
        # What stands in the way of a start is told while it does.
        assert await answers(operator)
        operator.server.server.serve()
        told.append(health_pb2.HealthCheckResponse.FromString(await method(request, timeout=PATIENCE_S)).status)
    assert told == [health_pb2.HealthCheckResponse.NOT_SERVING, health_pb2.HealthCheckResponse.SERVING]


async def test_a_folder_with_a_path_longer_than_an_address_is_listened_in(tmp_path: Path) -> None:
    folder = tmp_path / ("f" * 150) / ("g" * 150)
    folder.mkdir(parents=True)
    assert len(str(folder / "admin.sock")) > _LONGEST
    async with in_process(looks=looks()) as server:
        await server.server.start_admin(folder / "admin.sock")
        descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        try:
            async with grpc.aio.insecure_channel(f"unix:/proc/self/fd/{descriptor}/admin.sock") as channel:
                assert await answers(Operator(server=server, channel=channel, address=""))
        finally:
            os.close(descriptor)


async def test_a_folder_whose_name_a_url_would_read_otherwise_is_listened_in(tmp_path: Path) -> None:
    folder = tmp_path / "a b%20c?d#e"
    folder.mkdir()
    async with operated(looks(), folder) as operator:
        assert names(folder) == ["admin.sock"]
        assert await answers(operator)


async def test_a_socket_that_a_killed_server_left_is_taken_over(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "admin.sock"))
        left.listen()
    assert (tmp_path / "admin.sock").is_socket()
    async with operated(looks(), tmp_path) as operator:
        assert await answers(operator)


async def test_a_socket_that_a_server_answers_on_is_never_taken(tmp_path: Path) -> None:
    async with operated(looks(), tmp_path) as first, in_process(looks=looks()) as second:
        with pytest.raises(CannotListen, match="in use"):
            await second.server.start_admin(tmp_path / "admin.sock")
        await second.server.drain(0)
        assert await answers(first)
    assert names(tmp_path) == []


async def test_a_file_of_that_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "admin.sock").write_bytes(b"precious")
    async with in_process(looks=looks()) as server:
        with pytest.raises(CannotListen, match="no socket"):
            await server.server.start_admin(tmp_path / "admin.sock")
    assert (tmp_path / "admin.sock").read_bytes() == b"precious"


async def test_a_drained_server_answers_operators_no_more(tmp_path: Path) -> None:
    async with operated(looks(), tmp_path) as operator:
        await operator.server.server.drain(0)
        assert names(tmp_path) == []
        refusal = await operator.refused(pb.ListSourcesRequest(partition=HERE))
        assert refusal.code is grpc.StatusCode.UNAVAILABLE


async def test_peers_that_speak_no_grpc_or_never_end_a_call_hold_up_nobody(tmp_path: Path) -> None:
    path = os.fspath(tmp_path / "admin.sock")
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)
    async with operated(looks(), tmp_path) as operator:
        peers = []
        try:
            for said in (b"GET / HTTP/1.1\r\n\r\n", os.urandom(65_536), preface, preface + os.urandom(65_536), b""):
                for _ in range(20):
                    reader, writer = await asyncio.open_unix_connection(path)
                    peers.append((reader, writer))
                    writer.write(said)
            waiting = [asyncio.create_task(operator.refused(pb.RefreshRequest(partition=HERE))) for _ in range(50)]
            await operator.server.settled()
            assert await answers(operator)
            await operator.server.list()
            await operator.server.server.drain(1)
            # Whether a call had come in yet when the drain began, or is told so by the transport.
            assert {(await each).code for each in waiting} == {grpc.StatusCode.UNAVAILABLE}
        finally:
            for _, writer in peers:
                writer.close()

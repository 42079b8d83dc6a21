"""Where a server listens: a free port, a taken one, a unix socket."""

from pathlib import Path

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.service.server import CannotListen
from tests.integration.in_process import SERVICE, in_process


async def test_a_second_server_on_a_port_fails_rather_than_share_its_calls() -> None:
    async with in_process() as first, in_process() as second:
        with pytest.raises(CannotListen) as caught:
            await second.server.start(first.address)
        assert first.address in str(caught.value)
        assert (await first.list()).total_size == 0


async def test_a_unix_socket_is_listened_on(tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 'socket'}"
    async with in_process(address=address) as server:
        assert server.address == address
        async with grpc.aio.insecure_channel(address) as channel:
            method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/GetServerInfo")
            assert pb.GetServerInfoResponse.FromString(await method(b"")).contract == 1

"""The age of connections: calls do not notice it, watches are ended by it, and the client goes on where it was."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
from skillsource import TlsOptions, connect_async
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.limits import Limits
from skillsvc.service.connections import Connections
from skillsvc.service.tls_credentials import Credentials
from tests.integration.in_process import InProcess, World, in_process
from tests.patience import PATIENCE_S
from tests.simulators.authority import Authority, Files
from tests.simulators.skills import skill_row

YOUNG = Connections(age_s=0.1, age_grace_s=0.1)
_AGES = 5


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@asynccontextmanager
async def aging(authority: Authority, folder: Path) -> AsyncIterator[InProcess]:
    """Run a server with TLS whose connections are soon old."""
    credentials = Credentials(Files(folder).put(authority.issue()), now=lambda: datetime.now(UTC))
    world = World(limits=Limits(heartbeat_s=0.02))
    async with in_process(credentials=credentials, connections=YOUNG, world=world) as server:
        yield server


async def test_a_watch_is_ended_when_its_connection_is_old(tmp_path: Path, authority: Authority) -> None:
    async with aging(authority, tmp_path) as server:
        believing = grpc.ssl_channel_credentials(authority.certificate)
        async with grpc.aio.secure_channel(server.address, believing) as channel:
            watched: grpc.aio.UnaryStreamMultiCallable[bytes, bytes]
            watched = channel.unary_stream("/skillsource.v1.SkillSourceService/WatchCatalog")
            stream = watched(pb.WatchCatalogRequest().SerializeToString(), timeout=PATIENCE_S)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                async for _ in stream:
                    pass
            assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_the_client_goes_on_watching_over_the_age_of_connections(tmp_path: Path, authority: Authority) -> None:
    clock = asyncio.get_running_loop().time
    async with aging(authority, tmp_path) as server:
        client = connect_async(server.address, tls=TlsOptions(ca=authority.certificate))
        async with client, asyncio.timeout(PATIENCE_S):
            published: list[str] = []
            told: list[str] = []
            end = clock() + _AGES * (YOUNG.age_s * 1.1 + YOUNG.age_grace_s)
            async for event in client.watch():
                told += [skill.name for skill in event.added]
                # What is published while no stream is open is told by the next one, and nothing is told twice.
                assert not event.resync or not published
                assert told == published[: len(told)]
                if len(told) == len(published):
                    if clock() > end:
                        break
                    published.append(f"skill-{len(published):04}")
                    server.publish(*(skill_row(server.world.blobs, name) for name in published))
            assert (await client.list_skills()).total_size == len(published)


@pytest.mark.parametrize("said", [b"", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"], ids=["nothing", "half a hello"])
async def test_a_peer_that_does_not_end_its_handshake_is_sent_away(
    tmp_path: Path, authority: Authority, said: bytes
) -> None:
    credentials = Credentials(Files(tmp_path).put(authority.issue()), now=lambda: datetime.now(UTC))
    async with in_process(credentials=credentials, connections=Connections(handshake_s=0.1)) as server:
        host, _, port = server.address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(said)
        # Long before the time that is the default.
        async with asyncio.timeout(Connections().handshake_s / 2):
            assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()

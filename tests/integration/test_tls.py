"""TLS as callers meet it: which versions, whose certificates, and what an exchange of the files does to whom."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.service.certificate_files import CertificateFiles
from skillsvc.service.tls_credentials import Credentials
from tests.integration.handshakes import serial_at, shake_hands
from tests.integration.in_process import SERVICE, InProcess, in_process
from tests.patience import PATIENCE_S
from tests.simulators.authority import Authority, Files, Issued, channel_to


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@asynccontextmanager
async def secured(files: CertificateFiles, *, address: str = "127.0.0.1:0") -> AsyncIterator[InProcess]:
    """Run a server with TLS."""
    credentials = Credentials(files, now=lambda: datetime.now(UTC))
    async with in_process(address=address, credentials=credentials) as server:
        yield server


async def asked(channel: grpc.aio.Channel) -> pb.GetServerInfoResponse:
    """Return what a server says of itself."""
    method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/GetServerInfo")
    return pb.GetServerInfoResponse.FromString(await method(b"", timeout=PATIENCE_S))


async def is_answered(address: str, authority: Authority, shown: Issued | None = None) -> bool:
    """Tell whether a new connection gets an answer, rather than none at all."""
    async with channel_to(address, authority, shown) as channel:
        try:
            return (await asked(channel)).contract > 0
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            return False


async def test_callers_are_answered_who_believe_the_authority(authority: Authority, files: Files) -> None:
    async with secured(files.put(authority.issue())) as server:
        assert await is_answered(server.address, authority)
        assert not await is_answered(server.address, Authority("another"))


async def test_plaintext_is_not_answered(authority: Authority, files: Files) -> None:
    async with secured(files.put(authority.issue())) as server:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await asked(server.channel)
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize(
    ("at_most", "spoken"), [(ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")]
)
async def test_tls_1_2_and_1_3_are_spoken(
    authority: Authority, files: Files, at_most: ssl.TLSVersion, spoken: str
) -> None:
    issued = authority.issue()
    async with secured(files.put(issued)) as server:
        assert await asyncio.to_thread(shake_hands, server.address, at_most=at_most) == (spoken, issued.serial)


async def test_tls_1_1_is_refused_by_the_server(authority: Authority, files: Files) -> None:
    async with secured(files.put(authority.issue())) as server:
        with (
            pytest.warns(DeprecationWarning, match="TLSv1_1 is deprecated"),
            pytest.raises(ssl.SSLError) as caught,
        ):
            await asyncio.to_thread(shake_hands, server.address, at_most=ssl.TLSVersion.TLSv1_1)
        # The other side ended it: the version was offered, and it is the server that will not have it.
        assert caught.value.reason in {"UNEXPECTED_EOF_WHILE_READING", "TLSV1_ALERT_PROTOCOL_VERSION"}


async def test_where_a_certificate_is_required_nobody_is_answered_without_one_of_the_authority(
    authority: Authority, files: Files
) -> None:
    clients = Authority("clients")
    async with secured(files.put(authority.issue(), clients=clients.certificate)) as server:
        assert await is_answered(server.address, authority, clients.issue(subject="agent"))
        assert not await is_answered(server.address, authority)
        # One that says it is of that authority, and is not; and one whose time is over.
        assert not await is_answered(server.address, authority, Authority("clients").issue(subject="agent"))
        assert not await is_answered(server.address, authority, clients.issue(subject="agent", days=(-2, -1)))


async def test_a_unix_socket_speaks_tls_where_that_is_said(authority: Authority, files: Files, tmp_path: Path) -> None:
    async with secured(files.put(authority.issue()), address=f"unix:{tmp_path / 'socket'}") as server:
        with pytest.raises(grpc.aio.AioRpcError):
            await asked(server.channel)
        believing = grpc.ssl_channel_credentials(authority.certificate)
        named = (("grpc.ssl_target_name_override", "localhost"),)
        async with grpc.aio.secure_channel(server.address, believing, named) as channel:
            assert (await asked(channel)).contract > 0


async def test_an_exchange_is_for_new_connections_and_those_there_go_on(authority: Authority, files: Files) -> None:
    first = authority.issue()
    async with secured(files.put(first)) as server, channel_to(server.address, authority) as before:
        await asked(before)
        assert await serial_at(server.address) == first.serial
        for _ in range(3):
            following = authority.issue()
            files.put(following)
            assert await serial_at(server.address) == following.serial
            assert (await asked(before)).contract > 0


async def test_half_an_exchange_is_not_seen_by_any_caller(authority: Authority, files: Files) -> None:
    first, second = authority.issue(), authority.issue()
    async with secured(files.put(first)) as server:
        files.exchange(files.key, second.key)
        assert await serial_at(server.address) == first.serial
        files.certificate.write_bytes(second.certificate[:200])
        assert await serial_at(server.address) == first.serial
        files.certificate.unlink()
        assert await serial_at(server.address) == first.serial
        assert await is_answered(server.address, authority)
        files.exchange(files.certificate, second.certificate)
        assert await serial_at(server.address) == second.serial


async def test_the_authorities_of_clients_are_exchanged_too(authority: Authority, files: Files) -> None:
    old, new = Authority("old"), Authority("new")
    issued, of_old, of_new = authority.issue(), old.issue(subject="agent"), new.issue(subject="agent")
    async with secured(files.put(issued, clients=old.certificate)) as server:
        assert not await is_answered(server.address, authority, of_new)
        files.put(issued, clients=old.certificate + new.certificate)
        assert await is_answered(server.address, authority, of_old)
        assert await is_answered(server.address, authority, of_new)
        files.put(issued, clients=new.certificate)
        assert not await is_answered(server.address, authority, of_old)
        assert await is_answered(server.address, authority, of_new)


async def health_at(address: str) -> int:
    async with grpc.aio.insecure_channel(address, (("grpc.use_local_subchannel_pool", 1),)) as channel:
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/grpc.health.v1.Health/Check")
        answer = await method(health_pb2.HealthCheckRequest(service=SERVICE).SerializeToString(), timeout=PATIENCE_S)
        return health_pb2.HealthCheckResponse.FromString(answer).status


@pytest.mark.parametrize(
    "method", [f"{SERVICE}/GetServerInfo", "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"]
)
async def test_probes_ask_in_plaintext_where_callers_need_certificates(
    authority: Authority, files: Files, method: str
) -> None:
    put = files.put(authority.issue(), clients=authority.certificate)
    credentials = Credentials(put, now=lambda: datetime.now(UTC))
    async with in_process(credentials=credentials, serving=False) as server:
        probed = await server.server.start_probes("127.0.0.1:0")
        assert await health_at(probed) == health_pb2.HealthCheckResponse.NOT_SERVING
        server.server.serve()
        assert await health_at(probed) == health_pb2.HealthCheckResponse.SERVING
        # Health, and nothing else whatever.
        async with grpc.aio.insecure_channel(probed, (("grpc.use_local_subchannel_pool", 1),)) as channel:
            call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{method}")
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(b"", timeout=PATIENCE_S)
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED

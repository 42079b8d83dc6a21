"""Certificates exchanged under load: no call fails, on connections old or new, and every exchange arrives."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.service.connections import Connections
from skillsvc.service.tls_credentials import Credentials
from tests.integration.handshakes import serial_at
from tests.integration.in_process import SERVICE, in_process
from tests.patience import PATIENCE_S
from tests.simulators.authority import Authority, Files, channel_to

_EXCHANGES = 20
_READERS = 4


async def _list(channel: grpc.aio.Channel) -> int:
    method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/ListSkills")
    return pb.ListSkillsResponse.FromString(await method(b"", timeout=PATIENCE_S)).total_size


@pytest.mark.parametrize("age_s", [900.0, 0.2], ids=["connections stay", "connections age"])
async def test_no_call_fails_while_certificates_are_exchanged(tmp_path: Path, age_s: float) -> None:
    authority, clients, files = Authority(), Authority("clients"), Files(tmp_path)
    agent = clients.issue(subject="agent")
    put = files.put(authority.issue(), clients=clients.certificate)
    credentials = Credentials(put, now=lambda: datetime.now(UTC))
    connections = Connections(age_s=age_s, age_grace_s=PATIENCE_S)
    answered: Counter[str] = Counter()
    over = asyncio.Event()

    async with (
        in_process(credentials=credentials, connections=connections) as server,
        AsyncExitStack() as open_till_end,
    ):

        async def read(kind: str, ask: Callable[[], Awaitable[int]]) -> None:
            while not over.is_set():
                assert await ask() == 0
                answered[kind] += 1

        async def anew() -> int:
            async with channel_to(server.address, authority, agent) as channel:
                return await _list(channel)

        async def progress() -> None:
            """Wait until both kinds have been answered after this moment: so much is under way at each exchange."""
            before = dict(answered)
            while any(answered[kind] <= before.get(kind, 0) + 1 for kind in ("old", "new")):
                done = [reader for reader in readers if reader.done()]
                assert not done, [str(reader.exception()) for reader in done]
                await asyncio.sleep(0)

        readers = []
        for _ in range(_READERS):
            channel = await open_till_end.enter_async_context(channel_to(server.address, authority, agent))
            readers.append(asyncio.create_task(read("old", lambda channel=channel: _list(channel))))  # type: ignore[misc] # binds this turn's channel
            readers.append(asyncio.create_task(read("new", anew)))
        for number in range(_EXCHANGES):
            issued = authority.issue()
            files.exchange(files.key, issued.key)
            # Half of the exchange stands for a while.
            await progress()
            if number % 2:
                files.certificate.write_bytes(issued.certificate[: len(issued.certificate) // 2])
                await progress()
            files.exchange(files.certificate, issued.certificate)
            assert await serial_at(server.address) == issued.serial
            await progress()
        over.set()
        await asyncio.gather(*readers)
    assert min(answered.values()) >= _EXCHANGES

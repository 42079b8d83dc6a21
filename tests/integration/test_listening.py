"""Where a server listens: a free port, a taken one, a unix socket."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.service.listening import CannotListen
from tests.integration.in_process import SERVICE, in_process
from tests.patience import PATIENCE_S

_LONGEST = 107
"""Bytes of a path of a unix socket, the kernel's own number."""


async def test_a_second_server_on_a_port_fails_rather_than_share_its_calls() -> None:
    async with in_process() as first, in_process() as second:
        with pytest.raises(CannotListen) as caught:
            await second.server.start(first.address)
        assert first.address in str(caught.value)
        assert (await first.list()).total_size == 0


@pytest.mark.parametrize("form", ["unix:", "unix://"])
@pytest.mark.parametrize(("name", "written"), [("socket", "socket"), ("so cket", "so%20cket")])
async def test_a_unix_socket_is_listened_on(tmp_path: Path, form: str, name: str, written: str) -> None:
    async with in_process(address=f"{form}{tmp_path}/{written}") as server:
        assert server.address == f"{form}{tmp_path}/{written}"
        assert await _answers(server.address)
        # Nothing but the socket, by its name.
        assert _names(tmp_path) == [name]
        assert (tmp_path / name).is_socket()
    assert _names(tmp_path) == []


async def test_a_path_as_long_as_an_address_may_be_is_listened_on(tmp_path: Path) -> None:
    folder = tmp_path / ("f" * (_LONGEST - len(f"{tmp_path}//s")))
    folder.mkdir()
    path = folder / "s"
    assert len(str(path)) == _LONGEST
    async with in_process(address=f"unix:{path}") as server:
        assert await _answers(server.address)


async def test_a_second_server_on_a_unix_socket_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    async with in_process(address=f"unix:{tmp_path / 'socket'}") as first, in_process() as second:
        with pytest.raises(CannotListen) as caught:
            await second.server.start(first.address)
        assert first.address in str(caught.value)
        await second.server.drain(0)
        assert await _answers(first.address)
        assert _names(tmp_path) == ["socket"]


async def test_a_socket_that_a_killed_server_left_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with _listening(path):
        pass
    assert path.is_socket()
    async with in_process(address=f"unix:{path}") as server:
        assert await _answers(server.address)


async def test_a_server_that_has_its_hands_full_is_not_taken_for_a_dead_one(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with _listening(path, backlog=0), closing(socket.socket(socket.AF_UNIX)) as waiting:
        waiting.connect(str(path))
        async with in_process() as server:
            with pytest.raises(CannotListen, match="in use"):
                await server.server.start(f"unix:{path}")
    assert path.is_socket()


async def test_what_is_no_socket_is_left_alone(tmp_path: Path) -> None:
    file, link, folder = tmp_path / "file", tmp_path / "link", tmp_path / "folder"
    file.write_bytes(b"precious")
    link.symlink_to(file)
    folder.mkdir()
    async with in_process() as server:
        for path in (file, link, folder):
            with pytest.raises(CannotListen, match="no socket"):
                await server.server.start(f"unix:{path}")
    assert (file.read_bytes(), link.is_symlink(), folder.is_dir()) == (b"precious", True, True)
    assert _names(tmp_path) == ["file", "folder", "link"]


async def test_a_folder_that_is_not_there_cannot_be_listened_in(tmp_path: Path) -> None:
    async with in_process() as server:
        with pytest.raises(CannotListen, match="No such file or directory"):
            await server.server.start(f"unix:{tmp_path}/nowhere/socket")


async def test_a_stop_removes_no_socket_but_its_own(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    async with in_process(address=f"unix:{path}") as first:
        # An operator clears the name away, and another server takes it.
        path.unlink()
        async with in_process(address=f"unix:{path}") as second:
            await first.server.drain(0)
            assert await _answers(second.address)
    assert not path.exists()


async def test_the_name_of_a_socket_is_free_as_soon_as_its_server_drains(tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 'socket'}"
    async with in_process(address=address) as first:
        await first.server.drain(0)
        async with in_process(address=address) as second:
            assert await _answers(second.address)


async def test_of_two_that_begin_in_one_folder_at_once_the_second_is_refused(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        async with in_process() as server:
            with pytest.raises(CannotListen, match="another server begins"):
                await server.server.start(f"unix:{tmp_path / 'socket'}")
    finally:
        os.close(folder)
    async with in_process(address=f"unix:{tmp_path / 'socket'}") as server:
        assert await _answers(server.address)


async def _answers(address: str) -> bool:
    async with grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/GetServerInfo")
        return pb.GetServerInfoResponse.FromString(await method(b"", timeout=PATIENCE_S)).contract > 0


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@contextmanager
def _listening(path: Path, backlog: int = 1) -> Iterator[None]:
    """Listen on a socket, and leave it behind as a killed process does."""
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(path))
        listening.listen(backlog)
        yield

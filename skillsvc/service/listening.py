"""Where a server listens: a TCP port, or a unix socket that no other server takes from it.

grpc alone would not do: where it binds a unix socket it removes any that is there, dead or alive, and where it stops it
removes whatever then has the name. So it binds another name, and the socket is renamed to its own.
"""

import fcntl
import os
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import quote, unquote, urlsplit

import grpc

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class CannotListen(Exception):
    """The address cannot be listened on: it is taken, or not of this machine."""


class Listener:
    """The one address of a server, from `listen` to `release`."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        """Prepare; `new_id` gives names that nobody has."""
        self._new_id = new_id
        self._socket: _SocketFile | None = None

    def listen(
        self,
        server: grpc.aio.Server,
        address: str,
        *,
        locked: Path | None = None,
        credentials: grpc.ServerCredentials | None = None,
    ) -> str:
        """Let `server` listen on `HOST:PORT` or `unix:PATH`; return the address with the port that it got.

        Args:
            server: What listens.
            address: Where.
            locked: A folder that the caller holds a lock of, by which no other server comes to it.
            credentials: Of TLS; None for plaintext.

        Raises:
            CannotListen: The address is taken or not of this machine.
        """
        if not address.startswith("unix:"):
            return f"{address.rpartition(':')[0]}:{_bind(server, address, address, credentials)}"
        # As grpc reads it, for whoever calls reads it so: `unix:PATH` and `unix:///PATH`, with `%20` for a space.
        path = PurePath(unquote(urlsplit(address).path))
        self._take(path, address, lambda file, aside: file.take(server, aside, locked, credentials))
        return address

    def listen_privately(self, server: grpc.aio.Server, path: PurePath) -> str:
        """Let `server` listen on a unix socket of mode 0600; return its address.

        The caller holds a lock by which no other server comes to that folder: a folder cannot be locked twice.

        Raises:
            CannotListen: Something else has the name.
        """
        address = f"unix:{quote(str(path))}"
        self._take(path, address, lambda file, aside: file.take_privately(server, aside))
        return address

    def release(self) -> None:
        """Take no more connections by the name of a unix socket, and leave it where it has become another's."""
        if self._socket is not None:
            self._socket.remove()
            self._socket.close()
            self._socket = None

    def _take(self, path: PurePath, address: str, take: Callable[["_SocketFile", str], None]) -> None:
        try:
            file = _SocketFile(path, address)
            try:
                take(file, f".{self._new_id()}")
            except BaseException:
                file.close()
                raise
        except OSError as error:
            raise CannotListen(f"cannot listen on {address}: {error.strerror}") from error
        self._socket = file


class _SocketFile:
    """A name for a unix socket in a folder that is held open. Errors name it by `address`."""

    def __init__(self, path: PurePath, address: str) -> None:
        self._name = path.name
        self._address = address
        self._folder = os.open(path.parent, _FOLDER)
        self._identity: tuple[int, int] | None = None

    def close(self) -> None:
        os.close(self._folder)

    def take(
        self, server: grpc.aio.Server, aside: str, locked: Path | None, credentials: grpc.ServerCredentials | None
    ) -> None:
        """Let `server` listen under the name; `aside` is the name in the same folder that it binds first."""
        if locked is not None and os.path.samestat(os.fstat(self._folder), locked.stat()):
            # A folder cannot be locked twice, whoever asks.
            self._refuse_taken()
            self._settle(server, aside, credentials=credentials)
            return
        try:
            # Of two that start at once and find a dead socket, the second must find the first one's instead.
            fcntl.flock(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CannotListen(f"cannot listen on {self._address}: another server begins to listen there") from error
        try:
            self._refuse_taken()
            self._settle(server, aside, credentials=credentials)
        finally:
            fcntl.flock(self._folder, fcntl.LOCK_UN)

    def take_privately(self, server: grpc.aio.Server, aside: str) -> None:
        """As `take`, for this user alone; nobody else begins to listen in the folder meanwhile."""
        self._refuse_taken()
        # A socket is made with the mode that the umask leaves it: until it has its own, a folder keeps others out.
        os.mkdir(aside, 0o700, dir_fd=self._folder)
        try:
            self._settle(server, f"{aside}/{self._name}", mode=0o600)
        finally:
            os.rmdir(aside, dir_fd=self._folder)

    def _settle(
        self,
        server: grpc.aio.Server,
        aside: str,
        *,
        mode: int | None = None,
        credentials: grpc.ServerCredentials | None = None,
    ) -> None:
        # By the descriptor: a path to the folder and this name might be longer than an address may be.
        _bind(server, f"unix:{self._reach(aside)}", self._address, credentials)
        try:
            if mode is not None:
                os.chmod(aside, mode, dir_fd=self._folder)
            identity = self._identify(aside)
            os.rename(aside, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except BaseException:
            os.unlink(aside, dir_fd=self._folder)
            raise
        self._identity = identity

    def remove(self) -> None:
        """Remove the name as far as possible, where it still is that of the socket that took it."""
        # The number of the file cannot be another's: the socket that listens keeps it.
        with suppress(OSError):
            if self._identify(self._name) == self._identity:
                os.unlink(self._name, dir_fd=self._folder)

    def _refuse_taken(self) -> None:
        try:
            found = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(found.st_mode):
            raise CannotListen(f"cannot listen on {self._address}: what is there is no socket")
        if not _is_dead(self._reach(self._name)):
            raise CannotListen(f"cannot listen on {self._address}: it is in use")

    def _reach(self, name: str) -> str:
        return f"/proc/self/fd/{self._folder}/{name}"

    def _identify(self, name: str) -> tuple[int, int]:
        found = os.stat(name, dir_fd=self._folder, follow_symlinks=False)
        return found.st_dev, found.st_ino


def _bind(server: grpc.aio.Server, bound: str, told: str, credentials: grpc.ServerCredentials | None) -> int:
    try:
        return server.add_insecure_port(bound) if credentials is None else server.add_secure_port(bound, credentials)
    except RuntimeError as error:
        raise CannotListen(f"cannot listen on {told}: it is in use, or not of this machine") from error


def _is_dead(path: str) -> bool:
    """Tell whether nobody listens on a socket. One that cannot be asked is taken for alive."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        # A server that has too many waiting already is alive, and must not hold this one up.
        probe.settimeout(0)
        try:
            probe.connect(path)
        except (ConnectionRefusedError, FileNotFoundError):
            return True
        except OSError:
            return False
    return False

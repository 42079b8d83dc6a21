"""Connections that go to checked addresses alone, wait no longer than they may, and end when they are told to.

httpcore hands what it calls timeouts through untouched. Here they are moments of the clock, the same one for all steps
of an exchange: a peer that sends a byte now and then cannot stretch it.
"""

import errno
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from select import POLLIN, POLLOUT, poll
from typing import Any, Final, NamedTuple, TypeVar

import httpcore
from typing_extensions import override

from skillsvc.content.addresses import AddressGuard
from skillsvc.content.stopping import Abandoned

POLL_S: Final = 0.25
"""How often a wait looks whether it is to end."""

_PIECE: Final = 64 * 1024
"""Bytes that go to or come from the library of TLS at a time."""

_Done = TypeVar("_Done")


class Overdue(Exception):
    """The moment by which an exchange had to be over has passed."""


class NotConnected(Exception):
    """A host could not be connected to; the text says why (`ECONNREFUSED`, …)."""


class Patience:
    """How long is waited: until a moment, or until somebody says stop."""

    def __init__(self, stopped: Callable[[], bool], clock: Callable[[], float]) -> None:
        """Wait by `clock`, in seconds that only grow, as long as nobody has `stopped` it."""
        self._stopped = stopped
        self._clock = clock

    def moment(self, within_s: float) -> float:
        """Return the moment that is so many seconds away."""
        return self._clock() + within_s

    def left(self, moment: float) -> float:
        """Return how many seconds may be waited at a time, always more than 0.

        Raises:
            Abandoned: It was told to stop.
            Overdue: The moment has passed.
        """
        if self._stopped():
            raise Abandoned
        left = moment - self._clock()
        if left <= 0:
            raise Overdue
        return min(left, POLL_S)

    def share(self, moment: float, among: int) -> float:
        """Return the moment by which the first of several attempts must be over, so that time is left for the rest."""
        now = self._clock()
        return now + (moment - now) / among

    def wait(self, connection: socket.socket, event: int, moment: float) -> None:
        """Return once a socket can be read from or written to; raises as `left` does."""
        poller = poll()
        try:
            poller.register(connection, event)
        except ValueError:
            # Another thread has closed it: its source is declared no longer.
            raise OSError(errno.EBADF, "closed") from None
        while not poller.poll(self.left(moment) * 1000):
            pass


class _Address(NamedTuple):
    family: int
    host: str
    name: Any
    """What the system calls it: host, port and, with IPv6, more."""


class GuardedNetwork(httpcore.NetworkBackend):
    """Connects to hosts all of whose addresses the guard lets pass, and to one of these very addresses."""

    def __init__(self, *, guard: AddressGuard, context: Callable[[], ssl.SSLContext], patience: Patience) -> None:
        """Judge addresses by `guard`, peers by the TLS `context`, asked for when one is needed."""
        self._guard = guard
        self._context = context
        self._patience = patience

    @override
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect; raises AddressRefused, NotConnected, Overdue or Abandoned."""
        assert timeout is not None  # the moment
        addresses = self._resolve(host, port, timeout)
        # All are judged before one is connected to: an answer that mixes them is how a name is made to lie.
        for address in addresses:
            self._guard.check(host, address.host)
        failed: Exception = NotConnected("no address")
        for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
            self._patience.left(timeout)
            try:
                connection = self._connect(address, self._patience.share(timeout, left))
            except (NotConnected, Overdue) as error:
                failed = error
            else:
                return _Connection(connection, self._context, self._patience)
        raise failed

    def _resolve(self, host: str, port: int, moment: float) -> list[_Address]:
        """Ask the name service, in a thread of its own: nothing ends such a question but its answer."""
        answers: SimpleQueue[list[_Address] | OSError | UnicodeError] = SimpleQueue()
        asking = threading.Thread(target=_ask_for_addresses, args=(host, port, answers), name="resolve", daemon=True)
        asking.start()
        while True:
            try:
                answer = answers.get(timeout=self._patience.left(moment))
            except Empty:
                continue
            if isinstance(answer, list):
                return answer
            raise NotConnected("its name is unknown") from answer

    def _connect(self, address: _Address, moment: float) -> socket.socket:
        connection = socket.socket(address.family, socket.SOCK_STREAM)
        try:
            connection.setblocking(False)  # noqa: FBT003 - the socket's own interface
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            code = connection.connect_ex(address.name)
            if code == errno.EINPROGRESS:
                self._patience.wait(connection, POLLOUT, moment)
                code = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        except BaseException:
            connection.close()
            raise
        if code:
            connection.close()
            raise NotConnected(errno.errorcode.get(code, "EIO"))
        return connection


def _ask_for_addresses(host: str, port: int, answers: SimpleQueue[list[_Address] | OSError | UnicodeError]) -> None:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        answers.put(error)
    else:
        answers.put([_Address(family, str(name[0]), name) for family, _, _, _, name in found])


class _Connection(httpcore.NetworkStream):
    """A connected socket that never blocks."""

    def __init__(self, connection: socket.socket, context: Callable[[], ssl.SSLContext], patience: Patience) -> None:
        self._socket = connection
        self._context = context
        self._patience = patience

    @override
    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._until(timeout, POLLIN, lambda: self._socket.recv(max_bytes))

    @override
    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with _as_httpcore_knows():
            self.send(buffer, timeout)

    def send(self, buffer: bytes, timeout: float | None) -> None:
        """Write, and raise what the socket raises."""
        while buffer:
            sending = buffer
            sent = self._until(timeout, POLLOUT, lambda: self._socket.send(sending))  # noqa: B023 - called at once
            buffer = buffer[sent:]

    @override
    def close(self) -> None:
        self._socket.close()

    @override
    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        try:
            secured = _SecuredConnection(self, self._context(), server_hostname)
            secured.shake_hands(timeout)
        except BaseException:
            self.close()
            raise
        return secured

    @override
    def get_extra_info(self, info: str) -> object:
        if info == "is_readable":
            poller = poll()
            poller.register(self._socket, POLLIN)
            return bool(poller.poll(0))
        return None

    def _until(self, moment: float | None, event: int, step: Callable[[], _Done]) -> _Done:
        """Repeat a step until the socket lets it be done; each begins with a look at the clock, however much comes."""
        assert moment is not None  # httpcore was given one for all it does
        while True:
            self._patience.left(moment)
            try:
                return step()
            except BlockingIOError:
                self._patience.wait(self._socket, event, moment)


class _SecuredConnection(httpcore.NetworkStream):
    """TLS over a connection, by turns: what came is handed to the library, and the clock is looked at before more is.

    Given the socket itself, the library reads on for as long as what comes says nothing: a peer that sends greetings
    faster than they are read would keep it for ever. Nobody needs a certificate for that.
    """

    def __init__(self, connection: _Connection, context: ssl.SSLContext, server_hostname: str | None) -> None:
        self._connection = connection
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=server_hostname)

    def shake_hands(self, timeout: float | None) -> None:
        """Agree with the peer who it is, and on keys."""
        self._by_turns(timeout, self._tls.do_handshake)

    @override
    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._by_turns(timeout, lambda: self._tls.read(max_bytes))

    @override
    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with _as_httpcore_knows():
            for at in range(0, len(buffer), _PIECE):
                piece = buffer[at : at + _PIECE]
                self._by_turns(timeout, lambda: self._tls.write(piece))  # noqa: B023 - called at once

    @override
    def close(self) -> None:
        self._connection.close()

    @override
    def get_extra_info(self, info: str) -> object:
        if info == "is_readable" and self._incoming.pending:
            return True
        return self._connection.get_extra_info(info)

    def _by_turns(self, moment: float | None, step: Callable[[], _Done]) -> _Done:
        """Repeat a step of the library until it needs nothing more from the peer; then send what it has to say."""
        while True:
            try:
                done = step()
            except ssl.SSLWantReadError:
                self._connection.send(self._outgoing.read(), moment)
                came = self._connection.read(_PIECE, moment)
                if came:
                    self._incoming.write(came)
                else:
                    # An end that the peer did not say is an error: else whoever sits between could cut an answer.
                    self._incoming.write_eof()
            else:
                self._connection.send(self._outgoing.read(), moment)
                return done


@contextmanager
def _as_httpcore_knows() -> Iterator[None]:
    """Translate a write that failed: httpcore then listens, since a server that heard enough may have answered."""
    try:
        yield
    except OSError as error:
        raise httpcore.WriteError from error

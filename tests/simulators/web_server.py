"""A web server that does at each path what a test says: answer, or fail in one of the ways that servers fail in."""

import socket
import ssl
import struct
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE_S
from tests.simulators.ports import take_port

TLS: Final = Path(__file__).parent / "tls"
_NEVER_S: Final = 2 * PATIENCE_S
_HEADER_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request; `headers` by names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


Send = Callable[[bytes], None]
Answer = Callable[[Asked, Send, threading.Event], bool]
"""Answers a request, by `Send`; the event says that the server ends. Returns whether the connection may go on."""


def page(data: bytes | str, *, status: int = 200, tagged: bool = True, **headers: str) -> Answer:
    """Answer with a page; a `tagged` one has an ETag, and is not sent again to whoever names it."""
    whole = data.encode() if isinstance(data, str) else data
    tag = f'"{sha256(whole).hexdigest()[:16]}"'

    def answer(asked: Asked, send: Send, _: threading.Event) -> bool:
        if tagged and asked.headers.get("if-none-match") == tag:
            send(b"HTTP/1.1 304 Not Modified\r\n\r\n")
            return True
        lines = {"content-length": str(len(whole)), **{name.replace("_", "-"): text for name, text in headers.items()}}
        if tagged:
            lines["etag"] = tag
        send(_head(status, lines) + (b"" if asked.method == "HEAD" else whole))
        return True

    return answer


def redirect(location: str, status: int = 302) -> Answer:
    """Send the client elsewhere."""
    return page(b"", status=status, tagged=False, location=location)


def behind(username: str, password: str, answer: Answer) -> Answer:
    """Answer nobody else than who has this password."""
    expected = f"Basic {b64encode(f'{username}:{password}'.encode()).decode()}"

    def guarded(asked: Asked, send: Send, ending: threading.Event) -> bool:
        if asked.headers.get("authorization") == expected:
            return answer(asked, send, ending)
        return page(b"", status=401, tagged=False, www_authenticate="Basic")(asked, send, ending)

    return guarded


def truncated(data: bytes) -> Answer:
    """Announce a page, and break off half-way."""

    def answer(_: Asked, send: Send, __: threading.Event) -> bool:
        send(_head(200, {"content-length": str(len(data))}) + data[: len(data) // 2])
        return False

    return answer


def dripping(data: bytes, every_s: float) -> Answer:
    """Send a page byte by byte."""

    def answer(_: Asked, send: Send, ending: threading.Event) -> bool:
        send(_head(200, {"content-length": str(len(data))}))
        for byte in data:
            if ending.wait(every_s):
                return False
            send(bytes([byte]))
        return True

    return answer


def raw(data: bytes) -> Answer:
    """Send these very bytes, and hang up."""

    def answer(_: Asked, send: Send, __: threading.Event) -> bool:
        send(data)
        return False

    return answer


def flooding(head: bytes, piece: bytes) -> Answer:
    """Send these very bytes, and then others for ever."""

    def answer(_: Asked, send: Send, ending: threading.Event) -> bool:
        send(head)
        while not ending.is_set():
            send(piece)
        return False

    return answer


def endless(_: Asked, send: Send, ending: threading.Event) -> bool:
    """Send a page that has no end."""
    send(_head(200, {"transfer-encoding": "chunked"}))
    while not ending.is_set():
        send(b"1000\r\n" + bytes(0x1000) + b"\r\n")
    return False


def silent(_: Asked, __: Send, ending: threading.Event) -> bool:
    """Say nothing."""
    ending.wait(_NEVER_S)
    return False


def broken(_: Asked, __: Send, ___: threading.Event) -> bool:
    """Hang up."""
    return False


def reset(_: Asked, __: Send, ___: threading.Event) -> bool:
    """Tear the connection down."""
    raise ConnectionResetError


def garbage(_: Asked, send: Send, __: threading.Event) -> bool:
    """Speak no HTTP."""
    send(b"220 mail.example ESMTP\r\n")
    return False


def _context_of(certificate: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / f"{certificate}.pem", TLS / f"{certificate}-key.pem")
    return context


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {text}\r\n" for name, text in headers.items())
    return f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode()


class WebServer:
    """Listens on a port of the loopback; `asked` is what was asked so far.

    `answers` are by path, with its query or for any of them, and may be changed at any time; `otherwise` is the answer
    to all others.
    """

    def __init__(self, *, certificate: str = "") -> None:
        """Listen; with a `certificate` of the folder `tls` over TLS."""
        self.answers: dict[str, Answer] = {}
        self.otherwise: Answer = page(b"nothing here", status=404, tagged=False)
        self.asked: list[Asked] = []
        self.connections = 0
        self._context = _context_of(certificate) if certificate else None
        self._greeting = b""
        self._ending = threading.Event()
        self._asking = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self._holding = take_port()
        self.port: int = self._holding.getsockname()[1]
        self._listening = socket.create_server(("127.0.0.1", self.port))
        self.origin = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        self._start(self._accept)

    def url(self, path: str) -> str:
        """Return the URL of a path."""
        return self.origin + path

    def paths(self) -> list[str]:
        """Return the paths that were asked for so far."""
        return [asked.path for asked in self.asked]

    def wait_for(self, path: str, within_s: float = PATIENCE_S) -> None:
        """Return once somebody has asked for a path."""
        with self._asking:
            assert self._asking.wait_for(lambda: path in self.paths(), within_s), f"nobody asks for {path}"

    def refuse(self) -> None:
        """Let nobody connect from now on, and end all connections."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._hang_up()

    def accept(self) -> None:
        """Let everybody connect again."""
        self._listening.listen()
        self._start(self._accept)

    def present(self, certificate: str) -> None:
        """Show another certificate from now on, "" for none and no TLS, and end all connections."""
        self._context = _context_of(certificate) if certificate else None
        self._greeting = b""
        self._hang_up()

    def greet(self, data: bytes) -> None:
        """Say these very bytes to whoever connects from now on, without TLS, and end all connections."""
        self.present("")
        self._greeting = data

    def close(self) -> None:
        """End, whatever is under way."""
        self._ending.set()
        for each in (self._listening, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._holding.close()
        for thread in self._threads:
            thread.join()

    def _hang_up(self) -> None:
        open_now, self._open = self._open, []
        for each in open_now:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._ending.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            self._start(lambda connection=connection: self._serve(connection))  # type: ignore[misc] # bound at once

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            talking = connection
            if self._context is not None:
                talking = self._context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
            self._open.append(talking)
            with talking:
                try:
                    talking.sendall(self._greeting)
                    self._talk(talking)
                except ConnectionResetError:
                    # Closed with this option, what is sent is a reset.
                    talking.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def _talk(self, connection: socket.socket) -> None:
        while (asked := _read(connection)) is not None:
            with self._asking:
                self.asked.append(asked)
                self._asking.notify_all()
            answer = self.answers.get(asked.path) or self.answers.get(asked.path.partition("?")[0], self.otherwise)
            if not answer(asked, connection.sendall, self._ending):
                return


def _read(connection: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(_HEADER_BYTES)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): text.strip() for name, _, text in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(_HEADER_BYTES)
    return Asked(method=method, path=path, headers=headers, body=body)


@contextmanager
def serving(*, certificate: str = "") -> Iterator[WebServer]:
    """Serve as long as the context lasts."""
    server = WebServer(certificate=certificate)
    try:
        yield server
    finally:
        server.close()

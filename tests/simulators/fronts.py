"""Servers that stand before sound ones, and do to what these answer what a network, or a bad day, does to it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

import httpx

from tests.patience import PATIENCE_S
from tests.simulators.oci_registry import NO_TLS
from tests.simulators.web_server import Answer, Asked, Send, WebServer, page, silent

Fault: TypeAlias = Callable[[Answer], Answer]
"""Makes a faulty answer of a sound one."""
_DRIP_S: Final = 0.05
_LEFT_OUT: Final = frozenset({"host", "connection", "content-length", "transfer-encoding"})


class Front:
    """A server over TLS whose answers are those of a sound one, but where a fault is at work."""

    def __init__(self, server: WebServer, sound: Answer) -> None:
        """Answer as `sound` does."""
        self.server = server
        self._sound = sound
        self._fault: tuple[str, Fault] | None = None
        self._refuses = False
        server.otherwise = self._answer

    @property
    def origin(self) -> str:
        """Its scheme, host and port."""
        return self.server.origin

    def break_answers(self, within: str, fault: Fault) -> None:
        """Have a fault at work on all answers to paths that hold `within`."""
        self._fault = (within, fault)

    def refuse(self) -> None:
        """Let nobody connect."""
        self._refuses = True
        self.server.refuse()

    def hang_up(self) -> None:
        """End all connections, so that whoever asks has to connect."""
        self.server.present("server")

    def expire(self) -> None:
        """Show a certificate that was good until yesterday."""
        self.server.present("expired")

    def stall(self) -> None:
        """Let everybody connect, and say nothing."""
        self.server.present("")

    def babble(self) -> None:
        """Speak no TLS."""
        self.server.greet(b"220 mail.example ESMTP\r\n")

    def heal(self) -> None:
        """Be sound again."""
        self._fault = None
        if self._refuses:
            self._refuses = False
            self.server.accept()
        self.hang_up()

    def _answer(self, asked: Asked, send: Send, ending: threading.Event) -> bool:
        fault = self._fault
        if fault is None or fault[0] not in asked.path:
            return self._sound(asked, send, ending)
        return fault[1](self._sound)(asked, send, ending)


@contextmanager
def before(sound: Answer) -> Iterator[Front]:
    """Stand before something sound as long as the context lasts."""
    server = WebServer(certificate="server")
    try:
        yield Front(server, sound)
    finally:
        server.close()


def passing_on(origin: str) -> Answer:
    """Answer what another server answers."""

    def answer(asked: Asked, send: Send, _: threading.Event) -> bool:
        headers = {name: text for name, text in asked.headers.items() if name not in _LEFT_OUT}
        with httpx.Client(trust_env=False, verify=NO_TLS, timeout=PATIENCE_S) as client:
            found = client.request(asked.method, f"{origin}{asked.path}", headers=headers, content=asked.body)
        lines = {name: text for name, text in found.headers.items() if name not in _LEFT_OUT}
        lines["content-length"] = found.headers.get("content-length", str(len(found.content)))
        head = "".join(f"{name}: {text}\r\n" for name, text in lines.items())
        send(f"HTTP/1.1 {found.status_code} Said\r\n{head}\r\n".encode() + found.content)
        return True

    return answer


def _whole(sound: Answer, asked: Asked, ending: threading.Event) -> bytes:
    pieces: list[bytes] = []
    sound(asked, pieces.append, ending)
    return b"".join(pieces)


def reset_midway(sound: Answer) -> Answer:
    """Tear the connection down in the middle."""

    def answer(asked: Asked, send: Send, ending: threading.Event) -> bool:
        whole = _whole(sound, asked, ending)
        send(whole[: len(whole) // 2])
        raise ConnectionResetError

    return answer


def cut_short(sound: Answer) -> Answer:
    """Hang up before the last bytes."""

    def answer(asked: Asked, send: Send, ending: threading.Event) -> bool:
        send(_whole(sound, asked, ending)[:-5])
        return False

    return answer


def dripping(sound: Answer) -> Answer:
    """Send byte by byte."""

    def answer(asked: Asked, send: Send, ending: threading.Event) -> bool:
        for byte in _whole(sound, asked, ending):
            send(bytes([byte]))
            if ending.wait(_DRIP_S):
                return False
        return True

    return answer


def tampered(sound: Answer) -> Answer:
    """Send other bytes, as many of them."""

    def answer(asked: Asked, send: Send, ending: threading.Event) -> bool:
        head, end_of_head, body = _whole(sound, asked, ending).partition(b"\r\n\r\n")
        send(head + end_of_head + bytes(byte ^ 1 for byte in body))
        return True

    return answer


def failing(_: Answer) -> Answer:
    """Say that the server is broken."""
    return page(b"Oops", status=500, tagged=False)


def welcoming(_: Answer) -> Answer:
    """Send a page for people."""
    return page(b"<!doctype html><title>Log in</title>", tagged=False, content_type="text/html")


def hanging(_: Answer) -> Answer:
    """Say nothing."""
    return silent

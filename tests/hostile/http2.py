"""A server that speaks HTTP/2 by hand, to break off where a gRPC library never would."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS, PING, DATA = 1, 3, 4, 6, 0
END_STREAM, END_HEADERS, ACK = 1, 4, 1
OK_STATUS = b"\x88"  # the static table's `:status: 200`

Answer = Callable[[socket.socket, int], None]
"""Does with the connection what it likes when a request has begun on a stream."""


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return one frame."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name: bytes, value: bytes) -> bytes:
    """Return a header field of fewer than 127 bytes each, without any table."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


CONTENT = OK_STATUS + literal(b"content-type", b"application/grpc")


def message(data: bytes, announced: int | None = None) -> bytes:
    """Return a gRPC message, of which as many bytes are announced."""
    return b"\x00" + struct.pack(">I", len(data) if announced is None else announced) + data


def half_a_message(connection: socket.socket, stream: int) -> None:
    """Announce a message, send the half of it, and end the stream."""
    connection.sendall(frame(HEADERS, END_HEADERS, stream, CONTENT))
    connection.sendall(frame(DATA, END_STREAM, stream, message(b"\x0a\x03", announced=1_000)))


def no_trailers(connection: socket.socket, stream: int) -> None:
    """Send a whole message, and no status after it."""
    connection.sendall(frame(HEADERS, END_HEADERS, stream, CONTENT))
    connection.sendall(frame(DATA, END_STREAM, stream, message(b"")))


def ok_without_message(connection: socket.socket, stream: int) -> None:
    """Say that all is well, and nothing else."""
    connection.sendall(frame(HEADERS, END_HEADERS | END_STREAM, stream, CONTENT + literal(b"grpc-status", b"0")))


def status_that_is_no_number(connection: socket.socket, stream: int) -> None:
    """End with a status that gRPC does not know."""
    connection.sendall(frame(HEADERS, END_HEADERS | END_STREAM, stream, CONTENT + literal(b"grpc-status", b"four")))


def unknown_status(connection: socket.socket, stream: int) -> None:
    """End with a number that no code has."""
    connection.sendall(frame(HEADERS, END_HEADERS | END_STREAM, stream, CONTENT + literal(b"grpc-status", b"99")))


def a_web_page(connection: socket.socket, stream: int) -> None:
    """Answer as a proxy of the web does."""
    page = OK_STATUS + literal(b"content-type", b"text/html")
    connection.sendall(frame(HEADERS, END_HEADERS, stream, page))
    connection.sendall(frame(DATA, END_STREAM, stream, b"<html>"))


def reset(connection: socket.socket, stream: int) -> None:
    """Break off the stream."""
    connection.sendall(frame(RST_STREAM, 0, stream, struct.pack(">I", 2)))


def open_for_ever(connection: socket.socket, stream: int) -> None:
    """Begin an answer, and say no more."""
    connection.sendall(frame(HEADERS, END_HEADERS, stream, CONTENT))


def hang_up(connection: socket.socket, stream: int) -> None:
    """Close the connection in the middle of an answer."""
    open_for_ever(connection, stream)
    connection.close()


def silence(connection: socket.socket, stream: int) -> None:
    """Say nothing at all."""


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """Answer every stream of every connection so, and give the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        connections: list[socket.socket] = []

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    connections.append(connection)
                    threading.Thread(target=_speak, args=(connection, answer), daemon=True).start()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield address
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for connection in connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                connection.close()
            thread.join()


def _speak(connection: socket.socket, answer: Answer) -> None:
    with suppress(OSError):
        if _read(connection, len(PREFACE)) != PREFACE:
            return
        connection.sendall(frame(SETTINGS, 0, 0))
        while header := _read(connection, 9):
            size = int.from_bytes(header[:3], "big")
            kind, flags, stream = header[3], header[4], int.from_bytes(header[5:], "big")
            payload = _read(connection, size)
            if kind == SETTINGS and not flags & ACK:
                connection.sendall(frame(SETTINGS, ACK, 0))
            elif kind == PING and not flags & ACK:
                connection.sendall(frame(PING, ACK, 0, payload))
            elif kind == HEADERS:
                answer(connection, stream)


def _read(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            return b""
        data += part
    return data

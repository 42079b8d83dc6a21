"""A client that speaks HTTP/2 by hand, in a process of its own: what it measures is the server's time, hardly its own.

A library's client takes as much of the machine as the server does. This one encodes its calls beforehand, and reads no
more of an answer than the heads of its frames: less than a library needs to begin one.
`load.py` starts it.
"""

import json
import random
import select
import socket
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RST_STREAM, _SETTINGS, _PING, _GOAWAY, _WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
_END_STREAM, _END_HEADERS, _ACK = 1, 4, 1
_HEAD_BYTES: Final = 9
_INITIAL_WINDOW_SIZE: Final = 4
_MOST_WINDOW: Final = 2**31 - 1
_FIRST_WINDOW: Final = 65_535
_FRAME_BYTES: Final = 16_384
_STATIC_FIELDS: Final = 61
_READ_BYTES: Final = 256 * 1024
_LEFT_S: Final = 30.0
"""How long the last answers may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who makes one call again and again.

    `authorizations` are shown in turns; none shows nothing. Calls are made in `turns`, each from and to a second of the
    run, `a_second` of them, every one at a moment of chance in its share of the second: evenly, and never in step with
    others. Where that is 0, `under_way` calls are made at a time, as fast as they are answered.
    """

    path: str
    request: bytes
    authorizations: Sequence[str] = ()
    a_second: float = 0.0
    turns: Sequence[tuple[float, float]] = ()
    calls: int = 0
    under_way: int = 0
    connections: int = 4


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def _number(value: int, bits: int, first: int) -> bytes:
    """Encode a number of HPACK whose first byte has so many bits left beside `first`."""
    most = (1 << bits) - 1
    if value < most:
        return bytes((first | value,))
    encoded = bytearray((first | most,))
    value -= most
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _text(value: bytes) -> bytes:
    return _number(len(value), 7, 0) + value


class _Requests:
    """The frames of a caller's calls on one connection: what is said in each is put into its table by the first."""

    def __init__(self, caller: Caller) -> None:
        always = [
            (b":path", caller.path.encode()),
            (b":authority", b"bench"),
            (b"content-type", b"application/grpc"),
            (b"te", b"trailers"),
        ]
        shown = [each.encode() for each in caller.authorizations]
        if len(shown) == 1:
            always.append((b"authorization", shown.pop()))
        post = b"\x83\x86"  # the static table's POST and http
        self._first = post + b"".join(b"\x40" + _text(name) + _text(value) for name, value in always)
        self._later = post + b"".join(_number(_STATIC_FIELDS + place, 7, 0x80) for place in range(len(always), 0, -1))
        self._shown = [b"\x10" + _text(b"authorization") + _text(each) for each in shown]
        self._message = b"\x00" + struct.pack(">I", len(caller.request)) + caller.request
        self.window = len(self._message)
        self._number = 0

    def next(self, stream: int) -> bytes:
        block = self._later if self._number else self._first
        if self._shown:
            block += self._shown[self._number % len(self._shown)]
        self._number += 1
        assert len(block) <= _FRAME_BYTES, "headers fit into one frame"
        return _frame(_HEADERS, _END_HEADERS, stream, block) + _frame(_DATA, _END_STREAM, stream, self._message)


@dataclass(slots=True)
class _Answer:
    """What has come of a call."""

    begun: float
    bytes: int = 0


@dataclass(slots=True, kw_only=True)
class _Connection:
    """One connection of a caller, and its calls under way."""

    socket: socket.socket
    requests: _Requests
    took: list[tuple[float, float, int]]
    """When each call began, how many seconds it took, and how many bytes of data came."""
    under_way: dict[int, _Answer] = field(default_factory=dict)
    stream: int = 1
    window: int = _FIRST_WINDOW
    unread: bytes = b""

    def call(self) -> None:
        self.window -= self.requests.window
        assert self.window >= 0, "the server takes no more data"
        sent = self.requests.next(self.stream)
        self.under_way[self.stream] = _Answer(time.perf_counter())
        self.stream += 2
        self.socket.sendall(sent)

    def read(self) -> int:
        """Read what has come; return how many calls have ended."""
        data = self.socket.recv(_READ_BYTES)
        now = time.perf_counter()
        assert data, "the server has hung up"
        data = self.unread + data
        ended = at = 0
        while len(data) - at >= _HEAD_BYTES:
            size = data[at] << 16 | data[at + 1] << 8 | data[at + 2]
            kind, flags = data[at + 3], data[at + 4]
            after = at + _HEAD_BYTES + size
            if after > len(data):
                break
            stream = int.from_bytes(data[at + 5 : at + _HEAD_BYTES], "big")
            if kind in {_DATA, _HEADERS, _RST_STREAM}:
                # None of a stream that is reset when all was said on it.
                answer = self.under_way.get(stream)
                if kind == _DATA and answer is not None:
                    answer.bytes += size
                if answer is not None and (kind == _RST_STREAM or flags & _END_STREAM):
                    del self.under_way[stream]
                    self.took.append((answer.begun, now - answer.begun, answer.bytes))
                    ended += 1
            else:
                self._mind(kind, flags, stream, data[at + _HEAD_BYTES : after])
            at = after
        self.unread = data[at:]
        return ended

    def _mind(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        assert kind != _GOAWAY, f"the server breaks off: {payload!r}"
        if kind == _WINDOW_UPDATE and not stream:
            self.window += int.from_bytes(payload, "big")
        if kind in {_SETTINGS, _PING} and not flags & _ACK:
            self.socket.sendall(_frame(kind, _ACK, 0, payload if kind == _PING else b""))


def _connect(address: str, requests: _Requests, took: list[tuple[float, float, int]]) -> _Connection:
    host, _, port = address.rpartition(":")
    connected = socket.create_connection((host, int(port)), timeout=_LEFT_S)
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # As much as can be said at all, so that windows never have to be kept open.
    connected.sendall(
        _PREFACE
        + _frame(_SETTINGS, 0, 0, struct.pack(">HI", _INITIAL_WINDOW_SIZE, _MOST_WINDOW))
        + _frame(_WINDOW_UPDATE, 0, 0, struct.pack(">I", _MOST_WINDOW - _FIRST_WINDOW))
    )
    return _Connection(socket=connected, requests=requests, took=took)


def _due(callers: Sequence[Caller]) -> list[tuple[float, int]]:
    """Return when each call is due, in seconds of the run, and whose it is."""
    chance = random.Random(1)  # noqa: S311 - moments, no secrets
    return sorted(
        (begin + (number + chance.random()) / caller.a_second, whose)
        for whose, caller in enumerate(callers)
        if caller.a_second
        for begin, end in caller.turns
        for number in range(round((end - begin) * caller.a_second))
    )


class Run:
    """All calls of all callers, in one thread."""

    def __init__(self, address: str, callers: Sequence[Caller]) -> None:
        """Connect, and make one call on each connection, which counts for nothing."""
        self._callers = callers
        self._connections: list[list[_Connection]] = []
        for caller in callers:
            took: list[tuple[float, float, int]] = []
            self._connections.append(
                [_connect(address, _Requests(caller), took) for _ in range(max(1, caller.connections))]
            )
        self._by_socket = {each.socket: (whose, each) for whose, each in self._all()}
        self._left = [0 for _ in callers]
        """How many calls are still to be made, of those that are made as fast as they are answered."""
        for _whose, each in self._all():
            each.call()
        self._read_until_answered()
        for _whose, each in self._all():
            each.took.clear()

    def make(self) -> tuple[float, list[list[tuple[float, float, int]]]]:
        """Return the seconds of all, and of each caller's calls when they began, how long they took, what came."""
        begun = time.perf_counter()
        for whose, caller in enumerate(self._callers):
            at_once = min(caller.under_way, caller.calls)
            self._left[whose] = caller.calls - at_once
            for number in range(at_once):
                self._connections[whose][number % caller.connections].call()
        for number, (due, whose) in enumerate(_due(self._callers)):
            while (wait := begun + due - time.perf_counter()) > 0:
                self._read(wait)
            connections = self._connections[whose]
            connections[number % len(connections)].call()
        self._read_until_answered()
        seconds = time.perf_counter() - begun
        return seconds, [
            [(at - begun, took, size) for at, took, size in connections[0].took] for connections in self._connections
        ]

    def _all(self) -> Iterator[tuple[int, _Connection]]:
        return ((whose, each) for whose, connections in enumerate(self._connections) for each in connections)

    def _read(self, wait_s: float) -> None:
        # Of all that wait for sockets this one alone wakes up to the microsecond.
        for each in select.select(self._by_socket, (), (), wait_s)[0]:
            whose, connection = self._by_socket[each]
            for _ in range(connection.read()):
                if self._left[whose]:
                    self._left[whose] -= 1
                    connection.call()

    def _read_until_answered(self) -> None:
        ends = time.perf_counter() + _LEFT_S
        while any(each.under_way for _whose, each in self._all()):
            assert time.perf_counter() < ends or any(self._left), "calls are not answered"
            self._read(1.0)


def main() -> None:
    """Read the callers from the standard input, and write what their calls took, and when the first began."""
    asked = json.load(sys.stdin)
    callers = [Caller(**{**each, "request": bytes.fromhex(each["request"])}) for each in asked["callers"]]
    run = Run(asked["address"], callers)
    begun = time.time()
    seconds, took = run.make()
    json.dump({"begun": begun, "seconds": seconds, "took": took}, sys.stdout)


if __name__ == "__main__":
    main()

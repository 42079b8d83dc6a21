"""Load on a server, from another process: by h2load, or where that is missing by a client of our own."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import grpc

_CONNECTIONS = 4
_STREAMS = 16
"""Calls under way on each connection, where as many as possible are made."""

_FRAME_HEAD_BYTES = 5
_FINISHED = re.compile(r"finished in ([0-9.]+)(us|ms|s),")
_DONE = re.compile(r"(\d+) done, (\d+) succeeded")
_DATA = re.compile(r"\((\d+)\) data")
_UNIT_S = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call, always the same: `rpc` is a path.

    Every answer must have `answer_bytes`, `spread_bytes` more or less: errors are shorter. A `token` is
    shown as a bearer's.
    """

    rpc: str
    request: bytes
    answer_bytes: int
    spread_bytes: int = 0
    token: str = ""

    @property
    def authorization(self) -> str:
        """The header that says who calls; empty where nobody is asked."""
        return f"Bearer {self.token}" if self.token else ""


@dataclass(frozen=True, slots=True)
class Took:
    """When a call began, in seconds since 1970, and how many seconds it took."""

    begun: float
    seconds: float


class Load(Protocol):
    """A program that makes one call again and again. Where an answer is not as long as it must be, it raises."""

    @property
    def name(self) -> str:
        """What to call it in the table."""

    @property
    def outpaces(self) -> bool:
        """Whether it makes more calls a second than a grpc.aio server answers."""

    def saturate(self, address: str, call: Call, calls: int) -> float:
        """Make so many calls, as fast as they are answered; return the seconds."""

    def pace(self, address: str, call: Call, calls: int, *, a_second: int) -> Sequence[Took]:
        """Make so many calls, evenly so many a second; return how long each took."""


def choose_load() -> Load:
    """Return h2load where it is installed, else our own."""
    program = shutil.which("h2load")
    return H2load(program) if program is not None else OwnLoad()


class H2load:
    """h2load, of nghttp2. It knows nothing of gRPC, so what came is judged by its length."""

    name = "h2load"
    outpaces = True

    def __init__(self, program: str) -> None:
        """Use a program."""
        self._program = program

    def saturate(self, address: str, call: Call, calls: int) -> float:
        """See `Load`."""
        return self._run(address, call, calls, "-c", str(_CONNECTIONS), "-m", str(_STREAMS))

    def pace(self, address: str, call: Call, calls: int, *, a_second: int) -> Sequence[Took]:
        """See `Load`."""
        with tempfile.NamedTemporaryFile("r") as log:
            paced = ("-c", str(_CONNECTIONS), "-m", str(_STREAMS), f"--rps={a_second // _CONNECTIONS}")
            self._run(address, call, calls, *paced, f"--log-file={log.name}")
            lines = (line.split("\t") for line in log)
            return [Took(int(begun) / 1e6, int(microseconds) / 1e6) for begun, _status, microseconds in lines]

    def _run(self, address: str, call: Call, calls: int, *options: str) -> float:
        with tempfile.NamedTemporaryFile() as data:
            data.write(b"\0" + len(call.request).to_bytes(4, "big") + call.request)
            data.flush()
            shown = ("-H", f"authorization: {call.authorization}") if call.token else ()
            ended = subprocess.run(
                [
                    self._program,
                    *("-n", str(calls), "-d", data.name, "-H", "content-type: application/grpc", "-H", "te: trailers"),
                    *shown,
                    *options,
                    f"http://{address}{call.rpc}",
                ],
                check=True,
                capture_output=True,
                text=True,
            )
        told = ended.stdout
        finished, done, data_bytes = _FINISHED.search(told), _DONE.search(told), _DATA.search(told)
        assert finished is not None, told
        assert done is not None, told
        assert data_bytes is not None, told
        assert int(done[2]) == calls, told
        expected = _FRAME_HEAD_BYTES + call.answer_bytes
        assert abs(int(data_bytes[1]) - calls * expected) <= calls * call.spread_bytes, told
        return float(finished[1]) * _UNIT_S[finished[2]]


class OwnLoad:
    """A grpc.aio client in a process of its own. It is slower than the servers: see `outpaces`."""

    name = "our own client"
    outpaces = False

    def saturate(self, address: str, call: Call, calls: int) -> float:
        """See `Load`."""
        seconds, _took = self._run(address, call, calls, 0)
        return seconds

    def pace(self, address: str, call: Call, calls: int, *, a_second: int) -> Sequence[Took]:
        """See `Load`."""
        _seconds, took = self._run(address, call, calls, a_second)
        return [Took(begun, seconds) for begun, seconds in took]

    def _run(self, address: str, call: Call, calls: int, a_second: int) -> tuple[float, list[tuple[float, float]]]:
        with tempfile.NamedTemporaryFile() as request:
            request.write(call.request)
            request.flush()
            shown = [f"--authorization={call.authorization}"] if call.token else []
            numbers = [call.answer_bytes, call.spread_bytes, calls, a_second, _CONNECTIONS, _STREAMS]
            program = Path(__file__).with_name("own_load.py")
            ended = subprocess.run(
                [sys.executable, program, address, call.rpc, request.name, *map(str, numbers), *shown],
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
        told = json.loads(ended.stdout)
        return told["seconds"], told["took"]


def ask(address: str, rpc: str, request: bytes, token: str = "") -> bytes:
    """Make one call, and return the bytes of the answer."""
    shown = (("authorization", f"Bearer {token}"),) if token else ()
    with grpc.insecure_channel(address) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(rpc)
        return call(request, timeout=60, wait_for_ready=True, metadata=shown)

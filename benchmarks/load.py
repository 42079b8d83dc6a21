"""Load on a server, from another process: by h2load, or by a client of our own that is as cheap.

Ours also makes calls evenly and at moments of chance, which h2load cannot: it sends all that is due in 10 ms at once.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

import grpc

from benchmarks.raw_client import Caller

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

    Every answer has `answer_bytes`, `spread_bytes` more or less: errors are shorter. The `tokens` are shown as a
    bearer's, one with each call, in turns.
    """

    rpc: str
    request: bytes
    answer_bytes: int
    spread_bytes: int = 0
    tokens: tuple[str, ...] = ()

    @property
    def authorizations(self) -> tuple[str, ...]:
        """The headers that say who calls."""
        return tuple(f"Bearer {token}" for token in self.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """A call that is made evenly, so many times a second, in `turns`: each from and to a second of a run."""

    call: Call
    a_second: float
    turns: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Took:
    """When a call began, in seconds since 1970 and of the run, how many seconds it took, and whether it was answered.

    What has another length than the answer is a refusal.
    """

    at: float
    begun: float
    seconds: float
    is_answered: bool


class Load(Protocol):
    """A program that makes one call again and again. Where an answer is not as long as it must be, it raises."""

    @property
    def name(self) -> str:
        """What to call it in the table."""

    def saturate(self, address: str, call: Call, calls: int) -> float:
        """Make so many calls, as fast as they are answered; return the seconds."""


def choose_load() -> Load:
    """Return h2load where it is installed, else our own."""
    program = shutil.which("h2load")
    return H2load(program) if program is not None else OwnLoad()


class H2load:
    """h2load, of nghttp2. It knows nothing of gRPC, so what came is judged by its length."""

    name = "h2load"

    def __init__(self, program: str) -> None:
        """Use a program."""
        self._program = program

    def saturate(self, address: str, call: Call, calls: int) -> float:
        """See `Load`."""
        with tempfile.NamedTemporaryFile() as data:
            data.write(b"\0" + len(call.request).to_bytes(4, "big") + call.request)
            data.flush()
            # One header: h2load shows the same with each call.
            shown = [part for each in call.authorizations for part in ("-H", f"authorization: {each}")]
            ended = subprocess.run(
                [
                    self._program,
                    *("-n", str(calls), "-d", data.name, "-H", "content-type: application/grpc", "-H", "te: trailers"),
                    *("-c", str(_CONNECTIONS), "-m", str(_STREAMS)),
                    *shown,
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
    """`raw_client.py`: for calls at a pace, for many tokens, and where there is no h2load."""

    name = "our own client"

    def saturate(self, address: str, call: Call, calls: int) -> float:
        """See `Load`."""
        seconds, took = self.hurry(address, call, calls)
        assert all(each.is_answered for each in took), "an answer of another length"
        return seconds

    def hurry(self, address: str, call: Call, calls: int) -> tuple[float, list[Took]]:
        """Make so many calls, as fast as they are answered or refused; return the seconds of all, and each."""
        seconds, (took,) = self._run(address, [(call, _caller(call, calls=calls, under_way=_CONNECTIONS * _STREAMS))])
        return seconds, took

    def pace(self, address: str, *paces: Pace) -> list[list[Took]]:
        """Make calls at some paces beside each other; return those of each."""
        callers = [(each.call, _caller(each.call, a_second=each.a_second, turns=each.turns)) for each in paces]
        _seconds, took = self._run(address, callers)
        return took

    def _run(self, address: str, callers: Sequence[tuple[Call, Caller]]) -> tuple[float, list[list[Took]]]:
        asked = [{**asdict(caller), "request": caller.request.hex()} for _call, caller in callers]
        ended = subprocess.run(
            [sys.executable, "-m", "benchmarks.raw_client"],
            input=json.dumps({"address": address, "callers": asked}),
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        told = json.loads(ended.stdout)
        return told["seconds"], [
            [
                Took(told["begun"] + begun, begun, seconds, _is_answer(call, data_bytes))
                for begun, seconds, data_bytes in took
            ]
            for (call, _caller), took in zip(callers, told["took"], strict=True)
        ]


def _caller(
    call: Call,
    *,
    calls: int = 0,
    under_way: int = 0,
    a_second: float = 0.0,
    turns: tuple[tuple[float, float], ...] = (),
) -> Caller:
    return Caller(
        path=call.rpc,
        request=call.request,
        authorizations=call.authorizations,
        a_second=a_second,
        turns=turns,
        calls=calls,
        under_way=under_way,
        connections=_CONNECTIONS,
    )


def _is_answer(call: Call, data_bytes: int) -> bool:
    return abs(data_bytes - _FRAME_HEAD_BYTES - call.answer_bytes) <= call.spread_bytes


def ask(address: str, rpc: str, request: bytes, token: str = "") -> bytes:
    """Make one call, and return the bytes of the answer."""
    shown = (("authorization", f"Bearer {token}"),) if token else ()
    with grpc.insecure_channel(address) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(rpc)
        return call(request, timeout=60, wait_for_ready=True, metadata=shown)

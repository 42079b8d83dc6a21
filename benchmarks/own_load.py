"""A client that makes one call again and again, in a process of its own; `load.py` starts it."""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import grpc


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What to do. `a_second` is 0 for as many calls as are answered."""

    address: str
    rpc: str
    request: bytes
    answer_bytes: int
    spread_bytes: int
    calls: int
    a_second: int
    connections: int
    streams: int
    authorization: str = ""


async def run(task: Task) -> tuple[float, list[tuple[float, float]]]:
    """Return the seconds of all calls together, and when each began and how many seconds it took."""
    took: list[tuple[float, float]] = []
    shown = (("authorization", task.authorization),) if task.authorization else ()
    async with AsyncExitStack() as channels:
        calls: list[grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]] = [
            (
                await channels.enter_async_context(
                    # Channels with equal options would share one connection.
                    grpc.aio.insecure_channel(task.address, options=[("grpc.use_local_subchannel_pool", 1)])
                )
            ).unary_unary(task.rpc)
            for _ in range(task.connections)
        ]

        async def call(number: int) -> None:
            at, begun = time.time(), time.perf_counter()
            try:
                answer: bytes = await calls[number % task.connections](task.request, metadata=shown)
            except grpc.aio.AioRpcError:
                # Where any answer will do, a refusal is one.
                answer = b""
            took.append((at, time.perf_counter() - begun))
            assert abs(len(answer) - task.answer_bytes) <= task.spread_bytes, "an answer of another length"

        async def work(numbers: Iterator[int]) -> None:
            for number in numbers:
                await call(number)

        for number in range(task.connections):
            await call(number)
        took.clear()
        begun = time.perf_counter()
        if task.a_second:
            async with asyncio.TaskGroup() as group:
                for number in range(task.calls):
                    await asyncio.sleep(max(0.0, begun + number / task.a_second - time.perf_counter()))
                    group.create_task(call(number))
        else:
            numbers = iter(range(task.calls))
            await asyncio.gather(*(work(numbers) for _ in range(task.connections * task.streams)))
        return time.perf_counter() - begun, took


if __name__ == "__main__":
    address, rpc, request, *numbers = sys.argv[1:]
    answer_bytes, spread_bytes, calls, a_second, connections, streams = map(int, numbers[:6])
    seconds, took = asyncio.run(
        run(
            Task(
                address=address,
                rpc=rpc,
                request=Path(request).read_bytes(),
                answer_bytes=answer_bytes,
                spread_bytes=spread_bytes,
                calls=calls,
                a_second=a_second,
                connections=connections,
                streams=streams,
                authorization="".join(numbers[6:]).removeprefix("--authorization="),
            )
        )
    )
    print(json.dumps({"seconds": seconds, "took": took}))

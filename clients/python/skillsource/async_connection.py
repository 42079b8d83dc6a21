"""The asyncio driver: does what operations and watches ask for, over one channel, on one event loop."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TypeVar, cast

import grpc
import grpc.aio

from skillsource.answers import CatalogEvent
from skillsource.channel import Metadata, TlsOptions
from skillsource.connection import one_message
from skillsource.errors import ClientClosed, DeadlineExceeded, SkillsourceError
from skillsource.handshakes import Handshakes
from skillsource.methods import Call, Operation, Pause
from skillsource.status import error_of
from skillsource.watching import Open, Receive, Watch

T = TypeVar("T")

_Stream = grpc.aio.UnaryStreamCall[bytes, bytes]


class AsyncConnection:
    """One channel to a server."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        target: str,
        credentials: Callable[[], Metadata],
        clock: Callable[[], float],
        tls: TlsOptions | None = None,
    ) -> None:
        """Take over a channel.

        Args:
            channel: Closed with this connection.
            target: Where it leads, for messages.
            credentials: Asked before each call.
            clock: Seconds that only grow.
            tls: How the channel is secured; None for plaintext.
        """
        self._channel = channel
        self._target = target
        self._credentials = credentials
        self._clock = clock
        self._handshakes = Handshakes(target, tls, clock)
        self._closed = asyncio.Event()

    async def run(self, operation: Operation[T], timeout_s: float) -> T:
        """Do what an operation asks for, all of it within so many seconds, and return its value."""
        try:
            # What is at hand ends here: no clock is read, and nothing is waited for.
            step = next(operation)
            ends = self._clock() + timeout_s
            while True:
                try:
                    answer = await self._do(step, ends)
                except SkillsourceError as error:
                    step = operation.throw(error)
                else:
                    step = operation.send(answer)
        except StopIteration as done:
            return cast("T", done.value)

    async def watch(self, steps: Watch) -> AsyncIterator[CatalogEvent]:
        """Do what a watch asks for, and give its events. `aclose` ends it."""
        stream: _Stream | None = None
        received: bytes | None = None
        error: SkillsourceError | None = None
        try:
            while True:
                step = steps.send(received) if error is None else steps.throw(error)
                received, error = None, None
                try:
                    match step:
                        case CatalogEvent():
                            yield step
                        case Pause(seconds):
                            await self._pause(seconds)
                        case Open():
                            if stream is not None:
                                stream.cancel()
                            stream = self._open(step)
                        case Receive(seconds):
                            assert stream is not None, "a watch opens before it receives"
                            received = await self._receive(stream, seconds)
                except SkillsourceError as raised:
                    error = raised
        finally:
            if stream is not None:
                stream.cancel()

    async def close(self) -> None:
        """Close the channel. Calls and watches under way end with ClientClosed."""
        self._closed.set()
        await self._channel.close()

    async def _do(self, step: Call | Pause, ends: float) -> bytes:
        left = ends - self._clock()
        if isinstance(step, Pause):
            if step.seconds >= left:
                raise DeadlineExceeded("no time is left to try again")
            await self._pause(step.seconds)
            return b""
        if left <= 0:
            raise DeadlineExceeded("no time is left")
        self.check_open()
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes | None] = self._channel.unary_unary(step.path)
        answer = method(step.request, timeout=left, metadata=self._credentials())
        return one_message(await self._translated(answer, ends))

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)
        self.check_open()

    def _open(self, step: Open) -> _Stream:
        self.check_open()
        method: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = self._channel.unary_stream(step.path)
        return method(step.request, metadata=self._credentials())

    async def _receive(self, stream: _Stream, seconds: float) -> bytes | None:
        try:
            message = await self._translated(asyncio.wait_for(stream.read(), seconds), self._clock() + seconds)
        except TimeoutError:
            raise DeadlineExceeded(f"the watch said nothing for {seconds:g} s") from None
        return message if isinstance(message, bytes) else None  # grpc.aio.EOF

    async def _translated(self, answer: Awaitable[T], ends: float) -> T:
        try:
            return await answer
        except grpc.aio.AioRpcError as raised:
            self.check_open()
            error = error_of(raised.code().name, raised.details(), raised.trailing_metadata(), target=self._target)
            if self._handshakes.may_explain(error):
                error = await asyncio.to_thread(self._handshakes.explained, error, ends - self._clock())
                self.check_open()
            raise error from error.__cause__
        except KeyError:
            # What older releases of grpc.aio make of a status code that has no name.
            raise error_of("UNKNOWN", None, (), target=self._target) from None
        except asyncio.CancelledError:
            # gRPC ends calls on a closed channel as if their tasks had been cancelled; tell the two apart.
            task = asyncio.current_task()
            if task is not None and not task.cancelling():
                self.check_open()
            raise

    def check_open(self) -> None:
        """Raise ClientClosed where that is so."""
        if self._closed.is_set():
            raise ClientClosed("the client was closed")

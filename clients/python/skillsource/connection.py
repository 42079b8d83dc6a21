"""The blocking driver: does what operations and watches ask for, over one channel, from any thread."""

import threading
import weakref
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Protocol, Self, TypeVar, cast

import grpc

from skillsource.answers import CatalogEvent
from skillsource.channel import Metadata, TlsOptions
from skillsource.errors import ClientClosed, DeadlineExceeded, ProtocolError, SkillsourceError
from skillsource.handshakes import Handshakes
from skillsource.methods import Call, Operation, Pause
from skillsource.status import error_of
from skillsource.watching import Open, Receive, Watch

T = TypeVar("T")


class _Stream(Protocol):
    def __next__(self) -> bytes: ...
    def cancel(self) -> bool: ...


class Connection:
    """One channel to a server."""

    def __init__(
        self,
        channel: grpc.Channel,
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
        self._closed = threading.Event()
        self._streams: weakref.WeakSet[EventStream] = weakref.WeakSet()

    def run(self, operation: Operation[T], timeout_s: float) -> T:
        """Do what an operation asks for, all of it within so many seconds, and return its value."""
        try:
            # What is at hand ends here: no clock is read, and nothing is waited for.
            step = next(operation)
            ends = self._clock() + timeout_s
            while True:
                try:
                    answer = self._do(step, ends)
                except SkillsourceError as error:
                    step = operation.throw(error)
                else:
                    step = operation.send(answer)
        except StopIteration as done:
            return cast("T", done.value)

    def watch(self, steps: Watch) -> "EventStream":
        """Do what a watch asks for, and give its events."""
        stream = EventStream(self, steps, self._clock)
        self._streams.add(stream)
        return stream

    def close(self) -> None:
        """Close the channel. Calls and watches under way end with ClientClosed."""
        self._closed.set()
        for stream in tuple(self._streams):
            stream.close()
        self._channel.close()

    def check_open(self) -> None:
        """Raise ClientClosed where that is so."""
        if self._closed.is_set():
            raise _closed_error()

    def open_stream(self, step: Open) -> _Stream:
        """Open a stream of raw messages."""
        self.check_open()
        try:
            method: grpc.UnaryStreamMultiCallable[bytes, bytes] = self._channel.unary_stream(step.path)
            call = method(step.request, metadata=self._credentials())
        except ValueError:
            raise _closed_error() from None
        return cast("_Stream", call)

    def error_of(self, raised: grpc.RpcError, seconds: float) -> SkillsourceError:
        """Return the typed error that a failed call means, within so many seconds."""
        if self._closed.is_set():
            return _closed_error()
        # Whatever a channel raises is a call as well.
        call = cast("grpc.Call", raised)
        error = error_of(call.code().name, call.details(), call.trailing_metadata() or (), target=self._target)
        return self._handshakes.explained(error, seconds)

    def _do(self, step: Call | Pause, ends: float) -> bytes:
        self.check_open()
        left = ends - self._clock()
        if isinstance(step, Pause):
            if step.seconds >= left:
                raise DeadlineExceeded("no time is left to try again")
            if self._closed.wait(step.seconds):
                raise _closed_error()
            return b""
        if left <= 0:
            raise DeadlineExceeded("no time is left")
        try:
            method: grpc.UnaryUnaryMultiCallable[bytes, bytes | None] = self._channel.unary_unary(step.path)
            return one_message(method(step.request, timeout=left, metadata=self._credentials()))
        except grpc.RpcError as raised:
            error = self.error_of(raised, ends - self._clock())
            raise error from error.__cause__
        except ValueError:  # another thread closed the channel just now
            raise _closed_error() from None


def one_message(answer: bytes | None) -> bytes:
    """Return the message that a call was answered with.

    Raises:
        ProtocolError: The status is OK, and there is none; gRPC lets that pass.
    """
    if answer is None:
        raise ProtocolError("the server says OK, and sends no message")
    return answer


def _closed_error() -> ClientClosed:
    return ClientClosed("the client was closed")


class EventStream(Iterator[CatalogEvent]):
    """The events of a followed catalog, without end, for one thread to take; any thread may close it."""

    def __init__(self, connection: Connection, steps: Watch, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._steps = steps
        self._clock = clock
        self._messages: _Messages | None = None
        self._received: bytes | None = None
        self._closed = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __next__(self) -> CatalogEvent:
        error: SkillsourceError | None = None
        try:
            while not self._closed.is_set():
                step = self._steps.send(self._received) if error is None else self._steps.throw(error)
                self._received, error = None, None
                if isinstance(step, CatalogEvent):
                    return step
                try:
                    self._received = self._do(step)
                except SkillsourceError as raised:
                    error = raised
            self._connection.check_open()
        except BaseException:
            self.close()
            raise
        raise StopIteration

    def close(self) -> None:
        """End the stream; who waits for an event waits no longer."""
        self._closed.set()
        if (messages := self._messages) is not None:
            messages.cancel()

    def _do(self, step: Open | Receive | Pause) -> bytes | None:
        match step:
            case Pause(seconds):
                self._closed.wait(seconds)
            case Open():
                if self._messages is not None:
                    self._messages.cancel()
                self._messages = _Messages(self._connection.open_stream(step), self._clock)
                if self._closed.is_set():  # by another thread, which has not seen these messages
                    self._messages.cancel()
            case Receive(seconds):
                assert self._messages is not None, "a watch opens before it receives"
                try:
                    return self._messages.next(seconds)
                except grpc.RpcError as raised:
                    error = self._connection.error_of(raised, seconds)
                    raise error from error.__cause__
        return None


class _Messages:
    """The messages of one stream, and an alarm that breaks it off when it says nothing."""

    def __init__(self, stream: _Stream, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._alarm: _Alarm | None = None

    def next(self, seconds: float) -> bytes | None:
        """Return the next message, or None where the stream has ended.

        Raises:
            DeadlineExceeded: None came for so many seconds.
            grpc.RpcError: The stream broke.
        """
        if self._alarm is None:
            self._alarm = _Alarm(seconds, self._stream.cancel, self._clock)
            self._alarm.start()
        self._alarm.waiting_since = self._clock()
        try:
            return next(self._stream)
        except StopIteration:
            return None
        except grpc.RpcError:
            if self._alarm.rang:
                raise DeadlineExceeded(f"the watch said nothing for {seconds:g} s") from None
            raise
        finally:
            self._alarm.waiting_since = None

    def cancel(self) -> None:
        """Give up the stream."""
        if self._alarm is not None:
            self._alarm.stop()
        self._stream.cancel()


class _Alarm(threading.Thread):
    """Rings when somebody has waited too long: gRPC knows a deadline of a whole stream, and none of a message."""

    def __init__(self, seconds: float, ring: Callable[[], object], clock: Callable[[], float]) -> None:
        super().__init__(name="skillsource-alarm", daemon=True)
        self._seconds = seconds
        self._ring = ring
        self._clock = clock
        self._stopped = threading.Event()
        self.waiting_since: float | None = None
        self.rang = False

    def run(self) -> None:
        """Ring once, when the wait has taken so many seconds."""
        left = self._seconds
        while not self._stopped.wait(left):
            since = self.waiting_since
            left = self._seconds if since is None else since + self._seconds - self._clock()
            if left <= 0:
                self.rang = True
                self._ring()
                return

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()

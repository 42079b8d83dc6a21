"""A gRPC server that answers each call with whatever bytes a script says, and remembers what it was asked."""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from typing_extensions import override

SERVICE = "skillsource.v1.SkillSourceService"
STREAMED = frozenset({"WatchCatalog"})
_THREADS = 24


class Player(Protocol):
    """Answers a call: the bytes of one message, or of each one of a stream."""

    def __call__(self, request: bytes, context: grpc.ServicerContext) -> bytes | Iterator[bytes]: ...


Script = Mapping[str, Player]
"""What answers each method, by its name; a method that is missing is unimplemented."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call that came."""

    method: str
    request: bytes
    metadata: Mapping[str, str | bytes]


class Server:
    """Plays a script on a loopback port until it is stopped."""

    def __init__(
        self, script: Script, address: str = "127.0.0.1:0", *, credentials: grpc.ServerCredentials | None = None
    ) -> None:
        self.asked: list[Asked] = []
        self._script = script
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(_THREADS)
        self._server = grpc.server(
            self._pool,
            handlers=[_Stage(self._play, script)],
            options=[
                ("grpc.max_send_message_length", -1),
                ("grpc.max_receive_message_length", -1),
                ("grpc.so_reuseport", 0),
                ("grpc.max_metadata_size", 1 << 20),
            ],
        )
        if credentials is None:
            self.port = self._server.add_insecure_port(address)
        else:
            self.port = self._server.add_secure_port(address, credentials)
        self.address = address if address.startswith("unix:") else f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Break off every call, and free the port."""
        self._server.stop(None).wait()
        self._pool.shutdown()

    def wait(self) -> None:
        """Play until the process is told to end."""
        self._server.wait_for_termination()

    def count(self, method: str) -> int:
        """Return how often a method was called."""
        with self._lock:
            return sum(asked.method == method for asked in self.asked)

    def requests(self, method: str) -> list[bytes]:
        """Return the requests of a method, in order."""
        with self._lock:
            return [asked.request for asked in self.asked if asked.method == method]

    def _play(self, method: str, request: bytes, context: grpc.ServicerContext) -> bytes | Iterator[bytes]:
        metadata = dict(context.invocation_metadata())
        with self._lock:
            self.asked.append(Asked(method, request, metadata))
        return self._script[method](request, context)


class _Stage(grpc.GenericRpcHandler):
    def __init__(
        self, play: Callable[[str, bytes, grpc.ServicerContext], bytes | Iterator[bytes]], script: Script
    ) -> None:
        self._play = play
        self._script = script

    @override
    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes] | None":
        service, _, method = handler_call_details.method.removeprefix("/").partition("/")
        if service != SERVICE or method not in self._script:
            return None

        def play(request: bytes, context: grpc.ServicerContext) -> bytes | Iterator[bytes]:
            return self._play(method, request, context)

        if method in STREAMED:
            return grpc.unary_stream_rpc_method_handler(play)
        return grpc.unary_unary_rpc_method_handler(play)


def refuse(
    context: grpc.ServicerContext,
    code: grpc.StatusCode,
    reason: str,
    *details: Message,
    domain: str = "skillsource.v1",
    message: str = "no",
    metadata: Mapping[str, str] | None = None,
    trailers: tuple[tuple[str, str | bytes], ...] = (),
) -> bytes:
    """End a call with an error as the contract has it."""
    info = error_details_pb2.ErrorInfo(reason=reason, domain=domain, metadata=metadata or {})
    status = status_pb2.Status(code=code.value[0], message=message)
    for detail in (info, *details):
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()), *trailers))
    context.abort(code, message)
    raise AssertionError("abort raises")


def until_gone(context: grpc.ServicerContext) -> None:
    """Say nothing until the caller gives up."""
    gone = threading.Event()
    if context.add_callback(gone.set):
        gone.wait()

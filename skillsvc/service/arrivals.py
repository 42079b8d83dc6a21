"""Arrivals: calls of which nothing but the path and the headers has come.

gRPC asks for the handler of a call before it brings the request. Whoever is known by then, and within its share, takes
the short way: the headers are read but once, and nothing else is asked of gRPC. All others take the full way, which
judges them by all that is known of a call.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

import grpc
from typing_extensions import override

from skillsvc.domain.access import Grant
from skillsvc.service.call import Context
from skillsvc.service.fairness import Turn

Headers: TypeAlias = Iterable[tuple[str, str | bytes]]


class Arrived:
    """A unary call on the short way, and its handler, as gRPC reads one. Made for every call that takes it.

    `version` is that of the rules and credentials by which it is known.
    """

    __slots__ = ("_behaviour", "grant", "turn", "version")

    # As on the full way: of a call that ends without a request gRPC would say nothing, ever.
    request_streaming = True
    response_streaming = False
    request_deserializer = None
    response_serializer = None

    def __init__(
        self,
        grant: Grant,
        version: int,
        turn: Turn,
        behaviour: "Callable[[object, Context, Arrived], Awaitable[bytes]]",
    ) -> None:
        """Begin a call of a grant, which is counted."""
        self.grant: Final = grant
        self.version: Final = version
        self.turn: Final = turn
        self._behaviour: Final = behaviour

    async def stream_unary(self, raw: object, context: Context) -> bytes:
        """Answer it."""
        return await self._behaviour(raw, context, self)


Behaviour: TypeAlias = Callable[[object, Context, Arrived], Awaitable[bytes]]


class Handler(NamedTuple):
    """What handles the calls of one path."""

    full_way: "grpc.RpcMethodHandler[bytes, bytes]"
    short_way: Callable[[Headers], Arrived | None] | None = None
    """Returns None where a call has to take the other."""


class Arrivals(grpc.GenericRpcHandler):
    """All handlers of a server, by the paths of calls. For grpc.aio, which asks in the task of the call."""

    def __init__(self, services: Mapping[str, Mapping[str, Handler]]) -> None:
        """Handle the calls of services by their full names and the names of calls."""
        self._handlers = {
            f"/{service}/{name}": handler
            for service, handlers in services.items()
            for name, handler in handlers.items()
        }

    @override
    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes] | None":
        """See `grpc.GenericRpcHandler`."""
        handler = self._handlers.get(handler_call_details.method)
        if handler is None:
            return None
        full_way, short_way = handler
        if short_way is None:
            return full_way
        # grpc.aio reads the attributes of what it gets, whatever class it is of.
        return short_way(handler_call_details.invocation_metadata) or full_way  # type: ignore[return-value] # as said

"""Channelz: what gRPC itself knows of its servers and connections, for operators alone, since it names every peer."""

from collections.abc import Awaitable, Callable

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_channelz.v1 import channelz_pb2
from grpc_channelz.v1.channelz import ChannelzServicer

from skillsvc.domain.limits import Limits
from skillsvc.service.arrivals import Handler
from skillsvc.service.boundary import Boundary
from skillsvc.service.call import Call

_DESCRIPTOR = channelz_pb2.DESCRIPTOR.services_by_name["Channelz"]
SERVICE = _DESCRIPTOR.full_name


def channelz_handlers(boundary: Boundary) -> dict[str, Handler]:
    """Return the handlers of all calls, by their names."""
    return {
        method.name: boundary.unary(GetMessageClass(method.input_type), _as_it_came, _answering(method.name))
        for method in _DESCRIPTOR.methods
    }


def _as_it_came(request: Message, _limits: Limits) -> Message:
    return request


def _answering(name: str) -> Callable[[Message, Call], Awaitable[bytes]]:
    ask = getattr(ChannelzServicer, name)

    async def answer(request: Message, call: Call) -> bytes:
        # What is not there is told by the context, and then nothing is returned.
        told: Message | None = ask(request, call.context)
        return b"" if told is None else told.SerializeToString()

    return answer

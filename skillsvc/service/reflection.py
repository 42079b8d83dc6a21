"""Reflection: what the services of a listener are, and of no other, told to callers whom an access rule is for.

The handler of grpcio-reflection would be open to everybody and counted nowhere: one who shows nothing could hold any
number of streams, each of which stays as long as the connection.
"""

from collections.abc import AsyncIterator, Iterable

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.rpc import error_details_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2
from skillsource.v1 import errors_pb2

from skillsvc.service.arrivals import Handler
from skillsvc.service.boundary import Boundary
from skillsvc.service.call import Call

SERVICE: str = reflection.SERVICE_NAME
_ERRORS = (errors_pb2.DESCRIPTOR, error_details_pb2.DESCRIPTOR)
"""What any status may carry: whoever calls by reflection has to read it."""


def reflection_handlers(boundary: Boundary, services: Iterable[str]) -> dict[str, Handler]:
    """Return the handlers of all calls, by their names; of services of these names, and of itself."""
    names = (*services, SERVICE)
    servicer = reflection.aio.ReflectionServicer(names, pool=_pool_of(names))

    async def answer(
        requests: AsyncIterator[reflection_pb2.ServerReflectionRequest], call: Call
    ) -> AsyncIterator[bytes]:
        # The stubs do not know that it yields.
        async for told in servicer.ServerReflectionInfo(requests, call.context):  # type: ignore[attr-defined] # as said
            yield told.SerializeToString()

    return {"ServerReflectionInfo": boundary.conversation(reflection_pb2.ServerReflectionRequest, answer)}


def _pool_of(services: tuple[str, ...]) -> descriptor_pool.DescriptorPool:
    """Return a pool of what services are made of: the common one knows all that is imported, of other listeners too."""
    pool = descriptor_pool.DescriptorPool()
    known: set[str] = set()

    def add(file: FileDescriptor) -> None:
        if file.name in known:
            return
        known.add(file.name)
        for needed in file.dependencies:
            add(needed)
        proto = FileDescriptorProto()
        file.CopyToProto(proto)
        pool.Add(proto)

    common = descriptor_pool.Default()
    for name in services:
        add(common.FindFileContainingSymbol(name))
    for file in _ERRORS:
        add(file)
    return pool

"""A server in the test's own process whose admin service is called by its socket, as anybody with the messages can."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from skillsource.v1 import admin_pb2 as pb

from skillsvc.catalog.current import Current
from skillsvc.domain.generation import Row
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.service.admin_scope import Looks
from skillsvc.service.call import Identities
from tests.integration.in_process import InProcess, Refusal, World, in_process, refusal_of
from tests.patience import PATIENCE_S

SERVICE = pb.DESCRIPTOR.services_by_name["CatalogAdminService"]
ALICE = Partition(principal="oidc:alice", project="")
GARDEN = Partition(principal="oidc:alice", project="garden")
HERE = pb.Partition(deployment=True)
_Answer = TypeVar("_Answer", bound=Message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A channel to the admin service of a running server."""

    server: InProcess
    channel: grpc.aio.Channel
    address: str

    async def raw(self, rpc: str, request: bytes, within_s: float | None = PATIENCE_S) -> bytes:
        """Call with bytes."""
        path = f"/{SERVICE.full_name}/{rpc}"
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = self.channel.unary_unary(path)
        return await method(request, timeout=within_s)

    async def call(self, request: Message, into: type[_Answer], within_s: float | None = PATIENCE_S) -> _Answer:
        """Call what a request is named after, and return the answer."""
        rpc = request.DESCRIPTOR.name.removesuffix("Request")
        return into.FromString(await self.raw(rpc, request.SerializeToString(), within_s))

    async def refused(self, request: Message, within_s: float | None = PATIENCE_S) -> Refusal:
        """Call, and return how that was refused."""
        return await self.refused_raw(
            request.DESCRIPTOR.name.removesuffix("Request"), request.SerializeToString(), within_s
        )

    async def refused_raw(self, rpc: str, request: bytes, within_s: float | None = PATIENCE_S) -> Refusal:
        """Call with bytes, and return how that was refused."""
        try:
            await self.raw(rpc, request, within_s)
        except grpc.aio.AioRpcError as error:
            return refusal_of(error)
        raise AssertionError(f"{rpc} was answered")

    async def pages(self, request: Message, into: type[_Answer]) -> list[_Answer]:
        """Return all pages of a list, each asked for with the token of the one before."""
        asked = type(request)()
        asked.CopyFrom(request)
        pages = [await self.call(asked, into)]
        while token := pages[-1].next_page_token:  # type: ignore[attr-defined] # every page has it
            asked.page_token = token  # type: ignore[attr-defined] # as above
            pages.append(await self.call(asked, into))
        return pages


@asynccontextmanager
async def operated(
    looks: Looks,
    folder: Path,
    *rows: Row,
    world: World | None = None,
    partitions: tuple[Partition, ...] = (DEPLOYMENT,),
    serving: bool = True,
    current: Current | None = None,
    identities: Identities | None = None,
) -> AsyncIterator[Operator]:
    """Run a server whose admin service listens on `admin.sock` in a folder."""
    async with in_process(
        *rows, world=world, partitions=partitions, serving=serving, looks=looks, current=current, identities=identities
    ) as server:
        address = await server.server.start_admin(folder / "admin.sock")
        async with grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
            yield Operator(server=server, channel=channel, address=address)


def request_of(rpc: str) -> Message:
    """Return a request that would be answered, of the deployment's layer where it names one."""
    method = next(method for method in SERVICE.methods if method.name == rpc)
    request = GetMessageClass(method.input_type)()
    if "partition" in method.input_type.fields_by_name:
        request.partition.CopyFrom(HERE)  # type: ignore[attr-defined] # as the descriptor says
    if rpc == "DiffGenerations":
        request.before.sequence = 1  # type: ignore[attr-defined] # as above
    if "name" in method.input_type.fields_by_name:
        request.name = "a"  # type: ignore[attr-defined] # as above
    if rpc == "SetEnablement":
        request.names.append("a")  # type: ignore[attr-defined] # as above
        request.state = pb.ENABLEMENT_STATE_ENABLED  # type: ignore[attr-defined] # as above
    if rpc == "ExplainAccess":
        request.identity.CopyFrom(pb.Identity(kind=pb.IDENTITY_KIND_TOKEN, name="ci"))  # type: ignore[attr-defined] # as above
    if "partitions" in method.input_type.fields_by_name:
        request.partitions.add().partition.principal = "local"  # type: ignore[attr-defined] # as above
    return request

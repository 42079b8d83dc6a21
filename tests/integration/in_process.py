"""A server in the test's own process, on a loopback port, serving what the test publishes; called through real gRPC."""

import copy
import itertools
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.current import Current
from skillsvc.catalog.enablements import Enablements
from skillsvc.catalog.in_use import PartitionsInUse
from skillsvc.catalog.log import EnablementLog, LayerLog, RequestLog
from skillsvc.content.blobs import BlobStore
from skillsvc.domain.generation import Generation, Row, make_generation
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.readiness import Vouched
from skillsvc.domain.shares import Shares
from skillsvc.domain.tokens import TokenKeys
from skillsvc.experience.learning import Rate
from skillsvc.experience.log import ExperienceLog
from skillsvc.service.admin_scope import Looks
from skillsvc.service.call import Identities, OfThisMachine
from skillsvc.service.connections import Connections
from skillsvc.service.health_watches import HealthWatches
from skillsvc.service.server import Parts, Server
from skillsvc.service.tls_credentials import Credentials
from skillsvc.sources.remote_blobs import RemoteBlobs
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.patience import PATIENCE_S
from tests.simulators.clock import Clock
from tests.simulators.enablement_log import MemoryEnablementLog
from tests.simulators.known_callers import HEADER
from tests.simulators.memory_log import MemoryExperienceLog, MemoryLayerLog, MemoryRequestLog
from tests.simulators.skills import in_order, skill_row

SERVICE = "skillsource.v1.SkillSourceService"
KEYS = TokenKeys((b"k" * 32,))
_Answer = TypeVar("_Answer", bound=Message)
UnaryStream: TypeAlias = "grpc.aio.UnaryStreamCall[bytes, bytes]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What a refused call came back with; `info` and `status` are None where the transport itself refused."""

    code: grpc.StatusCode
    message: str
    info: error_details_pb2.ErrorInfo | None
    status: status_pb2.Status | None

    @property
    def reason(self) -> str:
        assert self.info is not None, f"{self.code}: {self.message}"
        return self.info.reason

    @property
    def metadata(self) -> dict[str, str]:
        assert self.info is not None
        return dict(self.info.metadata)


@dataclass(kw_only=True)
class World:
    """What a server stands on, so that a test may begin another one on the same."""

    limits: Limits = field(default_factory=Limits)
    keys: TokenKeys = KEYS
    blobs: BlobStore = field(default_factory=MemoryBlobStore)
    log: LayerLog = field(default_factory=lambda: MemoryLayerLog(os.urandom))
    requests: RequestLog = field(default_factory=MemoryRequestLog)
    enablement: EnablementLog = field(default_factory=MemoryEnablementLog)
    experience: ExperienceLog = field(default_factory=MemoryExperienceLog)
    rate: Rate = Rate.SMOOTHED
    clock: Clock = field(default_factory=Clock)
    vouched: Vouched = field(default_factory=Vouched)
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    """Of activations, which no server on the same log gives twice."""


class InProcess:
    """A running server and a channel to it. Messages name the call: a ListSkillsRequest goes to ListSkills."""

    def __init__(self, world: World, current: Current, server: Server, channel: grpc.aio.Channel, address: str) -> None:
        self.world = world
        self.current = current
        self.server = server
        self.channel = channel
        self.address = address
        self.metadata: tuple[tuple[str, str], ...] = ()

    def of(self, caller: str) -> "InProcess":
        """Return the same, called by one of the callers that it knows."""
        other = copy.copy(self)
        other.metadata = ((HEADER, caller),)
        return other

    def publish(self, *rows: Row, partition: Partition = DEPLOYMENT) -> Generation | None:
        """Publish rows, in any order."""
        unreachable = self.current.layers[partition].unreachable
        return self.current.publish(partition, in_order(rows), unreachable, self.world.clock())

    def later_token(self, by: int = 1) -> str:
        """Return the token that another replica of the same log gives after so many publishes more."""
        present = self.current.layers[DEPLOYMENT].present
        later = make_generation(
            partition=DEPLOYMENT,
            log_id=present.log_id,
            sequence=present.sequence + by,
            published_at=present.published_at,
            rows=(skill_row(self.world.blobs, "later"),),
        )
        return self.world.keys.sign_generation([later], Partition(principal="local", project=""))

    async def settled(self) -> None:
        """Give calls that were begun before the time to be under way."""
        for _ in range(3):
            await self.call(pb.GetServerInfoRequest(), pb.GetServerInfoResponse)

    async def raw(self, rpc: str, request: bytes, within_s: float = PATIENCE_S) -> bytes:
        """Call with bytes."""
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = self.channel.unary_unary(f"/{SERVICE}/{rpc}")
        return await method(request, timeout=within_s, metadata=self.metadata)

    async def call(self, request: Message, into: type[_Answer], within_s: float = PATIENCE_S) -> _Answer:
        """Call, and return the answer."""
        return into.FromString(await self.raw(_rpc_of(request), request.SerializeToString(), within_s))

    async def list(self, **fields: object) -> pb.ListSkillsResponse:
        """Return a page."""
        return await self.call(pb.ListSkillsRequest(**fields), pb.ListSkillsResponse)  # type: ignore[arg-type] # of any field

    async def refused(self, request: Message, within_s: float = PATIENCE_S) -> Refusal:
        """Call, and return how it was refused."""
        return await self.refused_raw(_rpc_of(request), request.SerializeToString(), within_s)

    async def refused_raw(self, rpc: str, request: bytes, within_s: float = PATIENCE_S) -> Refusal:
        """Call with bytes, and return how that was refused."""
        try:
            await self.raw(rpc, request, within_s)
        except grpc.aio.AioRpcError as error:
            return refusal_of(error)
        raise AssertionError(f"{rpc} was answered")

    def watch(self, within_s: float = PATIENCE_S, /, **fields: object) -> "Watcher":
        """Begin to watch."""
        request = pb.WatchCatalogRequest(**fields)  # type: ignore[arg-type] # of any field
        method: grpc.aio.UnaryStreamMultiCallable[bytes, bytes]
        method = self.channel.unary_stream(f"/{SERVICE}/WatchCatalog")
        return Watcher(method(request.SerializeToString(), timeout=within_s, metadata=self.metadata))


class Watcher:
    """A stream of WatchCatalog."""

    def __init__(self, stream: UnaryStream) -> None:
        self.stream = stream

    async def event(self) -> pb.WatchCatalogResponse:
        """Return the next event."""
        raw = await self.stream.read()
        assert isinstance(raw, bytes), "the stream ended"
        return pb.WatchCatalogResponse.FromString(raw)

    async def ended(self) -> bool:
        """Tell whether the stream ends here, without an error."""
        return await self.stream.read() is grpc.aio.EOF and await self.stream.code() is grpc.StatusCode.OK

    async def refusal(self) -> Refusal:
        """Return how the stream was refused."""
        try:
            await self.stream.read()
        except grpc.aio.AioRpcError as error:
            return refusal_of(error)
        raise AssertionError("the stream was answered")


def refusal_of(error: grpc.aio.AioRpcError) -> Refusal:
    """Return what an error of a call says."""
    status = rpc_status.from_call(error)  # type: ignore[arg-type] # has the methods that are called
    info = None
    if status is not None:
        (info,) = unpacked(status, error_details_pb2.ErrorInfo)
        assert info.domain == "skillsource.v1"
    return Refusal(code=error.code(), message=error.details() or "", info=info, status=status)


def unpacked(status: status_pb2.Status, kind: type[_Answer]) -> list[_Answer]:
    """Return the details of a kind that a status carries."""
    found = []
    for detail in status.details:
        message = kind()
        if detail.Unpack(message):
            found.append(message)
    return found


@asynccontextmanager
async def in_process(
    *rows: Row,
    world: World | None = None,
    partitions: tuple[Partition, ...] = (DEPLOYMENT,),
    serving: bool = True,
    address: str = "127.0.0.1:0",
    looks: Looks | None = None,
    in_use: PartitionsInUse | None = None,
    current: Current | None = None,
    remote: RemoteBlobs | None = None,
    identities: Identities | None = None,
    shares: Shares | None = None,
    credentials: Credentials | None = None,
    connections: Connections | None = None,
    health_watches: HealthWatches | None = None,
) -> AsyncIterator[InProcess]:
    """Run a server on what the log holds, with `rows` published to the deployment layer if there are any.

    With `looks` it has an admin service, which listens where the test lets it. `in_use` knows what is looked at by
    need. `current` is what others publish to, `remote` has what is fetched on need. Without `identities` everybody is
    `local`, without `shares` nobody is held to any. With `credentials` of TLS the test brings channels of its own.
    """
    world = world or World()
    current = current or Current(world.log, world.limits)
    for partition in partitions:
        current.open_layer(partition, world.clock())
    server = Server(
        Parts(
            current=current,
            enablements=Enablements(world.enablement, world.limits),
            blobs=world.blobs,
            requests=world.requests,
            experience=world.experience,
            rate=world.rate,
            keys=world.keys,
            limits=world.limits,
            version="0.0.0",
            now=world.clock,
            new_id=lambda: f"id-{next(world.ids)}",
            looks=looks,
            in_use=in_use,
            remote=remote,
            identities=identities or OfThisMachine(),
            shares=shares,
            connections=connections or Connections(),
            health_watches=health_watches or HealthWatches(),
            vouched=lambda: world.vouched,
        )
    )
    address = await server.start(address, credentials=credentials)
    try:
        async with grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
            running = InProcess(world, current, server, channel, address)
            if rows:
                running.publish(*rows)
            if serving:
                server.serve()
            yield running
    finally:
        await server.drain(0.0)


def _rpc_of(request: Message) -> str:
    return type(request).__name__.removesuffix("Request")

"""A server whose partitions templates feed: real folders, a real loop, real gRPC, and a time that a test moves."""

import asyncio
import os
import random
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
from skillsource.v1 import admin_pb2 as admin
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.current import Current
from skillsvc.catalog.in_use import PartitionsInUse
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.refresh_loop import RefreshLoop
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.cli.declaring import Declaring
from skillsvc.cli.making import Surroundings
from skillsvc.content.transport import Authorities
from skillsvc.domain.partition import Partition
from skillsvc.settings.settings import make_settings
from skillsvc.settings.sought import seek
from skillsvc.sources.remote_blobs import RemoteBlobs
from tests.integration.admin_in_process import Operator
from tests.integration.in_process import InProcess, Refusal, World, in_process
from tests.simulators.known_callers import KnownCallers, granted
from tests.unit.sources.trees import grow, skill

PATIENCE_S = 20.0
POLL_S = 0.05
IDLE_S = 100.0
ALICE = Partition("token:alice", "")
ALICE_P = Partition("token:alice", "p")
BOB = Partition("token:bob", "")
FOLDERS = {ALICE: "token%3Aalice/%", ALICE_P: "token%3Aalice/p", BOB: "token%3Abob/%"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenancy:
    """A running server: its callers by name, its operator, and the folders of its tenants below `root`."""

    root: Path
    server: InProcess
    operator: Operator
    in_use: PartitionsInUse
    loop: RefreshLoop
    current: Current
    declare: Callable[..., None]

    def write(self, partition: Partition, *names: str, description: str = "One.", below: str = "skills") -> None:
        """Write skills into the folder of a partition, each all at once."""
        self.write_at(f"{below}/{FOLDERS[partition]}", *names, description=description)

    def write_at(self, folder: str, *names: str, description: str = "One.") -> None:
        for name in names:
            (self.root / folder).mkdir(parents=True, exist_ok=True)
            grow(self.root / folder, {f"{name}/.next": skill(name, description)})
            (self.root / folder / name / ".next").replace(self.root / folder / name / "SKILL.md")

    def folder(self, partition: Partition) -> Path:
        return self.root / "skills" / FOLDERS[partition]

    def remove(self, partition: Partition) -> None:
        """Remove the folder of a partition as a whole."""
        away = self.folder(partition).with_name("away")
        self.folder(partition).rename(away)
        shutil.rmtree(away)

    def pass_time(self, seconds: float) -> None:
        self.server.world.clock.advance(seconds)

    def let_idle_go(self) -> None:
        """Let the time pass after which partitions are idle, and those go that are."""
        self.pass_time(IDLE_S)
        self.in_use.let_idle_go()

    async def listed(self, caller: str, project: str = "") -> pb.ListSkillsResponse:
        return await self.server.of(caller).list(project=project)

    async def names(self, caller: str, project: str = "") -> list[str]:
        return [each.name for each in (await self.listed(caller, project)).skills]

    async def descriptions(self, caller: str, project: str = "") -> Mapping[str, str]:
        return {each.name: each.description for each in (await self.listed(caller, project)).skills}

    async def until(self, caller: str, names: list[str], project: str = "") -> None:
        """Ask until a caller is listed these names."""
        async with asyncio.timeout(PATIENCE_S):
            while await self.names(caller, project) != names:
                pass

    async def no_body(self, caller: str, name: str, token: str = "") -> Refusal:
        request = pb.SkillBodyRequest(name=name, consistency={"at_exactly": token} if token else None)
        return await self.server.of(caller).refused(request)

    async def sources(self, partition: Partition) -> dict[str, admin.SourceReport]:
        request = admin.ListSourcesRequest(partition=named(partition))
        told = await self.operator.call(request, admin.ListSourcesResponse)
        return {each.name: each for each in told.sources}


def named(partition: Partition) -> admin.Partition:
    return admin.Partition(principal=partition.principal, project=partition.project)


def template(name: str = "tenants", path: str = "skills/{principal}/{project}", **said: object) -> dict[str, object]:
    return {"name": name, "path": path, "poll_s": POLL_S, **said}


@asynccontextmanager
async def tenancy(root: Path, *sources: dict[str, object], world: World | None = None) -> AsyncIterator[Tenancy]:
    """Serve sources whose paths are below `root`, one template where none are named; a world may be served again."""
    world = world or World()
    current = Current(world.log, world.limits)
    stopping = threading.Event()

    def opening(*, held: bool) -> Callable[[Partition], Refresh]:
        def open_layer(partition: Partition) -> Refresh:
            current.open_layer(partition, world.clock(), held=held)
            return Refresh(
                current,
                partition,
                (),
                blobs=world.blobs,
                limits=world.limits,
                now=world.clock,
                clock=world.clock.monotonic,
                stopped=stopping.is_set,
                remembers=not held,
            )

        return open_layer

    loop = RefreshLoop(
        opening(held=False),
        borrow_layer=opening(held=True),
        sweep=BlobSweep(current, blobs=world.blobs, now=world.clock),
        sweep_every_s=POLL_S,
        stopping=stopping,
        clock=time.monotonic,
        now=world.clock,
        chance=random.random,
    )
    in_use = PartitionsInUse(loop, current, idle_s=IDLE_S, clock=world.clock.monotonic, now=world.clock)
    surroundings = Surroundings(
        blobs=world.blobs,
        remote=RemoteBlobs(world.blobs),
        authorities=Authorities(),
        limits=world.limits,
        environment={},
        version="1",
        stopped=stopping.is_set,
        clock=time.monotonic,
        tell=loop.tell,
    )
    declaring = Declaring(surroundings, root / "sources")

    def declare(*tables: dict[str, object]) -> None:
        rules = {
            "identity": {"tokens": {"file": "tokens"}},
            "access": [{"name": "all", "kind": "token", "roles": ["reader"]}],
        }
        said = [{**each, "path": os.fspath(root / str(each["path"]))} for each in tables]
        declaration = declaring.declare(seek(make_settings({"source": said, **rules}), {}), POLL_S)
        in_use.replace(declaration.declared, declaration.templates)
        declaring.put_in_force(declaration)

    declare(*(sources or (template(),)))
    callers = KnownCallers(
        alice=granted("token:alice"),
        bob=granted("token:bob"),
        guest=granted("token:guest", further=(ALICE,)),
    )
    thread = threading.Thread(target=loop.run)
    thread.start()
    try:
        assert await asyncio.to_thread(loop.first_look.wait, PATIENCE_S)
        async with in_process(
            world=world, partitions=(), current=current, identities=callers, looks=loop, in_use=in_use
        ) as server:
            socket = root / f"{threading.get_native_id()}.sock"
            address = await server.server.start_admin(socket)
            async with grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
                yield Tenancy(
                    root=root,
                    server=server,
                    operator=Operator(server=server, channel=channel, address=address),
                    in_use=in_use,
                    loop=loop,
                    current=current,
                    declare=declare,
                )
    finally:
        loop.stop()
        await asyncio.to_thread(thread.join)

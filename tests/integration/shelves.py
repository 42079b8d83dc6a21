"""Sources of all kinds in one catalog: looked at when a test says so, served in the test's own process."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypedDict, Unpack

from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.clashes import hidden_in
from skillsvc.catalog.refresh import Refresh
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.trust import Tier, Trust
from skillsvc.domain.view import Viewer
from skillsvc.parsing.findings import Profile
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.discovery import Layout
from skillsvc.sources.provider import Factory
from skillsvc.sources.provider_source import ProviderSettings, ProviderSource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Source
from skillsvc.sources.web.http import HttpSource
from tests.integration.in_process import InProcess, World, in_process
from tests.unit.sources.trees import Tree, grow


class _Reading(TypedDict, total=False):
    layout: Layout
    profile: Profile
    single_files: bool
    tier: Tier
    trust: Trust


class Catalog:
    """A running server and what refreshes its layers."""

    def __init__(self, server: InProcess, refreshes: Mapping[Partition, Refresh]) -> None:
        self.server = server
        self._refreshes = refreshes

    async def look(self, **changed: Collection[str]) -> None:
        """Look at all sources of all layers, or at the changed paths of the deployment layer's that are named."""
        if changed:
            await asyncio.to_thread(self._refreshes[DEPLOYMENT].look, changed)
            return
        for refresh in self._refreshes.values():
            await asyncio.to_thread(refresh.look)

    async def page(self, **fields: object) -> pb.ListSkillsResponse:
        """Return the first page, with all that is said of a skill."""
        return await self.server.list(view=pb.SKILL_VIEW_FULL, **fields)

    async def names(self, **fields: object) -> list[str]:
        """Return the names listed."""
        return [skill.name for skill in (await self.page(**fields)).skills]

    async def skill(self, name: str, **fields: object) -> skill_pb2.Skill:
        """Return one skill as it is listed."""
        [skill] = [skill for skill in (await self.page(**fields)).skills if skill.name == name]
        return skill

    async def body(self, name: str, project: str = "") -> str:
        """Return a body."""
        return (await self.server.call(pb.SkillBodyRequest(name=name, project=project), pb.SkillBodyResponse)).body

    async def refusal(self, name: str) -> str:
        """Return the reason why a body is not had."""
        return (await self.server.refused(pb.SkillBodyRequest(name=name))).reason

    async def generation(self) -> pb.Generation:
        """Return the present state."""
        return (await self.server.list()).generation

    def said(self, partition: Partition = DEPLOYMENT) -> dict[DiagnosticCode, str]:
        """Return the diagnostics of a layer, and of what is seen from it, by their codes, the last of each code."""
        layers = self.server.current.layers
        seen = (partition,) if partition == DEPLOYMENT else Viewer(*partition).partitions
        hidden = hidden_in([layers[each].present for each in seen if each in layers])
        return {said.code: said.message for said in (*self._refreshes[partition].told(), *hidden)}


class Shelves:
    """The sources that a test sets up, strongest first, before it begins to serve."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.world = World()
        self.told: list[str] = []
        self._layers: dict[Partition, list[Source]] = {DEPLOYMENT: []}

    def directory(
        self,
        label: str,
        tree: Tree | None = None,
        *,
        path: Path | None = None,
        partition: Partition = DEPLOYMENT,
        **reading: Unpack[_Reading],
    ) -> Path:
        """Declare a directory, with a tree in it; return where it is. Without a tree it is not there."""
        root = path or self.place / label
        if tree is not None:
            grow(root, tree)
        settings = DirectorySettings(path=str(root), reading=ReadingSettings(label=label, **reading))
        self.declare(DirectorySource(settings, limits=self.world.limits, blobs=self.world.blobs), partition)
        return root

    def provider(
        self,
        label: str,
        make: Factory,
        *,
        timeout_s: float = 20.0,
        stopped: Callable[[], bool] = lambda: False,
    ) -> ProviderSource:
        """Declare a provider, by its factory."""
        source = ProviderSource(
            ProviderSettings(
                provider="scripted",
                reading=ReadingSettings(label=label, tier=Tier.REGISTERED),
                timeout_s=timeout_s,
            ),
            limits=self.world.limits,
            blobs=self.world.blobs,
            make=make,
            tell=lambda: self.told.append(label),
            clock=time.monotonic,
            stopped=stopped,
        )
        self.declare(source)
        return source

    def declare(self, source: Source, partition: Partition = DEPLOYMENT) -> None:
        """Declare any source."""
        self._layers.setdefault(partition, []).append(source)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Catalog]:
        """Serve, with every source looked at once."""
        async with in_process(world=self.world, partitions=tuple(self._layers)) as server:
            refreshes = {
                partition: Refresh(
                    server.current,
                    partition,
                    sources,
                    blobs=self.world.blobs,
                    limits=self.world.limits,
                    now=self.world.clock,
                    clock=self.world.clock.monotonic,
                )
                for partition, sources in self._layers.items()
            }
            catalog = Catalog(server, refreshes)
            try:
                await catalog.look()
                yield catalog
            finally:
                for source in (source for sources in self._layers.values() for source in sources):
                    if isinstance(source, ProviderSource | HttpSource):
                        source.close()

"""Operators and real looks: directories of two partitions, refreshed by the loop that serves, asked over real gRPC."""

import asyncio
import os
import random
import threading
import time
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from skillsource.v1 import admin_pb2 as pb
from skillsource.v1 import skill_pb2

from skillsvc.catalog.current import Current
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.refresh_loop import RefreshLoop
from skillsvc.catalog.reports import Declared
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission, Tier, Trust
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Observation, Outcome, Source
from tests.integration.admin_in_process import GARDEN, HERE, Operator, operated
from tests.integration.in_process import World
from tests.patience import PATIENCE_S
from tests.unit.sources.trees import grow, skill

IN_GARDEN = pb.Partition(principal=GARDEN.principal, project=GARDEN.project)
_SELDOM_S = 3_600.0
"""So that nothing is looked at during a test but what is asked for."""


class HeldSource:
    """A place that answers no look before the test lets it; without skills."""

    label = "slow"
    admission = Admission(tier=Tier.EXPLICIT, trust=Trust.ALLOWED)

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.let_go = threading.Event()

    def observe(self, _changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        assert not held
        self.begun.set()
        assert self.let_go.wait(PATIENCE_S)
        return Observation(source=self.label, tier=Tier.EXPLICIT, trust=Trust.ALLOWED, outcome=Outcome.WHOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Directories `house` and `vendor` of the deployment, `attic` of a project; and whoever asks."""

    root: Path
    operator: Operator
    loop: RefreshLoop

    def write(self, source: str, name: str, description: str = "One.") -> None:
        """Write a skill into a source, all at once."""
        grow(self.root / source, {f"{name}/.next": skill(name, description)})
        (self.root / source / name / ".next").replace(self.root / source / name / "SKILL.md")

    async def refresh(
        self, *sources: str, of: pb.Partition = HERE, paths: Sequence[str] = (), within_s: float = PATIENCE_S
    ) -> pb.RefreshResponse:
        request = pb.RefreshRequest(partition=of, sources=sources, paths=paths)
        return await self.operator.call(request, pb.RefreshResponse, within_s)

    async def sources(self, of: pb.Partition = HERE) -> dict[str, pb.SourceReport]:
        told = await self.operator.call(pb.ListSourcesRequest(partition=of), pb.ListSourcesResponse)
        return {source.name: source for source in told.sources}


@asynccontextmanager
async def looking(tmp_path: Path, *further: Source) -> AsyncIterator[Scene]:
    """Serve directories that are looked at when that is asked for, after a first look at all that ends by itself."""
    world = World()
    current = Current(world.log, world.limits)
    stopping = threading.Event()

    def open_layer(partition: Partition) -> Refresh:
        current.open_layer(partition, world.clock())
        return Refresh(
            current,
            partition,
            (),
            blobs=world.blobs,
            limits=world.limits,
            now=world.clock,
            clock=world.clock.monotonic,
            stopped=stopping.is_set,
        )

    loop = RefreshLoop(
        open_layer,
        sweep=BlobSweep(current, blobs=world.blobs, now=world.clock),
        sweep_every_s=_SELDOM_S,
        stopping=stopping,
        clock=time.monotonic,
        now=world.clock,
        chance=random.random,
    )

    def declared(*sources: Source) -> list[Declared]:
        return [Declared(source=source, kind="directory", poll_s=_SELDOM_S) for source in sources]

    def directory(label: str) -> DirectorySource:
        reading = ReadingSettings(label=label)
        settings = DirectorySettings(path=os.fspath(tmp_path / label), reading=reading)
        (tmp_path / label).mkdir()
        return DirectorySource(settings, limits=world.limits, blobs=world.blobs, stopped=stopping.is_set)

    loop.replace(
        {
            DEPLOYMENT: declared(directory("house"), directory("vendor"), *further),
            GARDEN: declared(directory("attic")),
        }
    )
    thread = threading.Thread(target=loop.run)
    thread.start()
    try:
        if not further:
            assert await asyncio.to_thread(loop.first_look.wait, PATIENCE_S)
        folder = tmp_path / "data"
        folder.mkdir()
        async with operated(loop, folder, world=world, partitions=(), current=current) as operator:
            yield Scene(root=tmp_path, operator=operator, loop=loop)
    finally:
        loop.stop()
        await asyncio.to_thread(thread.join)


async def test_what_was_written_before_the_call_is_told_and_served_after_it(tmp_path: Path) -> None:
    async with looking(tmp_path) as scene:
        scene.write("house", "a")
        scene.write("vendor", "b")
        first = await scene.refresh()
        assert (list(first.added), first.modified_total, first.removed_total) == (["a", "b"], 0, 0)
        scene.write("house", "a", "Anew.")
        second = await scene.refresh("house")
        assert (list(second.modified), second.added_total) == (["a"], 0)
        assert second.before == first.after
        assert [source.name for source in second.sources] == ["house"]
        listed = await scene.operator.server.list()
        assert [(each.name, each.description) for each in listed.skills] == [("a", "Anew."), ("b", "One.")]
        again = await scene.refresh()
        assert again.before == again.after == second.after
        assert {source.state for source in again.sources} == {pb.SOURCE_STANDING_COMPLETE}


async def test_a_note_of_whoever_wrote_is_enough(tmp_path: Path) -> None:
    async with looking(tmp_path) as scene:
        scene.write("house", "a")
        told = await scene.refresh("house", paths=["a/SKILL.md"])
        assert list(told.added) == ["a"]


async def test_partitions_are_refreshed_and_told_of_by_themselves(tmp_path: Path) -> None:
    async with looking(tmp_path) as scene:
        scene.write("house", "a")
        scene.write("vendor", "a", "Of the vendor.")
        scene.write("attic", "mine")
        before = await scene.operator.call(pb.GetGenerationRequest(partition=HERE), pb.GetGenerationResponse)
        mine = await scene.refresh(of=IN_GARDEN)
        assert list(mine.added) == ["mine"]
        untouched = await scene.operator.call(pb.GetGenerationRequest(partition=HERE), pb.GetGenerationResponse)
        assert untouched.generation == before.generation
        await scene.refresh()
        told = await scene.operator.call(pb.GetGenerationRequest(partition=HERE), pb.GetGenerationResponse)
        assert [(row.name, row.source, row.shadowed) for row in told.rows] == [
            ("a", "house", False),
            ("a", "vendor", True),
        ]
        said = await scene.operator.call(
            pb.ListDiagnosticsRequest(partition=HERE, min_severity=skill_pb2.SEVERITY_WARNING),
            pb.ListDiagnosticsResponse,
        )
        assert [(each.code, each.source, each.skill) for each in said.diagnostics] == [("shadowed", "vendor", "a")]
        nothing = await scene.operator.call(pb.ListDiagnosticsRequest(partition=IN_GARDEN), pb.ListDiagnosticsResponse)
        assert list(nothing.diagnostics) == []
        (scene.root / "house" / "a" / "SKILL.md").unlink()
        await scene.refresh("house")
        request = pb.DiffGenerationsRequest(partition=HERE, before={"digest": told.generation.digest})
        moved = await scene.operator.call(request, pb.DiffGenerationsResponse)
        (modified,) = moved.modified
        assert (modified.name, modified.content, modified.source_before, modified.source_after) == (
            "a",
            True,
            "house",
            "vendor",
        )


async def test_a_source_that_is_gone_fails_no_call_and_is_told(tmp_path: Path) -> None:
    async with looking(tmp_path) as scene:
        scene.write("house", "a")
        scene.write("vendor", "b")
        await scene.refresh()
        (scene.root / "house").rename(scene.root / "elsewhere")
        scene.write("vendor", "c")
        told = await scene.refresh()
        assert (list(told.added), told.removed_total) == (["c"], 0)
        house, vendor = told.sources
        assert (house.state, vendor.state) == (pb.SOURCE_STANDING_STALE, pb.SOURCE_STANDING_COMPLETE)
        assert (bool(house.last_error), vendor.last_error) == (True, "")
        assert house.skills == 1
        (scene.root / "elsewhere").rename(scene.root / "house")
        mended = await scene.refresh("house")
        assert mended.sources[0].state == pb.SOURCE_STANDING_COMPLETE
        partitions = await scene.operator.call(pb.ListPartitionsRequest(), pb.ListPartitionsResponse)
        assert [(each.sources, each.complete) for each in partitions.partitions] == [(2, True), (1, True)]


async def test_every_call_of_many_at_once_tells_what_was_written_before_it(tmp_path: Path) -> None:
    async with looking(tmp_path) as scene:

        async def write_and_ask(writer: int) -> None:
            source = ("house", "vendor")[writer % 2]
            for turn in range(5):
                name = f"w{writer}-{turn}"
                scene.write(source, name)
                told = await scene.refresh(*([source] if turn % 2 else []))
                assert told.before.sequence <= told.after.sequence
                assert name in {row.name for row in await rows(scene, told.after.sequence)}

        await asyncio.gather(*(write_and_ask(writer) for writer in range(6)))
        present = await rows(scene, None)
        assert {row.name for row in present} == {f"w{writer}-{turn}" for writer in range(6) for turn in range(5)}


async def test_a_look_that_takes_its_time_holds_up_no_other(tmp_path: Path) -> None:
    slow = HeldSource()
    async with looking(tmp_path, slow) as scene:
        try:
            assert await asyncio.to_thread(slow.begun.wait, PATIENCE_S)
            refusal = await scene.operator.refused(pb.RefreshRequest(partition=HERE, sources=["slow"]), within_s=0.5)
            assert refusal.code is grpc.StatusCode.DEADLINE_EXCEEDED
            assert (await scene.sources())["slow"].looking
            scene.write("house", "a")
            told = await scene.refresh("house")
            assert list(told.added) == ["a"]
            waiting = asyncio.create_task(scene.refresh("slow"))
            assert not (await scene.sources())["slow"].HasField("last_look_at")
        finally:
            slow.let_go.set()
        # The look that somebody gave up waiting for went on, and the next one was made for whoever still waits.
        assert (await waiting).sources[0].state == pb.SOURCE_STANDING_COMPLETE


@pytest.mark.parametrize("ends_first", ["server", "loop"])
async def test_the_end_answers_whoever_waits(tmp_path: Path, ends_first: str) -> None:
    slow = HeldSource()
    async with looking(tmp_path, slow) as scene:
        try:
            waiting = asyncio.create_task(scene.operator.refused(pb.RefreshRequest(partition=HERE)))
            assert await asyncio.to_thread(slow.begun.wait, PATIENCE_S)
            await scene.operator.server.settled()
            if ends_first == "server":
                await scene.operator.server.server.drain(20)
            else:
                scene.loop.stop()
            assert (await waiting).reason == "DRAINING"
        finally:
            slow.let_go.set()


async def rows(scene: Scene, sequence: int | None) -> list[pb.GenerationRow]:
    """Return the rows of a generation, of the present one where none is named."""
    request = pb.GetGenerationRequest(partition=HERE)
    if sequence is not None:
        request.generation.sequence = sequence
    pages = await scene.operator.pages(request, pb.GetGenerationResponse)
    return [row for page in pages for row in page.rows]

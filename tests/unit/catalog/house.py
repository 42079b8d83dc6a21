"""A layer that a test refreshes look by look."""

import os
from dataclasses import replace

from skillsvc.catalog.current import Current
from skillsvc.catalog.kept_standing import KeptStanding
from skillsvc.catalog.layer import SourceState
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.content.blobs import BlobStore
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.trust import Trust
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.clock import Clock
from tests.simulators.memory_log import MemoryLayerLog
from tests.simulators.scripted_source import ScriptedSource
from tests.simulators.skills import skill_row


class House:
    """A layer with two sources, the first one stronger."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits(retained_generations=2, retained_at_most=2)
        self.clock = Clock()
        self.blobs: BlobStore = MemoryBlobStore()
        self.log = MemoryLayerLog(os.urandom)
        self.one = ScriptedSource("one")
        self.two = ScriptedSource("two")
        self.stopped = False
        self.start()

    def start(self, kept: KeptStanding | None = None) -> None:
        """Begin, or begin again with what the log and the blob store hold, and a file of how sources stood."""
        self.current = Current(self.log, self.limits)
        self.current.open_layer(DEPLOYMENT, self.clock())
        self.refresh = Refresh(
            self.current,
            DEPLOYMENT,
            [self.one, self.two],
            blobs=self.blobs,
            limits=self.limits,
            now=self.clock,
            clock=self.clock.monotonic,
            stopped=lambda: self.stopped,
            kept=kept,
        )
        self._sweep = BlobSweep(self.current, blobs=self.blobs, now=self.clock)

    def sweep(self) -> None:
        self._sweep.sweep([self.refresh])

    def skill(self, name: str, body: str = "Do it.", *, place: str | None = None) -> Row:
        row = skill_row(self.blobs, name, body=body, assets={"a.txt": f"asset of {name}: {body}".encode()})
        return replace(row, found=replace(row.found, place=name if place is None else place))

    @property
    def listed(self) -> dict[str, str]:
        return {each.name: each.source for each in self.current.layers[DEPLOYMENT].present.listed}

    @property
    def admitted(self) -> dict[str, Trust]:
        return {each.name: each.trust for each in self.current.layers[DEPLOYMENT].present.listed}

    @property
    def unreachable(self) -> list[tuple[str, SourceState]]:
        return [(each.source, each.state) for each in self.current.layers[DEPLOYMENT].unreachable]

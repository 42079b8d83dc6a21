"""What every admin call stands on: the layers, whoever looks at the sources, and whether there is still an answer."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import Protocol

from skillsvc.catalog.current import Current
from skillsvc.catalog.layer import Layer
from skillsvc.catalog.reports import Looked, SourceReport
from skillsvc.domain.diagnostics import Diagnostic
from skillsvc.domain.errors import ErrorReason, NotFound, Unavailable
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.view import Viewer
from skillsvc.service.sights import Phase, Sights
from skillsvc.service.threads import Threads


class Looks(Protocol):
    """Whoever looks at the sources, for any thread. A partition that no source feeds is a KeyError of each method."""

    def reports(self, partition: Partition) -> tuple[SourceReport, ...]:
        """Return how the sources stand, strongest first."""

    def diagnostics(self, partition: Partition) -> tuple[Diagnostic, ...]:
        """Return what the latest looks found to be said; it may take a while."""

    def look_now(
        self, partition: Partition, labels: Collection[str] | None = None, paths: Collection[str] | None = None
    ) -> "Future[Looked]":
        """Look at sources, all of them where `labels` is None; KeyError also for a label that is not declared.

        The future ends when what was seen is published; it is cancelled where no look will end any more. Whoever
        cancels it waits no longer, and the look goes on.
        """


class AdminScope:
    """The layers and their sources, as operators may ask for them: all of them. Lives on the event loop."""

    def __init__(self, *, current: Current, looks: Looks, sights: Sights, threads: Threads) -> None:
        """Tell of `current` and of what `looks`, in the phase of `sights`; bring in layers in `threads`."""
        self.current = current
        self.looks = looks
        self._sights = sights
        self._threads = threads

    def check_phase(self) -> None:
        """Refuse when the end has begun; before the first look is over there is much to tell already."""
        if self._sights.phase is Phase.DRAINING:
            raise draining()

    async def layer(self, partition: Partition) -> Layer:
        """Return a partition's layer; PARTITION_NOT_FOUND where there is none, STORE_UNREACHABLE if it is not had."""
        layer = (await self.layers((partition,))).get(partition)
        if layer is None:
            raise NotFound(ErrorReason.PARTITION_NOT_FOUND, "no partition of this name has a layer here")
        return layer

    async def already(self, partition: Partition) -> Generation | None:
        """Return a layer as it is before anything is looked at for the sake of who asks; None where there is none.

        Raises:
            Unavailable: STORE_UNREACHABLE.
            DataLoss: The log is damaged.
        """
        layer = (await self._threads.run(lambda: self.current.ensure((partition,)))).get(partition)
        return None if layer is None else layer.present

    async def layers(self, partitions: tuple[Partition, ...]) -> Mapping[Partition, Layer]:
        """Return layers by their partitions, those of others among them; STORE_UNREACHABLE if one is not had."""
        await self.see_to(partitions)
        layers = self.current.holding(partitions)
        return await self._threads.run(lambda: self.current.ensure(partitions)) if layers is None else layers

    async def seen_from(self, partition: Partition) -> tuple[Generation, ...]:
        """Return the layers as they are that callers see from a partition, strongest first; raises as `layers`."""
        seen = (partition,) if partition == DEPLOYMENT else Viewer(*partition).partitions
        layers = await self.layers(seen)
        return tuple(layers[each].present for each in seen if each in layers)

    async def see_to(self, partitions: Sequence[Partition]) -> None:
        """Have those of the partitions in use that templates feed, so that operators are told of what callers see."""
        await self._sights.see_to(partitions)

    def reports(self, partition: Partition) -> tuple[SourceReport, ...]:
        """Return how the sources of a partition stand; none where it has a layer that no source feeds."""
        try:
            return self.looks.reports(partition)
        except KeyError:
            return ()

    def diagnostics(self, partition: Partition) -> tuple[Diagnostic, ...]:
        """Return what is to be said of the sources of a partition; nothing where no source feeds it."""
        try:
            return self.looks.diagnostics(partition)
        except KeyError:
            return ()


def draining() -> Unavailable:
    """Return the error of a call that comes, or still waits, when the end has begun."""
    return Unavailable(ErrorReason.DRAINING, "the server is about to stop")

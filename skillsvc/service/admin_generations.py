"""The admin calls about layers: which there are, what a generation of one holds, and what leads to another one."""

from bisect import bisect_right
from itertools import islice

from skillsource.v1 import admin_pb2 as pb

from skillsvc.catalog.comparing import Comparison, compare
from skillsvc.catalog.layer import Layer
from skillsvc.domain.errors import ErrorReason, StateMissing
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition
from skillsvc.service import admin_wire
from skillsvc.service.admin_pages import SEPARATOR, Pages, joined
from skillsvc.service.admin_requests import DiffAsk, GenerationAsk, Named, PageAsk
from skillsvc.service.admin_scope import AdminScope
from skillsvc.service.call import Call
from skillsvc.service.threads import Threads

_RETAINED = 1000


class GenerationAdmin:
    """The handlers of ListPartitions, GetGeneration and DiffGenerations. Lives on the event loop."""

    def __init__(self, *, scope: AdminScope, pages: Pages, threads: Threads) -> None:
        """Tell of `scope`; go through whole catalogs in `threads`."""
        self._scope = scope
        self._pages = pages
        self._threads = threads
        self._compared: tuple[Generation, Generation, Comparison] | None = None

    async def list_partitions(self, ask: PageAsk, call: Call) -> bytes:
        """Answer ListPartitions."""
        self._scope.check_phase()
        current = self._scope.current
        # The deployment's comes first by itself: no other principal is empty.
        partitions = current.partitions
        start = 0
        if ask.token:
            principal, project = self._pages.position(ask, call).last_name.split(SEPARATOR)
            start = bisect_right(partitions, Partition(principal, project))

        def told(of: Partition) -> pb.ListPartitionsResponse:
            # One by one, so that a page of thousands takes no more memory than the layers in it may.
            layer = current.ensure((of,))[of]
            report = admin_wire.partition_report(of, layer, len(self._scope.reports(of)))
            return pb.ListPartitionsResponse(partitions=[report])

        # Each looks through all the sources there are.
        page = await self._threads.run(lambda: self._pages.page(partitions, start, ask.size, told))
        end = start + len(page)
        after = self._pages.next_token(ask, call, SEPARATOR.join(partitions[end - 1])) if end < len(partitions) else ""
        return joined(page, pb.ListPartitionsResponse(next_page_token=after, total_size=len(partitions)))

    async def get_generation(self, ask: GenerationAsk, call: Call) -> bytes:
        """Answer GetGeneration."""
        self._scope.check_phase()
        layer = await self._scope.layer(ask.partition)
        rest = pb.GetGenerationResponse()
        start = 0
        if ask.page.token:
            position = self._pages.position(ask.page, call)
            (generation,) = _read_states(layer, position.generation_token)
            name, source = position.last_name.split(SEPARATOR)
            start = bisect_right(generation.rows, (name, source), key=lambda row: (row.name, row.source))
        else:
            generation = _held(layer, ask.named)
            newest = islice(reversed(layer.generations), _RETAINED)
            rest.retained.extend(admin_wire.layer_generation(held) for held in newest)
            rest.revoked.extend(islice(sorted(layer.revoked), _RETAINED))
        rows = generation.rows
        page = self._pages.page(
            rows,
            start,
            ask.page.size,
            lambda row: pb.GetGenerationResponse(rows=[admin_wire.generation_row(row)]),
            taken=rest.ByteSize(),
        )
        rest.generation.CopyFrom(admin_wire.layer_generation(generation))
        rest.total_size = len(rows)
        end = start + len(page)
        if end < len(rows):
            last = SEPARATOR.join((rows[end - 1].name, rows[end - 1].source))
            rest.next_page_token = self._pages.next_token(ask.page, call, last, _states(generation))
        return joined(page, rest)

    async def diff_generations(self, ask: DiffAsk, call: Call) -> bytes:
        """Answer DiffGenerations."""
        self._scope.check_phase()
        layer = await self._scope.layer(ask.partition)
        last = ""
        if ask.page.token:
            position = self._pages.position(ask.page, call)
            before, after = _read_states(layer, position.generation_token)
            last = position.last_name
        else:
            before, after = _held(layer, ask.before), _held(layer, ask.after)
        compared = await self._comparison(before, after)
        changes = compared.changes
        start = bisect_right(changes, last, key=lambda change: change.name) if last else 0
        page = self._pages.page(changes, start, ask.page.size, admin_wire.change)
        end = start + len(page)
        rest = pb.DiffGenerationsResponse(
            before=admin_wire.layer_generation(before),
            after=admin_wire.layer_generation(after),
            added_total=compared.added,
            modified_total=compared.modified,
            removed_total=compared.removed,
            shadowed_total=compared.shadowed,
        )
        if end < len(changes):
            rest.next_page_token = self._pages.next_token(ask.page, call, changes[end - 1].name, _states(before, after))
        return joined(page, rest)

    async def _comparison(self, before: Generation, after: Generation) -> Comparison:
        held = self._compared
        if held is not None and held[0] is before and held[1] is after:
            return held[2]
        compared = await self._threads.run(lambda: compare(before, after))
        self._compared = (before, after, compared)
        return compared


def _held(layer: Layer, named: Named) -> Generation:
    """Return the generation that a request names; GENERATION_EXPIRED where it is not held."""
    match named:
        case None:
            return layer.present
        case str():
            found = layer.with_digest(named)
        case _:
            found = next((held for held in layer.generations if held.sequence == named), None)
    if found is None:
        raise _not_held()
    return found


def _states(*generations: Generation) -> str:
    return SEPARATOR.join(f"{generation.sequence} {generation.digest}" for generation in generations)


def _read_states(layer: Layer, states: str) -> list[Generation]:
    """Return the generations that a position names; GENERATION_EXPIRED where one is not held any more."""
    found = []
    for state in states.split(SEPARATOR):
        sequence, digest = state.split(" ")
        generation = _held(layer, int(sequence))
        if generation.digest != digest:
            raise _not_held()
        found.append(generation)
    return found


def _not_held() -> StateMissing:
    return StateMissing(
        ErrorReason.GENERATION_EXPIRED,
        "no generation of this sequence or digest is held",
        metadata={"current_token": ""},
    )

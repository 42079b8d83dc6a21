"""The handler of SearchCapabilities: in a thread, since a text may be in none of a hundred thousand descriptions."""

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.capabilities import Capability, CapabilityKind, find_capabilities
from skillsvc.catalog.listing import Selection, select
from skillsvc.domain.caps import CAPS, cut_text
from skillsvc.parsing.text import one_line
from skillsvc.service.call import Call
from skillsvc.service.capability_requests import CapabilitiesAsk
from skillsvc.service.sights import Seen, Sights
from skillsvc.service.threads import Threads

_KINDS = {
    CapabilityKind.TOOL: pb.CAPABILITY_KIND_TOOL,
    CapabilityKind.SKILL: pb.CAPABILITY_KIND_SKILL,
    CapabilityKind.COMMAND: pb.CAPABILITY_KIND_COMMAND,
}
_DESCRIPTION_BYTES = CAPS["Capability.description"].max_bytes


class Capabilities:
    """The handler of SearchCapabilities. It keeps nothing: a caller's tools are its own, for one call."""

    def __init__(self, *, sights: Sights, threads: Threads) -> None:
        """Search what `sights` has, in `threads`."""
        self._sights = sights
        self._threads = threads

    async def search_capabilities(self, ask: CapabilitiesAsk, call: Call) -> bytes:
        """Answer SearchCapabilities."""
        seen = await self._sights.of(ask.scope, call)
        return await self._threads.run(lambda: _answer(ask, seen))


def _answer(ask: CapabilitiesAsk, seen: Seen) -> bytes:
    skills = select(seen.sight.view, Selection(allow=ask.scope.allow))
    found = find_capabilities(ask.query, tools=ask.tools, skills=skills, limit=ask.limit)
    return seen.encoded + pb.SearchCapabilitiesResponse(results=map(_told, found)).SerializeToString()


def _told(found: Capability) -> pb.Capability:
    return pb.Capability(
        kind=_KINDS[found.kind],
        name=found.name,
        description=cut_text(one_line(found.description), _DESCRIPTION_BYTES),
    )

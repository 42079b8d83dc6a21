"""SearchCapabilities' request into a value."""

from dataclasses import dataclass

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.capabilities import Tool
from skillsvc.domain import caps
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.limits import Limits
from skillsvc.service.requests import Scope, out_of_range, scope_of, text_of

_RESULTS = 20
"""Of a search that asks for no number of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilitiesAsk:
    """A search for capabilities, `limit` at most, also among the tools that the caller says it has."""

    scope: Scope
    query: str
    limit: int
    tools: tuple[Tool, ...]


def parse_capabilities(request: pb.SearchCapabilitiesRequest, _limits: Limits) -> CapabilitiesAsk:
    """Return what a SearchCapabilities request asks for; more results than there may be are lowered to that."""
    scope = scope_of(request)
    most = caps.CAPS["SearchCapabilitiesRequest.tools"].max_items
    if len(request.tools) > most:
        raise out_of_range("tools", f"tools has {len(request.tools)} of them; at most {most}", limit=most)
    return CapabilitiesAsk(
        scope=scope,
        query=text_of("query", request.query, caps.CAPS["SearchCapabilitiesRequest.query"].max_bytes),
        limit=min(request.limit or _RESULTS, caps.CAPS["SearchCapabilitiesResponse.results"].max_items),
        tools=tuple(map(_tool_of, request.tools)),
    )


def _tool_of(tool: pb.OfferedTool) -> Tool:
    """Return a tool; ARGUMENT_MALFORMED where a result could not name it as the caller does."""
    name = text_of("tools.name", tool.name, caps.CAPS["OfferedTool.name"].max_bytes)
    if not name or caps.flatten(name) != name:
        raise InvalidInput(
            ErrorReason.ARGUMENT_MALFORMED,
            "tools holds a name that is empty, or has control characters",
            metadata={"field": "tools.name"},
        )
    return Tool(
        name=name,
        description=text_of("tools.description", tool.description, caps.CAPS["OfferedTool.description"].max_bytes),
    )

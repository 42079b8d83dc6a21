"""RenderCatalog's requests into values."""

from dataclasses import dataclass
from enum import Enum, unique

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.render_forms import CatalogFormat
from skillsvc.domain import caps
from skillsvc.domain.limits import Limits
from skillsvc.service.requests import (
    Scope,
    digest_of,
    hash_without,
    known_number,
    out_of_range,
    scope_of,
    text_of,
)

_BYTES_OF_A_TOKEN = 4
_BUDGET = 20_000
"""Bytes of a text where no budget is given."""
_FORMATS: dict[int, CatalogFormat] = {
    pb.CATALOG_FORMAT_UNSPECIFIED: CatalogFormat.XML,
    pb.CATALOG_FORMAT_XML: CatalogFormat.XML,
    pb.CATALOG_FORMAT_MARKDOWN: CatalogFormat.MARKDOWN,
    pb.CATALOG_FORMAT_LINES: CatalogFormat.LINES,
}


@unique
class CatalogOrder(Enum):
    """Which skills come first."""

    RELEVANCE = pb.CATALOG_ORDER_RELEVANCE
    PRIOR = pb.CATALOG_ORDER_PRIOR
    NAME = pb.CATALOG_ORDER_NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderAsk:
    """The catalog as text, of `budget` bytes at most.

    `builtin_tools` are those that the caller offers, None where it names none. `fields` is a hash of all that a text
    depends on beside the state it is of and the names allowed.
    """

    scope: Scope
    form: CatalogFormat
    order: CatalogOrder
    budget: int
    query: str
    task: str
    builtin_tools: frozenset[str] | None
    held: str
    fields: bytes


def parse_render(request: pb.RenderCatalogRequest, _limits: Limits) -> RenderAsk:
    """Return what a RenderCatalog request asks for; a budget beyond what an answer may hold is lowered to that."""
    scope = scope_of(request)
    query = text_of("query", request.query, caps.CAPS["RenderCatalogRequest.query"].max_bytes)
    form = _FORMATS[known_number("format", request.format, _FORMATS)]
    known_number("order", request.order, (pb.CATALOG_ORDER_UNSPECIFIED, *(order.value for order in CatalogOrder)))
    unset = CatalogOrder.RELEVANCE if query else CatalogOrder.NAME
    return RenderAsk(
        scope=scope,
        form=form,
        order=CatalogOrder(request.order) if request.order else unset,
        budget=_budget_of(request.max_bytes, request.max_tokens),
        query=query,
        task=text_of("task", request.task, caps.CAPS["RenderCatalogRequest.task"].max_bytes),
        builtin_tools=_tools_of(request),
        held=digest_of("if_none_match", request.if_none_match),
        fields=hash_without(request, "project", "session", "consistency", "allow", "if_none_match"),
    )


def _budget_of(max_bytes: int, max_tokens: int) -> int:
    given = [budget for budget in (max_bytes, max_tokens * _BYTES_OF_A_TOKEN) if budget]
    return min((*given, caps.CAPS["RenderCatalogResponse.text"].max_bytes) if given else (_BUDGET,))


def _tools_of(request: pb.RenderCatalogRequest) -> frozenset[str] | None:
    cap = caps.CAPS["RenderCatalogRequest.builtin_tools"]
    if len(request.builtin_tools) > cap.max_items:
        message = f"builtin_tools has {len(request.builtin_tools)} names; at most {cap.max_items}"
        raise out_of_range("builtin_tools", message, limit=cap.max_items)
    return frozenset(text_of("builtin_tools", tool, cap.max_item_bytes) for tool in request.builtin_tools) or None

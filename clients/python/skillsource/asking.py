"""Questions that one answer settles: what the server is, what fits a query, the catalog as text."""

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from skillsource import caps, wire
from skillsource.answers import (
    BestMatch,
    Capabilities,
    Capability,
    CatalogFormat,
    CatalogOrder,
    InvocationFilter,
    OfferedTool,
    OmittedSkill,
    RenderedCatalog,
    Retention,
    SearchHit,
    SearchResult,
    ServerInfo,
    ServerLimits,
)
from skillsource.cache import Cache
from skillsource.errors import ProtocolError
from skillsource.methods import (
    BEST_MATCH,
    RENDER_CATALOG,
    SEARCH_CAPABILITIES,
    SEARCH_SKILLS,
    SERVER_INFO,
    Operation,
)
from skillsource.scope import Scope

_DEFAULT_TEXT_BYTES = 20_000
_BYTES_OF_A_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """How a catalog is rendered; the budget is the smaller of the two, with neither 20,000 bytes."""

    format: CatalogFormat = CatalogFormat.XML
    order: CatalogOrder | None = None
    max_bytes: int = 0
    max_tokens: int = 0
    query: str = ""
    task: str = ""

    def fields(self) -> dict[str, object]:
        """Return the fields of the request, without those that are unset."""
        fields: dict[str, object] = {
            "max_bytes": self.max_bytes,
            "max_tokens": self.max_tokens,
            "query": self.query,
            "task": self.task,
        }
        fields = {name: value for name, value in fields.items() if value}
        if self.format is not CatalogFormat.XML:
            fields["format"] = f"CATALOG_FORMAT_{self.format}"
        if self.order is not None:
            fields["order"] = f"CATALOG_ORDER_{self.order}"
        return fields

    @property
    def budget(self) -> int:
        """Most bytes of the text."""
        budgets = [budget for budget in (self.max_bytes, self.max_tokens * _BYTES_OF_A_TOKEN) if budget]
        return min(budgets, default=_DEFAULT_TEXT_BYTES)


def server_info() -> Operation[ServerInfo]:
    """Ask what the server is."""
    values = (yield from SERVER_INFO.ask({})).values
    limits = values.get("limits", {})
    retention = values.get("retention", {})
    return ServerInfo(
        version=values.get("version", ""),
        contract=values.get("contract", 0),
        features=tuple(values.get("features", ())),
        limits=ServerLimits(**{name: limits.get(name, 0) for name in ServerLimits.__slots__}),
        retention=Retention(**{name: retention.get(name, 0) for name in Retention.__slots__}),
        now=wire.moment(values.get("now")),
    )


def search_skills(
    scope: Scope, query: str, *, limit: int, invocation: InvocationFilter, task: str, body_bytes: int
) -> Operation[SearchResult]:
    """Find the skills that fit a query."""
    fields: dict[str, object] = {"query": query, "limit": limit, "task": task, "body_bytes": body_bytes}
    fields = {**scope.fields(builtin_tools=True), **{name: value for name, value in fields.items() if value}}
    if invocation is not InvocationFilter.ANY:
        fields["invocation"] = f"INVOCATION_FILTER_{invocation}"
    answer = yield from SEARCH_SKILLS.ask(fields)
    hits: dict[str, SearchHit] = {}
    for index, item in enumerate(answer.values.get("hits", ())):
        if "skill" not in item:
            answer.drops.add(f"hits[{index}]", "", "names no skill")
            continue
        skill = wire.skill(item["skill"])
        score = item.get("score", 0.0)
        if skill.name in hits:
            answer.drops.add(f"hits[{index}]", skill.name, "is there twice; the first is kept")
        elif not math.isfinite(score):
            answer.drops.add(f"hits[{index}]", skill.name, "has a score that cannot be compared")
        else:
            hits[skill.name] = SearchHit(
                skill=skill,
                score=score,
                matched=tuple(item.get("matched", ())),
                snippet=item.get("snippet", ""),
                body=item.get("body", ""),
            )
    return SearchResult(
        generation=wire.generation(answer.values),
        hits=tuple(hits.values()),
        engine=answer.values.get("engine", ""),
        dropped=answer.drops.told(),
    )


def render_catalog(scope: Scope, cache: Cache, rendering: Rendering) -> Operation[RenderedCatalog]:
    """Ask for the catalog as text for a model."""
    identity = ("catalog", scope, rendering)
    fields = {**scope.fields(builtin_tools=True), **rendering.fields()}
    held = cache.find(identity, cache.latest(identity), RenderedCatalog)
    if held is not None:
        fields["if_none_match"] = held.digest
    answer = yield from RENDER_CATALOG.ask(fields)
    values = answer.values
    generation = wire.generation(values)
    if values.get("not_modified", False):
        if held is None or values.get("digest") != held.digest:
            raise ProtocolError("RenderCatalog: not modified, says the server of a digest that was not asked")
        return replace(held, generation=generation)
    text = values.get("text", "")
    encoded = text.encode()
    digest = hashlib.sha256(encoded).hexdigest()
    if digest != values.get("digest"):
        raise ProtocolError("RenderCatalog: the text does not have the digest that the server names")
    if len(encoded) > rendering.budget:
        raise ProtocolError(f"RenderCatalog: {len(encoded):,} bytes of text, of at most {rendering.budget:,}")
    rendered = RenderedCatalog(
        generation=generation,
        text=text,
        digest=digest,
        entries_digest=wire.digest_or_none(values.get("entries_digest", "")),
        shown=values.get("shown", 0),
        shortened=values.get("shortened", 0),
        total=values.get("total", 0),
        omitted=tuple(
            OmittedSkill(name=omitted["name"], reason=omitted.get("reason", ""))
            for omitted in values.get("omitted", ())
        ),
        omitted_total=values.get("omitted_total", 0),
        dropped=answer.drops.told(),
    )
    cache.keep(identity, digest, rendered, len(encoded) + 512 * len(rendered.omitted))
    return rendered


def best_match(scope: Scope, task: str) -> Operation[BestMatch]:
    """Ask which skill did best at tasks like this one."""
    values = (yield from BEST_MATCH.ask({**scope.fields(), "task": task})).values
    found = values.get("found", False)
    rate = values.get("success_rate", 0.0)
    if found and not (caps.fits_skill_name(values.get("skill", "")) and 0 <= rate <= 1):
        raise ProtocolError("BestMatch: the answer names no skill, or no rate from 0 to 1")
    return BestMatch(
        generation=wire.generation(values),
        found=found,
        skill=values["skill"] if found else "",
        task_pattern=values.get("task_pattern", "") if found else "",
        success_rate=rate if found else 0.0,
    )


def search_capabilities(
    scope: Scope, query: str, *, limit: int, tools: Iterable[OfferedTool]
) -> Operation[Capabilities]:
    """Search the caller's tools, the skills and the commands together."""
    fields: dict[str, object] = {**scope.fields(), "query": query}
    if limit:
        fields["limit"] = limit
    offered = tuple({"name": tool.name, "description": tool.description} for tool in tools)
    if offered:
        fields["tools"] = offered
    answer = yield from SEARCH_CAPABILITIES.ask(fields)
    results = []
    for index, item in enumerate(answer.values.get("results", ())):
        if not item.get("name"):
            answer.drops.add(f"results[{index}]", "", "has no name")
            continue
        results.append(
            Capability(
                kind=wire.capability_kind(item.get("kind", 0)),
                name=item["name"],
                description=item.get("description", ""),
            )
        )
    return Capabilities(generation=wire.generation(answer.values), results=tuple(results), dropped=answer.drops.told())

"""From the plain values of a clamped answer to the values that callers get.

Enum numbers that this release does not know read as the most careful value (contract.md, "Unset and unknown").
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, TypeVar

from skillsource import caps
from skillsource.errors import ProtocolError
from skillsource.v1 import skill_pb2, skill_source_pb2
from skillsource.values import (
    NO_METADATA,
    Asset,
    CapabilityKind,
    Collection,
    Diagnostic,
    Generation,
    Invocation,
    Network,
    NetworkDeclaration,
    NetworkMode,
    NetworkSource,
    Readiness,
    ReadinessState,
    Severity,
    SidecarState,
    Skill,
    SourceState,
    Tier,
    Tool,
    ToolKind,
    Trust,
    UnreachableSource,
)

Fields = Mapping[str, Any]

T = TypeVar("T")

_VISIBLE = re.compile(r"[!-~]+")
"""What an id or token of a server consists of: nothing that could move a cursor where it is printed."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_TIERS: Mapping[int, Tier] = {
    skill_pb2.TIER_EXPLICIT: Tier.EXPLICIT,
    skill_pb2.TIER_PROJECT: Tier.PROJECT,
    skill_pb2.TIER_USER: Tier.USER,
    skill_pb2.TIER_REGISTERED: Tier.REGISTERED,
}
_TRUSTS: Mapping[int, Trust] = {skill_pb2.TRUST_ALLOWED: Trust.ALLOWED, skill_pb2.TRUST_ASK: Trust.ASK}
_TOOL_KINDS: Mapping[int, ToolKind] = {
    skill_pb2.TOOL_KIND_BUILTIN: ToolKind.BUILTIN,
    skill_pb2.TOOL_KIND_MCP: ToolKind.MCP,
    skill_pb2.TOOL_KIND_EXECUTABLE: ToolKind.EXECUTABLE,
}
_SEVERITIES: Mapping[int, Severity] = {
    skill_pb2.SEVERITY_NOTE: Severity.NOTE,
    skill_pb2.SEVERITY_WARNING: Severity.WARNING,
    skill_pb2.SEVERITY_ERROR: Severity.ERROR,
}
_READINESS_STATES: Mapping[int, ReadinessState] = {
    skill_pb2.READINESS_STATE_READY: ReadinessState.READY,
    skill_pb2.READINESS_STATE_NEEDS_SETUP: ReadinessState.NEEDS_SETUP,
}
_SIDECAR_STATES: Mapping[int, SidecarState] = {
    skill_pb2.SIDECAR_STATE_COMPILES: SidecarState.COMPILES,
    skill_pb2.SIDECAR_STATE_BROKEN: SidecarState.BROKEN,
    skill_pb2.SIDECAR_STATE_UNCHECKED: SidecarState.UNCHECKED,
}
_NETWORK_DECLARATIONS: Mapping[int, NetworkDeclaration] = {
    skill_pb2.NETWORK_DECLARATION_DECLARED: NetworkDeclaration.DECLARED,
    skill_pb2.NETWORK_DECLARATION_LEGACY: NetworkDeclaration.LEGACY,
}
_NETWORK_SOURCES: Mapping[int, NetworkSource] = {
    skill_pb2.NETWORK_SOURCE_FRONTMATTER: NetworkSource.FRONTMATTER,
    skill_pb2.NETWORK_SOURCE_INVENTORY: NetworkSource.INVENTORY,
    skill_pb2.NETWORK_SOURCE_COLLECTION_DEFAULT: NetworkSource.COLLECTION_DEFAULT,
}
_NETWORK_MODES: Mapping[int, NetworkMode] = {
    skill_pb2.NETWORK_MODE_NONE: NetworkMode.NONE,
    skill_pb2.NETWORK_MODE_HOST_ONLY: NetworkMode.HOST_ONLY,
    skill_pb2.NETWORK_MODE_RAW_REQUIRED: NetworkMode.RAW_REQUIRED,
}
_SOURCE_STATES: Mapping[int, SourceState] = {
    skill_source_pb2.SOURCE_STATE_STALE: SourceState.STALE,
    skill_source_pb2.SOURCE_STATE_MISSING: SourceState.MISSING,
    skill_source_pb2.SOURCE_STATE_PARTIAL: SourceState.PARTIAL,
}
_CAPABILITY_KINDS: Mapping[int, CapabilityKind] = {
    skill_source_pb2.CAPABILITY_KIND_TOOL: CapabilityKind.TOOL,
    skill_source_pb2.CAPABILITY_KIND_SKILL: CapabilityKind.SKILL,
    skill_source_pb2.CAPABILITY_KIND_COMMAND: CapabilityKind.COMMAND,
}


def moment(fields: Fields | None) -> datetime | None:
    """Return a timestamp; None where there is none, or none that a calendar has."""
    if fields is None:
        return None
    try:
        return _EPOCH + timedelta(seconds=fields.get("seconds", 0), microseconds=fields.get("nanos", 0) // 1000)
    except OverflowError:
        return None


def generation(answer: Fields) -> Generation:
    """Return the state that an answer came from.

    Raises:
        ProtocolError: It does not say, and an answer from no state is worth nothing.
    """
    fields = answer.get("generation")
    if fields is None or not _VISIBLE.fullmatch(fields.get("token", "")):
        raise ProtocolError("the answer names no generation")
    return Generation(
        token=fields["token"],
        sequence=fields.get("sequence", 0),
        digest=fields["digest"],
        published_at=moment(fields.get("published_at")),
        complete=fields.get("complete", False),
        unreachable_sources=tuple(
            UnreachableSource(
                source=source.get("source", ""),
                since=moment(source.get("since")),
                state=_SOURCE_STATES.get(source.get("state", 0), SourceState.UNKNOWN),
            )
            for source in fields.get("unreachable_sources", ())
        ),
    )


def skill(fields: Fields) -> Skill:
    """Return one entry of a catalog."""
    invocation = fields.get("invocation", {})
    metadata = fields.get("metadata")
    return Skill(
        name=fields["name"],
        description=fields.get("description", ""),
        description_truncated=fields.get("description_truncated", False),
        description_bytes=fields.get("description_bytes", 0),
        has_assets=fields.get("has_assets", False),
        origin=_TIERS.get(fields.get("origin", 0), Tier.LEARNED),
        trust=_TRUSTS.get(fields.get("trust", 0), Trust.UNTRUSTED),
        invocation=Invocation(model=invocation.get("model", False), user=invocation.get("user", False)),
        digest=fields["digest"],
        display_name=fields.get("display_name", ""),
        license=fields.get("license", ""),
        compatibility=fields.get("compatibility", ""),
        metadata=MappingProxyType(dict(metadata)) if metadata else NO_METADATA,
        allowed_tools=tuple(fields.get("allowed_tools", ())),
        when_to_use=fields.get("when_to_use", ""),
        version=fields.get("version", ""),
        keywords=tuple(fields.get("keywords", ())),
        capabilities=tuple(fields.get("capabilities", ())),
        tool_kinds=tuple(
            _TOOL_KINDS.get(number, ToolKind.UNKNOWN)
            # Ascending and each once, whatever was sent: nothing bounds this list.
            for number in sorted(set(fields.get("tool_kinds", ())))[: len(ToolKind)]
        ),
        collection=fields.get("collection", ""),
        source=fields.get("source", ""),
        body_bytes=fields.get("body_bytes", 0),
        document_digest=digest_or_none(fields.get("document_digest", "")),
        document_bytes=fields.get("document_bytes", 0),
        asset_count=fields.get("asset_count", 0),
        readiness=optional(fields.get("readiness"), readiness),
        network=optional(fields.get("network"), network),
        diagnostics=each(fields.get("diagnostics", ()), diagnostic),
        diagnostics_omitted=fields.get("diagnostics_omitted", 0),
    )


def diagnostic(fields: Fields) -> Diagnostic:
    """Return what the server says of a skill."""
    return Diagnostic(
        severity=_SEVERITIES.get(fields.get("severity", 0), Severity.UNKNOWN),
        code=fields.get("code", ""),
        skill=fields.get("skill", ""),
        source=fields.get("source", ""),
        message=fields.get("message", ""),
    )


def readiness(fields: Fields) -> Readiness:
    """Return whether requirements are met."""
    return Readiness(
        state=_READINESS_STATES.get(fields.get("state", 0), ReadinessState.UNKNOWN),
        missing=tuple(fields.get("missing", ())),
        unverifiable=tuple(fields.get("unverifiable", ())),
        blocked_on=tuple(fields.get("blocked_on", ())),
        sidecar=_SIDECAR_STATES.get(fields.get("sidecar", 0), SidecarState.UNKNOWN),
    )


def network(fields: Fields) -> Network:
    """Return what a skill declares of the network."""
    return Network(
        mode=_NETWORK_MODES.get(fields.get("mode", 0), NetworkMode.UNKNOWN),
        domains=tuple(fields.get("domains", ())),
        declared=fields.get("declared", False),
        digest=fields.get("digest", ""),
        declaration=_NETWORK_DECLARATIONS.get(fields.get("declaration", 0), NetworkDeclaration.UNKNOWN),
        source=_NETWORK_SOURCES.get(fields.get("source", 0), NetworkSource.UNKNOWN),
    )


def asset(fields: Fields) -> Asset:
    """Return one entry of an inventory."""
    return Asset(
        name=fields["name"],
        size=fields.get("size", 0),
        executable=fields.get("executable", False),
        digest=fields["digest"],
        media_type=fields.get("media_type", ""),
    )


def tool(fields: Fields) -> Tool:
    """Return one resolved tool.

    Raises:
        ProtocolError: Its file is named as no file of a bundle is: who runs it must not be led elsewhere.
    """
    if fields.get("asset") and not (
        caps.fits_asset_name(fields["asset"]) and caps.fits_digest(fields.get("digest", ""))
    ):
        raise ProtocolError("a tool names a file that no bundle can hold")
    return Tool(
        id=fields.get("id", ""),
        kind=_TOOL_KINDS.get(fields.get("kind", 0), ToolKind.UNKNOWN),
        target=fields.get("target", ""),
        server=fields.get("server", ""),
        asset=fields.get("asset", ""),
        digest=digest_or_none(fields.get("digest", "")),
        trust=_TRUSTS.get(fields.get("trust", 0), Trust.UNTRUSTED),
        granted=fields.get("granted", False),
        reason=fields.get("reason", ""),
        description=fields.get("description", ""),
        input_schema=fields.get("input_schema", ""),
    )


def collection(fields: Fields) -> Collection:
    """Return the line that stands for many skills."""
    return Collection(id=fields.get("id", ""), line=fields.get("line", ""), count=fields.get("count", 0))


def identifier(text: str) -> str:
    """Return an id that a server gave.

    Raises:
        ProtocolError: It holds more than visible ASCII.
    """
    if text and not _VISIBLE.fullmatch(text):
        raise ProtocolError("the answer holds an id that is none")
    return text


def digest_or_none(text: str) -> str:
    """Return a digest; the empty text where it is none."""
    return text if caps.fits_digest(text) else ""


def capability_kind(number: int) -> CapabilityKind:
    """Return what a capability is."""
    return _CAPABILITY_KINDS.get(number, CapabilityKind.UNKNOWN)


def each(items: Iterable[Fields], convert: Callable[[Fields], T]) -> tuple[T, ...]:
    """Return all items converted, in their order."""
    return tuple(convert(item) for item in items)


def optional(fields: Fields | None, convert: Callable[[Fields], T]) -> T | None:
    """Return a nested value converted, or None where it is not set."""
    return None if fields is None else convert(fields)

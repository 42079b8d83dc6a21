"""Values to messages, as bytes.

Serialised messages concatenate: every response has its generation in field 1, so that this part is encoded once per
view and joined to a part that depends on content alone and is encoded once per digest (performance.md).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp
from skillsource.v1 import skill_pb2, skill_source_pb2

from skillsvc.catalog.diff import Difference
from skillsvc.catalog.layer import SourceState
from skillsvc.catalog.search import Hit
from skillsvc.catalog.told import Told
from skillsvc.catalog.views import Sight
from skillsvc.catalog.weights import Field
from skillsvc.domain.caps import CAPS, cut_text, flatten
from skillsvc.domain.collection import Collection
from skillsvc.domain.diagnostics import Diagnostic, Severity
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.media_types import media_type_of
from skillsvc.domain.skill import Asset, Bundle, ToolKind
from skillsvc.domain.trust import Tier, Trust
from skillsvc.service import readiness_wire

TIERS = {
    Tier.EXPLICIT: skill_pb2.TIER_EXPLICIT,
    Tier.PROJECT: skill_pb2.TIER_PROJECT,
    Tier.USER: skill_pb2.TIER_USER,
    Tier.REGISTERED: skill_pb2.TIER_REGISTERED,
    Tier.LEARNED: skill_pb2.TIER_LEARNED,
}
TRUSTS = {
    Trust.ALLOWED: skill_pb2.TRUST_ALLOWED,
    Trust.ASK: skill_pb2.TRUST_ASK,
    Trust.UNTRUSTED: skill_pb2.TRUST_UNTRUSTED,
}
_TOOL_KINDS = {
    ToolKind.BUILTIN: skill_pb2.TOOL_KIND_BUILTIN,
    ToolKind.MCP: skill_pb2.TOOL_KIND_MCP,
    ToolKind.EXECUTABLE: skill_pb2.TOOL_KIND_EXECUTABLE,
}
SEVERITIES = {
    Severity.NOTE: skill_pb2.SEVERITY_NOTE,
    Severity.WARNING: skill_pb2.SEVERITY_WARNING,
    Severity.ERROR: skill_pb2.SEVERITY_ERROR,
}
_SOURCE_STATES = {
    SourceState.STALE: skill_source_pb2.SOURCE_STATE_STALE,
    SourceState.MISSING: skill_source_pb2.SOURCE_STATE_MISSING,
    SourceState.PARTIAL: skill_source_pb2.SOURCE_STATE_PARTIAL,
}
_DIAGNOSTIC_MAX_BYTES = CAPS["Diagnostic.message"].max_bytes
_COLLECTION_LINE_BYTES = CAPS["Collection.line"].max_bytes
_COLLECTIONS = CAPS["ListSkillsResponse.collections"].max_items
_LABEL_DIGITS = 12
"""Of a document's digest, where they stand for a version that the skill's author did not give."""
_SKILLS_FIELD = b"\x1a"
"""The tag of `ListSkillsResponse.skills`: field 3, length-delimited."""


def timestamp(moment: datetime) -> Timestamp:
    """Return an aware moment as a message."""
    message = Timestamp()
    message.FromDatetime(moment)
    return message


def encode_generation(sight: Sight) -> bytes:
    """Encode the generation of an answer: field 1 of every response but GetServerInfo's."""
    return skill_source_pb2.ListAssetsResponse(generation=generation(sight)).SerializeToString()


def generation(sight: Sight) -> skill_source_pb2.Generation:
    """Return what names the state of an answer."""
    view = sight.view
    return skill_source_pb2.Generation(
        token=sight.token,
        sequence=view.sequence,
        digest=view.digest,
        published_at=timestamp(view.published_at),
        complete=not sight.unreachable,
        unreachable_sources=[
            skill_source_pb2.UnreachableSource(
                source=source.source, since=timestamp(source.since), state=_SOURCE_STATES[source.state]
            )
            for source in sight.unreachable
        ],
    )


def basic_skill(row: Row) -> skill_pb2.Skill:
    """Return a skill in the view BASIC."""
    skill = row.bundle.skill
    return skill_pb2.Skill(
        name=skill.name,
        description=skill.description,
        description_truncated=skill.description_truncated,
        description_bytes=skill.description_bytes,
        has_assets=bool(row.bundle.assets),
        origin=TIERS[row.tier],
        trust=TRUSTS[row.trust],
        invocation=skill_pb2.Invocation(model=skill.model_invocable, user=skill.user_invocable),
        digest=row.bundle.digest,
    )


def full_skill(row: Row, limits: Limits, told: Told) -> skill_pb2.Skill:
    """Return a skill in the view FULL, with what is told of its declarations."""
    bundle = row.bundle
    skill = bundle.skill
    message = basic_skill(row)
    message.MergeFrom(
        skill_pb2.Skill(
            display_name=skill.display_name,
            license=skill.license,
            compatibility=skill.compatibility,
            metadata=dict(skill.metadata),
            allowed_tools=skill.allowed_tools,
            when_to_use=skill.when_to_use,
            version=version_label(bundle),
            keywords=skill.keywords,
            capabilities=skill.capabilities,
            tool_kinds=[_TOOL_KINDS[kind] for kind in skill.tool_kinds],
            collection=row.found.collection,
            source=row.source,
            body_bytes=bundle.body.size if bundle.body else 0,
            document_digest=bundle.document.digest if bundle.document else "",
            document_bytes=bundle.document.size if bundle.document else 0,
            asset_count=len(bundle.assets),
            readiness=readiness_wire.readiness(told.readiness),
            network=readiness_wire.network(told.network),
            diagnostics=[_diagnostic(row, diagnostic) for diagnostic in row.found.diagnostics[: limits.diagnostics]],
            diagnostics_omitted=max(0, len(row.found.diagnostics) - limits.diagnostics),
        )
    )
    return message


def search_hit(hit: Hit, *, matched: Iterable[Field], snippet: str, body: str) -> skill_source_pb2.SearchHit:
    """Return a hit of a search."""
    return skill_source_pb2.SearchHit(
        skill=basic_skill(hit.row),
        score=hit.score,
        matched=[field.value for field in matched],
        snippet=snippet,
        body=body,
    )


def version_label(bundle: Bundle) -> str:
    """Return the version that a skill declares, else the first 12 hex digits of its SKILL.md's digest."""
    if bundle.skill.version or bundle.document is None:
        return bundle.skill.version
    return bundle.document.digest[:_LABEL_DIGITS]


def encode_collections(collections: Sequence[Collection]) -> bytes:
    """Encode the collections of a listing: the first 1,000, as the contract bounds them."""
    return skill_source_pb2.ListSkillsResponse(
        collections=[
            skill_source_pb2.Collection(
                id=each.id, line=cut_text(flatten(each.line), _COLLECTION_LINE_BYTES), count=each.count
            )
            for each in collections[:_COLLECTIONS]
        ]
    ).SerializeToString()


def encode_listed(skill: skill_pb2.Skill) -> bytes:
    """Encode a skill as one item of `ListSkillsResponse.skills`."""
    encoded = skill.SerializeToString(deterministic=True)
    return _SKILLS_FIELD + _varint(len(encoded)) + encoded


def assets(bundle: Bundle) -> Iterable[skill_pb2.Asset]:
    """Yield a bundle's inventory."""
    return (asset(each) for each in bundle.assets)


def asset(value: Asset) -> skill_pb2.Asset:
    """Return one asset of an inventory."""
    return skill_pb2.Asset(
        name=value.name,
        size=value.size,
        executable=value.executable,
        digest=value.digest,
        media_type=media_type_of(value.name),
    )


def difference(value: Difference) -> skill_source_pb2.WatchCatalogResponse:
    """Return the part of a watch event that tells a difference."""
    return skill_source_pb2.WatchCatalogResponse(
        added=[basic_skill(row) for row in value.added],
        modified=[basic_skill(row) for row in value.modified],
        removed=value.removed,
    )


def server_limits(limits: Limits) -> skill_source_pb2.ServerLimits:
    """Return the limits in force."""
    return skill_source_pb2.ServerLimits(
        description_bytes=limits.description_bytes,
        body_bytes=limits.body_bytes,
        activation_text_bytes=limits.activation_text_bytes,
        assets=limits.assets,
        asset_bytes=limits.asset_bytes,
        range_bytes=limits.range_bytes,
        layer_skills=limits.layer_skills,
        page_skills=limits.page_skills,
        page_bytes=limits.page_bytes,
        request_bytes=limits.request_bytes,
    )


def _diagnostic(row: Row, diagnostic: Diagnostic) -> skill_pb2.Diagnostic:
    return skill_pb2.Diagnostic(
        severity=SEVERITIES[diagnostic.severity],
        code=diagnostic.code.value,
        skill=row.name,
        source=row.source,
        message=cut_text(flatten(diagnostic.message), _DIAGNOSTIC_MAX_BYTES),
    )


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)

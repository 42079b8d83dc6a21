"""What operators are told, as messages."""

from skillsource.v1 import admin_pb2, skill_pb2

from skillsvc.catalog.comparing import Change, is_other_content, is_other_policy
from skillsvc.catalog.contents import Replaced
from skillsvc.catalog.layer import Layer
from skillsvc.catalog.reports import ReportedState, SourceReport
from skillsvc.domain.caps import CAPS, cut_text, flatten
from skillsvc.domain.diagnostics import Diagnostic
from skillsvc.domain.generation import Generation, Row
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.service.wire import SEVERITIES, TIERS, TRUSTS, timestamp

_STANDINGS = {
    ReportedState.WAITING: admin_pb2.SOURCE_STANDING_WAITING,
    ReportedState.COMPLETE: admin_pb2.SOURCE_STANDING_COMPLETE,
    ReportedState.STALE: admin_pb2.SOURCE_STANDING_STALE,
    ReportedState.PARTIAL: admin_pb2.SOURCE_STANDING_PARTIAL,
    ReportedState.MISSING: admin_pb2.SOURCE_STANDING_MISSING,
}


def line_of(field: str, text: str) -> str:
    """Return a text as the single line of a field, cut to its cap."""
    return cut_text(flatten(text), CAPS[field].max_bytes)


def item_of(field: str, text: str) -> str:
    """Return a text as an item of a field, cut to what one item may have."""
    return cut_text(text, CAPS[field].max_item_bytes)


def partition(value: Partition) -> admin_pb2.Partition:
    """Return what names a partition."""
    if value == DEPLOYMENT:
        return admin_pb2.Partition(deployment=True)
    return admin_pb2.Partition(principal=value.principal, project=value.project)


def layer_generation(value: Generation) -> admin_pb2.LayerGeneration:
    """Return what names a generation of a layer, with its counts."""
    return admin_pb2.LayerGeneration(
        sequence=value.sequence,
        digest=value.digest,
        published_at=timestamp(value.published_at),
        skills=len(value.listed),
        shadowed=len(value.rows) - len(value.listed),
    )


def source_report(value: SourceReport) -> admin_pb2.SourceReport:
    """Return how a source stands."""
    return admin_pb2.SourceReport(
        name=line_of("SourceReport.name", value.source),
        kind=line_of("SourceReport.kind", value.kind),
        tier=TIERS[value.tier] if value.tier is not None else skill_pb2.TIER_UNSPECIFIED,
        trust=TRUSTS[value.trust] if value.trust is not None else skill_pb2.TRUST_UNSPECIFIED,
        state=_STANDINGS[value.state],
        last_look_at=timestamp(value.last_look_at) if value.last_look_at else None,
        last_success_at=timestamp(value.last_success_at) if value.last_success_at else None,
        last_error=line_of("SourceReport.last_error", value.last_error),
        revision=line_of("SourceReport.revision", value.revision),
        skills=value.skills,
        diagnostics=value.diagnostics,
        looking=value.looking,
        next_look_at=timestamp(value.next_look_at) if value.next_look_at else None,
    )


def diagnostic(value: Diagnostic) -> skill_pb2.Diagnostic:
    """Return a diagnostic of a source or of one of its skills."""
    return skill_pb2.Diagnostic(
        severity=SEVERITIES[value.severity],
        code=value.code.value,
        skill=line_of("Diagnostic.skill", value.skill),
        source=line_of("Diagnostic.source", value.source),
        message=line_of("Diagnostic.message", value.message),
    )


def partition_report(of: Partition, layer: Layer, sources: int) -> admin_pb2.PartitionReport:
    """Return how a partition stands that so many sources feed."""
    return admin_pb2.PartitionReport(
        partition=partition(of),
        present=layer_generation(layer.present),
        retained=len(layer.generations),
        sources=sources,
        complete=not layer.unreachable,
        revoked=len(layer.revoked),
        log_generation=layer.log_generation,
    )


def outcome(replaced: Replaced) -> admin_pb2.PartitionOutcome:
    """Return what came of a partition that sources do not feed."""
    if replaced.stale:
        verdict = admin_pb2.PARTITION_VERDICT_STALE
    elif replaced.changed:
        verdict = admin_pb2.PARTITION_VERDICT_PUBLISHED
    else:
        verdict = admin_pb2.PARTITION_VERDICT_UNCHANGED
    told = _outcome(replaced.layer, verdict)
    told.conflicts.extend(replaced.conflicts)
    told.revoked.extend(replaced.revoked)
    return told


def fed_outcome(layer: Layer) -> admin_pb2.PartitionOutcome:
    """Return what came of a partition that sources feed."""
    return _outcome(layer, admin_pb2.PARTITION_VERDICT_FED_BY_SOURCES)


def _outcome(layer: Layer, verdict: admin_pb2.PartitionVerdict) -> admin_pb2.PartitionOutcome:
    return admin_pb2.PartitionOutcome(
        partition=partition(layer.present.partition),
        verdict=verdict,
        generation=layer_generation(layer.present),
        log_generation=layer.log_generation,
    )


def generation_row(row: Row) -> admin_pb2.GenerationRow:
    """Return one row of a generation."""
    return admin_pb2.GenerationRow(
        name=row.name,
        source=line_of("GenerationRow.source", row.source),
        shadowed=row.shadowed,
        digest=row.bundle.digest,
        tier=TIERS[row.tier],
        trust=TRUSTS[row.trust],
        collection=line_of("GenerationRow.collection", row.found.collection),
    )


def change(value: Change) -> admin_pb2.DiffGenerationsResponse:
    """Return the part of a difference that tells one change."""
    if value.before is None:
        return admin_pb2.DiffGenerationsResponse(added=[value.name])
    if value.after is None:
        return admin_pb2.DiffGenerationsResponse(removed=[value.name])
    moved = value.before.source != value.after.source
    modified = admin_pb2.ModifiedSkill(
        name=value.name,
        content=is_other_content(value.before, value.after),
        policy=is_other_policy(value.before, value.after),
        source_before=line_of("ModifiedSkill.source_before", value.before.source) if moved else "",
        source_after=line_of("ModifiedSkill.source_after", value.after.source) if moved else "",
    )
    return admin_pb2.DiffGenerationsResponse(modified=[modified])

"""Requests of operators into values: every field is checked once, here."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from google.protobuf.message import Message
from skillsource.v1 import admin_pb2 as pb
from skillsource.v1 import skill_pb2

from skillsvc.catalog.learned import Learned, LearnedSkill
from skillsvc.domain import caps
from skillsvc.domain.diagnostics import Severity
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.service.requests import digest_of, out_of_range, text_of, unknown_number

Named: TypeAlias = int | str | None
"""A generation as a request names it: by its sequence, by its digest, or None for the present one."""

_Paged: TypeAlias = (
    pb.ListSourcesRequest
    | pb.ListDiagnosticsRequest
    | pb.ListPartitionsRequest
    | pb.GetGenerationRequest
    | pb.DiffGenerationsRequest
    | pb.ListEnablementRequest
    | pb.ExplainAccessRequest
)

_HIGHEST_LOG_GENERATION = 2**63 - 1
"""Of what a database of whole numbers of 64 bits with a sign can hold."""
_SEVERITIES = {
    skill_pb2.SEVERITY_UNSPECIFIED: Severity.NOTE,
    skill_pb2.SEVERITY_NOTE: Severity.NOTE,
    skill_pb2.SEVERITY_WARNING: Severity.WARNING,
    skill_pb2.SEVERITY_ERROR: Severity.ERROR,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAsk:
    """Which page. `fields` is a hash of all that must be the same for each page of one list."""

    size: int
    token: str
    fields: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesAsk:
    """The sources of a partition."""

    partition: Partition
    page: PageAsk


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshAsk:
    """A look: at all sources where `sources` is empty, at all of each where `paths` is."""

    partition: Partition
    sources: tuple[str, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticsAsk:
    """The diagnostics of a partition; `source` and `skill` are "" for any."""

    partition: Partition
    source: str
    least: Severity
    skill: str
    page: PageAsk


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationAsk:
    """A generation of a partition."""

    partition: Partition
    named: Named
    page: PageAsk


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffAsk:
    """Two generations of a partition."""

    partition: Partition
    before: Named
    after: Named
    page: PageAsk


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeAsk:
    """A name in a partition: to be revoked, or to be lifted."""

    partition: Partition
    name: str


def parse_sources(request: pb.ListSourcesRequest, limits: Limits) -> SourcesAsk:
    """Return what a ListSources request asks for."""
    return SourcesAsk(partition=partition_of(request.partition), page=page_of(request, limits))


def parse_refresh(request: pb.RefreshRequest, _limits: Limits) -> RefreshAsk:
    """Return what a Refresh request asks for."""
    partition = partition_of(request.partition)
    check_count("sources", len(request.sources), caps.CAPS["RefreshRequest.sources"].max_items)
    check_count("paths", len(request.paths), caps.CAPS["RefreshRequest.paths"].max_items)
    # Of a source that is named twice one look is meant.
    sources = tuple(dict.fromkeys(source_of("sources", source) for source in request.sources))
    if request.paths and len(sources) != 1:
        raise malformed("paths", f"paths are of one source, and {len(sources)} are named")
    return RefreshAsk(
        partition=partition, sources=sources, paths=tuple(dict.fromkeys(_path_of(path) for path in request.paths))
    )


def parse_diagnostics(request: pb.ListDiagnosticsRequest, limits: Limits) -> DiagnosticsAsk:
    """Return what a ListDiagnostics request asks for."""
    if request.min_severity not in _SEVERITIES:
        raise unknown_number("min_severity", request.min_severity)
    return DiagnosticsAsk(
        partition=partition_of(request.partition),
        source=source_of("source", request.source) if request.source else "",
        least=_SEVERITIES[request.min_severity],
        skill=text_of("skill", request.skill, caps.CAPS["ListDiagnosticsRequest.skill"].max_bytes),
        page=page_of(request, limits),
    )


def parse_partitions(request: pb.ListPartitionsRequest, limits: Limits) -> PageAsk:
    """Return what a ListPartitions request asks for."""
    return page_of(request, limits)


def parse_generation(request: pb.GetGenerationRequest, limits: Limits) -> GenerationAsk:
    """Return what a GetGeneration request asks for."""
    return GenerationAsk(
        partition=partition_of(request.partition),
        named=_named("generation", request.generation) if request.HasField("generation") else None,
        page=page_of(request, limits),
    )


def parse_diff(request: pb.DiffGenerationsRequest, limits: Limits) -> DiffAsk:
    """Return what a DiffGenerations request asks for."""
    partition = partition_of(request.partition)
    if not request.HasField("before"):
        raise malformed("before", "before must name a generation, by its sequence or its digest")
    return DiffAsk(
        partition=partition,
        before=_named("before", request.before),
        after=_named("after", request.after) if request.HasField("after") else None,
        page=page_of(request, limits),
    )


def parse_refresh_partitions(request: pb.RefreshPartitionsRequest, _limits: Limits) -> tuple[Learned, ...]:
    """Return what a RefreshPartitions request says; whether its skills can be read is found out later."""
    check_count("partitions", len(request.partitions), caps.CAPS["RefreshPartitionsRequest.partitions"].max_items)
    learned = tuple(
        Learned(
            partition=_learned_partition(f"partitions[{at}].partition", content.partition),
            skills=_skills_of(f"partitions[{at}].skills", content),
            log_generation=_log_generation_of(f"partitions[{at}].log_generation", content),
            field=f"partitions[{at}].skills",
        )
        for at, content in enumerate(request.partitions)
    )
    _check_each_once(learned)
    return learned


def parse_clear_partitions(request: pb.ClearPartitionsRequest, _limits: Limits) -> tuple[Learned, ...]:
    """Return which partitions a ClearPartitions request empties."""
    check_count("partitions", len(request.partitions), caps.CAPS["ClearPartitionsRequest.partitions"].max_items)
    learned = tuple(
        Learned(
            partition=_learned_partition(f"partitions[{at}].partition", emptied.partition),
            log_generation=_log_generation_of(f"partitions[{at}].log_generation", emptied),
        )
        for at, emptied in enumerate(request.partitions)
    )
    _check_each_once(learned)
    return learned


def parse_revoke(request: pb.RevokeSkillRequest, _limits: Limits) -> RevokeAsk:
    """Return what a RevokeSkill request revokes."""
    return RevokeAsk(partition=partition_of(request.partition), name=_skill_name_of("name", request.name))


def parse_lift(request: pb.LiftRevokeRequest, _limits: Limits) -> RevokeAsk:
    """Return what a LiftRevoke request lifts."""
    return RevokeAsk(partition=partition_of(request.partition), name=_skill_name_of("name", request.name))


def partition_of(partition: pb.Partition, field: str = "partition") -> Partition:
    """Return the partition that a request names in a field; one that names none, as an unset one does, is refused."""
    if partition.deployment:
        if partition.principal or partition.project:
            raise malformed(field, f"{field} names both the deployment and a principal or project")
        return DEPLOYMENT
    if not partition.principal:
        raise malformed(field, f"{field} must name a principal, or say that the deployment is meant")
    try:
        return Partition.parse(principal=partition.principal, project=partition.project)
    except InvalidInput as error:
        part = error.metadata.get("field", "principal")
        raise InvalidInput(
            error.reason, error.message, metadata={**error.metadata, "field": f"{field}.{part}"}
        ) from None


def source_of(field: str, text: str) -> str:
    """Return a source's name; ARGUMENT_MALFORMED where it is none."""
    if not caps.fits_skill_name(text):
        raise malformed(
            field,
            f"{field} holds no name of a source: a lower-case letter or digit, then up to 63 of those, `_` or `-`",
        )
    return text


def _path_of(text: str) -> str:
    if not caps.fits_asset_name(text):
        raise malformed(
            "paths",
            "paths holds no path below a source: segments joined by `/`, none of them empty, `.` or `..`, without "
            "backslash and control characters",
        )
    return text_of("paths", text, caps.CAPS["RefreshRequest.paths"].max_item_bytes)


def _learned_partition(field: str, partition: pb.Partition) -> Partition:
    found = partition_of(partition, field)
    if found == DEPLOYMENT:
        raise malformed(field, f"{field} is the deployment's, which sources alone feed")
    return found


def _skills_of(field: str, content: pb.PartitionContent) -> tuple[LearnedSkill, ...]:
    check_count(field, len(content.skills), caps.CAPS["PartitionContent.skills"].max_items)
    skills = tuple(
        LearnedSkill(
            name=_skill_name_of(f"{field}[{at}].name", skill.name),
            description=text_of(
                f"{field}[{at}].description", skill.description, caps.CAPS["LearnedSkill.description"].max_bytes
            ),
            body=text_of(f"{field}[{at}].body", skill.body, caps.CAPS["LearnedSkill.body"].max_bytes),
        )
        for at, skill in enumerate(content.skills)
    )
    if len({skill.name for skill in skills}) != len(skills):
        raise malformed(field, f"{field} holds two skills of one name")
    return skills


def _skill_name_of(field: str, text: str) -> str:
    if not caps.fits_skill_name(text):
        raise InvalidInput(
            ErrorReason.NAME_MALFORMED,
            f"{field} is no skill name: a lower-case letter or digit, then up to 63 of those, `_` or `-`",
            metadata={"field": field},
        )
    return text


def _log_generation_of(field: str, said: pb.PartitionContent | pb.PartitionEmptied) -> int | None:
    if not said.HasField("log_generation"):
        return None
    if said.log_generation > _HIGHEST_LOG_GENERATION:
        raise out_of_range(field, f"{field} is above what can be kept", limit=_HIGHEST_LOG_GENERATION)
    return said.log_generation


def _check_each_once(learned: Sequence[Learned]) -> None:
    if not learned:
        raise malformed("partitions", "partitions names none")
    if len({each.partition for each in learned}) != len(learned):
        raise malformed("partitions", "partitions names one of them twice")


def _named(field: str, name: pb.GenerationName) -> Named:
    match name.WhichOneof("name"):
        case "sequence":
            return name.sequence
        case "digest":
            if not name.digest:
                raise malformed(f"{field}.digest", f"{field}.digest is empty")
            return digest_of(f"{field}.digest", name.digest)
        case _:
            raise malformed(field, f"{field} names no generation: say its sequence or its digest")


def page_of(request: _Paged, limits: Limits) -> PageAsk:
    """Return which page a request asks for."""
    cap = caps.CAPS[f"{request.DESCRIPTOR.name}.page_token"]
    return PageAsk(
        size=min(request.page_size or limits.page_skills, limits.page_skills),
        token=text_of("page_token", request.page_token, cap.max_bytes),
        fields=_hash_of(request),
    )


def _hash_of(request: Message) -> bytes:
    """Hash what must be the same for each page, the call itself included: no page token serves another one."""
    rest = type(request)()
    rest.CopyFrom(request)
    rest.ClearField("page_size")
    rest.ClearField("page_token")
    named = request.DESCRIPTOR.full_name.encode()
    return hashlib.sha256(named + b"\0" + rest.SerializeToString(deterministic=True)).digest()


def check_count(field: str, count: int, most: int) -> None:
    """Refuse a field that has more items than its cap."""
    if count > most:
        raise out_of_range(field, f"{field} has {count} items; at most {most}", limit=most)


def malformed(field: str, message: str) -> InvalidInput:
    """Return the error of a field that says nothing that can be meant."""
    return InvalidInput(ErrorReason.ARGUMENT_MALFORMED, message, metadata={"field": field})

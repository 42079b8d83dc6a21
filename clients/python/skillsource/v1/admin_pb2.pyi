from google.protobuf import timestamp_pb2 as _timestamp_pb2
from skillsource.v1 import caps_pb2 as _caps_pb2
from skillsource.v1 import skill_pb2 as _skill_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SourceStanding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SOURCE_STANDING_UNSPECIFIED: _ClassVar[SourceStanding]
    SOURCE_STANDING_WAITING: _ClassVar[SourceStanding]
    SOURCE_STANDING_COMPLETE: _ClassVar[SourceStanding]
    SOURCE_STANDING_STALE: _ClassVar[SourceStanding]
    SOURCE_STANDING_PARTIAL: _ClassVar[SourceStanding]
    SOURCE_STANDING_MISSING: _ClassVar[SourceStanding]

class PartitionVerdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PARTITION_VERDICT_UNSPECIFIED: _ClassVar[PartitionVerdict]
    PARTITION_VERDICT_PUBLISHED: _ClassVar[PartitionVerdict]
    PARTITION_VERDICT_UNCHANGED: _ClassVar[PartitionVerdict]
    PARTITION_VERDICT_STALE: _ClassVar[PartitionVerdict]
    PARTITION_VERDICT_FED_BY_SOURCES: _ClassVar[PartitionVerdict]

class EnablementState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENABLEMENT_STATE_UNSPECIFIED: _ClassVar[EnablementState]
    ENABLEMENT_STATE_ENABLED: _ClassVar[EnablementState]
    ENABLEMENT_STATE_DISABLED: _ClassVar[EnablementState]
    ENABLEMENT_STATE_INHERITED: _ClassVar[EnablementState]

class IdentityKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    IDENTITY_KIND_UNSPECIFIED: _ClassVar[IdentityKind]
    IDENTITY_KIND_SPIFFE: _ClassVar[IdentityKind]
    IDENTITY_KIND_CERT: _ClassVar[IdentityKind]
    IDENTITY_KIND_OIDC: _ClassVar[IdentityKind]
    IDENTITY_KIND_TOKEN: _ClassVar[IdentityKind]

class CallerRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CALLER_ROLE_UNSPECIFIED: _ClassVar[CallerRole]
    CALLER_ROLE_READER: _ClassVar[CallerRole]
    CALLER_ROLE_REPORTER: _ClassVar[CallerRole]
    CALLER_ROLE_PUBLISHER: _ClassVar[CallerRole]
    CALLER_ROLE_ADMIN: _ClassVar[CallerRole]

class RuleVerdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RULE_VERDICT_UNSPECIFIED: _ClassVar[RuleVerdict]
    RULE_VERDICT_DECIDES: _ClassVar[RuleVerdict]
    RULE_VERDICT_TOO_LATE: _ClassVar[RuleVerdict]
    RULE_VERDICT_FOR_OTHERS: _ClassVar[RuleVerdict]
SOURCE_STANDING_UNSPECIFIED: SourceStanding
SOURCE_STANDING_WAITING: SourceStanding
SOURCE_STANDING_COMPLETE: SourceStanding
SOURCE_STANDING_STALE: SourceStanding
SOURCE_STANDING_PARTIAL: SourceStanding
SOURCE_STANDING_MISSING: SourceStanding
PARTITION_VERDICT_UNSPECIFIED: PartitionVerdict
PARTITION_VERDICT_PUBLISHED: PartitionVerdict
PARTITION_VERDICT_UNCHANGED: PartitionVerdict
PARTITION_VERDICT_STALE: PartitionVerdict
PARTITION_VERDICT_FED_BY_SOURCES: PartitionVerdict
ENABLEMENT_STATE_UNSPECIFIED: EnablementState
ENABLEMENT_STATE_ENABLED: EnablementState
ENABLEMENT_STATE_DISABLED: EnablementState
ENABLEMENT_STATE_INHERITED: EnablementState
IDENTITY_KIND_UNSPECIFIED: IdentityKind
IDENTITY_KIND_SPIFFE: IdentityKind
IDENTITY_KIND_CERT: IdentityKind
IDENTITY_KIND_OIDC: IdentityKind
IDENTITY_KIND_TOKEN: IdentityKind
CALLER_ROLE_UNSPECIFIED: CallerRole
CALLER_ROLE_READER: CallerRole
CALLER_ROLE_REPORTER: CallerRole
CALLER_ROLE_PUBLISHER: CallerRole
CALLER_ROLE_ADMIN: CallerRole
RULE_VERDICT_UNSPECIFIED: RuleVerdict
RULE_VERDICT_DECIDES: RuleVerdict
RULE_VERDICT_TOO_LATE: RuleVerdict
RULE_VERDICT_FOR_OTHERS: RuleVerdict

class Partition(_message.Message):
    __slots__ = ("principal", "project", "deployment")
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    DEPLOYMENT_FIELD_NUMBER: _ClassVar[int]
    principal: str
    project: str
    deployment: bool
    def __init__(self, principal: _Optional[str] = ..., project: _Optional[str] = ..., deployment: bool = ...) -> None: ...

class LayerGeneration(_message.Message):
    __slots__ = ("sequence", "digest", "published_at", "skills", "shadowed")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_AT_FIELD_NUMBER: _ClassVar[int]
    SKILLS_FIELD_NUMBER: _ClassVar[int]
    SHADOWED_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    digest: str
    published_at: _timestamp_pb2.Timestamp
    skills: int
    shadowed: int
    def __init__(self, sequence: _Optional[int] = ..., digest: _Optional[str] = ..., published_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., skills: _Optional[int] = ..., shadowed: _Optional[int] = ...) -> None: ...

class GenerationName(_message.Message):
    __slots__ = ("sequence", "digest")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    digest: str
    def __init__(self, sequence: _Optional[int] = ..., digest: _Optional[str] = ...) -> None: ...

class SourceReport(_message.Message):
    __slots__ = ("name", "kind", "tier", "trust", "state", "last_look_at", "last_success_at", "last_error", "revision", "skills", "diagnostics", "looking", "next_look_at")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    LAST_LOOK_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_SUCCESS_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_ERROR_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SKILLS_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    LOOKING_FIELD_NUMBER: _ClassVar[int]
    NEXT_LOOK_AT_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: str
    tier: _skill_pb2.Tier
    trust: _skill_pb2.Trust
    state: SourceStanding
    last_look_at: _timestamp_pb2.Timestamp
    last_success_at: _timestamp_pb2.Timestamp
    last_error: str
    revision: str
    skills: int
    diagnostics: int
    looking: bool
    next_look_at: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[str] = ..., tier: _Optional[_Union[_skill_pb2.Tier, str]] = ..., trust: _Optional[_Union[_skill_pb2.Trust, str]] = ..., state: _Optional[_Union[SourceStanding, str]] = ..., last_look_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_success_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_error: _Optional[str] = ..., revision: _Optional[str] = ..., skills: _Optional[int] = ..., diagnostics: _Optional[int] = ..., looking: bool = ..., next_look_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListSourcesRequest(_message.Message):
    __slots__ = ("partition", "page_size", "page_token")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    page_size: int
    page_token: str
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSourcesResponse(_message.Message):
    __slots__ = ("sources", "next_page_token", "total_size")
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    sources: _containers.RepeatedCompositeFieldContainer[SourceReport]
    next_page_token: str
    total_size: int
    def __init__(self, sources: _Optional[_Iterable[_Union[SourceReport, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_size: _Optional[int] = ...) -> None: ...

class RefreshRequest(_message.Message):
    __slots__ = ("partition", "sources", "paths")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    PATHS_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    sources: _containers.RepeatedScalarFieldContainer[str]
    paths: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., sources: _Optional[_Iterable[str]] = ..., paths: _Optional[_Iterable[str]] = ...) -> None: ...

class RefreshResponse(_message.Message):
    __slots__ = ("before", "after", "sources", "added", "modified", "removed", "added_total", "modified_total", "removed_total")
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    MODIFIED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    ADDED_TOTAL_FIELD_NUMBER: _ClassVar[int]
    MODIFIED_TOTAL_FIELD_NUMBER: _ClassVar[int]
    REMOVED_TOTAL_FIELD_NUMBER: _ClassVar[int]
    before: LayerGeneration
    after: LayerGeneration
    sources: _containers.RepeatedCompositeFieldContainer[SourceReport]
    added: _containers.RepeatedScalarFieldContainer[str]
    modified: _containers.RepeatedScalarFieldContainer[str]
    removed: _containers.RepeatedScalarFieldContainer[str]
    added_total: int
    modified_total: int
    removed_total: int
    def __init__(self, before: _Optional[_Union[LayerGeneration, _Mapping]] = ..., after: _Optional[_Union[LayerGeneration, _Mapping]] = ..., sources: _Optional[_Iterable[_Union[SourceReport, _Mapping]]] = ..., added: _Optional[_Iterable[str]] = ..., modified: _Optional[_Iterable[str]] = ..., removed: _Optional[_Iterable[str]] = ..., added_total: _Optional[int] = ..., modified_total: _Optional[int] = ..., removed_total: _Optional[int] = ...) -> None: ...

class ListDiagnosticsRequest(_message.Message):
    __slots__ = ("partition", "source", "min_severity", "skill", "page_size", "page_token")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    MIN_SEVERITY_FIELD_NUMBER: _ClassVar[int]
    SKILL_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    source: str
    min_severity: _skill_pb2.Severity
    skill: str
    page_size: int
    page_token: str
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., source: _Optional[str] = ..., min_severity: _Optional[_Union[_skill_pb2.Severity, str]] = ..., skill: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListDiagnosticsResponse(_message.Message):
    __slots__ = ("diagnostics", "next_page_token", "total_size")
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    diagnostics: _containers.RepeatedCompositeFieldContainer[_skill_pb2.Diagnostic]
    next_page_token: str
    total_size: int
    def __init__(self, diagnostics: _Optional[_Iterable[_Union[_skill_pb2.Diagnostic, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_size: _Optional[int] = ...) -> None: ...

class ListPartitionsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class PartitionReport(_message.Message):
    __slots__ = ("partition", "present", "retained", "sources", "complete", "revoked", "log_generation")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    PRESENT_FIELD_NUMBER: _ClassVar[int]
    RETAINED_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    LOG_GENERATION_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    present: LayerGeneration
    retained: int
    sources: int
    complete: bool
    revoked: int
    log_generation: int
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., present: _Optional[_Union[LayerGeneration, _Mapping]] = ..., retained: _Optional[int] = ..., sources: _Optional[int] = ..., complete: bool = ..., revoked: _Optional[int] = ..., log_generation: _Optional[int] = ...) -> None: ...

class ListPartitionsResponse(_message.Message):
    __slots__ = ("partitions", "next_page_token", "total_size")
    PARTITIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    partitions: _containers.RepeatedCompositeFieldContainer[PartitionReport]
    next_page_token: str
    total_size: int
    def __init__(self, partitions: _Optional[_Iterable[_Union[PartitionReport, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_size: _Optional[int] = ...) -> None: ...

class GetGenerationRequest(_message.Message):
    __slots__ = ("partition", "generation", "page_size", "page_token")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    generation: GenerationName
    page_size: int
    page_token: str
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., generation: _Optional[_Union[GenerationName, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class GenerationRow(_message.Message):
    __slots__ = ("name", "source", "shadowed", "digest", "tier", "trust", "collection")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SHADOWED_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    source: str
    shadowed: bool
    digest: str
    tier: _skill_pb2.Tier
    trust: _skill_pb2.Trust
    collection: str
    def __init__(self, name: _Optional[str] = ..., source: _Optional[str] = ..., shadowed: bool = ..., digest: _Optional[str] = ..., tier: _Optional[_Union[_skill_pb2.Tier, str]] = ..., trust: _Optional[_Union[_skill_pb2.Trust, str]] = ..., collection: _Optional[str] = ...) -> None: ...

class GetGenerationResponse(_message.Message):
    __slots__ = ("generation", "rows", "next_page_token", "total_size", "retained", "revoked")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    RETAINED_FIELD_NUMBER: _ClassVar[int]
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    generation: LayerGeneration
    rows: _containers.RepeatedCompositeFieldContainer[GenerationRow]
    next_page_token: str
    total_size: int
    retained: _containers.RepeatedCompositeFieldContainer[LayerGeneration]
    revoked: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, generation: _Optional[_Union[LayerGeneration, _Mapping]] = ..., rows: _Optional[_Iterable[_Union[GenerationRow, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_size: _Optional[int] = ..., retained: _Optional[_Iterable[_Union[LayerGeneration, _Mapping]]] = ..., revoked: _Optional[_Iterable[str]] = ...) -> None: ...

class DiffGenerationsRequest(_message.Message):
    __slots__ = ("partition", "before", "after", "page_size", "page_token")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    before: GenerationName
    after: GenerationName
    page_size: int
    page_token: str
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., before: _Optional[_Union[GenerationName, _Mapping]] = ..., after: _Optional[_Union[GenerationName, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ModifiedSkill(_message.Message):
    __slots__ = ("name", "content", "policy", "source_before", "source_after")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_BEFORE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_AFTER_FIELD_NUMBER: _ClassVar[int]
    name: str
    content: bool
    policy: bool
    source_before: str
    source_after: str
    def __init__(self, name: _Optional[str] = ..., content: bool = ..., policy: bool = ..., source_before: _Optional[str] = ..., source_after: _Optional[str] = ...) -> None: ...

class DiffGenerationsResponse(_message.Message):
    __slots__ = ("before", "after", "added", "modified", "removed", "added_total", "modified_total", "removed_total", "shadowed_total", "next_page_token")
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    MODIFIED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    ADDED_TOTAL_FIELD_NUMBER: _ClassVar[int]
    MODIFIED_TOTAL_FIELD_NUMBER: _ClassVar[int]
    REMOVED_TOTAL_FIELD_NUMBER: _ClassVar[int]
    SHADOWED_TOTAL_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    before: LayerGeneration
    after: LayerGeneration
    added: _containers.RepeatedScalarFieldContainer[str]
    modified: _containers.RepeatedCompositeFieldContainer[ModifiedSkill]
    removed: _containers.RepeatedScalarFieldContainer[str]
    added_total: int
    modified_total: int
    removed_total: int
    shadowed_total: int
    next_page_token: str
    def __init__(self, before: _Optional[_Union[LayerGeneration, _Mapping]] = ..., after: _Optional[_Union[LayerGeneration, _Mapping]] = ..., added: _Optional[_Iterable[str]] = ..., modified: _Optional[_Iterable[_Union[ModifiedSkill, _Mapping]]] = ..., removed: _Optional[_Iterable[str]] = ..., added_total: _Optional[int] = ..., modified_total: _Optional[int] = ..., removed_total: _Optional[int] = ..., shadowed_total: _Optional[int] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class LearnedSkill(_message.Message):
    __slots__ = ("name", "description", "body")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    body: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., body: _Optional[str] = ...) -> None: ...

class PartitionContent(_message.Message):
    __slots__ = ("partition", "log_generation", "skills")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    LOG_GENERATION_FIELD_NUMBER: _ClassVar[int]
    SKILLS_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    log_generation: int
    skills: _containers.RepeatedCompositeFieldContainer[LearnedSkill]
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., log_generation: _Optional[int] = ..., skills: _Optional[_Iterable[_Union[LearnedSkill, _Mapping]]] = ...) -> None: ...

class RefreshPartitionsRequest(_message.Message):
    __slots__ = ("partitions",)
    PARTITIONS_FIELD_NUMBER: _ClassVar[int]
    partitions: _containers.RepeatedCompositeFieldContainer[PartitionContent]
    def __init__(self, partitions: _Optional[_Iterable[_Union[PartitionContent, _Mapping]]] = ...) -> None: ...

class PartitionOutcome(_message.Message):
    __slots__ = ("partition", "verdict", "generation", "log_generation", "conflicts", "revoked")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    LOG_GENERATION_FIELD_NUMBER: _ClassVar[int]
    CONFLICTS_FIELD_NUMBER: _ClassVar[int]
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    verdict: PartitionVerdict
    generation: LayerGeneration
    log_generation: int
    conflicts: _containers.RepeatedScalarFieldContainer[str]
    revoked: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., verdict: _Optional[_Union[PartitionVerdict, str]] = ..., generation: _Optional[_Union[LayerGeneration, _Mapping]] = ..., log_generation: _Optional[int] = ..., conflicts: _Optional[_Iterable[str]] = ..., revoked: _Optional[_Iterable[str]] = ...) -> None: ...

class RefreshPartitionsResponse(_message.Message):
    __slots__ = ("partitions",)
    PARTITIONS_FIELD_NUMBER: _ClassVar[int]
    partitions: _containers.RepeatedCompositeFieldContainer[PartitionOutcome]
    def __init__(self, partitions: _Optional[_Iterable[_Union[PartitionOutcome, _Mapping]]] = ...) -> None: ...

class PartitionEmptied(_message.Message):
    __slots__ = ("partition", "log_generation")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    LOG_GENERATION_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    log_generation: int
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., log_generation: _Optional[int] = ...) -> None: ...

class ClearPartitionsRequest(_message.Message):
    __slots__ = ("partitions",)
    PARTITIONS_FIELD_NUMBER: _ClassVar[int]
    partitions: _containers.RepeatedCompositeFieldContainer[PartitionEmptied]
    def __init__(self, partitions: _Optional[_Iterable[_Union[PartitionEmptied, _Mapping]]] = ...) -> None: ...

class ClearPartitionsResponse(_message.Message):
    __slots__ = ("partitions",)
    PARTITIONS_FIELD_NUMBER: _ClassVar[int]
    partitions: _containers.RepeatedCompositeFieldContainer[PartitionOutcome]
    def __init__(self, partitions: _Optional[_Iterable[_Union[PartitionOutcome, _Mapping]]] = ...) -> None: ...

class RevokeSkillRequest(_message.Message):
    __slots__ = ("partition", "name")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    name: str
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., name: _Optional[str] = ...) -> None: ...

class RevokeSkillResponse(_message.Message):
    __slots__ = ("before", "after", "changed")
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    before: LayerGeneration
    after: LayerGeneration
    changed: bool
    def __init__(self, before: _Optional[_Union[LayerGeneration, _Mapping]] = ..., after: _Optional[_Union[LayerGeneration, _Mapping]] = ..., changed: bool = ...) -> None: ...

class LiftRevokeRequest(_message.Message):
    __slots__ = ("partition", "name")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    name: str
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., name: _Optional[str] = ...) -> None: ...

class LiftRevokeResponse(_message.Message):
    __slots__ = ("generation", "changed")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    generation: LayerGeneration
    changed: bool
    def __init__(self, generation: _Optional[_Union[LayerGeneration, _Mapping]] = ..., changed: bool = ...) -> None: ...

class SetEnablementRequest(_message.Message):
    __slots__ = ("partition", "session", "names", "state")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    session: str
    names: _containers.RepeatedScalarFieldContainer[str]
    state: EnablementState
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., session: _Optional[str] = ..., names: _Optional[_Iterable[str]] = ..., state: _Optional[_Union[EnablementState, str]] = ...) -> None: ...

class SetEnablementResponse(_message.Message):
    __slots__ = ("changed",)
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    changed: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, changed: _Optional[_Iterable[str]] = ...) -> None: ...

class ListEnablementRequest(_message.Message):
    __slots__ = ("partition", "session", "deciding", "page_size", "page_token")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    DECIDING_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    session: str
    deciding: bool
    page_size: int
    page_token: str
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., session: _Optional[str] = ..., deciding: bool = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class EnablementWord(_message.Message):
    __slots__ = ("partition", "session", "name", "state", "set_at")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    SET_AT_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    session: str
    name: str
    state: EnablementState
    set_at: _timestamp_pb2.Timestamp
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., session: _Optional[str] = ..., name: _Optional[str] = ..., state: _Optional[_Union[EnablementState, str]] = ..., set_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListEnablementResponse(_message.Message):
    __slots__ = ("words", "next_page_token", "total_size")
    WORDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    words: _containers.RepeatedCompositeFieldContainer[EnablementWord]
    next_page_token: str
    total_size: int
    def __init__(self, words: _Optional[_Iterable[_Union[EnablementWord, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_size: _Optional[int] = ...) -> None: ...

class Claim(_message.Message):
    __slots__ = ("name", "values")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    name: str
    values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., values: _Optional[_Iterable[str]] = ...) -> None: ...

class Identity(_message.Message):
    __slots__ = ("kind", "name", "issuer", "claims", "expires_at")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    kind: IdentityKind
    name: str
    issuer: str
    claims: _containers.RepeatedCompositeFieldContainer[Claim]
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, kind: _Optional[_Union[IdentityKind, str]] = ..., name: _Optional[str] = ..., issuer: _Optional[str] = ..., claims: _Optional[_Iterable[_Union[Claim, _Mapping]]] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ExplainAccessRequest(_message.Message):
    __slots__ = ("identity", "project", "page_size", "page_token")
    IDENTITY_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    identity: Identity
    project: str
    page_size: int
    page_token: str
    def __init__(self, identity: _Optional[_Union[Identity, _Mapping]] = ..., project: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class AllowedSkills(_message.Message):
    __slots__ = ("names", "total")
    NAMES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    total: int
    def __init__(self, names: _Optional[_Iterable[str]] = ..., total: _Optional[int] = ...) -> None: ...

class AccessGrant(_message.Message):
    __slots__ = ("rule", "principal", "partitions", "projects", "projects_total", "roles", "allow", "expires_at")
    RULE_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    PARTITIONS_FIELD_NUMBER: _ClassVar[int]
    PROJECTS_FIELD_NUMBER: _ClassVar[int]
    PROJECTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    rule: str
    principal: str
    partitions: _containers.RepeatedCompositeFieldContainer[Partition]
    projects: _containers.RepeatedScalarFieldContainer[str]
    projects_total: int
    roles: _containers.RepeatedScalarFieldContainer[CallerRole]
    allow: AllowedSkills
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, rule: _Optional[str] = ..., principal: _Optional[str] = ..., partitions: _Optional[_Iterable[_Union[Partition, _Mapping]]] = ..., projects: _Optional[_Iterable[str]] = ..., projects_total: _Optional[int] = ..., roles: _Optional[_Iterable[_Union[CallerRole, str]]] = ..., allow: _Optional[_Union[AllowedSkills, _Mapping]] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class SeenLayer(_message.Message):
    __slots__ = ("partition", "present")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    PRESENT_FIELD_NUMBER: _ClassVar[int]
    partition: Partition
    present: LayerGeneration
    def __init__(self, partition: _Optional[_Union[Partition, _Mapping]] = ..., present: _Optional[_Union[LayerGeneration, _Mapping]] = ...) -> None: ...

class ExplainedRule(_message.Message):
    __slots__ = ("name", "verdict", "why")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    name: str
    verdict: RuleVerdict
    why: str
    def __init__(self, name: _Optional[str] = ..., verdict: _Optional[_Union[RuleVerdict, str]] = ..., why: _Optional[str] = ...) -> None: ...

class ExplainAccessResponse(_message.Message):
    __slots__ = ("identity", "credential_refused", "access_refused", "grant", "project_refused", "layers", "rules", "next_page_token", "total_size")
    IDENTITY_FIELD_NUMBER: _ClassVar[int]
    CREDENTIAL_REFUSED_FIELD_NUMBER: _ClassVar[int]
    ACCESS_REFUSED_FIELD_NUMBER: _ClassVar[int]
    GRANT_FIELD_NUMBER: _ClassVar[int]
    PROJECT_REFUSED_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    identity: str
    credential_refused: str
    access_refused: str
    grant: AccessGrant
    project_refused: bool
    layers: _containers.RepeatedCompositeFieldContainer[SeenLayer]
    rules: _containers.RepeatedCompositeFieldContainer[ExplainedRule]
    next_page_token: str
    total_size: int
    def __init__(self, identity: _Optional[str] = ..., credential_refused: _Optional[str] = ..., access_refused: _Optional[str] = ..., grant: _Optional[_Union[AccessGrant, _Mapping]] = ..., project_refused: bool = ..., layers: _Optional[_Iterable[_Union[SeenLayer, _Mapping]]] = ..., rules: _Optional[_Iterable[_Union[ExplainedRule, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_size: _Optional[int] = ...) -> None: ...

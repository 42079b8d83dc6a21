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

class SourceState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SOURCE_STATE_UNSPECIFIED: _ClassVar[SourceState]
    SOURCE_STATE_STALE: _ClassVar[SourceState]
    SOURCE_STATE_MISSING: _ClassVar[SourceState]
    SOURCE_STATE_PARTIAL: _ClassVar[SourceState]

class SkillView(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SKILL_VIEW_UNSPECIFIED: _ClassVar[SkillView]
    SKILL_VIEW_BASIC: _ClassVar[SkillView]
    SKILL_VIEW_FULL: _ClassVar[SkillView]

class InvocationFilter(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INVOCATION_FILTER_UNSPECIFIED: _ClassVar[InvocationFilter]
    INVOCATION_FILTER_ANY: _ClassVar[InvocationFilter]
    INVOCATION_FILTER_MODEL: _ClassVar[InvocationFilter]
    INVOCATION_FILTER_USER: _ClassVar[InvocationFilter]

class BodyForm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BODY_FORM_UNSPECIFIED: _ClassVar[BodyForm]
    BODY_FORM_BODY: _ClassVar[BodyForm]
    BODY_FORM_DOCUMENT: _ClassVar[BodyForm]

class McpMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MCP_MODE_UNSPECIFIED: _ClassVar[McpMode]
    MCP_MODE_CONNECT: _ClassVar[McpMode]
    MCP_MODE_DESCRIBE_ONLY: _ClassVar[McpMode]

class TextForm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TEXT_FORM_UNSPECIFIED: _ClassVar[TextForm]
    TEXT_FORM_PLAIN: _ClassVar[TextForm]
    TEXT_FORM_SKILL_CONTENT: _ClassVar[TextForm]
    TEXT_FORM_COMMAND: _ClassVar[TextForm]

class CatalogFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CATALOG_FORMAT_UNSPECIFIED: _ClassVar[CatalogFormat]
    CATALOG_FORMAT_XML: _ClassVar[CatalogFormat]
    CATALOG_FORMAT_MARKDOWN: _ClassVar[CatalogFormat]
    CATALOG_FORMAT_LINES: _ClassVar[CatalogFormat]

class CatalogOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CATALOG_ORDER_UNSPECIFIED: _ClassVar[CatalogOrder]
    CATALOG_ORDER_RELEVANCE: _ClassVar[CatalogOrder]
    CATALOG_ORDER_PRIOR: _ClassVar[CatalogOrder]
    CATALOG_ORDER_NAME: _ClassVar[CatalogOrder]

class CapabilityKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CAPABILITY_KIND_UNSPECIFIED: _ClassVar[CapabilityKind]
    CAPABILITY_KIND_TOOL: _ClassVar[CapabilityKind]
    CAPABILITY_KIND_SKILL: _ClassVar[CapabilityKind]
    CAPABILITY_KIND_COMMAND: _ClassVar[CapabilityKind]
SOURCE_STATE_UNSPECIFIED: SourceState
SOURCE_STATE_STALE: SourceState
SOURCE_STATE_MISSING: SourceState
SOURCE_STATE_PARTIAL: SourceState
SKILL_VIEW_UNSPECIFIED: SkillView
SKILL_VIEW_BASIC: SkillView
SKILL_VIEW_FULL: SkillView
INVOCATION_FILTER_UNSPECIFIED: InvocationFilter
INVOCATION_FILTER_ANY: InvocationFilter
INVOCATION_FILTER_MODEL: InvocationFilter
INVOCATION_FILTER_USER: InvocationFilter
BODY_FORM_UNSPECIFIED: BodyForm
BODY_FORM_BODY: BodyForm
BODY_FORM_DOCUMENT: BodyForm
MCP_MODE_UNSPECIFIED: McpMode
MCP_MODE_CONNECT: McpMode
MCP_MODE_DESCRIBE_ONLY: McpMode
TEXT_FORM_UNSPECIFIED: TextForm
TEXT_FORM_PLAIN: TextForm
TEXT_FORM_SKILL_CONTENT: TextForm
TEXT_FORM_COMMAND: TextForm
CATALOG_FORMAT_UNSPECIFIED: CatalogFormat
CATALOG_FORMAT_XML: CatalogFormat
CATALOG_FORMAT_MARKDOWN: CatalogFormat
CATALOG_FORMAT_LINES: CatalogFormat
CATALOG_ORDER_UNSPECIFIED: CatalogOrder
CATALOG_ORDER_RELEVANCE: CatalogOrder
CATALOG_ORDER_PRIOR: CatalogOrder
CATALOG_ORDER_NAME: CatalogOrder
CAPABILITY_KIND_UNSPECIFIED: CapabilityKind
CAPABILITY_KIND_TOOL: CapabilityKind
CAPABILITY_KIND_SKILL: CapabilityKind
CAPABILITY_KIND_COMMAND: CapabilityKind

class Consistency(_message.Message):
    __slots__ = ("at_least", "at_exactly")
    AT_LEAST_FIELD_NUMBER: _ClassVar[int]
    AT_EXACTLY_FIELD_NUMBER: _ClassVar[int]
    at_least: str
    at_exactly: str
    def __init__(self, at_least: _Optional[str] = ..., at_exactly: _Optional[str] = ...) -> None: ...

class AllowList(_message.Message):
    __slots__ = ("names",)
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, names: _Optional[_Iterable[str]] = ...) -> None: ...

class UnreachableSource(_message.Message):
    __slots__ = ("source", "since", "state")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    source: str
    since: _timestamp_pb2.Timestamp
    state: SourceState
    def __init__(self, source: _Optional[str] = ..., since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., state: _Optional[_Union[SourceState, str]] = ...) -> None: ...

class Generation(_message.Message):
    __slots__ = ("token", "sequence", "digest", "published_at", "complete", "unreachable_sources")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_AT_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    UNREACHABLE_SOURCES_FIELD_NUMBER: _ClassVar[int]
    token: str
    sequence: int
    digest: str
    published_at: _timestamp_pb2.Timestamp
    complete: bool
    unreachable_sources: _containers.RepeatedCompositeFieldContainer[UnreachableSource]
    def __init__(self, token: _Optional[str] = ..., sequence: _Optional[int] = ..., digest: _Optional[str] = ..., published_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., complete: bool = ..., unreachable_sources: _Optional[_Iterable[_Union[UnreachableSource, _Mapping]]] = ...) -> None: ...

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ServerLimits(_message.Message):
    __slots__ = ("description_bytes", "body_bytes", "activation_text_bytes", "assets", "asset_bytes", "range_bytes", "layer_skills", "page_skills", "page_bytes", "request_bytes")
    DESCRIPTION_BYTES_FIELD_NUMBER: _ClassVar[int]
    BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    ACTIVATION_TEXT_BYTES_FIELD_NUMBER: _ClassVar[int]
    ASSETS_FIELD_NUMBER: _ClassVar[int]
    ASSET_BYTES_FIELD_NUMBER: _ClassVar[int]
    RANGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    LAYER_SKILLS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SKILLS_FIELD_NUMBER: _ClassVar[int]
    PAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    REQUEST_BYTES_FIELD_NUMBER: _ClassVar[int]
    description_bytes: int
    body_bytes: int
    activation_text_bytes: int
    assets: int
    asset_bytes: int
    range_bytes: int
    layer_skills: int
    page_skills: int
    page_bytes: int
    request_bytes: int
    def __init__(self, description_bytes: _Optional[int] = ..., body_bytes: _Optional[int] = ..., activation_text_bytes: _Optional[int] = ..., assets: _Optional[int] = ..., asset_bytes: _Optional[int] = ..., range_bytes: _Optional[int] = ..., layer_skills: _Optional[int] = ..., page_skills: _Optional[int] = ..., page_bytes: _Optional[int] = ..., request_bytes: _Optional[int] = ...) -> None: ...

class Retention(_message.Message):
    __slots__ = ("generations", "max_age_seconds", "max_generations")
    GENERATIONS_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_GENERATIONS_FIELD_NUMBER: _ClassVar[int]
    generations: int
    max_age_seconds: int
    max_generations: int
    def __init__(self, generations: _Optional[int] = ..., max_age_seconds: _Optional[int] = ..., max_generations: _Optional[int] = ...) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("version", "contract", "features", "limits", "retention", "now")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CONTRACT_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    RETENTION_FIELD_NUMBER: _ClassVar[int]
    NOW_FIELD_NUMBER: _ClassVar[int]
    version: str
    contract: int
    features: _containers.RepeatedScalarFieldContainer[str]
    limits: ServerLimits
    retention: Retention
    now: _timestamp_pb2.Timestamp
    def __init__(self, version: _Optional[str] = ..., contract: _Optional[int] = ..., features: _Optional[_Iterable[str]] = ..., limits: _Optional[_Union[ServerLimits, _Mapping]] = ..., retention: _Optional[_Union[Retention, _Mapping]] = ..., now: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListSkillsRequest(_message.Message):
    __slots__ = ("project", "session", "consistency", "allow", "builtin_tools", "view", "page_size", "page_token", "if_none_match", "invocation", "collection")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    BUILTIN_TOOLS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    IF_NONE_MATCH_FIELD_NUMBER: _ClassVar[int]
    INVOCATION_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    project: str
    session: str
    consistency: Consistency
    allow: AllowList
    builtin_tools: _containers.RepeatedScalarFieldContainer[str]
    view: SkillView
    page_size: int
    page_token: str
    if_none_match: str
    invocation: InvocationFilter
    collection: str
    def __init__(self, project: _Optional[str] = ..., session: _Optional[str] = ..., consistency: _Optional[_Union[Consistency, _Mapping]] = ..., allow: _Optional[_Union[AllowList, _Mapping]] = ..., builtin_tools: _Optional[_Iterable[str]] = ..., view: _Optional[_Union[SkillView, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., if_none_match: _Optional[str] = ..., invocation: _Optional[_Union[InvocationFilter, str]] = ..., collection: _Optional[str] = ...) -> None: ...

class Collection(_message.Message):
    __slots__ = ("id", "line", "count")
    ID_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    id: str
    line: str
    count: int
    def __init__(self, id: _Optional[str] = ..., line: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class ListSkillsResponse(_message.Message):
    __slots__ = ("generation", "not_modified", "skills", "next_page_token", "total_size", "collections")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    NOT_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    SKILLS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    COLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    generation: Generation
    not_modified: bool
    skills: _containers.RepeatedCompositeFieldContainer[_skill_pb2.Skill]
    next_page_token: str
    total_size: int
    collections: _containers.RepeatedCompositeFieldContainer[Collection]
    def __init__(self, generation: _Optional[_Union[Generation, _Mapping]] = ..., not_modified: bool = ..., skills: _Optional[_Iterable[_Union[_skill_pb2.Skill, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_size: _Optional[int] = ..., collections: _Optional[_Iterable[_Union[Collection, _Mapping]]] = ...) -> None: ...

class SkillBodyRequest(_message.Message):
    __slots__ = ("project", "session", "consistency", "allow", "name", "offset", "max_bytes", "if_none_match", "form")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    IF_NONE_MATCH_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    project: str
    session: str
    consistency: Consistency
    allow: AllowList
    name: str
    offset: int
    max_bytes: int
    if_none_match: str
    form: BodyForm
    def __init__(self, project: _Optional[str] = ..., session: _Optional[str] = ..., consistency: _Optional[_Union[Consistency, _Mapping]] = ..., allow: _Optional[_Union[AllowList, _Mapping]] = ..., name: _Optional[str] = ..., offset: _Optional[int] = ..., max_bytes: _Optional[int] = ..., if_none_match: _Optional[str] = ..., form: _Optional[_Union[BodyForm, str]] = ...) -> None: ...

class SkillBodyResponse(_message.Message):
    __slots__ = ("generation", "body", "digest", "total_bytes", "next_offset", "not_modified")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    NOT_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    generation: Generation
    body: str
    digest: str
    total_bytes: int
    next_offset: int
    not_modified: bool
    def __init__(self, generation: _Optional[_Union[Generation, _Mapping]] = ..., body: _Optional[str] = ..., digest: _Optional[str] = ..., total_bytes: _Optional[int] = ..., next_offset: _Optional[int] = ..., not_modified: bool = ...) -> None: ...

class ListAssetsRequest(_message.Message):
    __slots__ = ("project", "session", "consistency", "allow", "name")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    project: str
    session: str
    consistency: Consistency
    allow: AllowList
    name: str
    def __init__(self, project: _Optional[str] = ..., session: _Optional[str] = ..., consistency: _Optional[_Union[Consistency, _Mapping]] = ..., allow: _Optional[_Union[AllowList, _Mapping]] = ..., name: _Optional[str] = ...) -> None: ...

class ListAssetsResponse(_message.Message):
    __slots__ = ("generation", "assets")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    ASSETS_FIELD_NUMBER: _ClassVar[int]
    generation: Generation
    assets: _containers.RepeatedCompositeFieldContainer[_skill_pb2.Asset]
    def __init__(self, generation: _Optional[_Union[Generation, _Mapping]] = ..., assets: _Optional[_Iterable[_Union[_skill_pb2.Asset, _Mapping]]] = ...) -> None: ...

class ReadAssetRequest(_message.Message):
    __slots__ = ("project", "session", "consistency", "allow", "skill", "asset", "offset", "max_bytes", "if_none_match", "as_text")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    SKILL_FIELD_NUMBER: _ClassVar[int]
    ASSET_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    IF_NONE_MATCH_FIELD_NUMBER: _ClassVar[int]
    AS_TEXT_FIELD_NUMBER: _ClassVar[int]
    project: str
    session: str
    consistency: Consistency
    allow: AllowList
    skill: str
    asset: str
    offset: int
    max_bytes: int
    if_none_match: str
    as_text: bool
    def __init__(self, project: _Optional[str] = ..., session: _Optional[str] = ..., consistency: _Optional[_Union[Consistency, _Mapping]] = ..., allow: _Optional[_Union[AllowList, _Mapping]] = ..., skill: _Optional[str] = ..., asset: _Optional[str] = ..., offset: _Optional[int] = ..., max_bytes: _Optional[int] = ..., if_none_match: _Optional[str] = ..., as_text: bool = ...) -> None: ...

class ReadAssetResponse(_message.Message):
    __slots__ = ("generation", "data", "offset", "total_bytes", "next_offset", "digest", "media_type", "executable", "not_modified")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    EXECUTABLE_FIELD_NUMBER: _ClassVar[int]
    NOT_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    generation: Generation
    data: bytes
    offset: int
    total_bytes: int
    next_offset: int
    digest: str
    media_type: str
    executable: bool
    not_modified: bool
    def __init__(self, generation: _Optional[_Union[Generation, _Mapping]] = ..., data: _Optional[bytes] = ..., offset: _Optional[int] = ..., total_bytes: _Optional[int] = ..., next_offset: _Optional[int] = ..., digest: _Optional[str] = ..., media_type: _Optional[str] = ..., executable: bool = ..., not_modified: bool = ...) -> None: ...

class ActivateRequest(_message.Message):
    __slots__ = ("project", "session", "consistency", "allow", "builtin_tools", "name", "task", "invocation", "mcp", "allow_partial", "text_form", "arguments", "request_id")
    class ArgumentsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    BUILTIN_TOOLS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    INVOCATION_FIELD_NUMBER: _ClassVar[int]
    MCP_FIELD_NUMBER: _ClassVar[int]
    ALLOW_PARTIAL_FIELD_NUMBER: _ClassVar[int]
    TEXT_FORM_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    project: str
    session: str
    consistency: Consistency
    allow: AllowList
    builtin_tools: _containers.RepeatedScalarFieldContainer[str]
    name: str
    task: str
    invocation: InvocationFilter
    mcp: McpMode
    allow_partial: bool
    text_form: TextForm
    arguments: _containers.ScalarMap[str, str]
    request_id: str
    def __init__(self, project: _Optional[str] = ..., session: _Optional[str] = ..., consistency: _Optional[_Union[Consistency, _Mapping]] = ..., allow: _Optional[_Union[AllowList, _Mapping]] = ..., builtin_tools: _Optional[_Iterable[str]] = ..., name: _Optional[str] = ..., task: _Optional[str] = ..., invocation: _Optional[_Union[InvocationFilter, str]] = ..., mcp: _Optional[_Union[McpMode, str]] = ..., allow_partial: bool = ..., text_form: _Optional[_Union[TextForm, str]] = ..., arguments: _Optional[_Mapping[str, str]] = ..., request_id: _Optional[str] = ...) -> None: ...

class ActivateResponse(_message.Message):
    __slots__ = ("generation", "activation_id", "name", "text", "body_digest", "truncated", "next_offset", "assets", "tools", "notes", "readiness", "network")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    ACTIVATION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    BODY_DIGEST_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    ASSETS_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    READINESS_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    generation: Generation
    activation_id: str
    name: str
    text: str
    body_digest: str
    truncated: bool
    next_offset: int
    assets: _containers.RepeatedCompositeFieldContainer[_skill_pb2.Asset]
    tools: _containers.RepeatedCompositeFieldContainer[_skill_pb2.Tool]
    notes: _containers.RepeatedScalarFieldContainer[str]
    readiness: _skill_pb2.Readiness
    network: _skill_pb2.Network
    def __init__(self, generation: _Optional[_Union[Generation, _Mapping]] = ..., activation_id: _Optional[str] = ..., name: _Optional[str] = ..., text: _Optional[str] = ..., body_digest: _Optional[str] = ..., truncated: bool = ..., next_offset: _Optional[int] = ..., assets: _Optional[_Iterable[_Union[_skill_pb2.Asset, _Mapping]]] = ..., tools: _Optional[_Iterable[_Union[_skill_pb2.Tool, _Mapping]]] = ..., notes: _Optional[_Iterable[str]] = ..., readiness: _Optional[_Union[_skill_pb2.Readiness, _Mapping]] = ..., network: _Optional[_Union[_skill_pb2.Network, _Mapping]] = ...) -> None: ...

class SearchSkillsRequest(_message.Message):
    __slots__ = ("project", "session", "consistency", "allow", "builtin_tools", "query", "limit", "invocation", "task", "body_bytes")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    BUILTIN_TOOLS_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    INVOCATION_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    project: str
    session: str
    consistency: Consistency
    allow: AllowList
    builtin_tools: _containers.RepeatedScalarFieldContainer[str]
    query: str
    limit: int
    invocation: InvocationFilter
    task: str
    body_bytes: int
    def __init__(self, project: _Optional[str] = ..., session: _Optional[str] = ..., consistency: _Optional[_Union[Consistency, _Mapping]] = ..., allow: _Optional[_Union[AllowList, _Mapping]] = ..., builtin_tools: _Optional[_Iterable[str]] = ..., query: _Optional[str] = ..., limit: _Optional[int] = ..., invocation: _Optional[_Union[InvocationFilter, str]] = ..., task: _Optional[str] = ..., body_bytes: _Optional[int] = ...) -> None: ...

class SearchHit(_message.Message):
    __slots__ = ("skill", "score", "matched", "snippet", "body")
    SKILL_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    MATCHED_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    skill: _skill_pb2.Skill
    score: float
    matched: _containers.RepeatedScalarFieldContainer[str]
    snippet: str
    body: str
    def __init__(self, skill: _Optional[_Union[_skill_pb2.Skill, _Mapping]] = ..., score: _Optional[float] = ..., matched: _Optional[_Iterable[str]] = ..., snippet: _Optional[str] = ..., body: _Optional[str] = ...) -> None: ...

class SearchSkillsResponse(_message.Message):
    __slots__ = ("generation", "hits", "engine")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    HITS_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    generation: Generation
    hits: _containers.RepeatedCompositeFieldContainer[SearchHit]
    engine: str
    def __init__(self, generation: _Optional[_Union[Generation, _Mapping]] = ..., hits: _Optional[_Iterable[_Union[SearchHit, _Mapping]]] = ..., engine: _Optional[str] = ...) -> None: ...

class RenderCatalogRequest(_message.Message):
    __slots__ = ("project", "session", "consistency", "allow", "builtin_tools", "format", "order", "max_bytes", "max_tokens", "query", "task", "if_none_match")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    BUILTIN_TOOLS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    IF_NONE_MATCH_FIELD_NUMBER: _ClassVar[int]
    project: str
    session: str
    consistency: Consistency
    allow: AllowList
    builtin_tools: _containers.RepeatedScalarFieldContainer[str]
    format: CatalogFormat
    order: CatalogOrder
    max_bytes: int
    max_tokens: int
    query: str
    task: str
    if_none_match: str
    def __init__(self, project: _Optional[str] = ..., session: _Optional[str] = ..., consistency: _Optional[_Union[Consistency, _Mapping]] = ..., allow: _Optional[_Union[AllowList, _Mapping]] = ..., builtin_tools: _Optional[_Iterable[str]] = ..., format: _Optional[_Union[CatalogFormat, str]] = ..., order: _Optional[_Union[CatalogOrder, str]] = ..., max_bytes: _Optional[int] = ..., max_tokens: _Optional[int] = ..., query: _Optional[str] = ..., task: _Optional[str] = ..., if_none_match: _Optional[str] = ...) -> None: ...

class OmittedSkill(_message.Message):
    __slots__ = ("name", "reason")
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    name: str
    reason: str
    def __init__(self, name: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class RenderCatalogResponse(_message.Message):
    __slots__ = ("generation", "text", "digest", "entries_digest", "shown", "total", "omitted", "omitted_total", "not_modified", "shortened")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_DIGEST_FIELD_NUMBER: _ClassVar[int]
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    OMITTED_FIELD_NUMBER: _ClassVar[int]
    OMITTED_TOTAL_FIELD_NUMBER: _ClassVar[int]
    NOT_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    SHORTENED_FIELD_NUMBER: _ClassVar[int]
    generation: Generation
    text: str
    digest: str
    entries_digest: str
    shown: int
    total: int
    omitted: _containers.RepeatedCompositeFieldContainer[OmittedSkill]
    omitted_total: int
    not_modified: bool
    shortened: int
    def __init__(self, generation: _Optional[_Union[Generation, _Mapping]] = ..., text: _Optional[str] = ..., digest: _Optional[str] = ..., entries_digest: _Optional[str] = ..., shown: _Optional[int] = ..., total: _Optional[int] = ..., omitted: _Optional[_Iterable[_Union[OmittedSkill, _Mapping]]] = ..., omitted_total: _Optional[int] = ..., not_modified: bool = ..., shortened: _Optional[int] = ...) -> None: ...

class WatchCatalogRequest(_message.Message):
    __slots__ = ("project", "session", "consistency", "allow", "since")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    project: str
    session: str
    consistency: Consistency
    allow: AllowList
    since: str
    def __init__(self, project: _Optional[str] = ..., session: _Optional[str] = ..., consistency: _Optional[_Union[Consistency, _Mapping]] = ..., allow: _Optional[_Union[AllowList, _Mapping]] = ..., since: _Optional[str] = ...) -> None: ...

class WatchCatalogResponse(_message.Message):
    __slots__ = ("generation", "added", "modified", "removed", "resync", "heartbeat", "heartbeat_interval_ms", "going_away")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    MODIFIED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    RESYNC_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_INTERVAL_MS_FIELD_NUMBER: _ClassVar[int]
    GOING_AWAY_FIELD_NUMBER: _ClassVar[int]
    generation: Generation
    added: _containers.RepeatedCompositeFieldContainer[_skill_pb2.Skill]
    modified: _containers.RepeatedCompositeFieldContainer[_skill_pb2.Skill]
    removed: _containers.RepeatedScalarFieldContainer[str]
    resync: bool
    heartbeat: bool
    heartbeat_interval_ms: int
    going_away: bool
    def __init__(self, generation: _Optional[_Union[Generation, _Mapping]] = ..., added: _Optional[_Iterable[_Union[_skill_pb2.Skill, _Mapping]]] = ..., modified: _Optional[_Iterable[_Union[_skill_pb2.Skill, _Mapping]]] = ..., removed: _Optional[_Iterable[str]] = ..., resync: bool = ..., heartbeat: bool = ..., heartbeat_interval_ms: _Optional[int] = ..., going_away: bool = ...) -> None: ...

class ReportOutcomeRequest(_message.Message):
    __slots__ = ("project", "session", "consistency", "allow", "activation_id", "skill", "task", "success_rate", "request_id")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    ACTIVATION_ID_FIELD_NUMBER: _ClassVar[int]
    SKILL_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_RATE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    project: str
    session: str
    consistency: Consistency
    allow: AllowList
    activation_id: str
    skill: str
    task: str
    success_rate: float
    request_id: str
    def __init__(self, project: _Optional[str] = ..., session: _Optional[str] = ..., consistency: _Optional[_Union[Consistency, _Mapping]] = ..., allow: _Optional[_Union[AllowList, _Mapping]] = ..., activation_id: _Optional[str] = ..., skill: _Optional[str] = ..., task: _Optional[str] = ..., success_rate: _Optional[float] = ..., request_id: _Optional[str] = ...) -> None: ...

class ReportOutcomeResponse(_message.Message):
    __slots__ = ("generation", "recorded")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    RECORDED_FIELD_NUMBER: _ClassVar[int]
    generation: Generation
    recorded: bool
    def __init__(self, generation: _Optional[_Union[Generation, _Mapping]] = ..., recorded: bool = ...) -> None: ...

class BestMatchRequest(_message.Message):
    __slots__ = ("project", "session", "consistency", "allow", "task")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    project: str
    session: str
    consistency: Consistency
    allow: AllowList
    task: str
    def __init__(self, project: _Optional[str] = ..., session: _Optional[str] = ..., consistency: _Optional[_Union[Consistency, _Mapping]] = ..., allow: _Optional[_Union[AllowList, _Mapping]] = ..., task: _Optional[str] = ...) -> None: ...

class BestMatchResponse(_message.Message):
    __slots__ = ("generation", "found", "skill", "task_pattern", "success_rate")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    SKILL_FIELD_NUMBER: _ClassVar[int]
    TASK_PATTERN_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_RATE_FIELD_NUMBER: _ClassVar[int]
    generation: Generation
    found: bool
    skill: str
    task_pattern: str
    success_rate: float
    def __init__(self, generation: _Optional[_Union[Generation, _Mapping]] = ..., found: bool = ..., skill: _Optional[str] = ..., task_pattern: _Optional[str] = ..., success_rate: _Optional[float] = ...) -> None: ...

class OfferedTool(_message.Message):
    __slots__ = ("name", "description")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class SearchCapabilitiesRequest(_message.Message):
    __slots__ = ("project", "session", "consistency", "allow", "query", "limit", "tools")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    project: str
    session: str
    consistency: Consistency
    allow: AllowList
    query: str
    limit: int
    tools: _containers.RepeatedCompositeFieldContainer[OfferedTool]
    def __init__(self, project: _Optional[str] = ..., session: _Optional[str] = ..., consistency: _Optional[_Union[Consistency, _Mapping]] = ..., allow: _Optional[_Union[AllowList, _Mapping]] = ..., query: _Optional[str] = ..., limit: _Optional[int] = ..., tools: _Optional[_Iterable[_Union[OfferedTool, _Mapping]]] = ...) -> None: ...

class Capability(_message.Message):
    __slots__ = ("kind", "name", "description")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    kind: CapabilityKind
    name: str
    description: str
    def __init__(self, kind: _Optional[_Union[CapabilityKind, str]] = ..., name: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class SearchCapabilitiesResponse(_message.Message):
    __slots__ = ("generation", "results")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    generation: Generation
    results: _containers.RepeatedCompositeFieldContainer[Capability]
    def __init__(self, generation: _Optional[_Union[Generation, _Mapping]] = ..., results: _Optional[_Iterable[_Union[Capability, _Mapping]]] = ...) -> None: ...

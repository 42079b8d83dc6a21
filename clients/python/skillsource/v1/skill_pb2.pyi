from skillsource.v1 import caps_pb2 as _caps_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Tier(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TIER_UNSPECIFIED: _ClassVar[Tier]
    TIER_EXPLICIT: _ClassVar[Tier]
    TIER_PROJECT: _ClassVar[Tier]
    TIER_USER: _ClassVar[Tier]
    TIER_REGISTERED: _ClassVar[Tier]
    TIER_LEARNED: _ClassVar[Tier]

class Trust(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRUST_UNSPECIFIED: _ClassVar[Trust]
    TRUST_ALLOWED: _ClassVar[Trust]
    TRUST_ASK: _ClassVar[Trust]
    TRUST_UNTRUSTED: _ClassVar[Trust]

class ToolKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOOL_KIND_UNSPECIFIED: _ClassVar[ToolKind]
    TOOL_KIND_BUILTIN: _ClassVar[ToolKind]
    TOOL_KIND_MCP: _ClassVar[ToolKind]
    TOOL_KIND_EXECUTABLE: _ClassVar[ToolKind]

class Severity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEVERITY_UNSPECIFIED: _ClassVar[Severity]
    SEVERITY_NOTE: _ClassVar[Severity]
    SEVERITY_WARNING: _ClassVar[Severity]
    SEVERITY_ERROR: _ClassVar[Severity]

class ReadinessState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    READINESS_STATE_UNSPECIFIED: _ClassVar[ReadinessState]
    READINESS_STATE_READY: _ClassVar[ReadinessState]
    READINESS_STATE_NEEDS_SETUP: _ClassVar[ReadinessState]
    READINESS_STATE_UNKNOWN: _ClassVar[ReadinessState]

class SidecarState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SIDECAR_STATE_UNSPECIFIED: _ClassVar[SidecarState]
    SIDECAR_STATE_COMPILES: _ClassVar[SidecarState]
    SIDECAR_STATE_BROKEN: _ClassVar[SidecarState]
    SIDECAR_STATE_UNCHECKED: _ClassVar[SidecarState]

class NetworkMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NETWORK_MODE_UNSPECIFIED: _ClassVar[NetworkMode]
    NETWORK_MODE_NONE: _ClassVar[NetworkMode]
    NETWORK_MODE_HOST_ONLY: _ClassVar[NetworkMode]
    NETWORK_MODE_RAW_REQUIRED: _ClassVar[NetworkMode]

class NetworkDeclaration(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NETWORK_DECLARATION_UNSPECIFIED: _ClassVar[NetworkDeclaration]
    NETWORK_DECLARATION_DECLARED: _ClassVar[NetworkDeclaration]
    NETWORK_DECLARATION_LEGACY: _ClassVar[NetworkDeclaration]
    NETWORK_DECLARATION_UNKNOWN: _ClassVar[NetworkDeclaration]

class NetworkSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NETWORK_SOURCE_UNSPECIFIED: _ClassVar[NetworkSource]
    NETWORK_SOURCE_FRONTMATTER: _ClassVar[NetworkSource]
    NETWORK_SOURCE_INVENTORY: _ClassVar[NetworkSource]
    NETWORK_SOURCE_COLLECTION_DEFAULT: _ClassVar[NetworkSource]
TIER_UNSPECIFIED: Tier
TIER_EXPLICIT: Tier
TIER_PROJECT: Tier
TIER_USER: Tier
TIER_REGISTERED: Tier
TIER_LEARNED: Tier
TRUST_UNSPECIFIED: Trust
TRUST_ALLOWED: Trust
TRUST_ASK: Trust
TRUST_UNTRUSTED: Trust
TOOL_KIND_UNSPECIFIED: ToolKind
TOOL_KIND_BUILTIN: ToolKind
TOOL_KIND_MCP: ToolKind
TOOL_KIND_EXECUTABLE: ToolKind
SEVERITY_UNSPECIFIED: Severity
SEVERITY_NOTE: Severity
SEVERITY_WARNING: Severity
SEVERITY_ERROR: Severity
READINESS_STATE_UNSPECIFIED: ReadinessState
READINESS_STATE_READY: ReadinessState
READINESS_STATE_NEEDS_SETUP: ReadinessState
READINESS_STATE_UNKNOWN: ReadinessState
SIDECAR_STATE_UNSPECIFIED: SidecarState
SIDECAR_STATE_COMPILES: SidecarState
SIDECAR_STATE_BROKEN: SidecarState
SIDECAR_STATE_UNCHECKED: SidecarState
NETWORK_MODE_UNSPECIFIED: NetworkMode
NETWORK_MODE_NONE: NetworkMode
NETWORK_MODE_HOST_ONLY: NetworkMode
NETWORK_MODE_RAW_REQUIRED: NetworkMode
NETWORK_DECLARATION_UNSPECIFIED: NetworkDeclaration
NETWORK_DECLARATION_DECLARED: NetworkDeclaration
NETWORK_DECLARATION_LEGACY: NetworkDeclaration
NETWORK_DECLARATION_UNKNOWN: NetworkDeclaration
NETWORK_SOURCE_UNSPECIFIED: NetworkSource
NETWORK_SOURCE_FRONTMATTER: NetworkSource
NETWORK_SOURCE_INVENTORY: NetworkSource
NETWORK_SOURCE_COLLECTION_DEFAULT: NetworkSource

class Invocation(_message.Message):
    __slots__ = ("model", "user")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    model: bool
    user: bool
    def __init__(self, model: bool = ..., user: bool = ...) -> None: ...

class Diagnostic(_message.Message):
    __slots__ = ("severity", "code", "skill", "source", "message")
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    SKILL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    severity: Severity
    code: str
    skill: str
    source: str
    message: str
    def __init__(self, severity: _Optional[_Union[Severity, str]] = ..., code: _Optional[str] = ..., skill: _Optional[str] = ..., source: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class Readiness(_message.Message):
    __slots__ = ("state", "missing", "unverifiable", "blocked_on", "sidecar")
    STATE_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    UNVERIFIABLE_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_ON_FIELD_NUMBER: _ClassVar[int]
    SIDECAR_FIELD_NUMBER: _ClassVar[int]
    state: ReadinessState
    missing: _containers.RepeatedScalarFieldContainer[str]
    unverifiable: _containers.RepeatedScalarFieldContainer[str]
    blocked_on: _containers.RepeatedScalarFieldContainer[str]
    sidecar: SidecarState
    def __init__(self, state: _Optional[_Union[ReadinessState, str]] = ..., missing: _Optional[_Iterable[str]] = ..., unverifiable: _Optional[_Iterable[str]] = ..., blocked_on: _Optional[_Iterable[str]] = ..., sidecar: _Optional[_Union[SidecarState, str]] = ...) -> None: ...

class Network(_message.Message):
    __slots__ = ("mode", "domains", "declared", "digest", "declaration", "source")
    MODE_FIELD_NUMBER: _ClassVar[int]
    DOMAINS_FIELD_NUMBER: _ClassVar[int]
    DECLARED_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    DECLARATION_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    mode: NetworkMode
    domains: _containers.RepeatedScalarFieldContainer[str]
    declared: bool
    digest: str
    declaration: NetworkDeclaration
    source: NetworkSource
    def __init__(self, mode: _Optional[_Union[NetworkMode, str]] = ..., domains: _Optional[_Iterable[str]] = ..., declared: bool = ..., digest: _Optional[str] = ..., declaration: _Optional[_Union[NetworkDeclaration, str]] = ..., source: _Optional[_Union[NetworkSource, str]] = ...) -> None: ...

class Skill(_message.Message):
    __slots__ = ("name", "description", "description_truncated", "description_bytes", "has_assets", "origin", "trust", "invocation", "digest", "display_name", "license", "compatibility", "metadata", "allowed_tools", "when_to_use", "version", "keywords", "capabilities", "tool_kinds", "collection", "source", "body_bytes", "document_digest", "document_bytes", "asset_count", "readiness", "network", "diagnostics", "diagnostics_omitted")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_BYTES_FIELD_NUMBER: _ClassVar[int]
    HAS_ASSETS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    INVOCATION_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    LICENSE_FIELD_NUMBER: _ClassVar[int]
    COMPATIBILITY_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_TOOLS_FIELD_NUMBER: _ClassVar[int]
    WHEN_TO_USE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KEYWORDS_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    TOOL_KINDS_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_BYTES_FIELD_NUMBER: _ClassVar[int]
    ASSET_COUNT_FIELD_NUMBER: _ClassVar[int]
    READINESS_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    description_truncated: bool
    description_bytes: int
    has_assets: bool
    origin: Tier
    trust: Trust
    invocation: Invocation
    digest: str
    display_name: str
    license: str
    compatibility: str
    metadata: _containers.ScalarMap[str, str]
    allowed_tools: _containers.RepeatedScalarFieldContainer[str]
    when_to_use: str
    version: str
    keywords: _containers.RepeatedScalarFieldContainer[str]
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    tool_kinds: _containers.RepeatedScalarFieldContainer[ToolKind]
    collection: str
    source: str
    body_bytes: int
    document_digest: str
    document_bytes: int
    asset_count: int
    readiness: Readiness
    network: Network
    diagnostics: _containers.RepeatedCompositeFieldContainer[Diagnostic]
    diagnostics_omitted: int
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., description_truncated: bool = ..., description_bytes: _Optional[int] = ..., has_assets: bool = ..., origin: _Optional[_Union[Tier, str]] = ..., trust: _Optional[_Union[Trust, str]] = ..., invocation: _Optional[_Union[Invocation, _Mapping]] = ..., digest: _Optional[str] = ..., display_name: _Optional[str] = ..., license: _Optional[str] = ..., compatibility: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ..., allowed_tools: _Optional[_Iterable[str]] = ..., when_to_use: _Optional[str] = ..., version: _Optional[str] = ..., keywords: _Optional[_Iterable[str]] = ..., capabilities: _Optional[_Iterable[str]] = ..., tool_kinds: _Optional[_Iterable[_Union[ToolKind, str]]] = ..., collection: _Optional[str] = ..., source: _Optional[str] = ..., body_bytes: _Optional[int] = ..., document_digest: _Optional[str] = ..., document_bytes: _Optional[int] = ..., asset_count: _Optional[int] = ..., readiness: _Optional[_Union[Readiness, _Mapping]] = ..., network: _Optional[_Union[Network, _Mapping]] = ..., diagnostics: _Optional[_Iterable[_Union[Diagnostic, _Mapping]]] = ..., diagnostics_omitted: _Optional[int] = ...) -> None: ...

class Asset(_message.Message):
    __slots__ = ("name", "size", "executable", "digest", "media_type")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    EXECUTABLE_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    name: str
    size: int
    executable: bool
    digest: str
    media_type: str
    def __init__(self, name: _Optional[str] = ..., size: _Optional[int] = ..., executable: bool = ..., digest: _Optional[str] = ..., media_type: _Optional[str] = ...) -> None: ...

class Tool(_message.Message):
    __slots__ = ("id", "kind", "target", "server", "asset", "digest", "trust", "granted", "reason", "description", "input_schema")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    SERVER_FIELD_NUMBER: _ClassVar[int]
    ASSET_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    GRANTED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    id: str
    kind: ToolKind
    target: str
    server: str
    asset: str
    digest: str
    trust: Trust
    granted: bool
    reason: str
    description: str
    input_schema: str
    def __init__(self, id: _Optional[str] = ..., kind: _Optional[_Union[ToolKind, str]] = ..., target: _Optional[str] = ..., server: _Optional[str] = ..., asset: _Optional[str] = ..., digest: _Optional[str] = ..., trust: _Optional[_Union[Trust, str]] = ..., granted: bool = ..., reason: _Optional[str] = ..., description: _Optional[str] = ..., input_schema: _Optional[str] = ...) -> None: ...

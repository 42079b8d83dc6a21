"""The values of a catalog: what a skill, its assets and tools are, and what is said of them.

Each is frozen and complete when it exists: limits are applied, names fit their grammar, numbers of an enum that this
release does not know read as the most careful value (contract.md, "Unset and unknown"). Sizes are bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum, unique
from types import MappingProxyType

NO_METADATA: Mapping[str, str] = MappingProxyType({})


@unique
class Tier(StrEnum):
    """How a skill was admitted. A label, never a location."""

    EXPLICIT = "explicit"
    PROJECT = "project"
    USER = "user"
    REGISTERED = "registered"
    LEARNED = "learned"


@unique
class Trust(StrEnum):
    """What may be done with a skill."""

    ALLOWED = "allowed"
    ASK = "ask"
    UNTRUSTED = "untrusted"


@unique
class ToolKind(StrEnum):
    """Where a tool comes from."""

    UNKNOWN = "unknown"
    BUILTIN = "builtin"
    MCP = "mcp"
    EXECUTABLE = "executable"


@unique
class Severity(StrEnum):
    """How grave a diagnostic is."""

    UNKNOWN = "unknown"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@unique
class ReadinessState(StrEnum):
    """Whether what a skill requires is at hand."""

    READY = "ready"
    NEEDS_SETUP = "needs_setup"
    UNKNOWN = "unknown"


@unique
class SidecarState(StrEnum):
    """What the compile check of a sidecar, the asset `kernel.py`, came to; nothing of it runs at a server."""

    UNKNOWN = "unknown"
    """There is none, or nothing is said of it."""
    COMPILES = "compiles"
    BROKEN = "broken"
    UNCHECKED = "unchecked"


@unique
class NetworkMode(StrEnum):
    """What network a skill declares to need."""

    UNKNOWN = "unknown"
    NONE = "none"
    HOST_ONLY = "host_only"
    RAW_REQUIRED = "raw_required"


@unique
class NetworkDeclaration(StrEnum):
    """What a declaration of the network is worth."""

    UNKNOWN = "unknown"
    DECLARED = "declared"
    LEGACY = "legacy"
    """The skill is a member of a collection: what its own files say counts for nothing."""


@unique
class NetworkSource(StrEnum):
    """Where a declaration of the network comes from."""

    UNKNOWN = "unknown"
    FRONTMATTER = "frontmatter"
    INVENTORY = "inventory"
    COLLECTION_DEFAULT = "collection_default"


@unique
class SourceState(StrEnum):
    """How a source stands that was not wholly observed."""

    UNKNOWN = "unknown"
    STALE = "stale"
    MISSING = "missing"
    PARTIAL = "partial"


@unique
class CapabilityKind(StrEnum):
    """What a capability is."""

    UNKNOWN = "unknown"
    TOOL = "tool"
    SKILL = "skill"
    COMMAND = "command"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreachableSource:
    """A source that was not wholly observed at its last look."""

    source: str
    since: datetime | None
    state: SourceState


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """The state that an answer came from. Sameness is told by `digest`, never by comparing tokens."""

    token: str
    sequence: int
    digest: str
    published_at: datetime | None
    complete: bool
    unreachable_sources: tuple[UnreachableSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """Who may begin the use of a skill."""

    model: bool
    user: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """What was shortened, left out, shadowed, refused or unreachable, as the server says."""

    severity: Severity
    code: str
    skill: str
    source: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """A declaration held against what the deployment vouches for; it never grants anything."""

    state: ReadinessState
    missing: tuple[str, ...] = ()
    unverifiable: tuple[str, ...] = ()
    blocked_on: tuple[str, ...] = ()
    sidecar: SidecarState = SidecarState.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """What is declared of a skill's use of the network; it never grants anything."""

    mode: NetworkMode
    domains: tuple[str, ...]
    declared: bool
    digest: str
    declaration: NetworkDeclaration = NetworkDeclaration.UNKNOWN
    source: NetworkSource = NetworkSource.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One entry of a catalog. The fields after `digest` are empty unless asked for with `SkillView.FULL`."""

    name: str
    description: str
    description_truncated: bool
    description_bytes: int
    has_assets: bool
    origin: Tier
    trust: Trust
    invocation: Invocation
    digest: str
    display_name: str = ""
    license: str = ""
    compatibility: str = ""
    # A read-only mapping cannot be hashed; the digest covers its content.
    metadata: Mapping[str, str] = field(default_factory=lambda: NO_METADATA, hash=False)
    allowed_tools: tuple[str, ...] = ()
    when_to_use: str = ""
    version: str = ""
    keywords: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    tool_kinds: tuple[ToolKind, ...] = ()
    collection: str = ""
    source: str = ""
    body_bytes: int = 0
    document_digest: str = ""
    document_bytes: int = 0
    asset_count: int = 0
    readiness: Readiness | None = None
    network: Network | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    diagnostics_omitted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One file of a bundle other than SKILL.md and skill.yaml.

    `size` is what the server says; what is received is counted, whatever it says.
    """

    name: str
    size: int
    executable: bool
    digest: str
    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool of a skill, resolved for a caller. `input_schema` is JSON text, passed on as it came."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Many skills in one line."""

    id: str
    line: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What this client left out of an answer, or cut, because the server sent what it may not send.

    An honest server is never the cause of one.

    Attributes:
        field: Where in the answer, for example `skills[3].description`.
        name: The skill or asset it belongs to; "" where none can be named.
        why: One sentence.
    """

    field: str
    name: str
    why: str

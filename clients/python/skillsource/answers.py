"""What the calls answer, and the words in which a caller asks.

Every answer names the generation it came from; where it can hold less than the server sent, it says in `dropped` what
was left out.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum, unique

from skillsource.values import Asset, CapabilityKind, Collection, Dropped, Generation, Network, Readiness, Skill, Tool


@unique
class SkillView(StrEnum):
    """How much of each skill is sent."""

    BASIC = "BASIC"
    FULL = "FULL"


@unique
class InvocationFilter(StrEnum):
    """Who begins the use of a skill."""

    ANY = "ANY"
    MODEL = "MODEL"
    USER = "USER"


@unique
class BodyForm(StrEnum):
    """What of SKILL.md is read: the text after the frontmatter, or the file as it is."""

    BODY = "BODY"
    DOCUMENT = "DOCUMENT"


@unique
class McpMode(StrEnum):
    """Whether MCP servers are connected at activation."""

    CONNECT = "CONNECT"
    DESCRIBE_ONLY = "DESCRIBE_ONLY"


@unique
class TextForm(StrEnum):
    """How the text of an activation is built."""

    PLAIN = "PLAIN"
    SKILL_CONTENT = "SKILL_CONTENT"
    COMMAND = "COMMAND"


@unique
class CatalogFormat(StrEnum):
    """How a catalog is rendered."""

    XML = "XML"
    MARKDOWN = "MARKDOWN"
    LINES = "LINES"


@unique
class CatalogOrder(StrEnum):
    """Which skills come first where not all fit."""

    RELEVANCE = "RELEVANCE"
    PRIOR = "PRIOR"
    NAME = "NAME"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """A tool that the caller has."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """The limits in force at the server; this client enforces the contract's own, whatever these say."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long an older generation can be named."""

    generations: int
    max_age_seconds: int
    max_generations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """What the server is."""

    version: str
    contract: int
    features: tuple[str, ...]
    limits: ServerLimits
    retention: Retention
    now: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A whole catalog: every page put together, all from one generation, in byte order of the names, each name once."""

    generation: Generation
    skills: tuple[Skill, ...]
    collections: tuple[Collection, ...]
    total_size: int
    """Skills on all pages, as the server counts them."""
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionListing:
    """The collections of a catalog, in byte order of their ids, each with as many skills as the caller sees of it."""

    generation: Generation
    collections: tuple[Collection, ...]
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The whole text of a skill."""

    generation: Generation
    text: str
    digest: str
    """SHA-256 of the text's UTF-8; of the file as read, for a document."""
    verified: bool = True
    """The text has that digest. False only for a document that holds U+FFFD, which may stand for other bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """All assets of a skill, in byte order of their names, each once."""

    generation: Generation
    assets: tuple[Asset, ...]
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetContent:
    """One whole asset, whose bytes have its digest."""

    generation: Generation
    data: bytes
    digest: str
    media_type: str
    executable: bool

    def text(self) -> str:
        """Decode the bytes as UTF-8.

        Raises:
            UnicodeDecodeError: They are not; with `as_text` given to `read_asset` they always are.
        """
        return self.data.decode("utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """What an agent needs to begin the use of a skill."""

    generation: Generation
    activation_id: str
    name: str
    reference: str
    """The name by which it was asked for: this one, or `source/name`."""
    text: str
    """Ready for a model."""
    body_digest: str
    truncated: bool
    next_offset: int
    """The byte of the body at which the text was cut; 0 where all of it is in the text."""
    assets: tuple[Asset, ...]
    tools: tuple[Tool, ...]
    notes: tuple[str, ...]
    readiness: Readiness | None
    network: Network | None
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One skill that fits a query."""

    skill: Skill
    score: float
    """Larger is better; to be compared within one answer only."""
    matched: tuple[str, ...]
    snippet: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The skills that fit a query, best first."""

    generation: Generation
    hits: tuple[SearchHit, ...]
    engine: str
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OmittedSkill:
    """A skill that a rendered catalog leaves out."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedCatalog:
    """The catalog as text for a model."""

    generation: Generation
    text: str
    digest: str
    entries_digest: str
    shown: int
    """Skills with a line of their own."""
    shortened: int
    """Those among them whose description is cut or left out."""
    total: int
    omitted: tuple[OmittedSkill, ...]
    """The first of those without a line of their own."""
    omitted_total: int
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEvent:
    """One step of a followed catalog; `generation` is where it leads to.

    With `resync` the difference is not told: list anew. An event without names, `resync` or `heartbeat` says that only
    completeness changed, or nothing that this client may see.
    """

    generation: Generation
    added: tuple[Skill, ...] = ()
    modified: tuple[Skill, ...] = ()
    removed: tuple[str, ...] = ()
    resync: bool = False
    heartbeat: bool = False
    heartbeat_interval_ms: int = 0
    going_away: bool = False
    """The server is about to stop; the watch goes on by itself at the next one."""
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BestMatch:
    """The skill that did best at tasks like the one asked for."""

    generation: Generation
    found: bool
    skill: str
    task_pattern: str
    success_rate: float
    """How sure that is, from 0 to 1; 0 where nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """One tool, skill or command that fits a query."""

    kind: CapabilityKind
    name: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """The tools, skills and commands that fit a query."""

    generation: Generation
    results: tuple[Capability, ...]
    dropped: tuple[Dropped, ...] = ()

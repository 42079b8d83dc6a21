"""Skills and bundles: what one folder with a SKILL.md says, after the caps.

Everything here comes from the skill's own files and is the same wherever the bundle is found. Where it was found, how
it was admitted and whether it is shadowed is said by the rows of a generation (`domain.generation`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, unique

from skillsvc.domain import canonical
from skillsvc.domain.diagnostics import Diagnostic

BUNDLE_DOMAIN = "skillsource.bundle.v1"


@unique
class ToolKind(Enum):
    """Where a tool comes from."""

    BUILTIN = 1
    MCP = 2
    EXECUTABLE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDeclaration:
    """One entry of `tools` in skill.yaml, as declared; nothing is resolved or granted by it.

    `name` is a builtin's name or an MCP tool's, `server` the MCP server's, `command` an executable's.
    """

    id: str
    kind: ToolKind
    name: str = ""
    server: str = ""
    command: str = ""
    args: tuple[str, ...] = ()


@unique
class NetworkMode(Enum):
    """What network a skill declares to need."""

    UNKNOWN = 0
    NONE = 1
    HOST_ONLY = 2
    RAW_REQUIRED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """A declaration of the use of the network; it never grants anything.

    `domains` are lower case, sorted, unique. `digest` is the SHA-256 of their compact key-sorted JSON.
    """

    mode: NetworkMode
    domains: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """What a skill's own files say of it, as served after the caps of rules.md 3.

    `description_bytes` counts before the cut. `metadata` is sorted by key bytes. Texts are "" and tuples empty where
    nothing is declared.
    """

    name: str
    description: str
    description_truncated: bool = False
    description_bytes: int
    model_invocable: bool = True
    user_invocable: bool = True
    display_name: str = ""
    license: str = ""
    compatibility: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    allowed_tools: tuple[str, ...] = ()
    when_to_use: str = ""
    version: str = ""
    keywords: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    tools: tuple[ToolDeclaration, ...] = ()
    network: Network | None = None
    requirements: tuple[str, ...] = ()

    @property
    def tool_kinds(self) -> tuple[ToolKind, ...]:
        """The kinds of its tools, ascending, each once."""
        return tuple(sorted({tool.kind for tool in self.tools}, key=lambda kind: kind.value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One file of a bundle other than SKILL.md and skill.yaml: `size` in bytes, `digest` the SHA-256 of its bytes."""

    name: str
    size: int
    digest: str
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRef:
    """A text held by its digest: SHA-256 of its bytes, and how many they are."""

    digest: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A skill with its assets, identified by `digest`.

    `document` is SKILL.md as read, `body` the text served from it; both are None for a skill of skill.yaml alone. A
    body without a document was given as it is, by a manifest.
    `assets` are sorted by the bytes of their names. Made by `make_bundle`.
    """

    skill: Skill
    document: TextRef | None
    body: TextRef | None
    assets: tuple[Asset, ...]
    digest: str

    @property
    def blobs(self) -> Iterator[str]:
        """The digests under which its bytes are kept; the body is made of the document, where there is one."""
        text = self.document or self.body
        if text is not None:
            yield text.digest
        for asset in self.assets:
            yield asset.digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A bundle as one look at a source found it.

    `place` is the folder below the source's root, "" for the root itself: for precedence, and for the operator's eyes
    alone. `collection` is the id of the collection that the folder belongs to, or "", and `collection_line` what stands
    for its members, in which `{count}` is their number; "" for the usual line. `diagnostics` say what was changed, cut
    or left out. None of these comes from the skill's own files, and none is in the bundle's digest.
    """

    bundle: Bundle
    place: str
    collection: str = ""
    collection_line: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


def make_bundle(skill: Skill, *, document: TextRef | None, body: TextRef | None, assets: tuple[Asset, ...]) -> Bundle:
    """Return the bundle of a skill and its assets, which must be sorted by the bytes of their names."""
    return Bundle(
        skill=skill,
        document=document,
        body=body,
        assets=assets,
        digest=bundle_digest(skill, document=document, body=body, assets=assets),
    )


def bundle_digest(skill: Skill, *, document: TextRef | None, body: TextRef | None, assets: tuple[Asset, ...]) -> str:
    """Return a bundle's digest (rules.md 5): equal content, equal digest, on every machine.

    Covered are the digest of SKILL.md as read and of the body (each "" where there is none), then every field of the
    message Skill that comes from the skill's own files in the order of its field numbers, then what is declared and not
    sent (tools, requirements), then the assets, which must be sorted, as (name, digest, size, executable).
    """
    network = skill.network
    return canonical.digest_of(
        BUNDLE_DOMAIN,
        canonical.encode(
            document.digest if document else "",
            body.digest if body else "",
            skill.name,
            skill.description,
            skill.description_truncated,
            skill.description_bytes,
            bool(assets),
            skill.model_invocable,
            skill.user_invocable,
            skill.display_name,
            skill.license,
            skill.compatibility,
        ),
        canonical.encode_pairs(skill.metadata),
        canonical.encode(
            skill.allowed_tools,
            skill.when_to_use,
            skill.version,
            skill.keywords,
            skill.capabilities,
            [kind.name for kind in skill.tool_kinds],
            body.size if body else 0,
            document.size if document else 0,
            len(assets),
            network.digest if network else "",
            len(skill.tools),
        ),
        *map(_encode_tool, skill.tools),
        canonical.encode(skill.requirements, len(assets)),
        *map(_encode_asset, assets),
    )


def _encode_tool(tool: ToolDeclaration) -> bytes:
    return canonical.encode(tool.id, tool.kind.name, tool.name, tool.server, tool.command, tool.args)


def _encode_asset(asset: Asset) -> bytes:
    return canonical.encode(asset.name, asset.digest, asset.size, asset.executable)

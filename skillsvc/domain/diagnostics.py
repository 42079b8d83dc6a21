"""Diagnostics: what was shortened, left out, shadowed, refused or unreachable.

A diagnostic never holds a server path or file content: it names the skill, the source's label, the limit and the way
out, and its code is stable, so that scripts can count on it.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum, unique


@unique
class Severity(Enum):
    """How grave a diagnostic is."""

    NOTE = 1
    WARNING = 2
    ERROR = 3


@unique
class DiagnosticCode(StrEnum):
    """Every code there is; docs/diagnostics.md explains each. Codes are never renamed or reused."""

    # A source as a whole.
    SOURCE_MISSING = "source-missing"
    SOURCE_UNREADABLE = "source-unreadable"
    SOURCE_UNREACHABLE = "source-unreachable"
    SOURCE_GONE = "source-gone"
    SOURCE_WITHHELD = "source-withheld"
    INDEX_MALFORMED = "index-malformed"
    ENTRY_LEFT_OUT = "entry-left-out"
    ENTRY_UNREACHABLE = "entry-unreachable"
    SOURCE_MALFORMED = "source-malformed"
    ARTIFACT_REFUSED = "artifact-refused"
    PROVIDER_FAILED = "provider-failed"
    PROVIDER_INCOMPLETE = "provider-incomplete"
    TOO_MANY_FOLDERS = "too-many-folders"
    TOO_DEEP = "too-deep"
    TOO_MANY_SKILLS = "too-many-skills"
    STORE_UNREACHABLE = "store-unreachable"
    FOLDER_UNREADABLE = "folder-unreadable"
    FOLDER_NAME_NOT_TEXT = "folder-name-not-text"
    FOLDER_IGNORED = "folder-ignored"
    FOLDER_WITHOUT_SKILL = "folder-without-skill"
    SKILL_INSIDE_SKILL = "skill-inside-skill"
    # Links and kinds of files.
    LINK_ESCAPES = "link-escapes"
    LINK_DANGLING = "link-dangling"
    LINKED_TWICE = "linked-twice"
    LINK_AS_TEXT = "link-as-text"
    SUBMODULE_LEFT_OUT = "submodule-left-out"
    LFS_POINTER = "lfs-pointer"
    NOT_A_REGULAR_FILE = "not-a-regular-file"
    FILE_CHANGED = "file-changed"
    FILE_UNREADABLE = "file-unreadable"
    # SKILL.md as a file.
    FILE_NAME_CASE = "file-name-case"
    FILE_TOO_LARGE = "file-too-large"
    NOT_UTF8 = "not-utf8"
    NUL_BYTE = "nul-byte"
    # Frontmatter.
    FRONTMATTER_MISSING = "frontmatter-missing"
    FRONTMATTER_UNCLOSED = "frontmatter-unclosed"
    FRONTMATTER_TOO_LARGE = "frontmatter-too-large"
    FRONTMATTER_FENCE = "frontmatter-fence"
    YAML_MALFORMED = "yaml-malformed"
    YAML_REPAIRED = "yaml-repaired"
    YAML_TOO_DEEP = "yaml-too-deep"
    YAML_ALIAS = "yaml-alias"
    YAML_TAG = "yaml-tag"
    YAML_DUPLICATE_KEY = "yaml-duplicate-key"
    NOT_A_MAPPING = "not-a-mapping"
    FIELD_TYPE = "field-type"
    FIELD_UNKNOWN = "field-unknown"
    FIELD_TOO_LONG = "field-too-long"
    CONTROL_CHARACTER = "control-character"
    # Names and descriptions.
    NAME_MISSING = "name-missing"
    NAME_UNFIT = "name-unfit"
    NAME_MADE = "name-made"
    NAME_NOT_PORTABLE = "name-not-portable"
    NAME_DIFFERS = "name-differs"
    DESCRIPTION_MISSING = "description-missing"
    DESCRIPTION_FROM_BODY = "description-from-body"
    DESCRIPTION_CUT = "description-cut"
    # Caps of other fields.
    FIELD_CUT = "field-cut"
    FIELD_DROPPED = "field-dropped"
    ITEMS_DROPPED = "items-dropped"
    METADATA_NESTED = "metadata-nested"
    BODY_TOO_LARGE = "body-too-large"
    # Flags and declarations.
    FLAG_MALFORMED = "flag-malformed"
    FLAG_TWIN = "flag-twin"
    MANIFEST_MALFORMED = "manifest-malformed"
    TOOL_MALFORMED = "tool-malformed"
    TOO_MANY_TOOLS = "too-many-tools"
    NETWORK_MALFORMED = "network-malformed"
    COLLECTION_MALFORMED = "collection-malformed"
    SIDECAR_BROKEN = "sidecar-broken"
    SIDECAR_UNCHECKED = "sidecar-unchecked"
    # Assets.
    ASSET_NAME_UNFIT = "asset-name-unfit"
    ASSET_NAME_NORMALISED = "asset-name-normalised"
    ASSET_NAME_COLLISION = "asset-name-collision"
    ASSET_LINK_SKIPPED = "asset-link-skipped"
    ASSET_TOO_LARGE = "asset-too-large"
    TOO_MANY_ASSETS = "too-many-assets"
    ASSET_NAMES_TOO_LONG = "asset-names-too-long"
    # Precedence.
    SHADOWED = "shadowed"
    FOLDED = "folded"
    DISPLAY_NAME_CLASH = "display-name-clash"
    COLLECTION_CLASH = "collection-clash"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One thing that somebody should know.

    `skill` is the name, or where a skill has none yet its folder below the source; empty for a whole source. `source`
    is the source's label; what is read without a source has "".
    """

    severity: Severity
    code: DiagnosticCode
    message: str
    skill: str = ""
    source: str = ""

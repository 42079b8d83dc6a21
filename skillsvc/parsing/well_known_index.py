"""The index of a `well_known` source: agent skills discovery, version 0.2.0."""

from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from skillsvc.domain import caps
from skillsvc.domain.diagnostics import Diagnostic, Severity
from skillsvc.domain.limits import Limits
from skillsvc.parsing.index_json import (
    EntryRefused,
    IndexMalformed,
    LeftOut,
    digest_of,
    entry_of,
    line_of,
    read_index,
    shown_name,
)
from skillsvc.parsing.text import shown

SCHEMA: Final = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"


@unique
class ArtifactKind(Enum):
    """What stands at the URL of an entry."""

    SKILL_MD = "skill-md"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """One skill: where its artifact is, absolute or relative to the index, and the digest of its bytes, in hex."""

    name: str
    kind: ArtifactKind
    url: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WellKnownIndex:
    """The skills of an index, each name once, and what is told of entries that are left out, of no source yet."""

    entries: tuple[IndexEntry, ...]
    diagnostics: tuple[Diagnostic, ...]


def read_well_known_index(data: bytes, limits: Limits) -> WellKnownIndex:
    """Read an index; equal bytes give equal indexes. Fields that are not known are passed over.

    Raises:
        IndexMalformed: It is none, or of another version.
    """
    raw = read_index(data, limits)
    schema = raw.fields.get("$schema")
    if schema != SCHEMA:
        other = "it names no $schema, so it is of version 0.1.0" if schema is None else "its $schema is not known here"
        raise IndexMalformed(f"{other}; version 0.2.0 is read")
    entries: dict[str, IndexEntry] = {}
    left_out = LeftOut()
    for number, value in enumerate(raw.entries, 1):
        name = shown_name(value.get("name")) if isinstance(value, dict) else ""
        try:
            fields = entry_of(value, limits)
            kind = line_of(fields, "type")
            if kind not in {known.value for known in ArtifactKind}:
                left_out.add(number, name, f"the type {shown(kind)} is not known here", Severity.WARNING)
                continue
            entry = IndexEntry(
                name=line_of(fields, "name"),
                kind=ArtifactKind(kind),
                url=line_of(fields, "url"),
                digest=digest_of(fields),
            )
            _check(entry)
        except EntryRefused as refused:
            left_out.add(number, name, str(refused))
            continue
        if entries.setdefault(entry.name, entry) is not entry:
            left_out.add(number, name, "an earlier one has its name")
    return WellKnownIndex(entries=tuple(entries.values()), diagnostics=left_out.diagnostics())


def _check(entry: IndexEntry) -> None:
    if not caps.fits_skill_name(entry.name):
        raise EntryRefused("its name is not 1 to 64 of a-z, 0-9, - and _, a letter or digit first")
    if not entry.url:
        raise EntryRefused("it has no url")
    if not entry.digest:
        raise EntryRefused("it has no digest, without which nothing can be verified")

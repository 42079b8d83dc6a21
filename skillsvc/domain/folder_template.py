"""Templates of folders: a path with places for a partition, so that one source serves the folders of many tenants.

`skills/{principal}/{project}`: a place is a whole segment of the path. What is put in is percent-encoded outside
`[A-Za-z0-9_-]`, so that it is one name beneath the folder before the first place, whatever it holds.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import quote, unquote

from typing_extensions import override

from skillsvc.domain.errors import InvalidInput
from skillsvc.domain.partition import DEPLOYMENT, Partition, parse_project

PRINCIPAL: Final = "{principal}"
PROJECT: Final = "{project}"
_EMPTY: Final = "%"
"""No encoded value is that: behind a `%` stand two digits."""
_LONGEST: Final = 200
"""Bytes of a name; file systems take 255."""
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_ALWAYS_KEPT: Final = re.compile("[.~]")
"""What `quote` keeps beside letters, digits, `_` and `-`, whatever it is told."""


class FolderTemplateRefused(ValueError):
    """A text is no template of folders; the message goes on from the name of the setting."""


def name_of(value: str) -> str:
    """Return the name of the folder that a principal or a project has: one segment, never `.` or `..`.

    Two principals never have the same, nor have two projects of one, but for one whose name is the SHA-256 of another
    that is long: over 200 bytes a digest in lower-case hex stands for the value.
    """
    encoded = _ALWAYS_KEPT.sub(lambda kept: f"%{ord(kept[0]):02X}", quote(value, safe="")) or _EMPTY
    return encoded if len(encoded) <= _LONGEST else hashlib.sha256(value.encode()).hexdigest()


def is_name_at(place: str, name: str) -> bool:
    """Tell whether a folder at a place may be some principal's, or project's."""
    if _DIGEST.fullmatch(name) or (place == PROJECT and name == _EMPTY):
        return True
    try:
        value = unquote(name, errors="strict")
        if place == PRINCIPAL:
            Partition.parse(principal=value, project="")
        else:
            parse_project(value)
    except (UnicodeDecodeError, InvalidInput):
        return False
    return name_of(value) == name


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderTemplate:
    """A template. `root` is the folder before the first place, as a path; `segments` are the names beneath it."""

    root: str
    segments: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, folder: str = "") -> Self:
        """Understand a template that is relative to a folder; the braces of that folder are its own.

        Raises:
            FolderTemplateRefused: A place is no whole segment, is not known, stands twice, or is of nobody; or what is
                beneath the first one leads up.
        """
        segments = [segment for segment in text.split("/") if segment not in {"", "."}]
        if "\0" in text:
            raise FolderTemplateRefused("holds a NUL")
        for segment in segments:
            _check(segment)
        places = [segment for segment in segments if "{" in segment]
        if PRINCIPAL not in places:
            raise FolderTemplateRefused(f"has no {PRINCIPAL}, and a project is one of a principal")
        if len(set(places)) < len(places):
            raise FolderTemplateRefused("has a place twice")
        first = segments.index(places[0])
        if ".." in segments[first:]:
            raise FolderTemplateRefused("leads up, by `..`, from the folder of a partition")
        before = "/".join(segments[:first])
        root = f"/{before}" if text.startswith("/") else "/".join(filter(None, (folder.rstrip("/"), before)))
        if folder.startswith("/") and not root:
            root = "/"
        return cls(root=root or ".", segments=tuple(segments[first:]))

    @override
    def __str__(self) -> str:
        """Return it as a path, as far as its folder is known."""
        return "/".join((self.root.removesuffix("/"), *self.segments))

    def feeds(self, partition: Partition) -> bool:
        """Tell whether a partition has a folder by this template: without a place for it, no project has."""
        return partition != DEPLOYMENT and (not partition.project or PROJECT in self.segments)

    def beneath(self, partition: Partition) -> str:
        """Return the folder of a partition that it feeds, as a path below `root`."""
        put = {PRINCIPAL: partition.principal, PROJECT: partition.project}
        return "/".join(name_of(put[segment]) if segment in put else segment for segment in self.segments)


def _check(segment: str) -> None:
    if segment in {PRINCIPAL, PROJECT} or not {"{", "}"}.intersection(segment):
        return
    if PRINCIPAL in segment or PROJECT in segment:
        raise FolderTemplateRefused("has a place that is no whole segment; `/` stands around each")
    if segment[0] == "{" and segment[-1] == "}" and not {"{", "}"}.intersection(segment[1:-1]):
        raise FolderTemplateRefused(f"has the place {segment}; {PRINCIPAL} and {PROJECT} are known")
    raise FolderTemplateRefused("holds a brace that is not of a place")

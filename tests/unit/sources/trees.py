"""Trees of skills written in a few lines, and looks at them."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypedDict, Unpack

from skillsvc.content.blobs import BlobStore
from skillsvc.content.confined import ConfinedRoot
from skillsvc.content.stored_tree import StoredFile, StoredTree
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Bundle
from skillsvc.parsing.findings import Profile
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.discovery import Discovery, Layout
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Observation
from tests.contract.memory_blob_store import MemoryBlobStore

LABEL = "harbor"


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link with this text."""

    text: str


@dataclass(frozen=True, slots=True)
class Program:
    """A file that may be executed."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Fifo:
    """A named pipe that nobody writes to."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with nothing in it."""


Node: TypeAlias = str | bytes | Link | Program | Fifo | Folder
Tree: TypeAlias = Mapping[str, Node]
"""What stands at each path below a root; the folders on the way are made."""


def skill(name: str, description: str = "Draws maps of harbors.", body: str = "Body") -> str:
    """Return a sound SKILL.md."""
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


def grow(root: Path, tree: Tree) -> Path:
    """Write a tree; files that are there are written anew."""
    root.mkdir(exist_ok=True)
    for path, node in tree.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        match node:
            case str():
                target.write_bytes(node.encode())
            case bytes():
                target.write_bytes(node)
            case Program(data):
                target.write_bytes(data)
                target.chmod(0o755)
            case Link(text):
                target.symlink_to(text)
            case Fifo():
                os.mkfifo(target)
            case Folder():
                target.mkdir()
    return root


def stored_tree(files: Tree, blobs: BlobStore) -> StoredTree:
    """Return a tree of these files, whose bytes are put into `blobs`."""
    stored: dict[str, StoredFile] = {}
    links: dict[str, str] = {}
    for path, file in files.items():
        match file:
            case Link(text):
                links[path] = text
            case Program(data):
                stored[path] = StoredFile(blobs.put(data), len(data), executable=True)
            case str() | bytes():
                data = file.encode() if isinstance(file, str) else file
                stored[path] = StoredFile(blobs.put(data), len(data))
            case Fifo() | Folder():
                raise ValueError("a stored tree holds no such thing")
    return StoredTree(stored, blobs=blobs, links=links)


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """What a walk found: the places of skills in their order, and what it said about which place."""

    places: list[str]
    said: list[tuple[DiagnosticCode, str]]
    unseen: list[str]


def walk(root: Path, layout: Layout = Layout.FLAT, *, single_files: bool = False, limits: Limits | None = None) -> Walk:
    """Walk below a root."""
    with ConfinedRoot.open(str(root)) as opened:
        discovery = Discovery(opened, label=LABEL, layout=layout, single_files=single_files, limits=limits or Limits())
        places = [found.place.place for found in discovery.skills()]
    return Walk(places=places, said=codes(discovery.diagnostics), unseen=discovery.unseen)


class _Settings(TypedDict, total=False):
    layout: Layout
    profile: Profile
    single_files: bool


def source_of(
    root: Path,
    *,
    blobs: BlobStore | None = None,
    limits: Limits | None = None,
    label: str = LABEL,
    **settings: Unpack[_Settings],
) -> DirectorySource:
    """Return a directory as a source, over a store of its own where none is given."""
    return DirectorySource(
        DirectorySettings(path=str(root), reading=ReadingSettings(label=label, **settings)),
        limits=limits or Limits(),
        blobs=blobs or MemoryBlobStore(),
    )


def codes(diagnostics: Collection[Diagnostic]) -> list[tuple[DiagnosticCode, str]]:
    """Return what diagnostics say, and of which skill."""
    return [(diagnostic.code, diagnostic.skill) for diagnostic in diagnostics]


def bundle_at(observation: Observation, place: str) -> Bundle:
    """Return the bundle that was found at a place."""
    [bundle] = [found.bundle for found in observation.found if found.place == place]
    return bundle


def places_of(observation: Observation) -> list[str]:
    """Return where skills were found, in the order of the observation."""
    return [found.place for found in observation.found]


def asset_names(bundle: Bundle) -> list[str]:
    """Return the names of a bundle's assets, in their order."""
    return [asset.name for asset in bundle.assets]

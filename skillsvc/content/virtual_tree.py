"""Trees that no file system holds: folders, files and links as nodes, walked as those of a disk are (`rules.md` 1).

Links are walked here, as `beneath.py` walks those of a disk and with the same result: a link's text is read and walked
in turn, never above the folder that the way began in, at most 40 links, absolute ones refused.
"""

import hashlib
from collections.abc import Callable, Hashable, Mapping
from types import TracebackType
from typing import Final, Generic, NamedTuple, Protocol, Self, TypeVar

from skillsvc.content.blobs import BlobStore
from skillsvc.content.tree import (
    LEADS_OUT,
    LONGEST_PATH,
    MOST_LINKS,
    NO_FILE,
    NOT_THERE,
    Entry,
    EntryKind,
    Escapes,
    FileCopy,
    FileRead,
    Missing,
    NotRegular,
    TooLarge,
    Unreadable,
    encode_name,
    encode_path,
)

_AT_HAND_BYTES: Final = 64 * 1024 * 1024
"""Memory for the children of folders that are kept. Each way begins at the root, so some are asked for often."""
_CHILD_BYTES: Final = 256
"""What one child takes beside its name, roughly."""
_MOST_STEPS: Final = 4096
"""Steps over links on one way. Forty links of `a/../a/../…` take a tenth of a second, and a tree may have thousands."""
_SHOWN: Final = 64
"""Characters by which a name is listed that no file can have."""

Node = TypeVar("Node", bound=Hashable)


class Nodes(Protocol[Node]):
    """What a tree is made of. A node is a value: equal nodes are read equal. Names are as in `Entry`.

    Where something cannot be had, the methods raise Unreadable.
    """

    @property
    def root(self) -> Node:
        """The folder that is the tree."""
        ...

    def kind(self, node: Node) -> EntryKind:
        """Return what it is; `OTHER` is what is never opened."""
        ...

    def children(self, folder: Node) -> Mapping[str, Node]:
        """Return what stands in a folder, by name, in any order. Names that no file can have are never opened."""
        ...

    def link(self, node: Node) -> str:
        """Return the text of a link, which has at most `LONGEST_PATH` bytes by its `size`."""
        ...

    def stamp(self, node: Node) -> str:
        """Return what is equal for equal bytes alone: an object's id, a digest."""
        ...

    def size(self, node: Node) -> int:
        """Return the bytes of a file, or of a link's text, without reading it."""
        ...

    def executable(self, node: Node) -> bool:
        """Tell whether a file may be executed."""
        ...

    def read(self, node: Node, max_bytes: int) -> bytes:
        """Return a file's bytes. Raises TooLarge before more than `max_bytes` are in memory."""
        ...

    def copy(self, node: Node, max_bytes: int, blobs: BlobStore) -> str:
        """Put a file's bytes into `blobs` and return their digest. Raises TooLarge, and what `blobs` raises."""
        ...


class _Step(NamedTuple, Generic[Node]):
    """One folder on a way, by the name that it has in the one before; the root's is empty."""

    name: str
    node: Node


class VirtualFolder(Generic[Node]):
    """A folder of nodes; see `Folder`. There is nothing to close: what holds the nodes outlives it."""

    __slots__ = ("_children", "_nodes", "_way")

    def __init__(
        self, nodes: Nodes[Node], children: Callable[[Node], Mapping[str, Node]], way: tuple[_Step[Node], ...]
    ) -> None:
        """Open the folder at the end of `way`, whose names lead there from the root without a link."""
        self._nodes = nodes
        self._children = children
        self._way = way

    def __enter__(self) -> Self:
        """Return the folder itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Where it lies. Its node is no identity: folders of equal content may be equal nodes."""
        return tuple(step.name for step in self._way)

    def entries(self) -> list[Entry]:
        """See `Folder`. A name that no file can have stands for neither file nor folder, and no way leads to it."""
        found = [
            Entry(name, self._nodes.kind(node)) if _can_be_a_name(name) else Entry(name[:_SHOWN], EntryKind.OTHER)
            for name, node in self._children(self._way[-1].node).items()
        ]
        found.sort(key=lambda entry: encode_name(entry.name))
        return found

    def open_directory(self, relative: str, *, follow_links: bool) -> "VirtualFolder[Node]":
        """See `Folder`."""
        way = self._walk(relative, follow_links=follow_links)
        if self._nodes.kind(way[-1].node) is not EntryKind.DIRECTORY:
            raise Missing(NOT_THERE)
        # What cannot be had is told here, as a disk tells it.
        self._children(way[-1].node)
        return VirtualFolder(self._nodes, self._children, way)

    def stat_file(self, relative: str, *, follow_links: bool) -> str | None:
        """See `Folder`."""
        try:
            node = self._walk(relative, follow_links=follow_links)[-1].node
        except (Missing, Escapes):
            return None
        return self._stamp(node) if self._nodes.kind(node) is EntryKind.FILE else None

    def read_file(self, relative: str, *, max_bytes: int, follow_links: bool) -> FileRead:
        """See `Folder`."""
        node = self._file(relative, max_bytes, follow_links=follow_links)
        data = self._nodes.read(node, max_bytes)
        return FileRead(
            data=data,
            digest=hashlib.sha256(data).hexdigest(),
            size=len(data),
            executable=self._nodes.executable(node),
            stamp=self._stamp(node),
            settled=True,
        )

    def copy_file(self, relative: str, *, max_bytes: int, follow_links: bool, blobs: BlobStore) -> FileCopy:
        """See `Folder`."""
        node = self._file(relative, max_bytes, follow_links=follow_links)
        return FileCopy(
            digest=self._nodes.copy(node, max_bytes, blobs),
            size=self._nodes.size(node),
            executable=self._nodes.executable(node),
            stamp=self._stamp(node),
            settled=True,
        )

    def _file(self, relative: str, max_bytes: int, *, follow_links: bool) -> Node:
        node = self._walk(relative, follow_links=follow_links)[-1].node
        if self._nodes.kind(node) is not EntryKind.FILE:
            raise NotRegular(NO_FILE)
        if self._nodes.size(node) > max_bytes:
            raise TooLarge(f"more than {max_bytes} bytes")
        return node

    def _stamp(self, node: Node) -> str:
        """Return what changes with the bytes and, as a stamp of a disk does, with the mode."""
        stamp = self._nodes.stamp(node)
        return f"{stamp}+x" if self._nodes.executable(node) else stamp

    def _walk(self, relative: str, *, follow_links: bool) -> tuple[_Step[Node], ...]:
        """Return the way from the root to what stands at `relative`, which may be a file."""
        pending = _steps(relative)
        beneath = list(self._way)
        links = steps = 0
        while pending:
            if self._nodes.kind(beneath[-1].node) is not EntryKind.DIRECTORY:
                raise Missing(NOT_THERE)
            match pending.pop():
                case ".":
                    continue
                case "..":
                    if len(beneath) == len(self._way):
                        raise Escapes(LEADS_OUT)
                    beneath.pop()
                case name:
                    node = self._child(beneath[-1].node, name)
                    if self._nodes.kind(node) is not EntryKind.LINK:
                        beneath.append(_Step(name, node))
                        continue
                    links += 1
                    if not follow_links or links > MOST_LINKS:
                        raise Escapes(LEADS_OUT)
                    detour = self._steps_of_link(node)
                    steps += len(detour)
                    if steps > _MOST_STEPS:
                        raise Escapes(LEADS_OUT)
                    pending += detour
        return tuple(beneath)

    def _child(self, folder: Node, name: str) -> Node:
        node = self._children(folder).get(name)
        if node is None:
            raise Missing(NOT_THERE)
        return node

    def _steps_of_link(self, node: Node) -> list[str]:
        if not 0 < self._nodes.size(node) <= LONGEST_PATH:
            # No file system takes such a link.
            raise Missing(NOT_THERE)
        return _steps(self._nodes.link(node))


class VirtualTree(VirtualFolder[Node]):
    """The root of a tree of nodes; see `Tree`."""

    __slots__ = ()

    def __init__(self, nodes: Nodes[Node]) -> None:
        """Open the root; whether it can be had shows where it is used."""
        super().__init__(nodes, _ChildrenAtHand(nodes.children), (_Step("", nodes.root),))


class _ChildrenAtHand(Generic[Node]):
    """Keeps the children of the folders that were asked for last, as far as the memory for them goes.

    A folder may hold a name or half a million, as its author likes: a number of folders would bound nothing.
    """

    __slots__ = ("_bytes", "_children", "_kept")

    def __init__(self, children: Callable[[Node], Mapping[str, Node]]) -> None:
        self._children = children
        self._kept: dict[Node, tuple[Mapping[str, Node], int]] = {}
        self._bytes = 0

    def __call__(self, folder: Node) -> Mapping[str, Node]:
        """Return what stands in a folder."""
        kept = self._kept.pop(folder, None)
        if kept is None:
            children = self._children(folder)
            kept = children, sum(map(len, children)) + _CHILD_BYTES * (len(children) + 1)
            self._bytes += kept[1]
        # The last is the one that was asked for last; it stays, however large.
        self._kept[folder] = kept
        while self._bytes > _AT_HAND_BYTES and len(self._kept) > 1:
            self._bytes -= self._kept.pop(next(iter(self._kept)))[1]
        return kept[0]


def _steps(path: str) -> list[str]:
    """Return the steps of a relative path, the first one last. A path that ends in `/` ends in a step to a folder."""
    if len(encode_path(path)) > LONGEST_PATH:
        raise Unreadable("ENAMETOOLONG")
    if path.startswith("/"):
        raise Escapes(LEADS_OUT)
    steps = [step for step in path.split("/") if step]
    if path.endswith("/"):
        steps.append(".")
    steps.reverse()
    return steps


def _can_be_a_name(name: str) -> bool:
    return name not in {"", ".", ".."} and "/" not in name and "\0" not in name and len(name) <= LONGEST_PATH

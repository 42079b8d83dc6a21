"""A commit as a tree: nodes read from git's object database, without a checkout.

What stands in the database was sent by a stranger. The size of each object is asked before its bytes are read, and the
library checks the bytes against the object's id.
"""

import re
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import pygit2
from pygit2.enums import ObjectType

from skillsvc.content.blobs import BlobStore
from skillsvc.content.lfs_pointer import MOST_POINTER_BYTES, LfsPointer, parse_pointer
from skillsvc.content.tree import LONGEST_PATH, EntryKind, Missing, StandsForOther, TooLarge, Unreadable
from skillsvc.domain.limits import MIB

_MOST_FOLDER_BYTES: Final = 16 * MIB
"""Of one folder's object: some 400,000 names."""
_MOST_COMMIT_BYTES: Final = MIB
_ENTRY: Final = re.compile(rb"([0-7]{5,6}) ([^\0]+)\0(.{20})", re.DOTALL)
_COMMIT: Final = re.compile(rb"tree ([0-9a-f]{40})\n")
_FOLDER: Final = 0o040000
_EXECUTABLE: Final = 0o111
_KINDS: Final = {
    0o10: EntryKind.FILE,
    0o04: EntryKind.DIRECTORY,
    0o12: EntryKind.LINK,
    0o16: EntryKind.SUBMODULE,
}
"""By the upper bits of a mode."""
_POINTERS_AT_HAND: Final = 1024
_DEEPEST: Final = 256
"""Levels that are compared: a path has hardly more by its length, and a hostile commit may have any number."""
_MOST_COMPARED: Final = 500_000
"""Names that are compared. Folders that lie in one another twice over, a few objects, are 2 to the power of levels."""
_FOLDER_COSTS: Final = 16
"""As many names as take the time that it takes to read a folder of none."""


class GitNode(NamedTuple):
    """An object, by its id, with the mode that its folder gives it."""

    object_id: str
    mode: int

    @property
    def kind(self) -> EntryKind:
        """What it is."""
        return _KINDS.get(self.mode >> 12, EntryKind.OTHER)


class LfsObjects(Protocol):
    """Where the bytes are that pointers stand for. Both methods raise Unreadable where they cannot be had."""

    def read(self, pointer: LfsPointer) -> bytes:
        """Return the bytes."""
        ...

    def copy(self, pointer: LfsPointer, blobs: BlobStore) -> None:
        """Put the bytes into `blobs`. Raises what `blobs` raises, too."""
        ...


class GitObjects:
    """The objects of a repository, opened for one look; `damaged` tells that some were missing or not what they were.

    What cannot be had raises Unreadable. No configuration is read.
    """

    def __init__(self, repository: Path) -> None:
        """Open the objects of a bare repository. Raises Unreadable where it is none."""
        self.damaged = False
        try:
            self._database = pygit2.Odb(str(repository / "objects"))
        except (KeyError, ValueError, OSError, pygit2.GitError) as error:
            raise self._damage() from error

    def size(self, object_id: str) -> int:
        """Return the bytes of an object without reading them."""
        try:
            return self._database.read_header(object_id)[1]
        except (KeyError, ValueError, OSError, pygit2.GitError) as error:
            raise self._damage() from error

    def read(self, object_id: str, kind: ObjectType, max_bytes: int) -> bytes:
        """Return the bytes of an object. Raises TooLarge where it has more than `max_bytes`."""
        if self.size(object_id) > max_bytes:
            raise TooLarge(f"more than {max_bytes} bytes")
        try:
            found, data = self._database.read(object_id)
        except (KeyError, ValueError, OSError, pygit2.GitError) as error:
            raise self._damage() from error
        if found != kind:
            raise self._damage()
        return data

    def folder(self, commit: str, subdir: str = "") -> GitNode:
        """Return the root of a commit, or the folder `subdir` of it; links on the way there are not followed.

        Raises:
            Missing: The commit has no such folder.
        """
        tree = _COMMIT.match(self._read_whole(commit, ObjectType.COMMIT, _MOST_COMMIT_BYTES))
        if tree is None:
            raise self._damage()
        node = GitNode(tree[1].decode(), _FOLDER)
        for name in filter(None, subdir.split("/")):
            found = self.children(node).get(name)
            if found is None or found.kind is not EntryKind.DIRECTORY:
                raise Missing("no such folder")
            node = found
        return node

    def children(self, folder: GitNode) -> Mapping[str, GitNode]:
        """Return what stands in a folder, by name. Bytes that are not UTF-8 are surrogates."""
        data = self._read_whole(folder.object_id, ObjectType.TREE, _MOST_FOLDER_BYTES)
        found: dict[str, GitNode] = {}
        at = 0
        while at < len(data):
            entry = _ENTRY.match(data, at)
            # git itself writes no folder with one name twice: which of the two a reader takes is anybody's guess.
            if entry is None or (name := entry[2].decode("utf-8", "surrogateescape")) in found:
                raise self._damage()
            found[name] = GitNode(entry[3].hex(), int(entry[1], 8))
            at = entry.end()
        return found

    def _read_whole(self, object_id: str, kind: ObjectType, max_bytes: int) -> bytes:
        try:
            return self.read(object_id, kind, max_bytes)
        except TooLarge as error:
            raise Unreadable("EFBIG") from error

    def _damage(self) -> Unreadable:
        self.damaged = True
        return Unreadable("an object of the repository is missing or damaged")


class GitNodes:
    """The nodes (`Nodes`) below one folder of a commit."""

    def __init__(self, objects: GitObjects, root: GitNode, *, lfs: LfsObjects | None = None) -> None:
        """Read from `objects`, and what pointers stand for from `lfs`; without it, pointers are StandsForOther."""
        self._objects = objects
        self._root = root
        self._lfs = lfs
        # By itself and not through `self`: what refers to itself is freed late, and the library keeps a pack that
        # somebody has open, by its name, when that pack is fetched anew.
        self._pointer_in = lru_cache(maxsize=_POINTERS_AT_HAND)(partial(_read_pointer, objects))

    @property
    def root(self) -> GitNode:
        """The folder that is the tree."""
        return self._root

    def kind(self, node: GitNode) -> EntryKind:
        """See `Nodes`."""
        return node.kind

    def children(self, folder: GitNode) -> Mapping[str, GitNode]:
        """See `Nodes`."""
        return self._objects.children(folder)

    def link(self, node: GitNode) -> str:
        """See `Nodes`."""
        return self._objects.read(node.object_id, ObjectType.BLOB, LONGEST_PATH).decode("utf-8", "surrogateescape")

    def stamp(self, node: GitNode) -> str:
        """Return the object's id: that of a pointer holds the digest of what it stands for."""
        return node.object_id

    def size(self, node: GitNode) -> int:
        """See `Nodes`."""
        pointer = self._pointer(node)
        return self._objects.size(node.object_id) if pointer is None else pointer.size

    def executable(self, node: GitNode) -> bool:
        """See `Nodes`."""
        return bool(node.mode & _EXECUTABLE)

    def read(self, node: GitNode, max_bytes: int) -> bytes:
        """See `Nodes`."""
        pointer = self._pointer(node)
        if pointer is None:
            return self._objects.read(node.object_id, ObjectType.BLOB, max_bytes)
        return self._lfs_of(pointer, max_bytes).read(pointer)

    def copy(self, node: GitNode, max_bytes: int, blobs: BlobStore) -> str:
        """See `Nodes`."""
        pointer = self._pointer(node)
        if pointer is None:
            return blobs.put(self._objects.read(node.object_id, ObjectType.BLOB, max_bytes))
        self._lfs_of(pointer, max_bytes).copy(pointer, blobs)
        return pointer.digest

    def _lfs_of(self, pointer: LfsPointer, max_bytes: int) -> LfsObjects:
        if self._lfs is None:
            raise StandsForOther("is a git LFS pointer, and what it stands for is not fetched; set `lfs = true`")
        if pointer.size > max_bytes:
            raise TooLarge(f"more than {max_bytes} bytes")
        return self._lfs

    def _pointer(self, node: GitNode) -> LfsPointer | None:
        if node.kind is not EntryKind.FILE or self._objects.size(node.object_id) > MOST_POINTER_BYTES:
            return None
        return self._pointer_in(node.object_id)


def _read_pointer(objects: GitObjects, object_id: str) -> LfsPointer | None:
    return parse_pointer(objects.read(object_id, ObjectType.BLOB, MOST_POINTER_BYTES))


def changed_paths(objects: GitObjects, old: GitNode, new: GitNode, *, at_most: int) -> frozenset[str] | None:
    """Return the paths below two folders where they differ, None where there are more than `at_most` or too many names.

    What is the same in both is not opened. A folder that stands in one alone is one path, and so is one that lies too
    deep for what is in it to matter. A path that no file can have is cut.
    """
    changed: set[str] = set()
    compared = 0
    ahead = [("", old, new, 0)]
    while ahead:
        inside, before, after, depth = ahead.pop()
        was, now = objects.children(before), objects.children(after)
        # Not only what differs counts: bytes may differ that mean the same.
        compared += len(was) + len(now) + _FOLDER_COSTS
        if compared > _MOST_COMPARED:
            return None
        for name in was.keys() | now.keys():
            there, here = was.get(name), now.get(name)
            if there == here:
                continue
            path = inside + name
            kinds = {node.kind for node in (there, here) if node is not None}
            is_within = depth < _DEEPEST and len(path) <= LONGEST_PATH
            if there is not None and here is not None and kinds == {EntryKind.DIRECTORY} and is_within:
                ahead.append((f"{path}/", there, here, depth + 1))
                continue
            changed.add(path[:LONGEST_PATH])
            if len(changed) > at_most:
                return None
    return frozenset(changed)

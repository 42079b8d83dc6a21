"""The contract of `Tree`: one suite, run by a test module for each implementation.

The rows name what `rules.md` 1 promises of links and names, whatever holds the tree.
"""

import hashlib
import os
from collections.abc import Mapping
from typing import Protocol, TypeAlias

import pytest

from skillsvc.content.tree import (
    Entry,
    EntryKind,
    Escapes,
    FileCopy,
    FileRead,
    Folder,
    Missing,
    NotRegular,
    TooLarge,
    Tree,
    TreeError,
    Unreadable,
)
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.trees import Link, Program

File: TypeAlias = str | bytes | Link | Program
Files: TypeAlias = Mapping[str, File]
"""What stands at each path below a root; the folders on the way are made."""

NAME_NOT_UTF8 = os.fsdecode(b"\xff\xfe")
LIMIT = 1024
LARGE = b"large" * 100_000
"""More than is held whole while it is copied."""

LINKS = {
    "inside": "plain",
    "inside-slash": "plain/",
    "inside-dots": "./plain/.././plain",
    "file-link": "plain/SKILL.md",
    "file-slash": "plain/SKILL.md/",
    "file-beyond": "plain/SKILL.md/x",
    "sub/up": "../plain",
    "sub/over": "../sub/up",
    "out": "../outside",
    "out-and-in": "../root/plain",
    "out-file": "../outside/SKILL.md",
    "sub/out": "../../outside",
    "out-through": "sub/out",
    "absolute": "/plain",
    "absolute-file": "/etc/passwd",
    "machine": "/",
    "self": "self",
    "loop-a": "loop-b",
    "loop-b": "loop-a",
    "loop-deep": "plain/../loop-deep/x",
    "dangling": "nowhere",
    "dangling-deep": "nowhere/SKILL.md",
    "landing": "one/two/three",
    "linked-folder/SKILL.md": "../plain/SKILL.md",
    "escaping-folder/SKILL.md": "../../outside/SKILL.md",
    **{f"link-{number + 1}": f"link-{number}" for number in range(41)},
    # Twice twenty links are forty, wherever they stand in the path; the one after them is too many.
    **{f"half-{number + 1}": f"half-{number}" for number in range(20)},
    "half-0/half-20": "../half-19",
    "half-0/half-link": "half-file",
}

TREE: Files = {
    "plain/SKILL.md": b"plain",
    "one/two/mark": b"two",
    "one/two/three/x": b"three",
    "folder-as-file/SKILL.md/x": b"x",
    "back\\slash": b"backslash",
    "ünïcödé/SKILL.md": b"unicode",
    f"{NAME_NOT_UTF8}/{NAME_NOT_UTF8}": b"bytes",
    "d/" * 100 + "SKILL.md": b"deep",
    "link-0": b"end of the chain",
    "half-0/half-file": b"end of the halves",
    "empty": b"",
    "large": LARGE,
    "program": Program(b"run"),
    **{path: Link(text) for path, text in LINKS.items()},
}

Expected: TypeAlias = bytes | type[TreeError]

# Path, what it is with links followed, what it is with links refused; bytes are a file's content.
FILES: list[tuple[str, Expected, Expected]] = [
    ("plain/SKILL.md", b"plain", b"plain"),
    ("./plain/./SKILL.md", b"plain", b"plain"),
    ("plain//SKILL.md", b"plain", b"plain"),
    ("plain/../plain/SKILL.md", b"plain", b"plain"),
    ("one/two/three/../mark", b"two", b"two"),
    ("ünïcödé/SKILL.md", b"unicode", b"unicode"),
    (f"{NAME_NOT_UTF8}/{NAME_NOT_UTF8}", b"bytes", b"bytes"),
    ("back\\slash", b"backslash", b"backslash"),
    ("d/" * 100 + "SKILL.md", b"deep", b"deep"),
    ("empty", b"", b""),
    ("inside/SKILL.md", b"plain", Escapes),
    ("inside-slash/SKILL.md", b"plain", Escapes),
    ("inside-dots/SKILL.md", b"plain", Escapes),
    ("file-link", b"plain", Escapes),
    ("linked-folder/SKILL.md", b"plain", Escapes),
    ("sub/up/SKILL.md", b"plain", Escapes),
    ("sub/over/SKILL.md", b"plain", Escapes),
    # `..` behind a link is the parent of where the link leads.
    ("landing/../mark", b"two", Escapes),
    ("link-40", b"end of the chain", Escapes),
    ("link-41", Escapes, Escapes),
    ("half-20/half-20/half-file", b"end of the halves", Escapes),
    ("half-20/half-20/half-link", Escapes, Escapes),
    ("out/SKILL.md", Escapes, Escapes),
    ("out-and-in/SKILL.md", Escapes, Escapes),
    ("out-file", Escapes, Escapes),
    ("sub/out/SKILL.md", Escapes, Escapes),
    ("out-through/SKILL.md", Escapes, Escapes),
    ("escaping-folder/SKILL.md", Escapes, Escapes),
    ("absolute/SKILL.md", Escapes, Escapes),
    ("absolute-file", Escapes, Escapes),
    ("machine/etc/passwd", Escapes, Escapes),
    ("self", Escapes, Escapes),
    ("loop-a", Escapes, Escapes),
    ("loop-a/SKILL.md", Escapes, Escapes),
    ("loop-deep", Escapes, Escapes),
    ("../outside/SKILL.md", Escapes, Escapes),
    ("../root/plain/SKILL.md", Escapes, Escapes),
    ("plain/../../outside/SKILL.md", Escapes, Escapes),
    ("..", Escapes, Escapes),
    ("/", Escapes, Escapes),
    ("/etc/passwd", Escapes, Escapes),
    ("//etc/passwd", Escapes, Escapes),
    ("dangling", Missing, Escapes),
    ("dangling-deep", Missing, Escapes),
    ("file-beyond", Missing, Escapes),
    ("file-slash", Missing, Escapes),
    ("nowhere", Missing, Missing),
    ("nowhere/../plain/SKILL.md", Missing, Missing),
    ("plain/skill.md", Missing, Missing),
    ("plain/SKILL.md/", Missing, Missing),
    ("plain/SKILL.md/.", Missing, Missing),
    ("plain/SKILL.md/..", Missing, Missing),
    ("plain/SKILL.md/x", Missing, Missing),
    ("plain/SKILL.md\0", Missing, Missing),
    ("plain/SKILL.md\0.txt", Missing, Missing),
    ("\0", Missing, Missing),
    ("\ud800/SKILL.md", Missing, Missing),
    ("%2e%2e/outside/SKILL.md", Missing, Missing),
    ("..\\outside\\SKILL.md", Missing, Missing),
    ("", NotRegular, NotRegular),
    (".", NotRegular, NotRegular),
    ("plain", NotRegular, NotRegular),
    ("plain/", NotRegular, NotRegular),
    ("folder-as-file/SKILL.md", NotRegular, NotRegular),
    ("inside", NotRegular, Escapes),
    ("large", TooLarge, TooLarge),
    ("nowhere/" * 600 + "x", Unreadable, Unreadable),
]

# Path, the names in the folder with links followed, and with links refused.
FOLDERS: list[tuple[str, list[str] | type[TreeError], list[str] | type[TreeError]]] = [
    ("plain", ["SKILL.md"], ["SKILL.md"]),
    ("plain/", ["SKILL.md"], ["SKILL.md"]),
    ("plain/.", ["SKILL.md"], ["SKILL.md"]),
    ("one/two/..", ["two"], ["two"]),
    ("one/..//plain", ["SKILL.md"], ["SKILL.md"]),
    (NAME_NOT_UTF8, [NAME_NOT_UTF8], [NAME_NOT_UTF8]),
    ("inside", ["SKILL.md"], Escapes),
    ("inside-slash", ["SKILL.md"], Escapes),
    ("sub/over", ["SKILL.md"], Escapes),
    ("landing", ["x"], Escapes),
    ("landing/..", ["mark", "three"], Escapes),
    ("out", Escapes, Escapes),
    ("out-and-in", Escapes, Escapes),
    ("absolute", Escapes, Escapes),
    ("machine", Escapes, Escapes),
    ("self", Escapes, Escapes),
    ("..", Escapes, Escapes),
    ("/", Escapes, Escapes),
    ("plain/../..", Escapes, Escapes),
    ("dangling", Missing, Escapes),
    ("file-link", Missing, Escapes),
    ("nowhere", Missing, Missing),
    ("plain/SKILL.md", Missing, Missing),
    ("plain\0", Missing, Missing),
]


class Grow(Protocol):
    """Makes a tree; what is open at the end of a test is closed by whoever gives this."""

    def __call__(self, files: Files) -> Tree:
        """Make a tree of these files, in place of the one made before."""


class TreeContract:
    """What every tree promises. A subclass gives the fixture `grow`."""

    @pytest.fixture
    def grow(self) -> Grow:
        raise NotImplementedError

    @pytest.fixture
    def tree(self, grow: Grow) -> Tree:
        return grow(TREE)

    @pytest.mark.parametrize("row", FILES, ids=lambda row: ascii(row[0])[:40])
    def test_a_file_is_reached_or_refused_as_the_rule_says(
        self, tree: Tree, row: tuple[str, Expected, Expected]
    ) -> None:
        path, followed, refused = row
        for follow_links, expected in ((True, followed), (False, refused)):
            assert _read(tree, path, follow_links=follow_links) == expected
            assert _copied(tree, path, follow_links=follow_links) == expected
            if expected is not Unreadable:
                stamp = tree.stat_file(path, follow_links=follow_links)
                assert (stamp is not None) is (isinstance(expected, bytes) or expected is TooLarge)

    @pytest.mark.parametrize("row", FOLDERS, ids=lambda row: ascii(row[0])[:40])
    def test_a_folder_is_reached_or_refused_as_the_rule_says(
        self, tree: Tree, row: tuple[str, list[str] | type[TreeError], list[str] | type[TreeError]]
    ) -> None:
        path, followed, refused = row
        for follow_links, expected in ((True, followed), (False, refused)):
            assert _listed(tree, path, follow_links=follow_links) == expected

    def test_a_folder_is_listed_in_byte_order_with_what_each_name_stands_for(self, grow: Grow) -> None:
        tree = grow(
            {
                "é": b"",
                "a/b": b"",
                "a-b": b"",
                "Z": Program(b""),
                "link": Link("a"),
                "nowhere": Link("x"),
                NAME_NOT_UTF8: b"",
                "𝄞": b"",
                "\uffee": b"",
            }
        )
        assert tree.entries() == [
            Entry("Z", EntryKind.FILE),
            Entry("a", EntryKind.DIRECTORY),
            Entry("a-b", EntryKind.FILE),
            Entry("link", EntryKind.LINK),
            Entry("nowhere", EntryKind.LINK),
            Entry("é", EntryKind.FILE),
            # By UTF-16, as some systems sort, the next two would change places.
            Entry("\uffee", EntryKind.FILE),
            Entry("𝄞", EntryKind.FILE),
            Entry(NAME_NOT_UTF8, EntryKind.FILE),
        ]

    def test_a_link_leads_no_higher_than_the_folder_that_the_way_begins_in(self, tree: Tree) -> None:
        with tree.open_directory("sub", follow_links=False) as folder:
            assert _read(folder, "up/SKILL.md", follow_links=True) is Escapes
            assert _read(folder, "../plain/SKILL.md", follow_links=True) is Escapes
            assert _listed(folder, "up", follow_links=True) is Escapes
        with tree.open_directory("one", follow_links=False) as folder:
            assert _read(folder, "two/three/../mark", follow_links=True) == b"two"

    def test_a_folder_has_one_identity_however_it_is_reached(self, tree: Tree) -> None:
        with (
            tree.open_directory("plain", follow_links=False) as folder,
            tree.open_directory("sub/over", follow_links=True) as linked,
            tree.open_directory("sub", follow_links=False) as other,
            other.open_directory(".", follow_links=False) as again,
        ):
            assert folder.identity == linked.identity
            assert other.identity == again.identity
            assert len({folder.identity, other.identity, tree.identity}) == 3

    def test_folders_of_equal_content_are_not_the_same(self, grow: Grow) -> None:
        tree = grow({"a/x": b"x", "b/x": b"x", "c/b/x": b"x"})
        opened = [tree.open_directory(path, follow_links=False) for path in ("a", "b", "c/b")]
        identities = {folder.identity for folder in opened}
        for folder in opened:
            folder.__exit__(None, None, None)
        assert len(identities) == 3

    @pytest.mark.parametrize(("path", "data"), [("plain/SKILL.md", b"plain"), ("large", LARGE), ("empty", b"")])
    def test_reading_and_copying_tell_the_same(self, tree: Tree, path: str, data: bytes) -> None:
        blobs = MemoryBlobStore()
        read = tree.read_file(path, max_bytes=len(data), follow_links=False)
        copy = tree.copy_file(path, max_bytes=len(data), follow_links=False, blobs=blobs)
        assert (read.data, read.size, read.digest) == (data, len(data), hashlib.sha256(data).hexdigest())
        assert _of_file(read) == _of_file(copy)
        assert read.stamp == tree.stat_file(path, follow_links=False)
        assert blobs.read(copy.digest) == data

    def test_a_file_of_more_bytes_than_may_be_read_is_too_large(self, tree: Tree) -> None:
        blobs = MemoryBlobStore()
        with pytest.raises(TooLarge):
            tree.read_file("large", max_bytes=len(LARGE) - 1, follow_links=False)
        with pytest.raises(TooLarge):
            tree.copy_file("large", max_bytes=len(LARGE) - 1, follow_links=False, blobs=blobs)
        assert not blobs.blobs

    def test_what_may_be_executed_is_told(self, tree: Tree) -> None:
        blobs = MemoryBlobStore()
        for path, executable in (("program", True), ("plain/SKILL.md", False)):
            assert tree.read_file(path, max_bytes=LIMIT, follow_links=False).executable is executable
            copy = tree.copy_file(path, max_bytes=LIMIT, follow_links=False, blobs=blobs)
            assert copy.executable is executable

    def test_a_stamp_changes_with_the_bytes_and_with_the_mode(self, grow: Grow) -> None:
        stamps = set()
        contents: tuple[File, ...] = (b"one", b"two", Program(b"two"))
        for content in contents:
            stamp = grow({"x": content}).stat_file("x", follow_links=False)
            assert stamp is not None
            stamps.add(stamp)
        assert len(stamps) == len(contents)

    def test_no_message_names_a_path(self, tree: Tree) -> None:
        for path, expected, _refused in FILES:
            if isinstance(expected, type):
                with pytest.raises(expected) as caught:
                    tree.read_file(path, max_bytes=LIMIT, follow_links=True)
                assert not any(name in str(caught.value) for name in ("plain", "outside", "SKILL", "link-"))


def _read(folder: Folder, path: str, *, follow_links: bool) -> Expected:
    try:
        return folder.read_file(path, max_bytes=LIMIT, follow_links=follow_links).data
    except TreeError as error:
        return type(error)


def _copied(folder: Folder, path: str, *, follow_links: bool) -> Expected:
    blobs = MemoryBlobStore()
    try:
        copy = folder.copy_file(path, max_bytes=LIMIT, follow_links=follow_links, blobs=blobs)
    except TreeError as error:
        return type(error)
    return blobs.read(copy.digest)


def _listed(folder: Folder, path: str, *, follow_links: bool) -> list[str] | type[TreeError]:
    try:
        with folder.open_directory(path, follow_links=follow_links) as opened:
            return [entry.name for entry in opened.entries()]
    except TreeError as error:
        return type(error)


def _of_file(file: FileCopy | FileRead) -> tuple[object, ...]:
    return file.digest, file.size, file.executable, file.stamp

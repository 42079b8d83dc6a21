"""A commit as a tree, and what strangers may put into it."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from pygit2.enums import ObjectType

from skillsvc.content.blobs import BlobStore
from skillsvc.content.git_tree import GitNode, GitNodes, GitObjects, LfsObjects, changed_paths
from skillsvc.content.lfs_pointer import LfsPointer
from skillsvc.content.tree import Entry, EntryKind, Escapes, Missing, StandsForOther, TooLarge, Unreadable
from skillsvc.content.virtual_tree import VirtualTree
from skillsvc.domain.limits import MIB
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.git_objects import EXECUTABLE, FILE, FOLDER, LINK, NOWHERE, SUBMODULE, ObjectWriter, Placed

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 7\n".encode()


@pytest.fixture
def writer(tmp_path: Path) -> ObjectWriter:
    return ObjectWriter(tmp_path / "repository.git")


def file(content: bytes = b"Text.", mode: int = FILE) -> Placed:
    return Placed(mode, content)


def opened(
    writer: ObjectWriter, files: Mapping[str, Placed], *, subdir: str = "", lfs: LfsObjects | None = None
) -> VirtualTree[GitNode]:
    objects = GitObjects(writer.folder)
    return VirtualTree(GitNodes(objects, objects.folder(writer.commit(writer.tree_of(files)), subdir), lfs=lfs))


def test_entries_are_what_their_modes_say_in_byte_order(writer: ObjectWriter) -> None:
    files = {
        "a/x": file(),
        "a.md": file(),
        "run": file(mode=EXECUTABLE),
        "link": file(b"a.md", LINK),
        "team": Placed(SUBMODULE, NOWHERE),
        "odd": Placed(0o010644, NOWHERE),
        "\udcff": file(),
    }
    assert opened(writer, files).entries() == [
        Entry("a", EntryKind.DIRECTORY),
        Entry("a.md", EntryKind.FILE),
        Entry("link", EntryKind.LINK),
        Entry("odd", EntryKind.OTHER),
        Entry("run", EntryKind.FILE),
        Entry("team", EntryKind.SUBMODULE),
        Entry("\udcff", EntryKind.FILE),
    ]


def test_a_file_comes_with_its_bytes_its_bit_and_the_object_it_is(writer: ObjectWriter) -> None:
    tree = opened(writer, {"a/run": file(b"#!", EXECUTABLE), "a/text": file(b"#!")})
    run = tree.read_file("a/run", max_bytes=2, follow_links=False)
    text = tree.read_file("a/text", max_bytes=2, follow_links=False)
    assert (run.data, run.executable, text.executable) == (b"#!", True, False)
    assert run.settled
    assert run.stamp != text.stamp
    assert text.stamp == writer.write(ObjectType.BLOB, b"#!") == tree.stat_file("a/text", follow_links=False)


def test_a_file_is_copied_into_the_store(writer: ObjectWriter) -> None:
    blobs = MemoryBlobStore()
    copy = opened(writer, {"a": file(b"Bytes.")}).copy_file("a", max_bytes=6, follow_links=False, blobs=blobs)
    assert (blobs.read(copy.digest), copy.size) == (b"Bytes.", 6)


def test_a_link_leads_nowhere_above_the_folder_that_counts_as_root(writer: ObjectWriter) -> None:
    files = {"secret": file(), "sub/a": file(b"A."), "sub/in": file(b"a", LINK), "sub/out": file(b"../secret", LINK)}
    tree = opened(writer, files, subdir="sub")
    assert tree.read_file("in", max_bytes=9, follow_links=True).data == b"A."
    with pytest.raises(Escapes):
        tree.read_file("out", max_bytes=9, follow_links=True)


def test_links_that_go_to_and_fro_lead_no_further_than_a_path_could(writer: ObjectWriter) -> None:
    to_and_fro = b"a/../" * 800
    files = {"a/x": file(b"X."), "third": file(to_and_fro + b"a", LINK), "second": file(to_and_fro + b"third", LINK)}
    tree = opened(writer, {**files, "first": file(to_and_fro + b"second", LINK)})
    assert tree.read_file("second/x", max_bytes=9, follow_links=True).data == b"X."
    with pytest.raises(Escapes):
        tree.read_file("first/x", max_bytes=9, follow_links=True)


@pytest.mark.parametrize("subdir", ["none", "file", "link", "team"])
def test_the_root_is_a_folder_of_the_commit_itself(writer: ObjectWriter, subdir: str) -> None:
    files = {
        "a/x": file(),
        "file": file(),
        "link": file(b"a", LINK),
        "team": Placed(SUBMODULE, NOWHERE),
    }
    with pytest.raises(Missing):
        opened(writer, files, subdir=subdir)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(writer: ObjectWriter) -> None:
    tree = opened(writer, {"a": file(b"12345")})
    with pytest.raises(TooLarge):
        tree.read_file("a", max_bytes=4, follow_links=False)
    with pytest.raises(TooLarge):
        tree.copy_file("a", max_bytes=4, follow_links=False, blobs=MemoryBlobStore())


@pytest.mark.parametrize(
    "data",
    [
        b"no folder at all",
        b"100644 a\0short",
        b"100644 \0" + bytes(20),
        b"+100644 a\0" + bytes(20),
        b"9 a\0" + bytes(20),
        b"100644 a\0" + bytes(20) + b"40000 a\0" + bytes(20),
        b"100644 a\0" + bytes(20) + b"x",
    ],
)
def test_a_folder_that_git_would_not_write_is_damaged(writer: ObjectWriter, data: bytes) -> None:
    objects = GitObjects(writer.folder)
    folder = writer.write(ObjectType.TREE, data)
    with pytest.raises(Unreadable):
        objects.children(GitNode(folder, FOLDER))
    assert objects.damaged


def test_an_object_that_is_missing_is_damage(writer: ObjectWriter) -> None:
    objects = GitObjects(writer.folder)
    with pytest.raises(Unreadable):
        objects.folder(NOWHERE)
    assert objects.damaged


def test_an_object_of_another_kind_is_damage(writer: ObjectWriter) -> None:
    objects = GitObjects(writer.folder)
    with pytest.raises(Unreadable):
        objects.folder(writer.write(ObjectType.BLOB, b"tree "))
    with pytest.raises(Unreadable):
        objects.children(GitNode(writer.write(ObjectType.BLOB, b""), FOLDER))
    assert objects.damaged


def test_a_commit_of_no_tree_is_damage(writer: ObjectWriter) -> None:
    objects = GitObjects(writer.folder)
    commit = writer.write(ObjectType.COMMIT, b"parent " + b"1" * 40 + b"\n")
    with pytest.raises(Unreadable):
        objects.folder(commit)
    assert objects.damaged


def test_bytes_that_are_not_those_of_the_object_are_damage(writer: ObjectWriter) -> None:
    one, other = writer.write(ObjectType.BLOB, b"One."), writer.write(ObjectType.BLOB, b"Two.")
    folder = writer.folder / "objects"
    (folder / one[:2] / one[2:]).unlink()
    (folder / other[:2] / other[2:]).rename(folder / one[:2] / one[2:])
    objects = GitObjects(writer.folder)
    with pytest.raises(Unreadable):
        objects.read(one, ObjectType.BLOB, 10)
    assert objects.damaged


def test_a_folder_that_is_no_repository_is_damage(tmp_path: Path) -> None:
    with pytest.raises(Unreadable):
        GitObjects(tmp_path / "none")


def test_a_folder_of_too_many_names_is_not_read(writer: ObjectWriter) -> None:
    folder = writer.write(ObjectType.TREE, bytes(16 * MIB + 1))
    objects = GitObjects(writer.folder)
    with pytest.raises(Unreadable, match="EFBIG"):
        objects.children(GitNode(folder, FOLDER))
    assert not objects.damaged


class _Lfs:
    """Has the same bytes for all pointers."""

    def __init__(self) -> None:
        self.asked: list[LfsPointer] = []

    def read(self, pointer: LfsPointer) -> bytes:
        self.asked.append(pointer)
        return b"Seven.."

    def copy(self, pointer: LfsPointer, blobs: BlobStore) -> None:
        blobs.put(self.read(pointer), pointer.digest)


def test_a_pointer_is_not_taken_for_the_file(writer: ObjectWriter) -> None:
    tree = opened(writer, {"a": file(POINTER)})
    with pytest.raises(StandsForOther):
        tree.read_file("a", max_bytes=1000, follow_links=False)
    with pytest.raises(StandsForOther):
        tree.copy_file("a", max_bytes=1000, follow_links=False, blobs=MemoryBlobStore())


def test_a_pointer_is_read_as_what_it_stands_for(writer: ObjectWriter) -> None:
    lfs, blobs = _Lfs(), MemoryBlobStore()
    tree = opened(writer, {"a": file(POINTER)}, lfs=lfs)
    assert tree.read_file("a", max_bytes=7, follow_links=False).data == b"Seven.."
    copy = tree.copy_file("a", max_bytes=7, follow_links=False, blobs=blobs)
    assert (copy.digest, copy.size) == ("a" * 64, 7)
    assert lfs.asked == [LfsPointer(digest="a" * 64, size=7)] * 2


def test_what_a_pointer_stands_for_is_not_fetched_where_it_is_too_large(writer: ObjectWriter) -> None:
    lfs = _Lfs()
    tree = opened(writer, {"a": file(POINTER)}, lfs=lfs)
    with pytest.raises(TooLarge):
        tree.copy_file("a", max_bytes=6, follow_links=False, blobs=MemoryBlobStore())
    assert lfs.asked == []


def test_the_difference_of_two_commits_is_the_paths_that_changed(writer: ObjectWriter) -> None:
    objects = GitObjects(writer.folder)
    before = {"a/x": file(), "a/y": file(), "b/c/d": file(), "gone/x": file(), "file": file(), "same/x": file()}
    after = {
        "a/x": file(),
        "a/y": file(b"New."),
        "b/c/d": file(mode=EXECUTABLE),
        "file/now/folder": file(),
        "new/x": file(),
        "same/x": file(),
    }
    old, new = (GitNode(writer.tree_of(files), FOLDER) for files in (before, after))
    assert changed_paths(objects, old, new, at_most=5) == frozenset({"a/y", "b/c/d", "gone", "new", "file"})
    assert changed_paths(objects, old, new, at_most=4) is None
    assert changed_paths(objects, old, old, at_most=0) == frozenset()


def test_what_lies_deeper_than_any_skill_is_compared_no_further(writer: ObjectWriter) -> None:
    objects = GitObjects(writer.folder)
    old, new = (writer.tree_of({"x": file(content)}) for content in (b"One.", b"Two."))
    for _ in range(1000):
        old, new = (writer.folder_of({b"a": (FOLDER, tree)}) for tree in (old, new))
    changed = changed_paths(objects, GitNode(old, FOLDER), GitNode(new, FOLDER), at_most=5)
    assert changed == frozenset({"/".join("a" * 257)})


def test_folders_that_are_one_another_many_times_over_are_not_compared_for_ever(writer: ObjectWriter) -> None:
    objects = GitObjects(writer.folder)
    empty = bytes.fromhex(writer.write(ObjectType.TREE, b""))
    # Other bytes that mean the same: however many ways lead there, no path differs.
    old, new = (writer.write(ObjectType.TREE, mode + b" d\0" + empty) for mode in (b"40000", b"040000"))
    for _ in range(64):
        old, new = (writer.folder_of({b"a": (FOLDER, tree), b"b": (FOLDER, tree)}) for tree in (old, new))
    assert changed_paths(objects, GitNode(old, FOLDER), GitNode(new, FOLDER), at_most=5) is None


def test_a_path_that_differs_is_told_no_longer_than_any_file_can_have_it(writer: ObjectWriter) -> None:
    objects = GitObjects(writer.folder)
    old, new = (writer.tree_of({"x": file(content)}) for content in (b"One.", b"Two."))
    for _ in range(8):
        old, new = (writer.folder_of({b"a" * 3000: (FOLDER, tree)}) for tree in (old, new))
    changed = changed_paths(objects, GitNode(old, FOLDER), GitNode(new, FOLDER), at_most=5)
    assert changed == frozenset({f"{'a' * 3000}/{'a' * 3000}"[:4095]})

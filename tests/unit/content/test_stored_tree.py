"""A tree of stored files: what is refused when it is made, and what is told where something cannot be had."""

import pytest
from typing_extensions import override

from skillsvc.content.stored_tree import StoredFile, StoredTree
from skillsvc.content.tree import Missing, StoreFailed, Unreadable
from skillsvc.domain.errors import ErrorReason, Unavailable
from tests.contract.memory_blob_store import MemoryBlobStore

FILE = StoredFile("0" * 64, 1)


@pytest.mark.parametrize(
    "paths",
    [
        [""],
        ["/a"],
        ["a/"],
        ["a//b"],
        ["."],
        [".."],
        ["a/../b"],
        ["a/./b"],
        ["a\0"],
        ["\ud800"],
        ["a", "a/b"],
        ["a/b", "a"],
    ],
    ids=ascii,
)
def test_a_path_that_no_file_can_have_is_refused(paths: list[str]) -> None:
    with pytest.raises(ValueError, match="path"):
        StoredTree(dict.fromkeys(paths, FILE), blobs=MemoryBlobStore())


def test_a_link_in_the_place_of_a_file_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        StoredTree({"a": FILE}, blobs=MemoryBlobStore(), links={"a": "b"})


def test_a_folder_that_could_not_be_had_says_why_and_hides_no_other() -> None:
    tree = StoredTree(
        {"a/x": FILE, "b/y": FILE},
        blobs=MemoryBlobStore(),
        unreadable={"a": Unreadable("timed out"), "c/d": Unreadable("refused")},
    )
    for path, why in (("a", "timed out"), ("c/d", "refused")):
        with pytest.raises(Unreadable, match=why):
            tree.open_directory(path, follow_links=False)
        with pytest.raises(Unreadable, match=why):
            tree.stat_file(f"{path}/x", follow_links=False)
    assert [entry.name for entry in tree.entries()] == ["a", "b", "c"]
    with tree.open_directory("b", follow_links=False) as folder:
        assert [entry.name for entry in folder.entries()] == ["y"]


def test_a_root_that_could_not_be_had_is_unreadable_when_it_is_opened() -> None:
    tree = StoredTree({}, blobs=MemoryBlobStore(), unreadable={"": Unreadable("refused")})
    with pytest.raises(Unreadable, match="refused"):
        tree.open_directory("", follow_links=True)


def test_an_empty_tree_has_an_empty_root() -> None:
    assert StoredTree({}, blobs=MemoryBlobStore()).entries() == []


def test_a_link_without_text_or_longer_than_a_path_leads_nowhere() -> None:
    tree = StoredTree({"a": FILE}, blobs=MemoryBlobStore(), links={"empty": "", "long": "./" * 2048 + "a"})
    for path in ("empty", "long"):
        with pytest.raises(Missing):
            tree.read_file(path, max_bytes=10, follow_links=True)


def test_bytes_that_the_store_lost_are_unreadable() -> None:
    tree = StoredTree({"a": FILE}, blobs=MemoryBlobStore())
    with pytest.raises(StoreFailed, match="missing or damaged"):
        tree.read_file("a", max_bytes=10, follow_links=False)
    with pytest.raises(StoreFailed, match="missing or damaged"):
        tree.copy_file("a", max_bytes=10, follow_links=False, blobs=MemoryBlobStore())


def test_a_store_that_is_away_makes_its_files_unreadable() -> None:
    class Away(MemoryBlobStore):
        @override
        def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
            raise Unavailable(ErrorReason.STORE_UNREACHABLE, "the store is away")

    with pytest.raises(StoreFailed, match="the store is away"):
        StoredTree({"a": FILE}, blobs=Away()).read_file("a", max_bytes=10, follow_links=False)


def test_files_are_copied_into_another_store_too() -> None:
    own, other = MemoryBlobStore(), MemoryBlobStore()
    tree = StoredTree({"a": StoredFile(own.put(b"bytes"), 5)}, blobs=own)
    copy = tree.copy_file("a", max_bytes=5, follow_links=False, blobs=other)
    assert other.read(copy.digest) == b"bytes"

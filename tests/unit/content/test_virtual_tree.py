"""Trees of nodes: what hostile nodes, which no disk could hold, come to."""

from collections.abc import Mapping
from weakref import WeakSet

import pytest
from typing_extensions import override

from skillsvc.content.blobs import BlobStore
from skillsvc.content.tree import Entry, EntryKind, Missing, NotRegular, TooLarge, TreeError
from skillsvc.content.virtual_tree import VirtualTree

FOLDERS: Mapping[str, Mapping[str, str]] = {
    "root": {
        "..": "root",
        ".": "root",
        "": "root",
        "a/b": "file",
        "a\0": "file",
        "a": "folder",
        "submodule": "other",
        "again": "root",
        "huge": "huge-link",
        "n" * 4096: "file",
    },
    "folder": {"x": "file"},
}


class Nodes:
    """Nodes by name. A reading is counted, to tell that none took place."""

    root = "root"

    def __init__(self) -> None:
        self.readings = 0

    def kind(self, node: str) -> EntryKind:
        if node in FOLDERS:
            return EntryKind.DIRECTORY
        return {"file": EntryKind.FILE, "huge-link": EntryKind.LINK}.get(node, EntryKind.OTHER)

    def children(self, folder: str) -> Mapping[str, str]:
        return FOLDERS[folder]

    def link(self, node: str) -> str:
        self.readings += 1
        return node

    def stamp(self, node: str) -> str:
        return node

    def size(self, node: str) -> int:
        return 10**12 if node == "huge-link" else 1000

    def executable(self, node: str) -> bool:
        del node
        return False

    def read(self, node: str, max_bytes: int) -> bytes:
        self.readings += 1
        return (node * max_bytes).encode()

    def copy(self, node: str, max_bytes: int, blobs: BlobStore) -> str:
        return blobs.put(self.read(node, max_bytes))


def test_names_that_no_file_can_have_are_listed_as_neither_file_nor_folder() -> None:
    assert [entry for entry in VirtualTree(Nodes()).entries() if entry.kind is EntryKind.OTHER] == [
        Entry(name, EntryKind.OTHER) for name in ("", ".", "..", "a\0", "a/b", "n" * 64, "submodule")
    ]


@pytest.mark.parametrize(
    ("path", "error"),
    [("a/b", Missing), ("a\0", Missing), ("submodule", NotRegular), ("submodule/x", Missing), ("huge", Missing)],
)
def test_such_a_name_is_never_opened(path: str, error: type[TreeError]) -> None:
    nodes = Nodes()
    with pytest.raises(error):
        VirtualTree(nodes).read_file(path, max_bytes=10_000, follow_links=True)
    assert nodes.readings == 0


def test_a_file_that_is_too_large_is_not_read() -> None:
    nodes = Nodes()
    with pytest.raises(TooLarge):
        VirtualTree(nodes).read_file("a/x", max_bytes=999, follow_links=False)
    assert nodes.readings == 0


def test_a_folder_that_holds_itself_is_walked_as_far_as_the_path_goes() -> None:
    with VirtualTree(Nodes()).open_directory("again/again/a", follow_links=False) as folder:
        assert folder.identity == ("", "again", "again", "a")


class _Listing(dict[str, str]):
    """A folder's children, of which it can be told whether anybody still holds them."""

    __hash__ = object.__hash__  # type: ignore[assignment] # each is one of its own


class _LargeFolders(Nodes):
    """Folders of 100,000 names each."""

    def __init__(self) -> None:
        super().__init__()
        self._names = {str(number): "file" for number in range(100_000)}
        self.listed: list[str] = []
        self.alive = WeakSet[_Listing]()

    @override
    def kind(self, node: str) -> EntryKind:
        return EntryKind.FILE if node == "file" else EntryKind.DIRECTORY

    @override
    def children(self, folder: str) -> Mapping[str, str]:
        self.listed.append(folder)
        of_root = {str(number): f"folder-{number}" for number in range(20)}
        listing = _Listing(of_root if folder == "root" else self._names)
        self.alive.add(listing)
        return listing


def test_large_folders_are_not_kept_and_the_way_to_them_is() -> None:
    nodes = _LargeFolders()
    tree = VirtualTree(nodes)
    for number in range(20):
        assert tree.stat_file(f"{number}/1", follow_links=False) == "file"
    assert nodes.listed == ["root", *(f"folder-{number}" for number in range(20))]
    assert sum(map(len, nodes.alive)) < 400_000

"""A tree of files whose bytes are in the blob store already: what an archive held, or documents that were fetched."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from skillsvc.content.blobs import BlobStore
from skillsvc.content.faults import reason_of
from skillsvc.content.tree import EntryKind, StoreFailed, Unreadable, encode_path
from skillsvc.content.virtual_tree import VirtualTree
from skillsvc.domain.errors import DataLoss, Unavailable


class StoredFile(NamedTuple):
    """A file by its blob: `digest` and `size` in bytes are those of the blob.

    `on_need` tells that the blob need not be kept yet: whoever serves the file can have it brought. Such a file is
    taken in by its digest; to read it is another matter.
    """

    digest: str
    size: int
    executable: bool = False
    on_need: bool = False


class _Folder:
    """A folder; `fault` where it could not be had."""

    __slots__ = ("children", "fault")

    def __init__(self) -> None:
        self.children: dict[str, _StoredNode] = {}
        self.fault: Unreadable | None = None


class _Link(NamedTuple):
    """A link with this text."""

    text: str


_StoredNode: TypeAlias = "_Folder | StoredFile | _Link"


class _StoredNodes:
    """See `Nodes`."""

    def __init__(self, root: _Folder, blobs: BlobStore) -> None:
        self.root: _StoredNode = root
        self._blobs = blobs

    def kind(self, node: _StoredNode) -> EntryKind:
        match node:
            case _Folder():
                return EntryKind.DIRECTORY
            case StoredFile():
                return EntryKind.FILE
            case _Link():
                return EntryKind.LINK

    def children(self, folder: _StoredNode) -> Mapping[str, _StoredNode]:
        assert isinstance(folder, _Folder)
        if folder.fault is not None:
            # Raised again and again, it must not gather the way of each time.
            raise folder.fault.with_traceback(None)
        return folder.children

    def link(self, node: _StoredNode) -> str:
        assert isinstance(node, _Link)
        return node.text

    def stamp(self, node: _StoredNode) -> str:
        return self._file(node).digest

    def size(self, node: _StoredNode) -> int:
        return len(encode_path(node.text)) if isinstance(node, _Link) else self._file(node).size

    def executable(self, node: _StoredNode) -> bool:
        return self._file(node).executable

    def read(self, node: _StoredNode, max_bytes: int) -> bytes:
        del max_bytes  # The size was looked at, and the blob has no other.
        try:
            return self._blobs.read(self._file(node).digest)
        except (DataLoss, Unavailable) as error:
            raise StoreFailed(reason_of(error)) from error

    def copy(self, node: _StoredNode, max_bytes: int, blobs: BlobStore) -> str:
        digest = self._file(node).digest
        if self._file(node).on_need:
            return digest
        return digest if blobs.has(digest) else blobs.put(self.read(node, max_bytes), digest)

    @staticmethod
    def _file(node: _StoredNode) -> StoredFile:
        assert isinstance(node, StoredFile)
        return node


class StoredTree(VirtualTree[_StoredNode]):
    """Files in a blob store, links among them, and folders that could not be had.

    A blob that the store lost makes its file StoreFailed; whoever made the tree fetches what `BlobStore.lost` names.
    """

    __slots__ = ()

    def __init__(
        self,
        files: Mapping[str, StoredFile],
        *,
        blobs: BlobStore,
        links: Mapping[str, str] | None = None,
        unreadable: Mapping[str, Unreadable] | None = None,
    ) -> None:
        """Make the tree.

        Args:
            files: By path, names joined by `/`.
            blobs: Where their bytes are.
            links: Texts of symbolic links, by path.
            unreadable: Why each of these folders, by path, could not be had at this look: opening them raises it, so
                that what is held below them stands.

        Raises:
            ValueError: A path is empty or has a name that no file can have, or something stands at a path or on the way
                to it already. That is a fault of the program: whoever reads names from outside judges them.
        """
        root = _Folder()
        for path, file in files.items():
            _put(root, path, file)
        for path, text in (links or {}).items():
            _put(root, path, _Link(text))
        for place, fault in (unreadable or {}).items():
            _folder_at(root, place.split("/") if place else []).fault = fault
        super().__init__(_StoredNodes(root, blobs))


def _put(root: _Folder, path: str, node: _StoredNode) -> None:
    *folders, name = path.split("/")
    here = _folder_at(root, folders)
    if not _is_name(name) or name in here.children:
        raise ValueError(f"{path!a} is no path, or there twice")
    here.children[name] = node


def _folder_at(root: _Folder, names: list[str]) -> _Folder:
    here = root
    for name in names:
        below = here.children.setdefault(name, _Folder())
        if not _is_name(name) or not isinstance(below, _Folder):
            raise ValueError(f"{'/'.join(names)!a} is no path of a folder")
        here = below
    return here


def _is_name(name: str) -> bool:
    try:
        return name not in {"", ".", ".."} and b"\0" not in name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False

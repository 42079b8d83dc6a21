"""The seam `Tree`: files and folders to be read, whatever holds them (ADR 0007).

What holds them is a directory of this machine (`confined.py`), or nodes that no file system knows (`virtual_tree.py`):
a commit, an archive, documents that were fetched. For all of them links, limits and faults are the same (`rules.md` 1).
"""

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum, auto, unique
from types import TracebackType
from typing import Final, NamedTuple, Protocol, Self, TypeAlias

from skillsvc.content.blobs import BlobStore
from skillsvc.content.stamps import FileStamp

MOST_LINKS: Final = 40
"""Links followed on one way (`rules.md` 1), the kernel's own number."""

LONGEST_PATH: Final = 4095
"""Bytes of a path in one opening, the kernel's own number."""

LEADS_OUT: Final = "leads out of its folder, or over a link that is not followed"
NOT_THERE: Final = "no such file or folder"
NO_FILE: Final = "not a regular file"
"""What the errors below say, the same of every tree."""

Stamp: TypeAlias = FileStamp | str
"""What tells a file from what it was: equal stamps mean equal bytes. Text is an object's id or a digest."""


class TreeError(Exception):
    """Why something in a tree could not be had. Messages name no path."""


class Escapes(TreeError):
    """The way leads out of the tree, over more than 40 links, or over a link where none is followed."""


class Missing(TreeError):
    """Nothing stands there: no such name, a dangling link, or a file where the way needs a folder."""


class NotRegular(TreeError):
    """A folder, FIFO, socket or device stands where a file is wanted. It was not opened."""


class TooLarge(TreeError):
    """The file has more bytes than may be read."""


class StandsForOther(TreeError):
    """The file stands for bytes that are kept elsewhere and not fetched. The message says how they would be."""


class FileChanged(TreeError):
    """The file changed during each of three readings."""


class Unreadable(TreeError):
    """It could not be had, though something may stand there: permission, descriptors, the device, the network.

    `why` says it in a word (`EACCES`, `EMFILE`, `EIO`, …).
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"cannot be read ({why})")
        self.why = why


class NotBrought(Unreadable):
    """What stands there is elsewhere, and could not be brought at this look."""


class StoreFailed(Unreadable):
    """The server's own store could not give it, or take it."""


@unique
class EntryKind(Enum):
    """What a name in a folder stands for, links not followed."""

    FILE = auto()
    DIRECTORY = auto()
    LINK = auto()
    SUBMODULE = auto()
    """A commit of another repository, which is not there."""
    OTHER = auto()


class Entry(NamedTuple):
    """A name in a folder. Bytes that are not UTF-8 are lone surrogates in `name` (`surrogateescape`)."""

    name: str
    kind: EntryKind


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCopy:
    """A file whose bytes went into a blob store."""

    digest: str
    """Lower-case hex SHA-256 of the bytes."""
    size: int
    """Bytes."""
    executable: bool
    """Whether anybody may execute it."""
    stamp: Stamp
    settled: bool
    """Whether an equal stamp at a later look proves that the bytes are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRead(FileCopy):
    """A file with its bytes."""

    data: bytes


class Folder(Protocol):
    """A folder held open, and what can be reached beneath it. A context manager; used by one thread at a time.

    `relative` is a path with `/` between names; the empty one is this folder. Links are followed only where
    `follow_links` says so and only beneath *this* folder: a link that may lead elsewhere in the tree is opened from the
    root. All methods raise TreeError only.
    """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    @property
    def identity(self) -> Hashable:
        """The same folder reached by two ways has one identity, for as long as it is held open."""
        ...

    def entries(self) -> list[Entry]:
        """List the folder in byte order of the names."""
        ...

    def open_directory(self, relative: str, *, follow_links: bool) -> "Folder":
        """Open a folder beneath this one. What is no folder is Missing."""
        ...

    def stat_file(self, relative: str, *, follow_links: bool) -> Stamp | None:
        """Return the stamp of a file, None where no regular file can be reached; the file is not opened.

        Raises Unreadable alone.
        """
        ...

    def read_file(self, relative: str, *, max_bytes: int, follow_links: bool) -> FileRead:
        """Read a file whole."""
        ...

    def copy_file(self, relative: str, *, max_bytes: int, follow_links: bool, blobs: BlobStore) -> FileCopy:
        """Read a file into `blobs`, hashed on the way and never held whole where it is large.

        Raises what `blobs` raises, too. Bytes of a reading that failed are not kept.
        """
        ...


class Tree(Folder, Protocol):
    """The folder that nothing leads out of: a link that climbs above it Escapes."""


def encode_name(name: str) -> bytes:
    """Return the bytes of a name or path: names are UTF-8 whatever the locale says, or bytes in surrogates (G08).

    UnicodeEncodeError for surrogates that stand for no byte.
    """
    return name.encode("utf-8", "surrogateescape")


def encode_path(relative: str) -> bytes:
    """Return the bytes of a path. What cannot be the name of a file on any system is Missing without a look."""
    try:
        path = encode_name(relative)
    except UnicodeEncodeError as error:
        raise Missing("no such name can exist") from error
    # The kernel reads a path as far as its first NUL, so `a\0b` would open `a`.
    if b"\0" in path:
        raise Missing("no such name can exist")
    return path

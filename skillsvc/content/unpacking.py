"""What comes out of an archive, and the guards that hold for every format of it (`rules.md` 1, 3).

No path of an archive is ever joined to one of a file system. Bytes go to the blob store under their digest, and a path
is a key of a map: what an archive says of places can lead nowhere.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from skillsvc.content.archive_paths import ArchiveLimits, ArchivePaths, ArchiveRefused, decode
from skillsvc.content.blobs import BlobStore
from skillsvc.content.stopping import Abandoned
from skillsvc.content.stored_tree import StoredFile
from skillsvc.parsing.text import shown

PIECE: Final = 256 * 1024
"""Bytes of a member that are held at a time, and between two questions whether to stop."""

_HELD: Final = 1024 * 1024
"""A file up to this size is held whole, so that nothing is written where the store has its blob already."""

_NOTES: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacked:
    """What an archive holds, by path: `/` between names, relative, as the archive spells it."""

    files: Mapping[str, StoredFile]
    links: Mapping[str, str]
    """Symbolic links with their text. It is followed by whoever walks the tree, which nothing leads out of."""
    notes: tuple[str, ...]
    """What was left out."""


class Unpacking:
    """An archive on its way into the blob store: what a reader of a format meets is told to it, member by member.

    All methods raise ArchiveRefused, Abandoned, and what the store raises. Blobs of an archive that is refused in
    the end stay for the next sweep.
    """

    def __init__(self, *, limits: ArchiveLimits, blobs: BlobStore, stopped: Callable[[], bool]) -> None:
        """Begin with nothing; `stopped` is asked at each member and each piece of one."""
        self.limits = limits
        self._blobs = blobs
        self._stopped = stopped
        self._files: dict[str, StoredFile] = {}
        self._links: dict[str, str] = {}
        self._notes: list[str] = []
        self._left_out = 0
        self._members = 0
        self._bytes = 0
        self._paths = ArchivePaths(limits)

    def go_on(self) -> None:
        """Raise Abandoned where somebody said stop."""
        if self._stopped():
            raise Abandoned

    def count_member(self) -> None:
        """Count one member more, whatever it is."""
        self.go_on()
        self._members += 1
        if self._members > self.limits.entries:
            raise ArchiveRefused(f"holds more than {self.limits.entries} members")

    def add_folder(self, name: str) -> None:
        """Take a folder. One may be told again, and need not be told at all."""
        self._paths.add_folder(name)

    def add_file(self, name: str, size: int, pieces: Iterable[bytes], *, executable: bool) -> None:
        """Take a file. `pieces` give exactly `size` bytes, or raise."""
        path = self._paths.add(name)
        if size > self.limits.file_bytes:
            raise ArchiveRefused(f"{shown(name)} has more than {self.limits.file_bytes} bytes")
        self._count_bytes(size)
        self._files[path] = StoredFile(self._keep(size, pieces), size, executable)

    def add_link(self, name: str, text: bytes) -> None:
        """Take a symbolic link, whose text is not judged here."""
        path = self._paths.add(name)
        target = decode(text)
        if not target or "\0" in target or len(text) > self.limits.link_bytes:
            raise ArchiveRefused(f"{shown(name)} is a link whose text no link can have")
        self._count_bytes(len(text))
        self._links[path] = target

    def leave_out(self, name: str, what: str) -> None:
        """Pass over a member that no tree of skills can hold; what stands beneath its name is refused all the same."""
        self._paths.add(name)
        self._left_out += 1
        if self._left_out <= _NOTES:
            self._notes.append(f"{shown(name)} is left out: {what}")

    def finished(self) -> Unpacked:
        """Return what was taken."""
        notes = self._notes
        if self._left_out > _NOTES:
            notes = [*notes, f"{self._left_out - _NOTES} more are left out"]
        return Unpacked(files=MappingProxyType(self._files), links=MappingProxyType(self._links), notes=tuple(notes))

    def _count_bytes(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self.limits.total_bytes:
            raise ArchiveRefused(f"unpacks to more than {self.limits.total_bytes} bytes")

    def _keep(self, size: int, pieces: Iterable[bytes]) -> str:
        if size <= _HELD:
            return self._blobs.put(b"".join(pieces))
        with self._blobs.writer() as writer:
            for piece in pieces:
                self.go_on()
                writer.write(piece)
            return writer.commit()[0]

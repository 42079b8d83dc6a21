"""The paths of an archive: which are none, and which cannot stand beside one another (`rules.md` 3)."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from skillsvc.domain import caps
from skillsvc.domain.limits import MIB
from skillsvc.parsing.text import shown

_DRIVE: Final = re.compile(r"[A-Za-z]:")


class ArchiveRefused(Exception):
    """An archive that is not taken, as a whole. The message says why, and names members by their first 64 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """How much an archive may hold. Bytes are those that come out of it."""

    total_bytes: int = 256 * MIB
    """All files together; of a tar its headers and padding too."""
    file_bytes: int = caps.CAPS["Asset.size"].max_value
    """One file: none can be served above."""
    entries: int = 20_000
    """Members of every kind, those that only describe the next one too; and as many folders, told or not."""
    ratio: int = 200
    """Bytes that may come out for each byte of the archive, above the first MiB."""
    path_bytes: int = 1024
    depth: int = 64
    """Names in a path."""
    link_bytes: int = 4095
    """The text of a link, as much as the kernel takes."""

    def check_ratio(self, unpacked: int, packed: int) -> None:
        """Refuse what grows like a bomb: `packed` bytes became `unpacked`."""
        if unpacked > max(MIB, self.ratio * packed):
            raise ArchiveRefused(f"unpacks to more than {self.ratio} times its size")


class ArchivePaths:
    """The paths taken so far. All methods raise ArchiveRefused."""

    def __init__(self, limits: ArchiveLimits) -> None:
        """Begin with none."""
        self._limits = limits
        self._spellings: dict[str, str] = {}
        self._leaves: set[str] = set()

    def add(self, name: str) -> str:
        """Take the name of a member other than a folder; return its path."""
        path = self._parse(name)
        if not path:
            raise ArchiveRefused("a member other than a folder has the name of the whole")
        self._claim(path, leaf=True)
        return path

    def add_folder(self, name: str) -> None:
        """Take the name of a folder. One may be told again, and need not be told at all."""
        if path := self._parse(name):
            self._claim(path, leaf=False)

    def _parse(self, name: str) -> str:
        """Return a member's path, "" for the archive's own root. What no asset can be named is refused."""
        # Tools that pack a folder as `.` begin each name with it.
        path = name
        while path.startswith("./"):
            path = path[2:]
        path = path.removesuffix("/")
        if path in {"", "."} and not name.startswith("/"):
            return ""
        if path.startswith("/") or not path or _DRIVE.match(path):
            raise ArchiveRefused(f"{shown(name)} is an absolute path")
        names = path.split("/")
        if ".." in names:
            raise ArchiveRefused(f"{shown(name)} leads out of the archive")
        if not caps.fits_asset_name(path):
            raise ArchiveRefused(f"{shown(name)} is no path: a name is empty, a dot, or holds a backslash or a control")
        if len(path.encode()) > self._limits.path_bytes or len(names) > self._limits.depth:
            raise ArchiveRefused(f"{shown(name)} is too long or too deep a path")
        return path

    def _claim(self, path: str, *, leaf: bool) -> None:
        """Give a path to one member; folders alone may be told twice, and no two spellings may be one elsewhere.

        A file system that folds case or composes letters would hold one file where this archive has two. Which one a
        reader got would depend on where it unpacked, so that a scan there and a use here could see different bytes.
        """
        folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
        at = folded.find("/")
        upto = path.find("/")
        while at >= 0:
            self._spell(folded[:at], path[:upto], path)
            if folded[:at] in self._leaves:
                raise ArchiveRefused(f"{shown(path)} lies beneath what is no folder")
            at = folded.find("/", at + 1)
            upto = path.find("/", upto + 1)
        is_new = self._spell(folded, path, path)
        if folded in self._leaves or (leaf and not is_new):
            raise ArchiveRefused(f"{shown(path)} is there twice")
        if leaf:
            self._leaves.add(folded)

    def _spell(self, folded: str, spelling: str, path: str) -> bool:
        """Note how a path is spelled; tell whether it is new."""
        before = self._spellings.get(folded)
        if before is None:
            # A member may lie in as many folders of its own as a path can name, each a text as long as the way to it.
            if len(self._spellings) - len(self._leaves) > self._limits.entries:
                raise ArchiveRefused(f"holds more than {self._limits.entries} folders")
            self._spellings[folded] = spelling
        elif before != spelling:
            raise ArchiveRefused(f"{shown(path)} is {shown(before)} in another spelling")
        return before is None


def decode(raw: bytes) -> str:
    """Return a name or a link's text, which is UTF-8 or refused."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise ArchiveRefused("a name in it is not UTF-8") from error

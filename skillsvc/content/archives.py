"""Archives: zip and tar files from outside, unpacked into the blob store under guard (`rules.md` 1, 3)."""

from collections.abc import Callable, Mapping
from enum import Enum, unique
from types import MappingProxyType
from typing import BinaryIO, Final, TypeVar

from skillsvc.content.archive_paths import ArchiveLimits
from skillsvc.content.blobs import BlobStore
from skillsvc.content.tar_archive import read_tar, read_tar_gzip
from skillsvc.content.unpacking import Unpacked, Unpacking
from skillsvc.content.zip_archive import read_zip

_T = TypeVar("_T")

_MAC_SHADOWS: Final = "__MACOSX/"
_SNIFFED: Final = 512


@unique
class ArchiveKind(Enum):
    """The formats that are unpacked."""

    ZIP = "zip"
    TAR = "tar"
    TAR_GZIP = "tar+gzip"


def sniff(file: BinaryIO) -> ArchiveKind | None:
    """Return the format by which a file begins, None where it is none of them. A tar of v7 has no mark, and is none."""
    file.seek(0)
    head = file.read(_SNIFFED)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return ArchiveKind.ZIP
    if head.startswith(b"\x1f\x8b\x08"):
        return ArchiveKind.TAR_GZIP
    return ArchiveKind.TAR if head[257:262] == b"ustar" else None


def unpack(
    file: BinaryIO,
    *,
    kind: ArchiveKind,
    limits: ArchiveLimits,
    blobs: BlobStore,
    stopped: Callable[[], bool],
    strip_one: bool = False,
) -> Unpacked:
    """Unpack an archive into `blobs`, member by member and each in pieces.

    Args:
        file: The archive, which can be sought in.
        kind: Its format, by what it was said to be or by `sniff`.
        limits: How much it may hold.
        blobs: Where the bytes go.
        stopped: Asked often; as soon as it says so, the unpacking is abandoned.
        strip_one: Where everything lies in one folder, and neither SKILL.md nor skill.yaml beside it, that folder is
            taken off: what was packed as `name/…` is the same as what was packed inside of it.

    Raises:
        ArchiveRefused: It is damaged, hostile or too large; nothing of it is taken.
        Abandoned: It was told to stop.
        Unavailable: The store cannot take the bytes.
    """
    unpacking = Unpacking(limits=limits, blobs=blobs, stopped=stopped)
    match kind:
        case ArchiveKind.ZIP:
            read_zip(file, unpacking)
        case ArchiveKind.TAR:
            read_tar(file, unpacking)
        case ArchiveKind.TAR_GZIP:
            read_tar_gzip(file, unpacking)
    unpacked = _without_mac_shadows(unpacking.finished())
    return _stripped(unpacked) if strip_one else unpacked


def _without_mac_shadows(unpacked: Unpacked) -> Unpacked:
    """Leave out what the Finder adds beside the files that were packed."""
    shadows = sum(path.startswith(_MAC_SHADOWS) for path in (*unpacked.files, *unpacked.links))
    if not shadows:
        return unpacked
    return Unpacked(
        files=_kept(unpacked.files),
        links=_kept(unpacked.links),
        notes=(*unpacked.notes, f"{shadows} files below __MACOSX are left out"),
    )


def _kept(paths: Mapping[str, _T]) -> Mapping[str, _T]:
    return MappingProxyType({path: each for path, each in paths.items() if not path.startswith(_MAC_SHADOWS)})


def _stripped(unpacked: Unpacked) -> Unpacked:
    paths = (*unpacked.files, *unpacked.links)
    folders = {path.partition("/")[0] for path in paths}
    if len(folders) != 1 or not all("/" in path for path in paths):
        return unpacked
    at = len(folders.pop()) + 1
    return Unpacked(files=_cut(unpacked.files, at), links=_cut(unpacked.links, at), notes=unpacked.notes)


def _cut(paths: Mapping[str, _T], at: int) -> Mapping[str, _T]:
    return MappingProxyType({path[at:]: each for path, each in paths.items()})

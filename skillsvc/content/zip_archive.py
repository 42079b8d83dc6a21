"""Reading zip files (PKWARE's APPNOTE 6.3): stored and deflated members, zip64.

A zip says most things twice, in its directory and beside the data, and readers differ in whom they believe. Here the
directory is believed, what stands beside the data must agree, and no two members may share bytes.
"""

import stat
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from skillsvc.content.archive_paths import ArchiveRefused, decode
from skillsvc.content.unpacking import PIECE, Unpacking
from skillsvc.parsing.text import shown

_END: Final = struct.Struct("<4s4H2LH")
_LOCATOR: Final = struct.Struct("<4sLQL")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_ENTRY: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_FIELD: Final = struct.Struct("<2H")
_LONG: Final = struct.Struct("<Q")

_LONGEST_COMMENT: Final = 0xFFFF
_MANY: Final = 0xFFFF
_LARGE: Final = 0xFFFFFFFF
"""What stands in a field whose value is in the zip64 fields."""
_ZIP_64: Final = 1

_ENCRYPTED: Final = 0x0001 | 0x0040 | 0x2000
_PATCHED: Final = 0x0020
_SIZES_FOLLOW: Final = 0x0008
_UTF_8: Final = 0x0800
_STORED: Final = 0
_DEFLATED: Final = 8
_UNIX: Final = frozenset({3, 19})
_DOS_FOLDER: Final = 0x10


class _Directory(NamedTuple):
    """Where the directory stands, and how many members it lists."""

    members: int
    start: int
    end: int


class _Member(NamedTuple):
    """A member, as the directory lists it."""

    start: int
    raw_name: bytes
    flags: int
    method: int
    checksum: int
    packed: int
    size: int
    mode: int
    is_folder: bool


def read_zip(file: BinaryIO, unpacking: Unpacking) -> None:
    """Tell `unpacking` of each member. Raises what that raises, ArchiveRefused for all that is wrong with the file."""
    length = file.seek(0, 2)
    directory = _find_directory(file, length)
    members = list(_list_members(file, directory, unpacking))
    unpacking.limits.check_ratio(sum(member.size for member in members), length)
    # In the order of their bytes: so the first two that share some are found before the second is read.
    members.sort()
    end = 0
    for member in members:
        if member.start < end or (end == 0 and member.start):
            raise ArchiveRefused("its members share bytes, or it does not begin with one")
        unpacking.go_on()
        end = _enter(file, member) + member.packed
        if end > directory.start:
            raise ArchiveRefused("a member reaches into its directory")
        _take(file, member, unpacking)


def _find_directory(file: BinaryIO, length: int) -> _Directory:
    tail_at = max(0, length - _END.size - _LONGEST_COMMENT)
    tail = _read(file, tail_at, length - tail_at)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise ArchiveRefused("is no whole zip file: its end is missing")
    _, disk, disk_of_directory, members_here, members, size, start, comment = _END.unpack_from(tail, at)
    if at + _END.size + comment != len(tail):
        raise ArchiveRefused("other bytes follow its end")
    end = tail_at + at
    if end >= _LOCATOR.size:
        locator = _LOCATOR.unpack(_read(file, end - _LOCATOR.size, _LOCATOR.size))
        if locator[0] == b"PK\x06\x07":
            return _find_directory_64(file, locator, end - _LOCATOR.size, (members, size, start))
    if disk or disk_of_directory or members_here != members:
        raise ArchiveRefused("is one of several disks")
    return _checked(_Directory(members, start, end), size)


def _find_directory_64(
    file: BinaryIO, locator: tuple[bytes, int, int, int], end: int, said: tuple[int, int, int]
) -> _Directory:
    _, disk_of_end, at, disks = locator
    if at + _END_64.size > end:
        raise ArchiveRefused("its zip64 end is not where it says")
    signature, rest, _, _, disk, disk_of_directory, members_here, members, size, start = _END_64.unpack(
        _read(file, at, _END_64.size)
    )
    # The size leaves out the signature and itself.
    if signature != b"PK\x06\x06" or at + 12 + rest != end:
        raise ArchiveRefused("its zip64 end is not where it says")
    if disk or disk_of_directory or disk_of_end or disks > 1 or members_here != members:
        raise ArchiveRefused("is one of several disks")
    for short, value, instead in zip(said, (members, size, start), (_MANY, _LARGE, _LARGE), strict=True):
        if short not in {value, instead}:
            raise ArchiveRefused("its two ends differ")
    return _checked(_Directory(members, start, at), size)


def _checked(directory: _Directory, size: int) -> _Directory:
    if directory.start + size != directory.end:
        raise ArchiveRefused("its directory is not where it says")
    return directory


def _list_members(file: BinaryIO, directory: _Directory, unpacking: Unpacking) -> Iterator[_Member]:
    at = directory.start
    for _ in range(directory.members):
        unpacking.count_member()
        if at + _ENTRY.size > directory.end:
            raise ArchiveRefused("its directory lists fewer members than it says")
        entry = _ENTRY.unpack(_read(file, at, _ENTRY.size))
        name_bytes, extra_bytes, comment_bytes = entry[10:13]
        at += _ENTRY.size
        if name_bytes > unpacking.limits.path_bytes:
            # All names are held until the last member is known.
            raise ArchiveRefused("a name in it is too long a path")
        if entry[0] != b"PK\x01\x02" or at + name_bytes + extra_bytes + comment_bytes > directory.end:
            raise ArchiveRefused("its directory is damaged")
        names = _read(file, at, name_bytes + extra_bytes)
        at += name_bytes + extra_bytes + comment_bytes
        yield _member(entry, names[:name_bytes], names[name_bytes:])
    if at != directory.end:
        raise ArchiveRefused("its directory lists more members than it says")


def _member(entry: tuple[bytes, *tuple[int, ...]], raw_name: bytes, extra: bytes) -> _Member:
    made_by, _, flags, method, _, _, checksum, packed, size, _, _, _, disk, _, attributes, start = entry[1:]
    size, packed, start = _widen((size, packed, start), extra)
    if disk:
        raise ArchiveRefused("is one of several disks")
    if flags & _ENCRYPTED:
        raise ArchiveRefused("holds an encrypted member")
    if method not in {_STORED, _DEFLATED} or flags & _PATCHED:
        raise ArchiveRefused("holds a member packed in a way that is not known here")
    if method == _STORED and packed != size:
        raise ArchiveRefused("a member's two sizes differ, though it is not packed")
    mode = attributes >> 16 if made_by >> 8 in _UNIX else 0
    return _Member(
        start=start,
        raw_name=raw_name,
        flags=flags,
        method=method,
        checksum=checksum,
        packed=packed,
        size=size,
        mode=mode,
        is_folder=raw_name.endswith(b"/") or stat.S_ISDIR(mode) or (not mode and bool(attributes & _DOS_FOLDER)),
    )


def _widen(values: tuple[int, int, int], extra: bytes) -> tuple[int, int, int]:
    """Return size, packed size and start with those that are too large for their fields taken from the zip64 field."""
    if _LARGE not in values:
        return values
    field = _field_64(extra)
    wide: list[int] = []
    at = 0
    for value in values:
        if value == _LARGE:
            if at + _LONG.size > len(field):
                raise ArchiveRefused("a member's zip64 field is too short")
            [value] = _LONG.unpack_from(field, at)  # noqa: PLW2901 (the field says what the value is)
            at += _LONG.size
        wide.append(value)
    return wide[0], wide[1], wide[2]


def _field_64(extra: bytes) -> bytes:
    at = 0
    while at + _FIELD.size <= len(extra):
        kind, size = _FIELD.unpack_from(extra, at)
        at += _FIELD.size
        if kind == _ZIP_64:
            return extra[at : at + size]
        at += size
    return b""


def _enter(file: BinaryIO, member: _Member) -> int:
    """Check what stands before the data against the directory; return where the data begins, and go there."""
    signature, _, flags, method, _, _, checksum, packed, size, name_bytes, extra_bytes = _LOCAL.unpack(
        _read(file, member.start, _LOCAL.size)
    )
    names = _read(file, member.start + _LOCAL.size, name_bytes + extra_bytes)
    if signature != b"PK\x03\x04":
        raise ArchiveRefused("a member is not where the directory says")
    is_same = (names[:name_bytes], method, flags & _ENCRYPTED) == (member.raw_name, member.method, 0)
    if is_same and not flags & _SIZES_FOLLOW:
        size, packed, _ = _widen((size, packed, 0), names[name_bytes:])
        is_same = (checksum, packed, size) == (member.checksum, member.packed, member.size)
    if not is_same:
        raise ArchiveRefused("the directory and a member say different things of it")
    return file.tell()


def _take(file: BinaryIO, member: _Member, unpacking: Unpacking) -> None:
    name = decode(member.raw_name)
    kind = stat.S_IFMT(member.mode)
    if member.is_folder:
        if member.size:
            raise ArchiveRefused(f"{shown(name)} is a folder with bytes")
        unpacking.add_folder(name)
    elif kind == stat.S_IFLNK:
        if member.size > unpacking.limits.link_bytes:
            raise ArchiveRefused(f"{shown(name)} is a link whose text no link can have")
        unpacking.add_link(name, b"".join(_pieces(file, member)))
    elif kind in {0, stat.S_IFREG}:
        unpacking.add_file(name, member.size, _pieces(file, member), executable=bool(member.mode & 0o111))
    else:
        unpacking.leave_out(name, "neither file, folder nor link")


def _pieces(file: BinaryIO, member: _Member) -> Iterator[bytes]:
    """Iterate over the bytes of a member, never more than it is said to have; the last comes when all is right."""
    checksum = 0
    size = 0
    for piece in _stored(file, member.packed) if member.method == _STORED else _inflated(file, member.packed):
        checksum = zlib.crc32(piece, checksum)
        size += len(piece)
        if size > member.size:
            raise ArchiveRefused("a member has more bytes than it says")
        yield piece
    if size < member.size:
        raise ArchiveRefused("a member has fewer bytes than it says")
    if checksum != member.checksum:
        raise ArchiveRefused("the checksum of a member is wrong")


def _stored(file: BinaryIO, left: int) -> Iterator[bytes]:
    while left:
        piece = _next(file, min(left, PIECE))
        left -= len(piece)
        yield piece


def _inflated(file: BinaryIO, left: int) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    packed = b""
    while not inflater.eof:
        if not packed and left:
            packed = _next(file, min(left, PIECE))
            left -= len(packed)
        try:
            piece = inflater.decompress(packed, PIECE)
        except zlib.error as error:
            raise ArchiveRefused("a member cannot be inflated") from error
        stuck = not packed and not piece
        packed = inflater.unconsumed_tail
        if piece:
            yield piece
        elif stuck and not inflater.eof:
            raise ArchiveRefused("a member cannot be inflated: it has no end")
    if inflater.unused_data or left:
        raise ArchiveRefused("other bytes follow the data of a member")


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    """Read `size` bytes at a place that may lie anywhere; sizes are those of 16-bit fields and fixed records."""
    # A place of 64 bits is no offset that every file can be sought to.
    if at >= 1 << 62:
        raise ArchiveRefused("is cut off")
    file.seek(at)
    return _next(file, size)


def _next(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise ArchiveRefused("is cut off")
    return data

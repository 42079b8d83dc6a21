"""Reading tar files (POSIX ustar and pax, GNU, the old v7), plain or in gzip, from the first byte to the last.

Strict where readers commonly guess: a damaged header is no end, an archive without its end is cut off, and what
describes the next member is bounded, for it has to be held in memory.
"""

import re
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final, NamedTuple

from skillsvc.content.archive_paths import ArchiveRefused, decode
from skillsvc.content.unpacking import PIECE, Unpacking
from skillsvc.parsing.text import shown

_BLOCK: Final = 512
_ZEROS: Final = bytes(_BLOCK)
_DESCRIPTION_BYTES: Final = 64 * 1024
"""Most bytes of what describes the next member; pax keeps whole ACLs there."""

_OCTAL: Final = re.compile(rb"[0-7]*\Z")
_RECORD: Final = re.compile(rb"([1-9][0-9]{0,5}) ")
_DECIMAL: Final = re.compile(rb"[0-9]{1,19}\Z")

_FILES: Final = frozenset(b"\x000\x37")
_HARD_LINK: Final = ord("1")
_LINK: Final = ord("2")
_FOLDER: Final = ord("5")
_LEFT_OUT: Final = frozenset(b"346")
_NEXT: Final = ord("x")
_ALL: Final = ord("g")
_LONG_NAME: Final = ord("L")
_LONG_LINK: Final = ord("K")
_OVERRIDES: Final = frozenset({b"path", b"linkpath", b"size"})


def read_tar(file: BinaryIO, unpacking: Unpacking) -> None:
    """Tell `unpacking` of each member. Raises what that raises, ArchiveRefused for all that is wrong with the file."""
    file.seek(0)
    _TarReader(file.read, unpacking).read()


def read_tar_gzip(file: BinaryIO, unpacking: Unpacking) -> None:
    """Do the same through gzip."""
    file.seek(0)
    _TarReader(_Gunzip(file, unpacking).read, unpacking).read()


class _Gunzip:
    """The bytes that gzip holds, of all its parts. What they expand to is watched while they come."""

    def __init__(self, file: BinaryIO, unpacking: Unpacking) -> None:
        self._file = file
        self._unpacking = unpacking
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._packed = b""
        self._taken = 0
        self._given = 0

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, none at the end."""
        while True:
            if self._inflater.eof and not self._next_part():
                return b""
            if not self._packed:
                self._packed = self._file.read(PIECE)
                self._taken += len(self._packed)
            try:
                piece = self._inflater.decompress(self._packed, size)
            except zlib.error as error:
                raise ArchiveRefused("is damaged: it cannot be inflated") from error
            is_stuck = not self._packed and not piece
            self._packed = self._inflater.unconsumed_tail
            if piece:
                self._given += len(piece)
                self._unpacking.limits.check_ratio(self._given, self._taken)
                return piece
            if is_stuck and not self._inflater.eof:
                raise ArchiveRefused("is cut off")
            self._unpacking.go_on()

    def _next_part(self) -> bool:
        packed = self._inflater.unused_data or self._file.read(PIECE)
        if not packed:
            return False
        # A part of no bytes is as short as its frame, and what follows it is copied each time.
        self._unpacking.count_member()
        if not self._inflater.unused_data:
            self._taken += len(packed)
        self._packed = packed
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        return True


class _Header(NamedTuple):
    """A header block, as it stands."""

    name: bytes
    link: bytes
    size: int
    mode: int
    kind: int


class _TarReader:
    """One reading of a tar from a stream of its bytes."""

    def __init__(self, read: Callable[[int], bytes], unpacking: Unpacking) -> None:
        self._source = read
        self._unpacking = unpacking
        self._read_bytes = 0
        self._described: dict[bytes, bytes] = {}

    def read(self) -> None:
        """Read all."""
        while (block := self._exactly(_BLOCK)) != _ZEROS:
            self._unpacking.count_member()
            header = _parse(block)
            match header.kind:
                case kind if kind in {_NEXT, _ALL}:
                    self._describe_by_pax(header)
                case kind if kind in {_LONG_NAME, _LONG_LINK}:
                    self._describe(b"path" if kind == _LONG_NAME else b"linkpath", self._text(header))
                case _:
                    self._member(header)
        if self._described:
            raise ArchiveRefused("ends with the description of a member that is not there")
        self._end()

    def _end(self) -> None:
        """Read the second block of the end, and on through gzip to its checksum."""
        if self._exactly(_BLOCK) != _ZEROS:
            raise ArchiveRefused("its end is damaged")
        while piece := self._some(PIECE):
            self._unpacking.go_on()
            if piece.count(0) != len(piece):
                raise ArchiveRefused("other bytes follow its end")

    def _member(self, header: _Header) -> None:
        described, self._described = self._described, {}
        raw_name = described.get(b"path", header.name)
        name = decode(raw_name)
        size = _decimal(described[b"size"]) if b"size" in described else header.size
        unpacking = self._unpacking
        if header.kind in _FILES and not (raw_name.endswith(b"/") and not size):
            if raw_name.endswith(b"/"):
                raise ArchiveRefused(f"{shown(name)} is a folder with bytes")
            unpacking.add_file(name, size, self._content(size), executable=bool(header.mode & 0o111))
            self._exactly(-size % _BLOCK)
            return
        if size:
            # Some readers take bytes after such a header for content, others for the next header.
            raise ArchiveRefused(f"{shown(name)} has bytes, though it is no file")
        match header.kind:
            case kind if kind == _FOLDER or kind in _FILES:
                unpacking.add_folder(name)
            case kind if kind == _LINK:
                unpacking.add_link(name, described.get(b"linkpath", header.link))
            case kind if kind == _HARD_LINK:
                raise ArchiveRefused(f"{shown(name)} is a hard link")
            case kind if kind in _LEFT_OUT:
                unpacking.leave_out(name, "a device or a FIFO")
            case _:
                raise ArchiveRefused(f"{shown(name)} is of a kind that is not known here")

    def _describe(self, key: bytes, value: bytes) -> None:
        if key in self._described:
            raise ArchiveRefused("describes a member twice")
        self._described[key] = value

    def _describe_by_pax(self, header: _Header) -> None:
        for key, value in _records(self._description(header)):
            if key.startswith(b"GNU.sparse."):
                raise ArchiveRefused("holds a sparse file")
            if key not in _OVERRIDES:
                continue
            if header.kind == _ALL:
                raise ArchiveRefused("gives one name or size to all members")
            self._describe(key, value)

    def _text(self, header: _Header) -> bytes:
        """Return a GNU long name, which ends in NUL."""
        return self._description(header).removesuffix(b"\0")

    def _description(self, header: _Header) -> bytes:
        if header.size > _DESCRIPTION_BYTES:
            raise ArchiveRefused(f"describes a member in more than {_DESCRIPTION_BYTES} bytes")
        data = self._exactly(header.size)
        self._exactly(-header.size % _BLOCK)
        return data

    def _content(self, left: int) -> Iterator[bytes]:
        while left:
            piece = self._exactly(min(left, PIECE))
            left -= len(piece)
            yield piece

    def _exactly(self, size: int) -> bytes:
        pieces = []
        while size:
            piece = self._some(size)
            if not piece:
                raise ArchiveRefused("is cut off")
            pieces.append(piece)
            size -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _some(self, size: int) -> bytes:
        piece = self._source(size)
        self._read_bytes += len(piece)
        if self._read_bytes > self._unpacking.limits.total_bytes:
            raise ArchiveRefused(f"unpacks to more than {self._unpacking.limits.total_bytes} bytes")
        return piece


def _parse(block: bytes) -> _Header:
    # The field of the sum counts as blanks in it. Old writers summed signed bytes; such names are not UTF-8 anyway.
    if _number(block[148:156]) != sum(block) - sum(block[148:156]) + 8 * ord(" "):
        raise ArchiveRefused("a header is damaged, or it is no tar file")
    name = _field(block[:100])
    # GNU and the old format keep other things where POSIX has a beginning of the name.
    if block[257:263] == b"ustar\0" and (prefix := _field(block[345:500])):
        name = prefix + b"/" + name
    return _Header(
        name=name,
        link=_field(block[157:257]),
        size=_number(block[124:136]),
        mode=_number(block[100:108]),
        kind=block[156],
    )


def _field(raw: bytes) -> bytes:
    return raw.partition(b"\0")[0]


def _number(raw: bytes) -> int:
    """Return a number in octal digits, or in GNU's base 256. A negative one is refused."""
    if raw[0] == 0x80:
        return int.from_bytes(raw[1:], "big")
    digits = raw.strip(b" \0")
    if not _OCTAL.match(digits):
        raise ArchiveRefused("a number in a header is none, or negative")
    return int(digits or b"0", 8)


def _decimal(raw: bytes) -> int:
    if not _DECIMAL.match(raw):
        raise ArchiveRefused("the size of a member is no number")
    return int(raw)


def _records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Iterate over records of pax, each `length key=value` and a line feed, the length that of the whole."""
    at = 0
    while at < len(data):
        match = _RECORD.match(data, at)
        end = at + int(match[1]) if match else at
        record = data[match.end() : end] if match else b""
        key, equals, value = record[:-1].partition(b"=")
        if not key or not equals or end > len(data) or not record.endswith(b"\n"):
            raise ArchiveRefused("the description of a member is damaged")
        yield key, value
        at = end

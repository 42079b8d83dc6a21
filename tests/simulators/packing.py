"""Zip and tar files byte by byte, so that any field of them can lie."""

import gzip
import struct
import zlib
from dataclasses import dataclass

BLOCK = 512
END_OF_TAR = bytes(2 * BLOCK)
FILE = 0o100644
PROGRAM = 0o100755
FOLDER = 0o040755
LINK = 0o120777
FIFO = 0o010644


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@dataclass(frozen=True, kw_only=True)
class Zipped:
    """A member of a zip. What is None is as it has to be."""

    name: str | bytes
    data: bytes = b""
    mode: int = FILE
    method: int = 8
    flags: int = 0
    made_by: int = 3
    attributes: int | None = None
    extra: bytes = b""
    stored: bytes | None = None
    checksum: int | None = None
    size: int | None = None
    packed: int | None = None
    start: int | None = None
    disk: int = 0
    local_name: bytes | None = None
    local_flags: int | None = None
    local_method: int | None = None
    local_sizes: tuple[int, int, int] | None = None
    local_extra: bytes = b""
    after: bytes = b""
    """What follows the data, such as a data descriptor."""

    @property
    def raw_name(self) -> bytes:
        return self.name.encode() if isinstance(self.name, str) else self.name

    @property
    def content(self) -> bytes:
        if self.stored is not None:
            return self.stored
        return deflated(self.data) if self.method == 8 else self.data

    @property
    def sizes(self) -> tuple[int, int, int]:
        return (
            zlib.crc32(self.data) if self.checksum is None else self.checksum,
            len(self.content) if self.packed is None else self.packed,
            len(self.data) if self.size is None else self.size,
        )

    @property
    def before(self) -> bytes:
        name = self.raw_name if self.local_name is None else self.local_name
        flags = self.flags if self.local_flags is None else self.local_flags
        method = self.method if self.local_method is None else self.local_method
        sizes = self.sizes if self.local_sizes is None else self.local_sizes
        extra = self.local_extra
        head = struct.pack("<4s5H3L2H", b"PK\3\4", 20, flags, method, 0, 33, *sizes, len(name), len(extra))
        return head + name + extra

    def entry(self, start: int) -> bytes:
        attributes = self.mode << 16 if self.attributes is None else self.attributes
        head = struct.pack(
            "<4s6H3L5H2L",
            b"PK\1\2",
            self.made_by << 8 | 20,
            20,
            self.flags,
            self.method,
            0,
            33,
            *self.sizes,
            len(self.raw_name),
            len(self.extra),
            0,
            self.disk,
            0,
            attributes,
            start if self.start is None else self.start,
        )
        return head + self.raw_name + self.extra


def zip_of(
    *members: Zipped,
    before: bytes = b"",
    count: int | None = None,
    directory_size: int | None = None,
    directory_start: int | None = None,
    disks: tuple[int, int] = (0, 0),
    end_64: bytes | None = None,
    comment: bytes = b"",
) -> bytes:
    """Return a zip. `end_64` stands between the directory and the end."""
    packed = bytearray(before)
    starts = []
    for member in members:
        starts.append(len(packed))
        packed += member.before + member.content + member.after
    directory = b"".join(member.entry(start) for member, start in zip(members, starts, strict=True))
    listed = len(members) if count is None else count
    size = len(directory) if directory_size is None else directory_size
    start = len(packed) if directory_start is None else directory_start
    end = struct.pack("<4s4H2LH", b"PK\5\6", *disks, listed, listed, size, start, len(comment))
    return bytes(packed) + directory + (end_64 or b"") + end + comment


def end_64_of(count: int, size: int, start: int, *, at: int | None = None, disks: int = 1, rest: int = 44) -> bytes:
    """Return a zip64 end and its locator; both are right where the directory ends at `start + size`."""
    end = struct.pack("<4sQ2H2L4Q", b"PK\6\6", rest, 45, 45, 0, 0, count, count, size, start)
    return end + struct.pack("<4sLQL", b"PK\6\7", 0, start + size if at is None else at, disks)


def header(
    name: bytes,
    size: int = 0,
    *,
    kind: bytes = b"0",
    link: bytes = b"",
    mode: int = 0o644,
    prefix: bytes = b"",
    magic: bytes = b"ustar\x0000",
    raw_size: bytes | None = None,
    checksum: bytes | None = None,
) -> bytes:
    """Return a header block of a tar."""
    block = bytearray(BLOCK)
    block[: len(name)] = name
    block[100:108] = b"%07o\0" % mode
    block[108:116] = block[116:124] = b"0000000\0"
    block[124:136] = b"%011o\0" % size if raw_size is None else raw_size
    block[136:148] = b"%011o\0" % 0
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[157 : 157 + len(link)] = link
    block[257 : 257 + len(magic)] = magic
    block[345 : 345 + len(prefix)] = prefix
    block[148:156] = b"%06o\0 " % sum(block) if checksum is None else checksum
    return bytes(block)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % BLOCK)


def tarred(name: str | bytes, data: bytes = b"", *, mode: int = 0o644, kind: bytes = b"0", link: bytes = b"") -> bytes:
    """Return one member of a tar with its content."""
    raw_name = name.encode() if isinstance(name, str) else name
    return header(raw_name, len(data), kind=kind, link=link, mode=mode) + padded(data)


def pax(*records: tuple[bytes, bytes], kind: bytes = b"x") -> bytes:
    """Return a member that describes the next one."""
    data = b"".join(_record(key, value) for key, value in records)
    return header(b"pax", len(data), kind=kind) + padded(data)


def _record(key: bytes, value: bytes) -> bytes:
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest) + 1
    while len(b"%d" % length) + len(rest) != length:
        length += 1
    return b"%d" % length + rest


def tar_of(*members: bytes, end: bytes = END_OF_TAR) -> bytes:
    return b"".join(members) + end


def tar_gz_of(*members: bytes, end: bytes = END_OF_TAR) -> bytes:
    return gzip.compress(tar_of(*members, end=end), mtime=0)


def skill_file(name: str, description: str = "Says so.") -> bytes:
    return f"---\nname: {name}\ndescription: {description}\n---\nDo it.\n".encode()

"""Tar files that lie, those that are damaged, and those that are merely unusual."""

import gzip
import io
import zlib
from collections.abc import Callable

import pytest

from skillsvc.content.archive_paths import ArchiveLimits, ArchiveRefused
from skillsvc.content.archives import ArchiveKind, unpack
from skillsvc.content.stopping import never
from skillsvc.content.unpacking import Unpacked
from skillsvc.domain.limits import MIB
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.packing import END_OF_TAR, header, padded, pax, tar_gz_of, tar_of, tarred

GOOD = tarred("s/SKILL.md", b"text")
GNU = b"ustar  \0"
LONG = b"a/" * 20 + b"n" * 150


@pytest.fixture
def blobs() -> MemoryBlobStore:
    return MemoryBlobStore()


def unpacked(data: bytes, blobs: MemoryBlobStore, limits: ArchiveLimits | None = None) -> Unpacked:
    kind = ArchiveKind.TAR_GZIP if data[:2] == b"\x1f\x8b" else ArchiveKind.TAR
    return unpack(io.BytesIO(data), kind=kind, limits=limits or ArchiveLimits(), blobs=blobs, stopped=never)


def described(kind: bytes, text: bytes) -> bytes:
    return header(b"././@LongLink", len(text), kind=kind, magic=GNU) + padded(text)


@pytest.mark.parametrize(
    ("member", "name"),
    [
        pytest.param(header(b"a", 4, kind=b"\0", magic=b"") + padded(b"text"), "a", id="v7"),
        pytest.param(header(b"a", 4, kind=b"7") + padded(b"text"), "a", id="contiguous"),
        pytest.param(header(b"a", 4, magic=GNU) + padded(b"text"), "a", id="gnu"),
        pytest.param(header(b"b", 4, prefix=b"a") + padded(b"text"), "a/b", id="ustar-prefix"),
        pytest.param(header(b"b", 4, prefix=b"a", magic=GNU) + padded(b"text"), "b", id="gnu-has-no-prefix"),
        pytest.param(header(b"a", raw_size=b"\x80" + bytes(10) + b"\4") + padded(b"text"), "a", id="size-in-base-256"),
        pytest.param(header(b"a", raw_size=b"          4 ") + padded(b"text"), "a", id="size-in-blanks"),
        pytest.param(
            described(b"L", LONG + b"\0") + header(LONG[:100], 4, magic=GNU) + padded(b"text"),
            LONG.decode(),
            id="gnu-long-name",
        ),
        pytest.param(pax((b"path", LONG)) + tarred("short", b"text"), LONG.decode(), id="pax-name"),
        pytest.param(pax((b"path", "é".encode())) + tarred(b"\xff", b"text"), "é", id="pax-name-for-other-bytes"),
        pytest.param(pax((b"size", b"4")) + header(b"a", 0) + padded(b"text"), "a", id="pax-size"),
        pytest.param(
            pax((b"mtime", b"1.5"), (b"SCHILY.xattr.user.x", b"a=b\nc")) + tarred("a", b"text"), "a", id="pax-others"
        ),
        pytest.param(pax((b"comment", b"of a commit"), kind=b"g") + tarred("a", b"text"), "a", id="pax-for-all"),
    ],
)
def test_unusual_members_are_taken(blobs: MemoryBlobStore, member: bytes, name: str) -> None:
    found = unpacked(tar_of(member), blobs)
    assert {path: blobs.read(file.digest) for path, file in found.files.items()} == {name: b"text"}


@pytest.mark.parametrize(
    "folder",
    [header(b"a", kind=b"5"), header(b"a/", kind=b"5"), header(b"a/"), header(b"a/", kind=b"\0", magic=b"")],
    ids=range(4),
)
def test_folders_are_known_by_either_mark(blobs: MemoryBlobStore, folder: bytes) -> None:
    assert list(unpacked(tar_of(folder, tarred("a/b", b"x")), blobs).files) == ["a/b"]


@pytest.mark.parametrize(
    "link",
    [
        described(b"K", LONG + b"\0") + header(b"a", kind=b"2", link=LONG[:100], magic=GNU),
        pax((b"linkpath", LONG)) + header(b"a", kind=b"2"),
    ],
    ids=["gnu", "pax"],
)
def test_a_long_link_is_taken(blobs: MemoryBlobStore, link: bytes) -> None:
    assert unpacked(tar_of(link), blobs).links == {"a": LONG.decode()}


def test_a_name_and_a_link_may_both_be_long(blobs: MemoryBlobStore) -> None:
    member = described(b"K", LONG + b"\0") + described(b"L", LONG + b"x\0") + header(b"a", kind=b"2", magic=GNU)
    assert unpacked(tar_of(member), blobs).links == {f"{LONG.decode()}x": LONG.decode()}


def test_what_describes_a_member_describes_no_other(blobs: MemoryBlobStore) -> None:
    data = tar_of(pax((b"path", b"a")) + tarred("x", b"1"), tarred("b", b"2"))
    assert list(unpacked(data, blobs).files) == ["a", "b"]


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (header(b"a", raw_size=b"777777777777"), "more than"),
        (header(b"a", raw_size=b"\x80" + b"\xff" * 11), "more than"),
        (header(b"a", raw_size=b"\xff" * 12), "none, or negative"),
        (header(b"a", raw_size=b"\x81" + bytes(11)), "none, or negative"),
        (header(b"a", raw_size=b"-0000000001\0"), "none, or negative"),
        (header(b"a", raw_size=b"0x0000000001"), "none, or negative"),
        (header(b"a", raw_size=b"000000000_1\0"), "none, or negative"),
        (header(b"a", raw_size=b"00000000\x009\0\0"), "none, or negative"),
        (header(b"a", 1000), "cut off"),
        (header(b"a", checksum=b"000001\0 "), "damaged"),
        (header(b"a", checksum=b"x" * 8), "none, or negative"),
        (b"x" * 512, "none, or negative"),
        (header(b"a", kind=b"1", link=b"b"), "hard link"),
        (header(b"a", kind=b"1", link=b"/etc/passwd"), "hard link"),
        (header(b"a", kind=b"S"), "not known"),
        (header(b"a", kind=b"M"), "not known"),
        (header(b"a", kind=b"V"), "not known"),
        (header(b"a", kind=b"Z"), "not known"),
        (tarred("a", b"text", kind=b"5"), "no file"),
        (tarred("a", b"text", kind=b"2", link=b"b"), "no file"),
        (tarred("a", b"text", kind=b"3"), "no file"),
        (tarred("a", b"text", kind=b"4"), "no file"),
        (tarred("a", b"text", kind=b"6"), "no file"),
        (tarred("a/", b"text"), "folder with bytes"),
        (tarred(b"a\xff", b"text"), "UTF-8"),
        (tarred(b"", b"text"), "name of the whole"),
        (pax((b"path", b"../a")) + GOOD, "leads out"),
        (pax((b"path", b"/a")) + GOOD, "absolute"),
        (pax((b"path", b"a\0b")) + GOOD, "is no path"),
        (pax((b"path", b"\xff")) + GOOD, "UTF-8"),
        (pax((b"path", b"a"), (b"path", b"b")) + GOOD, "describes a member twice"),
        (pax((b"path", b"a")) + pax((b"path", b"b")) + GOOD, "describes a member twice"),
        (pax((b"path", b"a")) + described(b"L", b"b\0") + GOOD, "describes a member twice"),
        (pax((b"size", b"-1")) + GOOD, "no number"),
        (pax((b"size", b"+4")) + GOOD, "no number"),
        (pax((b"size", b"4.0")) + GOOD, "no number"),
        (pax((b"size", "٤".encode())) + GOOD, "no number"),
        (pax((b"size", b"9" * 20)) + GOOD, "no number"),
        (pax((b"size", b"9" * 19)) + GOOD, "more than"),
        (pax((b"size", b"600")) + GOOD, "none, or negative|damaged|cut off"),
        (pax((b"size", b"4")) + header(b"a", kind=b"5"), "no file"),
        (pax((b"GNU.sparse.major", b"1")) + GOOD, "sparse"),
        (pax((b"path", b"a"), kind=b"g") + GOOD, "to all members"),
        (pax((b"size", b"4"), kind=b"g") + GOOD, "to all members"),
        (pax((b"path", b"a")), "not there"),
        (described(b"L", b"a\0"), "not there"),
        (described(b"L", b"a\0b\0") + GOOD, "is no path"),
        (described(b"L", b"") + GOOD, "name of the whole"),
        (header(b"x", 64 * 1024 + 1, kind=b"x"), "in more than"),
        (header(b"x", 1 << 33, kind=b"L", raw_size=b"\x80" + b"\x7f" * 11), "in more than"),
        (header(b"x", 4, kind=b"x") + padded(b"4 a\n"), "description of a member is damaged"),
        (header(b"x", 4, kind=b"x") + padded(b"4 =\n"), "description of a member is damaged"),
        (header(b"x", 6, kind=b"x") + padded(b"9 a=b\n"), "description of a member is damaged"),
        (header(b"x", 6, kind=b"x") + padded(b"5 a=b\n"), "description of a member is damaged"),
        (header(b"x", 6, kind=b"x") + padded(b"0 a=b\n"), "description of a member is damaged"),
        (header(b"x", 6, kind=b"x") + padded(b"text\n\n"), "description of a member is damaged"),
        (header(b"x", 8, kind=b"x") + padded(b"1000000 "), "description of a member is damaged"),
    ],
    ids=range(57),
)
def test_a_member_that_lies_refuses_the_archive(blobs: MemoryBlobStore, member: bytes, words: str) -> None:
    for data in (tar_of(member), tar_gz_of(member)):
        with pytest.raises(ArchiveRefused, match=words):
            unpacked(data, blobs)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (b"", "cut off"),
        (bytes(511), "cut off"),
        (bytes(512), "cut off"),
        (bytes(512) + b"x" * 512, "end is damaged"),
        (bytes(512) + GOOD, "end is damaged"),
        (END_OF_TAR + b"x", "other bytes follow"),
        (END_OF_TAR + bytes(9000) + b"x", "other bytes follow"),
        (END_OF_TAR + tar_of(GOOD), "other bytes follow"),
    ],
    ids=range(8),
)
def test_an_archive_without_its_end_is_cut_off(blobs: MemoryBlobStore, end: bytes, words: str) -> None:
    for data in (tar_of(GOOD, end=end), tar_gz_of(GOOD, end=end)):
        with pytest.raises(ArchiveRefused, match=words):
            unpacked(data, blobs)


def test_zeros_may_follow_the_end(blobs: MemoryBlobStore) -> None:
    assert list(unpacked(tar_of(GOOD, end=bytes(10_240)), blobs).files) == ["s/SKILL.md"]


def test_gzip_may_come_in_parts(blobs: MemoryBlobStore) -> None:
    whole = tar_of(GOOD)
    for at in (0, 1, 512, len(whole)):
        data = gzip.compress(whole[:at]) + gzip.compress(b"") + gzip.compress(whole[at:])
        assert list(unpacked(data, blobs).files) == ["s/SKILL.md"]


def test_parts_of_gzip_are_members_that_count(blobs: MemoryBlobStore) -> None:
    data = gzip.compress(b"") * 10 + tar_gz_of(GOOD)
    assert list(unpacked(data, blobs, ArchiveLimits(entries=11)).files) == ["s/SKILL.md"]
    with pytest.raises(ArchiveRefused, match="more than 10 members"):
        unpacked(data, blobs, ArchiveLimits(entries=10))


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        (lambda data: data[:-1], "cut off"),
        (lambda data: data[:-8], "cut off"),
        (lambda data: data[:20], "cut off"),
        (lambda data: data[:2], "cut off"),
        (lambda data: data[:-8] + b"\0\0\0\0" + data[-4:], "cannot be inflated"),
        (lambda data: data[:-4] + b"\0\0\0\0", "cannot be inflated"),
        (lambda data: data + b"x", "cut off|cannot be inflated"),
        (lambda data: data + bytes(512), "cannot be inflated"),
        (lambda data: data + data[:10], "cut off"),
        (lambda data: data[:12] + b"\xff\xff\xff" + data[15:], "cannot be inflated"),
    ],
    ids=range(10),
)
def test_damaged_gzip_refuses_the_archive(
    blobs: MemoryBlobStore, damaged: Callable[[bytes], bytes], words: str
) -> None:
    with pytest.raises(ArchiveRefused, match=words):
        unpacked(damaged(tar_gz_of(GOOD)), blobs)


def test_zeros_without_end_are_a_bomb_too(blobs: MemoryBlobStore) -> None:
    with pytest.raises(ArchiveRefused, match="times its size"):
        unpacked(tar_gz_of(GOOD, end=bytes(8 * MIB)), blobs)
    with pytest.raises(ArchiveRefused, match=f"more than {MIB} bytes"):
        unpacked(tar_of(GOOD, end=bytes(2 * MIB)), blobs, ArchiveLimits(total_bytes=MIB))


def test_descriptions_are_members_that_count(blobs: MemoryBlobStore) -> None:
    data = tar_of(*(pax((b"comment", b"x"), kind=b"g") for _ in range(10)))
    with pytest.raises(ArchiveRefused, match="more than 9 members"):
        unpacked(data, blobs, ArchiveLimits(entries=9))


def test_a_file_that_is_cut_off_is_kept_nowhere(blobs: MemoryBlobStore) -> None:
    data = tar_of(header(b"a", 3 * MIB), zlib.compress(b""))
    with pytest.raises(ArchiveRefused, match="cut off"):
        unpacked(data, blobs)
    assert blobs.blobs == {}

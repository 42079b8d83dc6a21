"""Zip files that lie, and those that are merely unusual."""

import io
import struct

import pytest

from skillsvc.content.archive_paths import ArchiveLimits, ArchiveRefused
from skillsvc.content.archives import ArchiveKind, unpack
from skillsvc.content.stopping import never
from skillsvc.content.unpacking import Unpacked
from skillsvc.domain.limits import MIB
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.packing import FIFO, FOLDER, LINK, Zipped, deflated, end_64_of, zip_of

GOOD = Zipped(name="s/SKILL.md", data=b"text")
LARGE = 0xFFFFFFFF


@pytest.fixture
def blobs() -> MemoryBlobStore:
    return MemoryBlobStore()


def unpacked(data: bytes, blobs: MemoryBlobStore, limits: ArchiveLimits | None = None) -> Unpacked:
    return unpack(io.BytesIO(data), kind=ArchiveKind.ZIP, limits=limits or ArchiveLimits(), blobs=blobs, stopped=never)


def field_64(*values: int) -> bytes:
    return struct.pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values)


@pytest.mark.parametrize(
    "member",
    [
        pytest.param(Zipped(name="a", data=b"text", method=0), id="stored"),
        pytest.param(Zipped(name="a", data=b"text", flags=0x0006), id="best-compression-marked"),
        pytest.param(
            Zipped(
                name="a",
                data=b"text",
                flags=0x0008,
                local_sizes=(0, 0, 0),
                after=b"PK\7\b" + struct.pack("<3L", 0x3CBA7D0E, 6, 4),
            ),
            id="sizes-follow-the-data",
        ),
        pytest.param(Zipped(name="a", data=b"text", extra=b"\x0a\0\4\0abcd\0\0"), id="other-extra-fields"),
        pytest.param(Zipped(name="a", data=b"text", made_by=0, attributes=0x20), id="made-on-dos"),
        pytest.param(Zipped(name="a", data=b"text", mode=0), id="no-mode"),
        pytest.param(
            Zipped(name="a", data=b"text", packed=LARGE, size=LARGE, extra=field_64(4, 6), local_extra=field_64(4, 6)),
            id="zip64-sizes",
        ),
        pytest.param(
            Zipped(name="a", data=b"text", start=LARGE, extra=field_64(0), local_extra=b""),
            id="zip64-start",
        ),
    ],
)
def test_unusual_members_are_taken(blobs: MemoryBlobStore, member: Zipped) -> None:
    found = unpacked(zip_of(member), blobs)
    assert {path: blobs.read(file.digest) for path, file in found.files.items()} == {"a": b"text"}


def test_names_are_utf_8_marked_or_not(blobs: MemoryBlobStore) -> None:
    data = zip_of(Zipped(name="é", data=b"x", flags=0x0800), Zipped(name="ü", data=b"x"))
    assert list(unpacked(data, blobs).files) == ["é", "ü"]


@pytest.mark.parametrize(
    "folder",
    [
        Zipped(name="a/"),
        Zipped(name="a", mode=FOLDER),
        Zipped(name="a", made_by=0, attributes=0x10),
        Zipped(name="a/", data=b"", method=0),
    ],
)
def test_folders_are_known_by_either_mark(blobs: MemoryBlobStore, folder: Zipped) -> None:
    assert list(unpacked(zip_of(folder, Zipped(name="a/b", data=b"x")), blobs).files) == ["a/b"]


def test_a_comment_may_follow_the_end(blobs: MemoryBlobStore) -> None:
    assert list(unpacked(zip_of(GOOD, comment=b"made by hand"), blobs).files) == ["s/SKILL.md"]


def test_the_end_of_zip64_is_read(blobs: MemoryBlobStore) -> None:
    start, size = len(GOOD.before + GOOD.content), len(GOOD.entry(0))
    end_64 = end_64_of(1, size, start)
    data = zip_of(GOOD, end_64=end_64, count=0xFFFF, directory_size=LARGE, directory_start=LARGE)
    assert list(unpacked(data, blobs).files) == ["s/SKILL.md"]
    assert list(unpacked(zip_of(GOOD, end_64=end_64), blobs).files) == ["s/SKILL.md"]


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (Zipped(name="a", data=b"text", flags=0x0001), "encrypted"),
        (Zipped(name="a", data=b"text", flags=0x0041), "encrypted"),
        (Zipped(name="a", data=b"text", flags=0x2000), "encrypted"),
        (Zipped(name="a", data=b"text", flags=0x0000, local_flags=0x0001), "different things"),
        (Zipped(name="a", data=b"text", flags=0x0020), "not known"),
        (Zipped(name="a", data=b"text", method=12), "not known"),
        (Zipped(name="a", data=b"text", method=9), "not known"),
        (Zipped(name="a", data=b"text", local_method=0), "different things"),
        (Zipped(name="a", data=b"text", local_name=b"b"), "different things"),
        (Zipped(name="a", data=b"text", local_sizes=(1, 6, 4)), "different things"),
        (Zipped(name="a", data=b"text", checksum=1), "checksum"),
        (Zipped(name="a", data=b"text", checksum=1, flags=8, local_sizes=(0, 0, 0)), "checksum"),
        (Zipped(name="a", data=b"text", size=3), "more bytes than it says"),
        (Zipped(name="a", data=b"text", size=5), "fewer bytes than it says"),
        (Zipped(name="a", data=b"text", method=0, size=3), "two sizes differ"),
        (Zipped(name="a", data=b"text", packed=5), "no end"),
        (Zipped(name="a", data=b"text", stored=deflated(b"text") + b"more"), "other bytes follow"),
        (Zipped(name="a", data=b"text", stored=b"\xff\xff\xff"), "cannot be inflated"),
        (Zipped(name="a", data=b"text", stored=b""), "no end"),
        (Zipped(name="a", data=b"text", packed=10_000), "reaches into"),
        (Zipped(name="a", data=b"text", disk=1), "disks"),
        (Zipped(name="a", data=b"text", start=5), "does not begin with one"),
        (Zipped(name="a", data=b"text", start=LARGE), "too short"),
        (Zipped(name="a", data=b"text", start=LARGE, extra=field_64(1 << 63)), "does not begin with one"),
        (Zipped(name="a", data=b"text", size=LARGE, extra=field_64(1 << 63)), "times its size"),
        (Zipped(name="a", data=b"text", size=LARGE, extra=b"\1\0\xff\xff1234"), "too short"),
        (Zipped(name=b"a\xff", data=b"text"), "UTF-8"),
        (Zipped(name=b"a\xff", data=b"text", flags=0x0800), "UTF-8"),
        (Zipped(name=b"a\0.md", data=b"text"), "is no path"),
        (Zipped(name=b"", data=b"text"), "name of the whole"),
        (Zipped(name="n" * 1025, data=b"text"), "too long"),
        (Zipped(name="a/", data=b"text"), "folder with bytes"),
        (Zipped(name="a", data=b"text", mode=FOLDER), "folder with bytes"),
        (Zipped(name="a", data=b"t" * 5000, mode=LINK), "text no link can have"),
        (Zipped(name="../pipe", mode=FIFO), "leads out"),
    ],
    ids=str,
)
def test_a_member_that_lies_refuses_the_archive(blobs: MemoryBlobStore, member: Zipped, words: str) -> None:
    with pytest.raises(ArchiveRefused, match=words):
        unpacked(zip_of(member), blobs)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "its end is missing"),
        (b"PK\5\6", "its end is missing"),
        (zip_of(GOOD) + b"x", "other bytes follow"),
        (zip_of(GOOD) + zip_of(GOOD), "not where it says"),
        (zip_of(GOOD, comment=b"PK\5\6" + bytes(18)), "not where it says"),
        (zip_of(GOOD, before=b"MZ"), "does not begin with one"),
        (b"MZ" + zip_of(GOOD), "not where it says"),
        (zip_of(GOOD, count=0), "more members than it says"),
        (zip_of(GOOD, count=2), "fewer members than it says"),
        (zip_of(GOOD, count=0xFFFF), "fewer members than it says"),
        (zip_of(GOOD, directory_size=1), "not where it says"),
        (zip_of(GOOD, directory_start=0), "not where it says"),
        (zip_of(GOOD, disks=(1, 0)), "disks"),
        (zip_of(GOOD, disks=(0, 1)), "disks"),
        (zip_of(GOOD).replace(b"PK\1\2", b"PK\1\3"), "directory is damaged"),
        (zip_of(GOOD).replace(b"PK\3\4", b"PK\3\5"), "not where the directory says"),
        (zip_of(GOOD, end_64=end_64_of(1, 56, 46, at=5)), "zip64 end"),
        (zip_of(GOOD, end_64=end_64_of(1, 56, 46, at=1 << 63)), "zip64 end"),
        (zip_of(GOOD, end_64=end_64_of(1, 56, 46, rest=45)), "zip64 end"),
        (zip_of(GOOD, end_64=end_64_of(1, 56, 46, disks=2)), "disks"),
        (zip_of(GOOD, end_64=end_64_of(1, 57, 45)), "zip64 end|two ends differ"),
        (zip_of(GOOD, end_64=end_64_of(2, 56, 46)), "two ends differ"),
    ],
    ids=range(22),
)
def test_a_frame_that_lies_refuses_the_archive(blobs: MemoryBlobStore, data: bytes, words: str) -> None:
    with pytest.raises(ArchiveRefused, match=words):
        unpacked(data, blobs)


def test_members_that_share_bytes_are_refused_before_they_are_read_again(blobs: MemoryBlobStore) -> None:
    # The bomb of overlapping members: one piece of data, listed many times, each time under its own local header.
    kernel = Zipped(name="a", data=bytes(1000), start=0)
    quoted = [Zipped(name="a", data=bytes(1000), start=0) for _ in range(2)]
    with pytest.raises(ArchiveRefused, match="share bytes"):
        unpacked(zip_of(kernel, *quoted), blobs)
    inside = Zipped(name="b", data=b"x", method=0)
    outer = Zipped(name="a", data=inside.before + inside.content, method=0)
    hidden = Zipped(name="b", data=b"x", method=0, start=len(outer.before))
    with pytest.raises(ArchiveRefused, match="share bytes"):
        unpacked(zip_of(outer, hidden), blobs)


def test_a_directory_of_many_members_is_read_no_further_than_the_limit(blobs: MemoryBlobStore) -> None:
    members = [Zipped(name=f"{number}", method=0) for number in range(100)]
    with pytest.raises(ArchiveRefused, match="more than 99 members"):
        unpacked(zip_of(*members), blobs, ArchiveLimits(entries=99))
    assert blobs.blobs == {}
    assert len(unpacked(zip_of(*members), blobs, ArchiveLimits(entries=100)).files) == 100


def test_a_member_that_is_larger_than_it_says_stops_there(blobs: MemoryBlobStore) -> None:
    # Twice a whole piece more than is said: no more than the first piece too many is ever inflated.
    data = zip_of(Zipped(name="a", data=bytes(4 * MIB), size=2 * MIB))
    with pytest.raises(ArchiveRefused, match="more bytes than it says"):
        unpacked(data, blobs, ArchiveLimits(ratio=1000))
    assert blobs.blobs == {}

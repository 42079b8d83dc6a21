"""What every archive is held to, whatever its format (`rules.md` 1, 3)."""

import hashlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from skillsvc.content.archive_paths import ArchiveLimits, ArchiveRefused
from skillsvc.content.archives import ArchiveKind, sniff, unpack
from skillsvc.content.stopping import Abandoned, never
from skillsvc.content.stored_tree import StoredTree
from skillsvc.content.unpacking import Unpacked
from skillsvc.domain.limits import MIB
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators import packing


@dataclass(frozen=True)
class Packed:
    """A member, to be packed in any format."""

    name: str
    data: bytes = b""
    mode: int = packing.FILE


def make_zip(members: Sequence[Packed]) -> bytes:
    return packing.zip_of(*(packing.Zipped(name=each.name, data=each.data, mode=each.mode) for each in members))


def make_tar(members: Sequence[Packed]) -> bytes:
    return packing.tar_of(*map(_tarred, members))


def make_tar_gzip(members: Sequence[Packed]) -> bytes:
    return packing.tar_gz_of(*map(_tarred, members))


def _tarred(member: Packed) -> bytes:
    match member.mode:
        case packing.FOLDER:
            return packing.tarred(member.name, kind=b"5")
        case packing.LINK:
            return packing.tarred(member.name, kind=b"2", link=member.data)
        case packing.FIFO:
            return packing.tarred(member.name, kind=b"6")
        case mode:
            return packing.tarred(member.name, member.data, mode=mode & 0o777)


Make = Callable[[Sequence[Packed]], bytes]

FORMATS = {
    ArchiveKind.ZIP: make_zip,
    ArchiveKind.TAR: make_tar,
    ArchiveKind.TAR_GZIP: make_tar_gzip,
}


@pytest.fixture(params=FORMATS, ids=lambda kind: kind.value)
def kind(request: pytest.FixtureRequest) -> ArchiveKind:
    assert isinstance(request.param, ArchiveKind)
    return request.param


@pytest.fixture
def blobs() -> MemoryBlobStore:
    return MemoryBlobStore()


def unpacked(
    blobs: MemoryBlobStore,
    kind: ArchiveKind,
    *members: Packed,
    limits: ArchiveLimits | None = None,
    strip_one: bool = False,
) -> Unpacked:
    data = FORMATS[kind](members)
    assert sniff(io.BytesIO(data)) is kind
    return unpack(
        io.BytesIO(data), kind=kind, limits=limits or ArchiveLimits(), blobs=blobs, stopped=never, strip_one=strip_one
    )


def test_files_come_out_with_their_bytes(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    large = hashlib.shake_256(b"seed").digest(2 * MIB)
    found = unpacked(
        blobs,
        kind,
        Packed("a", mode=packing.FOLDER),
        Packed("a/SKILL.md", b"text"),
        Packed("a/run.sh", b"#!/bin/sh\n", packing.PROGRAM),
        Packed("a/empty"),
        Packed("b/é/large", large),
    )
    assert {path: blobs.read(file.digest) for path, file in found.files.items()} == {
        "a/SKILL.md": b"text",
        "a/run.sh": b"#!/bin/sh\n",
        "a/empty": b"",
        "b/é/large": large,
    }
    assert [file.size for file in found.files.values()] == [4, 10, 0, len(large)]
    assert [path for path, file in found.files.items() if file.executable] == ["a/run.sh"]
    assert (found.links, found.notes) == ({}, ())


def test_an_archive_of_nothing_is_whole(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    data = FORMATS[kind]([])
    found = unpack(io.BytesIO(data), kind=kind, limits=ArchiveLimits(), blobs=blobs, stopped=never)
    assert (found.files, found.links, found.notes) == ({}, {}, ())


def test_what_is_no_archive_has_no_kind() -> None:
    heads = (b"", b"PK", b"PK\1\2", b"\x1f\x8b", b"<html>", bytes(512))
    assert [sniff(io.BytesIO(head)) for head in heads] == [None] * len(heads)


def test_links_are_kept_as_they_are_for_whoever_walks_the_tree(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    found = unpacked(
        blobs,
        kind,
        Packed("real/SKILL.md", b"text"),
        Packed("alias", b"real", packing.LINK),
        Packed("out", b"../../etc/passwd", packing.LINK),
    )
    assert found.links == {"alias": "real", "out": "../../etc/passwd"}
    tree = StoredTree(found.files, links=found.links, blobs=blobs)
    assert tree.read_file("alias/SKILL.md", max_bytes=10, follow_links=True).data == b"text"
    assert tree.stat_file("out", follow_links=True) is None


def test_what_is_no_file_is_left_out_and_said(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    found = unpacked(blobs, kind, Packed("a/pipe", mode=packing.FIFO), Packed("a/SKILL.md", b"text"))
    assert list(found.files) == ["a/SKILL.md"]
    [note] = found.notes
    assert note.startswith('"a/pipe" is left out')


def test_what_is_left_out_is_told_up_to_a_bound(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    found = unpacked(blobs, kind, *(Packed(f"pipe-{number}", mode=packing.FIFO) for number in range(40)))
    assert len(found.notes) == 33
    assert found.notes[-1] == "8 more are left out"


@pytest.mark.parametrize(
    "name",
    [
        "../a",
        "a/../../b",
        "a/../b",
        "a/..",
        "..",
        "/a",
        "//a",
        "/",
        ".//a",
        "C:/a",
        "c:a",
        "a\\b",
        "..\\a",
        "\\\\host\\share",
        "a//b",
        "a/./b",
        "a\x01b",
        "a\nb",
        "a\x7fb",
        "a\u2028b",
        "a\u0085b",
    ],
    ids=ascii,
)
@pytest.mark.parametrize("mode", [packing.FILE, packing.FOLDER, packing.LINK, packing.FIFO], ids=oct)
def test_a_name_that_leads_elsewhere_or_is_none_refuses_the_archive(
    kind: ArchiveKind, blobs: MemoryBlobStore, name: str, mode: int
) -> None:
    data = b"x" if mode in {packing.FILE, packing.LINK} else b""
    with pytest.raises(ArchiveRefused):
        unpacked(blobs, kind, Packed("good/SKILL.md", b"text"), Packed(name, data, mode))


def test_the_dot_that_tools_put_before_each_name_is_no_name(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    found = unpacked(
        blobs, kind, Packed("./", mode=packing.FOLDER), Packed("./a/", mode=packing.FOLDER), Packed("./a/b", b"x")
    )
    assert list(found.files) == ["a/b"]


@pytest.mark.parametrize("name", [".", "./"])
def test_no_file_has_the_name_of_the_whole(kind: ArchiveKind, blobs: MemoryBlobStore, name: str) -> None:
    with pytest.raises(ArchiveRefused):
        unpacked(blobs, kind, Packed(name, b"x"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a/b", "a/b"),
        ("a/b", "a/B"),
        ("a/b", "A/c"),
        ("a", "A/c"),
        ("a/ß", "a/SS"),
        ("a/\u00e9", "a/e\u0301"),
        ("a/\u00c9", "a/e\u0301"),
        ("a", "a/b"),
        ("a/b", "a"),
        ("a/b/c", "a"),
        ("a/b", "./a/b"),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("modes", [(packing.FILE, packing.FILE), (packing.LINK, packing.FILE)], ids=str)
def test_two_members_for_one_place_refuse_the_archive(
    kind: ArchiveKind, blobs: MemoryBlobStore, first: str, second: str, modes: tuple[int, int]
) -> None:
    members = [Packed(name, b"x", mode) for name, mode in zip((first, second), modes, strict=True)]
    with pytest.raises(ArchiveRefused):
        unpacked(blobs, kind, *members)


def test_a_link_is_no_way_into_a_folder(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    with pytest.raises(ArchiveRefused, match="beneath what is no folder"):
        unpacked(blobs, kind, Packed("way", b"/etc", packing.LINK), Packed("way/passwd", b"x"))


def test_a_folder_may_be_told_twice_and_after_its_files(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    folder = Packed("a/", mode=packing.FOLDER)
    found = unpacked(blobs, kind, folder, Packed("a/b", b"x"), folder)
    assert list(found.files) == ["a/b"]


@pytest.mark.parametrize(
    ("limits", "members", "words"),
    [
        (ArchiveLimits(file_bytes=3), [Packed("a", b"four")], "more than 3 bytes"),
        (ArchiveLimits(total_bytes=3), [Packed("a", b"12"), Packed("b", b"34")], "more than 3 bytes"),
        (ArchiveLimits(entries=2), [Packed("a"), Packed("b"), Packed("c")], "more than 2 members"),
        (ArchiveLimits(entries=2), [Packed("a/b/c/d/e")], "more than 2 folders"),
        (ArchiveLimits(path_bytes=4), [Packed("abcé")], "too long"),
        (ArchiveLimits(depth=2), [Packed("a/b/c")], "too deep"),
        (ArchiveLimits(link_bytes=3), [Packed("a", b"four", packing.LINK)], "text no link can have"),
        (ArchiveLimits(), [Packed("a", b"", packing.LINK)], "text no link can have"),
        (ArchiveLimits(), [Packed("a", b"\xff", packing.LINK)], "not UTF-8"),
    ],
    ids=str,
)
def test_what_is_above_a_limit_refuses_the_archive(
    kind: ArchiveKind, blobs: MemoryBlobStore, limits: ArchiveLimits, members: list[Packed], words: str
) -> None:
    if kind is not ArchiveKind.ZIP and "total_bytes=3," in str(limits):
        words = "unpacks to more than 3 bytes"
    with pytest.raises(ArchiveRefused, match=words):
        unpacked(blobs, kind, *members, limits=limits)


def test_exactly_a_limit_is_taken(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    limits = ArchiveLimits(file_bytes=4, entries=2, path_bytes=4, depth=2, link_bytes=4)
    found = unpacked(blobs, kind, Packed("ab/c", b"four"), Packed("link", b"ab/c", packing.LINK), limits=limits)
    assert (list(found.files), dict(found.links)) == (["ab/c"], {"link": "ab/c"})


@pytest.mark.parametrize("kind", [ArchiveKind.ZIP, ArchiveKind.TAR_GZIP], indirect=True)
def test_what_grows_like_a_bomb_is_refused_before_it_is_kept(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    with pytest.raises(ArchiveRefused, match="more than 200 times its size"):
        unpacked(blobs, kind, Packed("a/SKILL.md", bytes(8 * MIB)))
    assert blobs.blobs == {}


@pytest.mark.parametrize("kind", [ArchiveKind.ZIP, ArchiveKind.TAR_GZIP], indirect=True)
def test_a_small_file_may_grow_as_it_likes(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    found = unpacked(blobs, kind, Packed("a/zeros", bytes(MIB // 2)))
    assert found.files["a/zeros"].size == MIB // 2


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_it_is_abandoned_as_soon_as_it_is_told(kind: ArchiveKind, blobs: MemoryBlobStore, after: int) -> None:
    asked = iter([False] * after)
    data = FORMATS[kind]([Packed("a", b"x"), Packed("b", hashlib.shake_256(b"seed").digest(2 * MIB))])
    with pytest.raises(Abandoned):
        unpack(io.BytesIO(data), kind=kind, limits=ArchiveLimits(), blobs=blobs, stopped=lambda: next(asked, True))


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["s/SKILL.md", "s/x/y"], ["SKILL.md", "x/y"]),
        (["SKILL.md", "x/y"], ["SKILL.md", "x/y"]),
        (["s/SKILL.md", "t/SKILL.md"], ["s/SKILL.md", "t/SKILL.md"]),
        (["s/t/SKILL.md"], ["t/SKILL.md"]),
        (["s/SKILL.md", "__MACOSX/s/._SKILL.md"], ["SKILL.md"]),
        (["s/SKILL.md", "README"], ["s/SKILL.md", "README"]),
    ],
)
def test_one_folder_around_all_is_taken_off(
    kind: ArchiveKind, blobs: MemoryBlobStore, paths: list[str], expected: list[str]
) -> None:
    found = unpacked(blobs, kind, *(Packed(path, b"x") for path in paths), strip_one=True)
    assert list(found.files) == expected


def test_the_folder_around_is_taken_off_links_too(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    members = [Packed("s/SKILL.md", b"x"), Packed("s/alias", b"SKILL.md", packing.LINK)]
    assert unpacked(blobs, kind, *members, strip_one=True).links == {"alias": "SKILL.md"}
    assert unpacked(blobs, kind, *members).links == {"s/alias": "SKILL.md"}


def test_what_the_finder_adds_is_left_out_and_said(kind: ArchiveKind, blobs: MemoryBlobStore) -> None:
    found = unpacked(blobs, kind, Packed("s/SKILL.md", b"x"), Packed("__MACOSX/s/._SKILL.md", b"y"))
    assert (list(found.files), found.notes) == (["s/SKILL.md"], ("1 files below __MACOSX are left out",))

"""Reading beneath a root: what is told of files and folders, and what happens where they change meanwhile."""

import hashlib
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from skillsvc.content.blobs import FileBlobStore
from skillsvc.content.confined import ConfinedDirectory, ConfinedRoot
from skillsvc.content.tree import EntryKind, Escapes, FileChanged, TooLarge, TreeError, Unreadable
from skillsvc.domain.errors import Unavailable

SMALL, LARGE = 5_000, 700_000
"""Bytes of a file that is read in one piece, and of one that takes several."""


@pytest.fixture
def root(tmp_path: Path) -> Iterator[ConfinedRoot]:
    with ConfinedRoot.open(str(tmp_path)) as root:
        yield root


@pytest.fixture
def blobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FileBlobStore]:
    with FileBlobStore(str(tmp_path_factory.mktemp("blobs"))) as blobs:
        yield blobs


def test_the_root_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/SKILL.md").write_bytes(b"text")
    (tmp_path / "link").symlink_to("real")
    with ConfinedRoot.open(str(tmp_path / "link")) as root:
        assert root.read_file("SKILL.md", max_bytes=10, follow_links=False).data == b"text"


def test_a_root_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "self").symlink_to("self")
    with pytest.raises(FileNotFoundError):
        ConfinedRoot.open(str(tmp_path / "nowhere"))
    with pytest.raises(NotADirectoryError):
        ConfinedRoot.open(str(tmp_path / "file"))
    with pytest.raises(OSError, match="symbolic links"):
        ConfinedRoot.open(str(tmp_path / "self"))


def test_a_root_that_was_moved_is_still_the_same_root(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    (tmp_path / "before/SKILL.md").write_bytes(b"text")
    with ConfinedRoot.open(str(tmp_path / "before")) as root:
        (tmp_path / "before").rename(tmp_path / "after")
        (tmp_path / "before").mkdir()
        assert [entry.name for entry in root.entries()] == ["SKILL.md"]
        assert root.read_file("SKILL.md", max_bytes=10, follow_links=False).data == b"text"


def test_entries_come_in_byte_order_with_their_kinds(tmp_path: Path, root: ConfinedRoot) -> None:
    # U+FFFD sorts before U+10000 in UTF-8, and a raw byte FF after both; by UTF-16 or code point it is otherwise.
    for name in (b"b", "\U00010000".encode(), b"\xff", "\ufffd".encode(), b"B", b"a-b", b"a"):
        (tmp_path / os.fsdecode(name)).touch()
    (tmp_path / "dir").mkdir()
    (tmp_path / "link").symlink_to("dir")
    os.mkfifo(tmp_path / "pipe")
    assert [(os.fsencode(entry.name), entry.kind) for entry in root.entries()] == [
        (b"B", EntryKind.FILE),
        (b"a", EntryKind.FILE),
        (b"a-b", EntryKind.FILE),
        (b"b", EntryKind.FILE),
        (b"dir", EntryKind.DIRECTORY),
        (b"link", EntryKind.LINK),
        (b"pipe", EntryKind.OTHER),
        ("\ufffd".encode(), EntryKind.FILE),
        ("\U00010000".encode(), EntryKind.FILE),
        (b"\xff", EntryKind.FILE),
    ]


def test_a_folder_can_be_listed_again_and_shows_what_came_meanwhile(tmp_path: Path, root: ConfinedRoot) -> None:
    assert root.entries() == []
    (tmp_path / "new").touch()
    assert [entry.name for entry in root.entries()] == ["new"]
    assert [entry.name for entry in root.entries()] == ["new"]


def test_one_folder_reached_by_two_ways_has_one_identity(tmp_path: Path, root: ConfinedRoot) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "link").symlink_to("a")
    with (
        root.open_directory("a", follow_links=False) as a,
        root.open_directory("b", follow_links=False) as b,
        root.open_directory("link", follow_links=True) as link,
        root.open_directory("", follow_links=False) as again,
    ):
        assert link.identity == a.identity != b.identity
        assert again.identity == root.identity


def test_what_is_opened_from_a_folder_stays_beneath_that_folder(tmp_path: Path, root: ConfinedRoot) -> None:
    (tmp_path / "skill").mkdir()
    (tmp_path / "shared.md").write_bytes(b"shared")
    (tmp_path / "skill/SKILL.md").symlink_to("../shared.md")
    assert root.read_file("skill/SKILL.md", max_bytes=10, follow_links=True).data == b"shared"
    with root.open_directory("skill", follow_links=False) as skill, pytest.raises(Escapes):
        skill.read_file("SKILL.md", max_bytes=10, follow_links=True)


def test_a_file_is_told_with_bytes_digest_size_mode_and_stamp(tmp_path: Path, root: ConfinedRoot) -> None:
    data = b"\x89PNG\r\n\x1a\n\0\xff"
    path = tmp_path / "mark.png"
    path.write_bytes(data)
    read = root.read_file("mark.png", max_bytes=len(data), follow_links=False)
    found = path.stat()
    assert read.data == data
    assert read.digest == hashlib.sha256(data).hexdigest()
    assert read.size == len(data)
    assert read.stamp == root.stat_file("mark.png", follow_links=True)
    assert (read.stamp.dev, read.stamp.ino, read.stamp.size) == (found.st_dev, found.st_ino, found.st_size)
    assert (read.stamp.mtime_ns, read.stamp.ctime_ns) == (found.st_mtime_ns, found.st_ctime_ns)


@pytest.mark.parametrize(
    ("mode", "executable"),
    [(0o644, False), (0o600, False), (0o755, True), (0o700, True), (0o654, True), (0o645, True)],
)
def test_a_file_that_anybody_may_execute_is_executable(
    tmp_path: Path, root: ConfinedRoot, blobs: FileBlobStore, mode: int, *, executable: bool
) -> None:
    (tmp_path / "run").touch()
    (tmp_path / "run").chmod(mode)
    assert root.read_file("run", max_bytes=0, follow_links=False).executable is executable
    assert root.copy_file("run", max_bytes=0, follow_links=False, blobs=blobs).executable is executable


@pytest.mark.parametrize("size", [0, 1, SMALL, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, LARGE])
def test_a_file_of_any_size_is_read_and_copied_whole_up_to_the_limit(
    tmp_path: Path, root: ConfinedRoot, blobs: FileBlobStore, size: int
) -> None:
    data = os.urandom(size)
    (tmp_path / "file").write_bytes(data)
    read = root.read_file("file", max_bytes=size, follow_links=False)
    assert read.data == data
    copy = root.copy_file("file", max_bytes=size, follow_links=False, blobs=blobs)
    assert (copy.digest, copy.size, copy.stamp) == (read.digest, size, read.stamp)
    assert blobs.read(copy.digest) == data


def test_one_byte_over_the_limit_is_too_large_and_nothing_is_kept(
    tmp_path: Path, root: ConfinedRoot, blobs: FileBlobStore
) -> None:
    (tmp_path / "file").write_bytes(bytes(11))
    with pytest.raises(TooLarge):
        root.read_file("file", max_bytes=10, follow_links=False)
    with pytest.raises(TooLarge):
        root.copy_file("file", max_bytes=10, follow_links=False, blobs=blobs)
    assert list(blobs.digests()) == []


def test_a_file_that_holds_more_than_it_says_is_refused(blobs: FileBlobStore) -> None:
    # Files of the kernel say 0 bytes and give some.
    with ConfinedRoot.open("/proc/self") as proc:
        with pytest.raises(FileChanged):
            proc.read_file("status", max_bytes=1_000_000, follow_links=False)
        with pytest.raises(FileChanged):
            proc.copy_file("status", max_bytes=1_000_000, follow_links=False, blobs=blobs)
    assert list(blobs.digests()) == []


def test_a_stamp_is_told_only_of_a_regular_file_that_can_be_reached(tmp_path: Path, root: ConfinedRoot) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/file").touch()
    (tmp_path / "link").symlink_to("folder/file")
    (tmp_path / "out").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "fifo")
    there = root.stat_file("folder/file", follow_links=False)
    assert there is not None
    assert root.stat_file("link", follow_links=True) == there
    for path, follow_links in (
        ("link", False),
        ("out", True),
        ("out", False),
        ("fifo", True),
        ("folder", False),
        ("", False),
        ("..", False),
        ("nowhere", False),
        ("folder/file/x", False),
        ("file\0", False),
    ):
        assert root.stat_file(path, follow_links=follow_links) is None


@pytest.mark.parametrize("change", ["rewrite", "replace", "touch", "chmod"])
def test_every_change_of_a_file_moves_its_stamp(tmp_path: Path, root: ConfinedRoot, change: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    before = root.stat_file("file", follow_links=False)
    _wait_for_a_later_stamp(path)
    if change == "rewrite":
        path.write_bytes(b"two")
        os.utime(path, ns=(path.stat().st_atime_ns, before.mtime_ns if before else 0))  # as some tools put it back
    elif change == "replace":
        (tmp_path / "new").write_bytes(b"two")
        (tmp_path / "new").rename(path)
    elif change == "touch":
        path.touch()
    else:
        path.chmod(0o700)
    assert root.stat_file("file", follow_links=False) not in {before, None}


@pytest.mark.parametrize(("age_ms", "settled"), [(-1_000, False), (0, False), (100, False), (101, True), (10**9, True)])
def test_a_reading_is_settled_once_the_last_change_is_a_tenth_of_a_second_ago(
    tmp_path: Path, blobs: FileBlobStore, age_ms: int, *, settled: bool
) -> None:
    (tmp_path / "file").touch()
    now_ns = (tmp_path / "file").stat().st_ctime_ns + age_ms * 1_000_000
    with ConfinedRoot.open(str(tmp_path), now_ns=lambda: now_ns) as root:
        assert root.read_file("file", max_bytes=0, follow_links=False).settled is settled
        assert root.copy_file("file", max_bytes=0, follow_links=False, blobs=blobs).settled is settled


def _wait_for_a_later_stamp(path: Path) -> None:
    """Return once a write would get another stamp than the file has. On kernels before 6.13 that takes a clock tick."""
    probe = path.with_name("probe")
    while True:
        probe.touch()
        stamp = probe.stat().st_ctime_ns
        probe.unlink()
        if stamp > path.stat().st_ctime_ns:
            return


# What is done to a folder, a hundred times over, by good and bad names.
OPERATIONS: list[Callable[[ConfinedDirectory, str, FileBlobStore], object]] = [
    lambda root, path, _: root.read_file(path, max_bytes=LARGE, follow_links=True),
    lambda root, path, _: root.read_file(path, max_bytes=10, follow_links=False),
    lambda root, path, blobs: root.copy_file(path, max_bytes=LARGE, follow_links=True, blobs=blobs),
    lambda root, path, _: root.stat_file(path, follow_links=True),
]


@pytest.mark.parametrize("kernel", [True, False], ids=["openat2", "walk"])
def test_no_descriptor_is_left_open_whatever_happens(tmp_path: Path, blobs: FileBlobStore, *, kernel: bool) -> None:
    tree = tmp_path / "root"
    (tree / "a/b").mkdir(parents=True)
    (tree / "small").write_bytes(bytes(SMALL))
    (tree / "large").write_bytes(bytes(LARGE))
    (tree / "link").symlink_to("a/../small")
    (tree / "loop").symlink_to("loop")
    (tree / "out").symlink_to("a/b/../../../blobs")
    os.mkfifo(tree / "fifo")
    before = _descriptors()
    with ConfinedRoot.open(str(tree), kernel=kernel) as root:
        for _ in range(100):
            for path in ("small", "large", "link", "loop", "out", "fifo", "a/b", "a/b/nowhere", "small/x", "a/../.."):
                for operation in OPERATIONS:
                    with suppress(TreeError):
                        operation(root, path, blobs)
                with suppress(TreeError), root.open_directory(path, follow_links=True) as folder:
                    folder.entries()
        assert _descriptors() - before == {root.fd}
    assert _descriptors() == before


@pytest.mark.parametrize("kernel", [True, False], ids=["openat2", "walk"])
def test_what_stands_there_is_never_missing_for_want_of_descriptors(
    tmp_path: Path, blobs: FileBlobStore, *, kernel: bool
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/small").write_bytes(bytes(SMALL))
    (tmp_path / "link").symlink_to("a/small")
    with ConfinedRoot.open(str(tmp_path), kernel=kernel) as root:
        before = _descriptors()
        for spare in range(5):
            with _spare_descriptors(spare):
                for operation in OPERATIONS:
                    with suppress(Unreadable, Unavailable, Escapes, TooLarge):
                        operation(root, "link", blobs)
                with suppress(Unreadable):
                    root.open_directory("a", follow_links=False).close()
            assert _descriptors() == before
        assert root.read_file("link", max_bytes=SMALL, follow_links=True).size == SMALL


def _descriptors() -> set[int]:
    with os.scandir("/proc/self/fd") as listing:
        names = [int(entry.name) for entry in listing]
    # The listing shows its own descriptor, closed by now.
    return {fd for fd in names if _is_open(fd)}


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


@contextmanager
def _spare_descriptors(spare: int) -> Iterator[None]:
    """Let the process open `spare` descriptors more, and no further one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken: list[int] = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(_descriptors()) + 1 + spare, hard))
        with suppress(OSError):
            while True:
                taken.append(os.open("/", os.O_PATH))
        for _ in range(spare):
            os.close(taken.pop())
        yield
    finally:
        for fd in taken:
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

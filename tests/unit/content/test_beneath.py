"""One table of trees, opened both ways, with equal results (`rules.md` 1).

The rows name what the rule promises. Both ways are forced, so the machine that runs this has `openat2` (Linux 5.6).
"""

import contextlib
import errno
import os
import socket
import time
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.beneath import MOST_PLACES, KernelOpening, WalkOpening, choose_opening
from skillsvc.content.confined import ConfinedDirectory, ConfinedRoot
from skillsvc.content.syscalls import LinuxCalls, OpenHow
from skillsvc.content.tree import Escapes, Missing, NotRegular, TreeError, Unreadable

SECRET = b"secret"
NAME_NOT_UTF8 = os.fsdecode(b"\xff\xfe")
LIMIT = 1024

# What stands in the root: folder, then link texts by name; `{outside}` and `{root}` are the absolute places.
LINKS = {
    "inside": "plain",
    "inside-slash": "plain/",
    "inside-dots": "./plain/.././plain",
    "file-link": "plain/SKILL.md",
    "file-slash": "plain/SKILL.md/",
    "file-beyond": "plain/SKILL.md/x",
    "sub/up": "../plain",
    "sub/over": "../sub/up",
    "out": "../outside",
    "out-and-in": "../root/plain",
    "out-file": "../outside/SKILL.md",
    "sub/out": "../../outside",
    "out-through": "sub/out",
    "absolute": "{outside}",
    "absolute-inside": "{root}/plain",
    "machine": "/",
    "self": "self",
    "loop-a": "loop-b",
    "loop-b": "loop-a",
    "loop-deep": "plain/../loop-deep/x",
    "dangling": "nowhere",
    "dangling-deep": "nowhere/SKILL.md",
    "landing": "one/two/three",
    "linked-folder/SKILL.md": "../plain/SKILL.md",
    "escaping-folder/SKILL.md": "../../outside/SKILL.md",
}

# Path, what it is with links followed, what it is with links refused; bytes are a file's content.
FILES: list[tuple[str, bytes | type[TreeError], bytes | type[TreeError]]] = [
    ("plain/SKILL.md", b"plain", b"plain"),
    ("./plain/./SKILL.md", b"plain", b"plain"),
    ("plain//SKILL.md", b"plain", b"plain"),
    ("plain/../plain/SKILL.md", b"plain", b"plain"),
    ("one/two/three/../mark", b"two", b"two"),
    ("ünïcödé/SKILL.md", b"unicode", b"unicode"),
    (f"{NAME_NOT_UTF8}/{NAME_NOT_UTF8}", b"bytes", b"bytes"),
    ("back\\slash", b"backslash", b"backslash"),
    ("d/" * (MOST_PLACES - 2) + "SKILL.md", b"deep", b"deep"),
    ("inside/SKILL.md", b"plain", Escapes),
    ("inside-slash/SKILL.md", b"plain", Escapes),
    ("inside-dots/SKILL.md", b"plain", Escapes),
    ("file-link", b"plain", Escapes),
    ("linked-folder/SKILL.md", b"plain", Escapes),
    ("sub/up/SKILL.md", b"plain", Escapes),
    ("sub/over/SKILL.md", b"plain", Escapes),
    # `..` behind a link is the parent of where the link leads.
    ("landing/../mark", b"two", Escapes),
    ("link-40", b"end of the chain", Escapes),
    ("link-41", Escapes, Escapes),
    ("half-20/half-20/half-file", b"end of the halves", Escapes),
    ("half-20/half-20/half-link", Escapes, Escapes),
    ("out/SKILL.md", Escapes, Escapes),
    ("out-and-in/SKILL.md", Escapes, Escapes),
    ("out-file", Escapes, Escapes),
    ("sub/out/SKILL.md", Escapes, Escapes),
    ("out-through/SKILL.md", Escapes, Escapes),
    ("escaping-folder/SKILL.md", Escapes, Escapes),
    ("absolute/SKILL.md", Escapes, Escapes),
    ("absolute-inside/SKILL.md", Escapes, Escapes),
    ("machine/etc/passwd", Escapes, Escapes),
    ("self", Escapes, Escapes),
    ("loop-a", Escapes, Escapes),
    ("loop-a/SKILL.md", Escapes, Escapes),
    ("loop-deep", Escapes, Escapes),
    ("../outside/SKILL.md", Escapes, Escapes),
    ("../root/plain/SKILL.md", Escapes, Escapes),
    ("plain/../../outside/SKILL.md", Escapes, Escapes),
    ("..", Escapes, Escapes),
    ("/", Escapes, Escapes),
    ("/etc/passwd", Escapes, Escapes),
    ("//etc/passwd", Escapes, Escapes),
    ("dangling", Missing, Escapes),
    ("dangling-deep", Missing, Escapes),
    ("file-beyond", Missing, Escapes),
    ("file-slash", Missing, Escapes),
    ("nowhere", Missing, Missing),
    ("nowhere/../plain/SKILL.md", Missing, Missing),
    ("plain/skill.md", Missing, Missing),
    ("plain/SKILL.md/", Missing, Missing),
    ("plain/SKILL.md/.", Missing, Missing),
    ("plain/SKILL.md/..", Missing, Missing),
    ("plain/SKILL.md/x", Missing, Missing),
    ("plain/SKILL.md\0", Missing, Missing),
    ("plain/SKILL.md\0.txt", Missing, Missing),
    ("\0", Missing, Missing),
    ("\ud800/SKILL.md", Missing, Missing),
    ("%2e%2e/outside/SKILL.md", Missing, Missing),
    ("..\\outside\\SKILL.md", Missing, Missing),
    ("", NotRegular, NotRegular),
    (".", NotRegular, NotRegular),
    ("plain", NotRegular, NotRegular),
    ("plain/", NotRegular, NotRegular),
    ("folder-as-file/SKILL.md", NotRegular, NotRegular),
    ("inside", NotRegular, Escapes),
    ("fifo", NotRegular, NotRegular),
    ("socket", NotRegular, NotRegular),
    ("n" * 256, Unreadable, Unreadable),
    ("nowhere/" * 600 + "x", Unreadable, Unreadable),
]

# Path, the names in the folder with links followed, and with links refused.
FOLDERS: list[tuple[str, list[str] | type[TreeError], list[str] | type[TreeError]]] = [
    ("plain", ["SKILL.md"], ["SKILL.md"]),
    ("plain/", ["SKILL.md"], ["SKILL.md"]),
    ("plain/.", ["SKILL.md"], ["SKILL.md"]),
    ("one/two/..", ["two"], ["two"]),
    ("one/..//plain", ["SKILL.md"], ["SKILL.md"]),
    (NAME_NOT_UTF8, [NAME_NOT_UTF8], [NAME_NOT_UTF8]),
    ("inside", ["SKILL.md"], Escapes),
    ("inside-slash", ["SKILL.md"], Escapes),
    ("sub/over", ["SKILL.md"], Escapes),
    ("landing", [], Escapes),
    ("landing/..", ["mark", "three"], Escapes),
    ("out", Escapes, Escapes),
    ("out-and-in", Escapes, Escapes),
    ("absolute", Escapes, Escapes),
    ("absolute-inside", Escapes, Escapes),
    ("machine", Escapes, Escapes),
    ("self", Escapes, Escapes),
    ("..", Escapes, Escapes),
    ("/", Escapes, Escapes),
    ("plain/../..", Escapes, Escapes),
    ("dangling", Missing, Escapes),
    ("file-link", Missing, Escapes),
    ("nowhere", Missing, Missing),
    ("plain/SKILL.md", Missing, Missing),
    ("fifo", Missing, Missing),
    ("socket", Missing, Missing),
    ("plain\0", Missing, Missing),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tree")
    outside, root = place / "outside", place / "root"
    for folder in ("plain", "sub", "one/two/three", "folder-as-file/SKILL.md", "linked-folder", "escaping-folder"):
        (root / folder).mkdir(parents=True)
    outside.mkdir()
    (outside / "SKILL.md").write_bytes(SECRET)
    (root / "plain/SKILL.md").write_bytes(b"plain")
    (root / "one/two/mark").write_bytes(b"two")
    (root / "back\\slash").write_bytes(b"backslash")
    (root / "ünïcödé").mkdir()
    (root / "ünïcödé/SKILL.md").write_bytes(b"unicode")
    (root / NAME_NOT_UTF8).mkdir()
    (root / NAME_NOT_UTF8 / NAME_NOT_UTF8).write_bytes(b"bytes")
    deep = root / Path("d/" * (MOST_PLACES - 2))
    (deep / "d/d").mkdir(parents=True)
    (deep / "SKILL.md").write_bytes(b"deep")
    for name, text in LINKS.items():
        (root / name).symlink_to(text.format(outside=outside, root=root))
    (root / "link-0").write_bytes(b"end of the chain")
    for number in range(41):
        (root / f"link-{number + 1}").symlink_to(f"link-{number}")
    # Twice twenty links are forty, wherever they stand in the path; the one after them is too many.
    (root / "half-0").mkdir()
    for number in range(20):
        (root / f"half-{number + 1}").symlink_to(f"half-{number}")
    (root / "half-0/half-20").symlink_to("../half-19")
    (root / "half-0/half-file").write_bytes(b"end of the halves")
    (root / "half-0/half-link").symlink_to("half-file")
    os.mkfifo(root / "fifo")
    # By its short name, since the place of a socket has at most 107 bytes.
    with contextlib.chdir(root), socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    return root


@pytest.fixture(params=[True, False], ids=["openat2", "walk"])
def kernel(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize("row", FILES, ids=lambda row: ascii(row[0])[:40])
def test_a_file_is_reached_or_refused_as_the_rule_says(
    tree: Path, row: tuple[str, bytes | type[TreeError], bytes | type[TreeError]], *, kernel: bool
) -> None:
    path, followed, refused = row
    with ConfinedRoot.open(str(tree), kernel=kernel) as root:
        for follow_links, expected in ((True, followed), (False, refused)):
            if isinstance(expected, bytes):
                read = root.read_file(path, max_bytes=LIMIT, follow_links=follow_links)
                assert read.data == expected
            else:
                with pytest.raises(TreeError) as caught:
                    root.read_file(path, max_bytes=LIMIT, follow_links=follow_links)
                assert type(caught.value) is expected


@pytest.mark.parametrize("row", FOLDERS, ids=lambda row: ascii(row[0])[:40])
def test_a_folder_is_reached_or_refused_as_the_rule_says(
    tree: Path, row: tuple[str, list[str] | type[TreeError], list[str] | type[TreeError]], *, kernel: bool
) -> None:
    path, followed, refused = row
    with ConfinedRoot.open(str(tree), kernel=kernel) as root:
        for follow_links, expected in ((True, followed), (False, refused)):
            if isinstance(expected, list):
                with root.open_directory(path, follow_links=follow_links) as folder:
                    assert [entry.name for entry in folder.entries()] == expected
            else:
                with pytest.raises(TreeError) as caught:
                    root.open_directory(path, follow_links=follow_links)
                assert type(caught.value) is expected


def test_the_walk_refuses_to_hold_more_places_than_its_limit(tree: Path) -> None:
    with ConfinedRoot.open(str(tree), kernel=False) as root, pytest.raises(Unreadable) as caught:
        root.open_directory("d/" * MOST_PLACES, follow_links=False)
    assert caught.value.why == "ENAMETOOLONG"


def test_a_device_is_never_opened_for_reading(*, kernel: bool) -> None:
    # Reading either would succeed; `ptmx` would even make a new terminal when opened.
    with ConfinedRoot.open("/dev", kernel=kernel) as root:
        for device in ("null", "zero", "ptmx"):
            with pytest.raises(NotRegular):
                root.read_file(device, max_bytes=LIMIT, follow_links=False)
            assert root.stat_file(device, follow_links=False) is None


def test_a_link_of_the_kernel_s_own_is_not_followed(*, kernel: bool) -> None:
    # `/proc/self/root` shows the text `/`, and following it would not even read that text.
    with ConfinedRoot.open("/proc/self", kernel=kernel) as root:
        for link in ("root", "cwd", "exe"):
            with pytest.raises(Escapes):
                root.open_directory(link, follow_links=True)


class _Unpermitted:
    """A process that may do only what modes allow: as root, the system lets everything pass."""

    def __enter__(self) -> None:
        self._before = os.geteuid()
        if self._before == 0:
            os.seteuid(65534)

    def __exit__(self, *_: object) -> None:
        os.seteuid(self._before)


# Mode of a folder; what listing it gives; what reading a file (mode 444) in it gives.
FOLDER_MODES: list[tuple[int, list[str] | str, bytes | str]] = [
    (0o000, "EACCES", "EACCES"),
    (0o111, "EACCES", b"plain"),
    (0o444, ["SKILL.md"], "EACCES"),
    (0o555, ["SKILL.md"], b"plain"),
]


@pytest.mark.parametrize(("mode", "listed", "read"), FOLDER_MODES)
def test_what_may_not_be_read_is_unreadable_rather_than_missing(
    tmp_path: Path, mode: int, listed: list[str] | str, read: bytes | str, *, kernel: bool
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    file = folder / "SKILL.md"
    file.write_bytes(b"plain")
    file.chmod(0o444)
    with ConfinedRoot.open(str(tmp_path), kernel=kernel) as root:
        tmp_path.chmod(0o755)
        folder.chmod(mode)
        try:
            with _Unpermitted():
                assert _listed(root, "folder") == listed
                assert _listed(root, "folder/.") == (listed if mode & 0o111 else "EACCES")
                assert _read(root, "folder/SKILL.md") == read
                assert _listed(root, "folder/..") == (["folder"] if mode & 0o111 else "EACCES")
        finally:
            folder.chmod(0o755)


def test_a_file_that_may_not_be_read_is_unreadable(tmp_path: Path, *, kernel: bool) -> None:
    (tmp_path / "SKILL.md").touch(mode=0o000)
    tmp_path.chmod(0o755)
    with ConfinedRoot.open(str(tmp_path), kernel=kernel) as root, _Unpermitted():
        assert _read(root, "SKILL.md") == "EACCES"
        assert root.stat_file("SKILL.md", follow_links=False) is not None


def _listed(root: ConfinedDirectory, path: str) -> list[str] | str:
    try:
        with root.open_directory(path, follow_links=False) as folder:
            return [entry.name for entry in folder.entries()]
    except Unreadable as error:
        return error.why


def _read(root: ConfinedDirectory, path: str) -> bytes | str:
    try:
        return root.read_file(path, max_bytes=LIMIT, follow_links=False).data
    except Unreadable as error:
        return error.why


class _ProbedCalls(LinuxCalls):
    """Answers with the given faults first, as an old kernel, a filter or a busy file system would; then as it is."""

    def __init__(self, faults: list[int]) -> None:
        super().__init__()
        self.faults = faults
        self.asked = 0

    @override
    def openat2(self, directory: int, path: bytes, how: OpenHow) -> int:
        self.asked += 1
        if self.faults:
            fault = self.faults.pop()
            raise OSError(fault, os.strerror(fault))
        return super().openat2(directory, path, how)


@pytest.mark.parametrize("fault", [errno.ENOSYS, errno.EPERM, errno.EACCES, errno.EINVAL])
def test_a_probe_that_fails_chooses_the_walk(tree: Path, fault: int) -> None:
    place = os.open(tree, os.O_PATH)
    try:
        assert isinstance(choose_opening(place, calls=_ProbedCalls([fault])), WalkOpening)
        assert isinstance(choose_opening(place, calls=_ProbedCalls([])), KernelOpening)
    finally:
        os.close(place)


@pytest.mark.parametrize(("times", "right"), [(0, True), (1, True), (16, True), (17, False), (1000, False)])
def test_a_race_that_the_kernel_reports_is_tried_again_sixteen_times(tree: Path, times: int, *, right: bool) -> None:
    calls = _ProbedCalls([errno.EAGAIN] * times)
    place = os.open(tree, os.O_PATH)
    try:
        with ConfinedDirectory(place, KernelOpening(calls), time.time_ns) as root:
            assert (_read(root, "plain/SKILL.md") == b"plain") is right
    finally:
        assert calls.asked == min(times + 1, 17)

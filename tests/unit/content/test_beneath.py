"""What a disk alone holds, opened both ways, with equal results (`rules.md` 1); the rest is in the contract of trees.

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

# What the contract of trees cannot say, since a disk alone holds it. Path, and what reading a file and listing a folder
# there come to, with links followed.
PLACES: list[tuple[str, bytes | type[TreeError], type[TreeError]]] = [
    ("d/" * (MOST_PLACES - 2) + "SKILL.md", b"deep", Missing),
    ("absolute-inside/SKILL.md", Escapes, Escapes),
    ("absolute-inside", Escapes, Escapes),
    ("fifo", NotRegular, Missing),
    ("socket", NotRegular, Missing),
    ("n" * 256, Unreadable, Unreadable),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    (root / "plain").mkdir()
    (root / "plain/SKILL.md").write_bytes(b"plain")
    (root / "absolute-inside").symlink_to(root / "plain")
    deep = root / Path("d/" * (MOST_PLACES - 2))
    (deep / "d/d").mkdir(parents=True)
    (deep / "SKILL.md").write_bytes(b"deep")
    os.mkfifo(root / "fifo")
    # By its short name, since the place of a socket has at most 107 bytes.
    with contextlib.chdir(root), socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    return root


@pytest.fixture(params=[True, False], ids=["openat2", "walk"])
def kernel(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize(("path", "read", "listed"), PLACES, ids=lambda each: ascii(each)[:40])
def test_a_place_of_a_disk_is_reached_or_refused_as_the_rule_says(
    tree: Path, path: str, read: bytes | type[TreeError], listed: type[TreeError], *, kernel: bool
) -> None:
    with ConfinedRoot.open(str(tree), kernel=kernel) as root:
        if isinstance(read, bytes):
            assert root.read_file(path, max_bytes=LIMIT, follow_links=True).data == read
        else:
            with pytest.raises(read) as caught:
                root.read_file(path, max_bytes=LIMIT, follow_links=True)
            assert type(caught.value) is read
        with pytest.raises(listed):
            root.open_directory(path, follow_links=True)


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

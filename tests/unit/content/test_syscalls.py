"""The two system calls, as the kernel answers them."""

import errno
import os
from pathlib import Path

import pytest

from skillsvc.content.syscalls import RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS, LinuxCalls, OpenHow


@pytest.mark.parametrize(
    ("path", "resolve", "answer"),
    [
        (b"file", 0, 0),
        (b"link", 0, 0),
        (b"link", RESOLVE_BENEATH, 0),
        (b"link", RESOLVE_NO_SYMLINKS, errno.ELOOP),
        (b"../", 0, 0),
        (b"../", RESOLVE_BENEATH, errno.EXDEV),
        (b"nowhere", RESOLVE_BENEATH, errno.ENOENT),
        (b"file", 1 << 40, errno.EINVAL),
    ],
)
def test_opening_answers_a_descriptor_or_the_fault(tmp_path: Path, path: bytes, resolve: int, answer: int) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    directory = os.open(tmp_path, os.O_PATH)
    try:
        if answer == 0:
            os.close(LinuxCalls().openat2(directory, path, OpenHow(os.O_PATH | os.O_CLOEXEC, 0, resolve)))
        else:
            with pytest.raises(OSError, match=os.strerror(answer)) as caught:
                LinuxCalls().openat2(directory, path, OpenHow(os.O_PATH | os.O_CLOEXEC, 0, resolve))
            assert caught.value.errno == answer
    finally:
        os.close(directory)


def test_what_is_opened_is_not_inherited(tmp_path: Path) -> None:
    directory = os.open(tmp_path, os.O_PATH)
    opened = LinuxCalls().openat2(directory, b".", OpenHow(os.O_PATH | os.O_CLOEXEC, 0, RESOLVE_BENEATH))
    try:
        assert not os.get_inheritable(opened)
    finally:
        os.close(opened)
        os.close(directory)


def test_syncing_returns_or_raises_the_fault(tmp_path: Path) -> None:
    directory = os.open(tmp_path, os.O_RDONLY)
    LinuxCalls().syncfs(directory)
    os.close(directory)
    with pytest.raises(OSError, match=os.strerror(errno.EBADF)):
        LinuxCalls().syncfs(directory)

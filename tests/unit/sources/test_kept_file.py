"""What a source keeps over restarts: read as it was written, or not at all."""

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from skillsvc.sources.kept_file import KeptFile


def kept(path: Path, fingerprint: str = "a" * 64) -> KeptFile:
    return KeptFile(path, fingerprint=fingerprint)


@pytest.mark.parametrize("data", [b"", b"\n", b"words\nand more \xff", bytes(70_000)])
def test_what_was_written_is_read_by_the_next_process(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "new" / "file"
    kept(path).write(b"something longer than what follows")
    kept(path).write(data)
    assert kept(path).read() == data
    assert [each.name for each in path.parent.iterdir()] == ["file"]


def test_it_is_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    kept(path).write(b"x")
    assert (path.parent.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)


def test_what_depends_on_something_else_is_nothing(tmp_path: Path) -> None:
    kept(tmp_path / "file").write(b"x")
    assert kept(tmp_path / "file", "b" * 64).read() is None


def test_nothing_is_read_where_nothing_was_written(tmp_path: Path) -> None:
    assert kept(tmp_path / "file").read() is None
    assert kept(tmp_path).read() is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda data: data[:-1],
        lambda data: data[:40],
        lambda data: data + b"y",
        lambda data: data[:-1] + b"z",
        lambda data: b"b" + data[1:],
        lambda data: bytes(len(data)),
    ],
    ids=range(7),
)
def test_what_is_damaged_is_nothing(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "file"
    kept(path).write(b"words")
    path.write_bytes(damage(path.read_bytes()))
    assert kept(path).read() is None


def test_a_link_laid_where_it_is_written_is_not_followed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file.new").symlink_to("elsewhere")
    with caplog.at_level(logging.WARNING):
        kept(tmp_path / "file").write(b"x")
    assert not (tmp_path / "elsewhere").exists()
    assert kept(tmp_path / "file").read() is None
    assert len(caplog.records) == 1


def test_where_nothing_can_be_kept_that_is_logged_and_no_more(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "no-folder").write_text("")
    with caplog.at_level(logging.WARNING):
        kept(tmp_path / "no-folder" / "file").write(b"x")
    assert kept(tmp_path / "no-folder" / "file").read() is None
    assert len(caplog.records) == 1

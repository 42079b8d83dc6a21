"""What the kernel tells of a watched folder, and what it refuses."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skillsvc.content.file_systems import is_remote
from skillsvc.content.inotify import Event, Inotify
from tests.patience import PATIENCE_S


@pytest.fixture
def inotify() -> Iterator[Inotify]:
    with Inotify() as inotify:
        yield inotify


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "file").touch()
    (tmp_path / "outside").touch()
    return folder


def remove_file(folder: Path) -> None:
    (folder / "file").unlink()


CHANGES: dict[str, tuple[Callable[[Path], object], Event]] = {
    "a write": (lambda folder: (folder / "file").write_text("x"), Event(1, "file")),
    "a mode": (lambda folder: (folder / "file").chmod(0o755), Event(1, "file")),
    "a file that comes": (lambda folder: (folder / "new").touch(), Event(1, "new", came=True)),
    "a file that is moved in": (
        lambda folder: (folder.parent / "outside").rename(folder / "in"),
        Event(1, "in", came=True),
    ),
    "a file that is moved away": (lambda folder: (folder / "file").rename(folder.parent / "out"), Event(1, "file")),
    "a file that goes": (remove_file, Event(1, "file")),
    "a link that comes": (lambda folder: (folder / "link").symlink_to("below"), Event(1, "link", came=True)),
    "a folder that comes": (lambda folder: (folder / "new").mkdir(), Event(1, "new", of_folder=True, came=True)),
    "a folder that goes": (lambda folder: shutil.rmtree(folder / "below"), Event(1, "below", of_folder=True)),
    "a name that is no text": (
        lambda folder: (folder / os.fsdecode(b"\xff")).touch(),
        Event(1, "\udcff", came=True),
    ),
    "the folder itself that is moved": (lambda folder: folder.rename(folder.parent / "moved"), Event(1, moved=True)),
    "the folder itself that goes": (shutil.rmtree, Event(1, ended=True)),
}


@pytest.mark.parametrize(("change", "event"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_told(inotify: Inotify, folder: Path, change: Callable[[Path], object], event: Event) -> None:
    watch = inotify.add(os.fsencode(folder))
    change(folder)
    told: list[Event] = []
    while event._replace(watch=watch) not in told:
        more = inotify.read(PATIENCE_S)
        assert more
        told += more


def test_reading_is_no_change(inotify: Inotify, folder: Path) -> None:
    inotify.add(os.fsencode(folder))
    (folder / "file").read_bytes()
    list(folder.iterdir())
    assert inotify.read(0) == []


def test_one_folder_has_one_number_by_all_its_paths(inotify: Inotify, folder: Path) -> None:
    (folder.parent / "link").symlink_to(folder)
    first = inotify.add(os.fsencode(folder))
    assert inotify.add(os.fsencode(folder.parent / "link")) == first
    assert inotify.add(os.fsencode(folder / "below")) != first


def test_a_folder_that_is_watched_no_more_is_not_told(inotify: Inotify, folder: Path) -> None:
    watch = inotify.add(os.fsencode(folder))
    inotify.remove(watch)
    # Removing twice does nothing: it may have ended by itself meanwhile.
    inotify.remove(watch)
    (folder / "new").touch()
    assert inotify.read(PATIENCE_S) == [Event(watch, ended=True)]
    assert inotify.read(0) == []


@pytest.mark.parametrize(("name", "number"), [("nowhere", errno.ENOENT), ("file", errno.ENOTDIR)])
def test_what_is_no_folder_is_not_watched(inotify: Inotify, folder: Path, name: str, number: int) -> None:
    with pytest.raises(OSError, match=r".") as caught:
        inotify.add(os.fsencode(folder / name))
    assert caught.value.errno == number


def test_a_disk_of_this_machine_is_not_remote(tmp_path: Path) -> None:
    assert not is_remote(os.fsencode(tmp_path))
    assert not is_remote(b"/proc")


def test_what_cannot_be_looked_at_is_not_said_to_be_of_any_kind(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        is_remote(os.fsencode(tmp_path / "nowhere"))

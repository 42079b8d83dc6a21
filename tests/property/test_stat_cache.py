"""Any edits between restarts: a look that knows what was known finds what one that knows nothing finds."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.discovery import Layout
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.stat_cache import StatCache, fingerprint_of
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.trees import LABEL, grow, skill

NAMES = ("a", "b", "c")
FILES = ("SKILL.md", "skill.yaml", "x", "y/z")

edits = st.one_of(
    # All texts of a kind have one size: what tells them apart is the change time, or that they have not settled.
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.sampled_from(FILES), st.integers(0, 3)),
    st.tuples(st.just("write in the past"), st.sampled_from(NAMES), st.sampled_from(FILES), st.integers(0, 3)),
    st.tuples(st.just("mode"), st.sampled_from(NAMES), st.sampled_from(FILES), st.integers(0, 1)),
    st.tuples(st.just("remove"), st.sampled_from(NAMES), st.sampled_from(("", *FILES)), st.just(0)),
    st.tuples(st.just("link"), st.sampled_from(NAMES), st.sampled_from(("", *FILES)), st.integers(0, 2)),
    st.tuples(st.just("exchange"), st.sampled_from(NAMES), st.just(""), st.integers(0, 2)),
)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


@given(lives=st.lists(st.lists(edits, max_size=5), min_size=1, max_size=5))
def test_whatever_was_edited_in_between_a_restart_finds_what_is_there(
    place: Path, lives: list[list[tuple[str, str, str, int]]]
) -> None:
    world = Path(tempfile.mkdtemp(dir=place))
    root = grow(world / "skills", {f"{name}/SKILL.md": skill(name) for name in NAMES})
    settings = DirectorySettings(path=str(root), reading=ReadingSettings(label=LABEL, layout=Layout.NESTED))
    blobs = MemoryBlobStore()
    held: tuple[Found, ...] = ()
    for life in lives:
        cache = StatCache(world / "cache", fingerprint=fingerprint_of("1", settings, Limits()), clock=lambda: 0.0)
        source = DirectorySource(settings, limits=Limits(), blobs=blobs, cache=cache)
        held = source.observe(held=held).found
        for edit in life:
            _edit(root, *edit)
            held = source.observe(held=held).found
        cache.close()
        for edit in life:
            _edit(root, *edit)
        fresh = DirectorySource(settings, limits=Limits(), blobs=MemoryBlobStore()).observe()
        knowing = DirectorySource(
            settings,
            limits=Limits(),
            blobs=blobs,
            cache=StatCache(world / "cache", fingerprint=fingerprint_of("1", settings, Limits()), clock=lambda: 0.0),
        ).observe(held=held)
        assert knowing == fresh


def _edit(root: Path, kind: str, name: str, file: str, number: int) -> None:
    """Edit as far as it can be done: what stands in the way stays."""
    path = root / name / file
    before = path.lstat() if os.path.lexists(path) else None
    if any(parent.is_symlink() for parent in (root / name, path.parent)):
        return
    if kind.startswith("write"):
        if before is not None and not path.is_file():
            return
        grow(root, {f"{name}/{file}": _text(name, file, number)})
        if kind == "write in the past" and before is not None:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif kind == "mode" and path.is_file():
        path.chmod((0o644, 0o755)[number])
    elif kind == "remove" and before is not None:
        _remove(path)
    elif kind == "link" and path.parent.is_dir():
        _remove(path)
        path.symlink_to(f"../{NAMES[number]}/{file}".rstrip("/") if file else NAMES[number])
    elif kind == "exchange" and NAMES[number] != name and before is not None and os.path.lexists(root / NAMES[number]):
        path.rename(root / "aside")
        (root / NAMES[number]).rename(path)
        (root / "aside").rename(root / NAMES[number])


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _text(name: str, file: str, number: int) -> str:
    match file:
        case "SKILL.md":
            return skill(name, f"Version {number}.")
        case "skill.yaml":
            return f"version: '{number}'"
        case _:
            return str(number)

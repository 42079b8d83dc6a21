"""A look at changed paths finds what a whole look finds, whatever happens to a tree."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.sources.discovery import Layout
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.trees import skill, source_of

_FOLDERS = ("a", "b", ".h", "node_modules")
_FILES = ("SKILL.md", "skill.md", "skill.yaml", "COLLECTION.json", "x", "x.md")
_CONTENTS = (skill("a"), skill("b"), skill("b", "Another."), "---\n", "", "{}", '{"id": "c"}', "version: '1'")
_LINKS = ("a", "b", "../a", "../b/x", "a/b", "..", ".", "x", "SKILL.md", "../../outside", "nowhere")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One thing that happens to a tree: to `path`, by a file of `content`, a link, a move to `away`, or its end."""

    path: str
    content: str | None = None
    link: str | None = None
    away: str | None = None

    def happen(self, root: Path) -> None:
        """Let it happen, as far as it can; what stands in its way goes, but for folders above."""
        target = root / self.path
        with suppress(OSError):
            if self.away is not None:
                _clear(root / self.away)
                (root / self.away).parent.mkdir(parents=True, exist_ok=True)
                target.rename(root / self.away)
                return
            if self.content is not None and target.is_file() and not target.is_symlink():
                target.write_text(self.content)
                return
            _clear(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            if self.content is not None:
                target.write_text(self.content)
            elif self.link is not None:
                target.symlink_to(self.link)


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


_FOLDER_PATHS = st.lists(st.sampled_from(_FOLDERS), min_size=1, max_size=3).map("/".join)
_FILE_PATHS = st.tuples(st.lists(st.sampled_from(_FOLDERS), max_size=3), st.sampled_from(_FILES)).map(
    lambda parts: "/".join((*parts[0], parts[1]))
)
_PATHS = _FILE_PATHS | _FOLDER_PATHS
_WRITES = st.builds(Edit, path=_FILE_PATHS, content=st.sampled_from(_CONTENTS))
_PLAIN = _WRITES | st.builds(Edit, path=_PATHS) | st.builds(Edit, path=_PATHS, away=_PATHS)
_ANY = _PLAIN | st.builds(Edit, path=_PATHS, link=st.sampled_from(_LINKS))


def snapshot(root: Path) -> dict[str, tuple[int, ...]]:
    """Return what stands at each path, as far as a change of it would be told."""
    return dict(_below(root, ""))


def _below(folder: Path, inside: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    for entry in os.scandir(folder):
        found = entry.stat(follow_symlinks=False)
        is_folder = entry.is_dir(follow_symlinks=False)
        # What a folder holds is told by itself.
        yield inside + entry.name, (found.st_ino, found.st_mode, 0 if is_folder else found.st_ctime_ns)
        if is_folder:
            yield from _below(folder / entry.name, f"{inside}{entry.name}/")


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    with TemporaryDirectory() as place:
        yield Path(place)


@pytest.mark.parametrize("links", [True, False])
@given(data=st.data())
def test_a_look_at_what_changed_finds_what_a_fresh_source_finds(
    place: Path, data: st.DataObject, *, links: bool
) -> None:
    layout = data.draw(st.sampled_from(Layout))
    single_files = data.draw(st.booleans())
    root = place / "skills"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    blobs = MemoryBlobStore()
    source = source_of(root, blobs=blobs, layout=layout, single_files=single_files)
    for batch in data.draw(st.lists(st.lists(_ANY if links else _PLAIN, min_size=1, max_size=6), max_size=4)):
        before, watched = snapshot(root), source.folders
        for edit in batch:
            edit.happen(root)
        after = snapshot(root)
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        if not links:
            # Of what a watch does not tell nothing matters; a link may lead to where nobody looks.
            changed = {path for path in changed if path.rpartition("/")[0] in watched}
        fresh = source_of(root, layout=layout, single_files=single_files).observe()
        assert source.observe(changed) == fresh
    assert {asset.digest for found in source.observe().found for asset in found.bundle.assets} <= set(blobs.digests())

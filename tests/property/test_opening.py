"""Any path in any tree: each way of opening gives the same, and never what lies outside (`rules.md` 1)."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.content.confined import ConfinedRoot
from skillsvc.content.stored_tree import StoredFile, StoredTree
from skillsvc.content.tree import Folder, TreeError
from tests.contract.memory_blob_store import MemoryBlobStore

NAMES = ("a", "b", "c")
SECRET = b"secret"

paths = st.lists(st.sampled_from((*NAMES, *NAMES, "..", "..", ".", "")), min_size=1, max_size=6).map("/".join)
entries = st.one_of(
    st.just(("folder", "")),
    st.just(("file", "")),
    paths.filter(bool).map(lambda text: ("link", text)),
)
trees = st.lists(st.tuples(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3), entries), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


@given(tree=trees, asked=st.lists(paths, min_size=1, max_size=8))
def test_both_ways_of_opening_give_the_same(
    place: Path, tree: list[tuple[list[str], tuple[str, str]]], asked: list[str]
) -> None:
    root = _build(Path(tempfile.mkdtemp(dir=place)), tree)
    with ConfinedRoot.open(str(root), kernel=True) as kernel, ConfinedRoot.open(str(root), kernel=False) as walk:
        for path in asked:
            for follow_links in (True, False):
                outcome = _read(kernel, path, follow_links=follow_links)
                assert outcome == _read(walk, path, follow_links=follow_links)
                assert outcome != SECRET
                names = _list(kernel, path, follow_links=follow_links)
                assert names == _list(walk, path, follow_links=follow_links)
                assert "outside" not in names
                stamp = kernel.stat_file(path, follow_links=follow_links)
                assert stamp == walk.stat_file(path, follow_links=follow_links)
                assert (stamp is not None) is isinstance(outcome, bytes)


@given(tree=trees, asked=st.lists(paths, min_size=1, max_size=8))
def test_a_tree_that_no_disk_holds_is_walked_as_the_kernel_walks(
    place: Path, tree: list[tuple[list[str], tuple[str, str]]], asked: list[str]
) -> None:
    root = _build(Path(tempfile.mkdtemp(dir=place)), tree)
    blobs = MemoryBlobStore()
    files: dict[str, StoredFile] = {}
    links: dict[str, str] = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if path.is_symlink():
            links[name] = os.readlink(path)  # noqa: PTH115 - a Path would tidy its text up
        elif path.is_file():
            data = path.read_bytes()
            files[name] = StoredFile(blobs.put(data), len(data))
        elif not any(path.iterdir()):
            # A stored tree knows no folder without files.
            (path / "filler").touch()
            files[f"{name}/filler"] = StoredFile(blobs.put(b""), 0)
    stored = StoredTree(files, blobs=blobs, links=links)
    with ConfinedRoot.open(str(root), kernel=True) as kernel:
        for at in asked:
            for follow_links in (True, False):
                assert _read(stored, at, follow_links=follow_links) == _read(kernel, at, follow_links=follow_links)
                assert _list(stored, at, follow_links=follow_links) == _list(kernel, at, follow_links=follow_links)
                assert (stored.stat_file(at, follow_links=follow_links) is None) is (
                    kernel.stat_file(at, follow_links=follow_links) is None
                )


def _build(place: Path, tree: list[tuple[list[str], tuple[str, str]]]) -> Path:
    """Make the tree as far as it can be made: what stands in the way of something later stays."""
    root = place / "outside/root"
    root.mkdir(parents=True)
    for name in NAMES:
        (root.parent / name).write_bytes(SECRET)
    for where, (kind, text) in tree:
        path = root.joinpath(*where)
        parents = [root.joinpath(*where[:depth]) for depth in range(1, len(where))]
        if any(parent.is_symlink() or parent.is_file() for parent in parents) or path.is_symlink() or path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "folder":
            path.mkdir()
        elif kind == "file":
            path.write_bytes("/".join(where).encode())
        else:
            path.symlink_to(text)
    return root


def _read(root: Folder, path: str, *, follow_links: bool) -> bytes | str:
    try:
        return root.read_file(path, max_bytes=100, follow_links=follow_links).data
    except TreeError as error:
        return type(error).__name__


def _list(root: Folder, path: str, *, follow_links: bool) -> tuple[str, ...]:
    try:
        with root.open_directory(path, follow_links=follow_links) as folder:
            return tuple(entry.name for entry in folder.entries())
    except TreeError as error:
        return (type(error).__name__,)

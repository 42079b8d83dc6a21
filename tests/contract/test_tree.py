"""The trees, each under the one contract."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.confined import ConfinedRoot
from skillsvc.content.stored_tree import StoredFile, StoredTree
from skillsvc.content.tree import Tree
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.contract.tree import Files, Grow, TreeContract
from tests.unit.sources.trees import Link, Program, grow


class TestConfinedRoot(TreeContract):
    @pytest.fixture(params=[True, False], ids=["openat2", "walk"])
    @override
    def grow(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Grow]:
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside/SKILL.md").write_bytes(b"outside")
        with ExitStack() as opened:

            def make(files: Files) -> Tree:
                root = grow(tmp_path / "root", files)
                return opened.enter_context(ConfinedRoot.open(str(root), kernel=request.param))

            yield make


def stored_tree(files: Files, blobs: MemoryBlobStore) -> StoredTree:
    """Return a tree of these files, whose bytes are put into `blobs`."""
    stored: dict[str, StoredFile] = {}
    links: dict[str, str] = {}
    for path, file in files.items():
        match file:
            case Link(text):
                links[path] = text
            case Program(data):
                stored[path] = StoredFile(blobs.put(data), len(data), executable=True)
            case _:
                data = file.encode() if isinstance(file, str) else file
                stored[path] = StoredFile(blobs.put(data), len(data))
    return StoredTree(stored, blobs=blobs, links=links)


class TestStoredTree(TreeContract):
    @pytest.fixture
    @override
    def grow(self) -> Grow:
        def make(files: Files) -> Tree:
            return stored_tree(files, MemoryBlobStore())

        return make

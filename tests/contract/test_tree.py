"""The trees, each under the one contract."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.confined import ConfinedRoot
from skillsvc.content.tree import Tree
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.contract.tree import Files, Grow, TreeContract
from tests.unit.sources.trees import grow, stored_tree


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


class TestStoredTree(TreeContract):
    @pytest.fixture
    @override
    def grow(self) -> Grow:
        def make(files: Files) -> Tree:
            return stored_tree(files, MemoryBlobStore())

        return make

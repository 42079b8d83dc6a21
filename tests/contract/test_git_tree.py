"""A folder of a git commit under the contract of trees; what stands beside it in the commit is not reached."""

import pytest
from typing_extensions import override

from skillsvc.content.git_tree import GitNodes, GitObjects
from skillsvc.content.tree import Tree
from skillsvc.content.virtual_tree import VirtualTree
from tests.contract.tree import File, Files, Grow, TreeContract
from tests.simulators.git_objects import EXECUTABLE, FILE, LINK, ObjectWriter, Placed
from tests.unit.sources.trees import Link, Program


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> ObjectWriter:
    # One for all: most objects are the same in each test, and are written once.
    return ObjectWriter(tmp_path_factory.mktemp("git") / "repository.git")


class TestGitTree(TreeContract):
    @pytest.fixture
    @override
    def grow(self, writer: ObjectWriter) -> Grow:
        def make(files: Files) -> Tree:
            beside = {"outside/SKILL.md": Placed(FILE, b"outside")}
            placed = {f"root/{path}": _placed(file) for path, file in files.items()}
            objects = GitObjects(writer.folder)
            root = objects.folder(writer.commit(writer.tree_of({**beside, **placed})), "root")
            return VirtualTree(GitNodes(objects, root))

        return make


def _placed(file: File) -> Placed:
    match file:
        case Link(text=text):
            return Placed(LINK, text.encode("utf-8", "surrogateescape"))
        case Program(data=data):
            return Placed(EXECUTABLE, data)
        case str():
            return Placed(FILE, file.encode())
        case bytes():
            return Placed(FILE, file)

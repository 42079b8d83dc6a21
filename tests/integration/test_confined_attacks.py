"""Attacks on reading beneath a root: between each two of its steps, and as fast as another process can."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from skillsvc.content.blobs import FileBlobStore
from skillsvc.content.confined import ConfinedDirectory, ConfinedRoot
from skillsvc.content.tree import TreeError
from tests.integration.hostile_tree import LARGE, SECRET, SMALL, Attack, HostileTree
from tests.integration.stepping import Stepped

SMALL_FILE, LARGE_FILE = "skill/SKILL.md", "skill/large"
PATHS = (SMALL_FILE, LARGE_FILE, "link/SKILL.md", "sub/up/SKILL.md")
LIMIT = 2 * LARGE

Operation = Callable[[ConfinedDirectory, str, FileBlobStore], bytes]


def _read(root: ConfinedDirectory, path: str, _: FileBlobStore) -> bytes:
    return root.read_file(path, max_bytes=LIMIT, follow_links=True).data


def _copy(root: ConfinedDirectory, path: str, blobs: FileBlobStore) -> bytes:
    return blobs.read(root.copy_file(path, max_bytes=LIMIT, follow_links=True, blobs=blobs).digest)


def _read_from_folder(root: ConfinedDirectory, path: str, _: FileBlobStore) -> bytes:
    folder, name = path.rsplit("/", 1)
    with root.open_directory(folder, follow_links=True) as opened:
        opened.entries()
        opened.stat_file(name, follow_links=False)
        return opened.read_file(name, max_bytes=LIMIT, follow_links=False).data


OPERATIONS: list[Operation] = [_read, _copy, _read_from_folder]


@pytest.fixture
def tree(tmp_path: Path) -> HostileTree:
    tree = HostileTree(tmp_path)
    tree.build()
    return tree


@pytest.fixture
def blobs(tmp_path: Path) -> Iterator[FileBlobStore]:
    with FileBlobStore(str(tmp_path / "blobs")) as blobs:
        yield blobs


@pytest.fixture(params=[True, False], ids=["openat2", "walk"])
def root(request: pytest.FixtureRequest, tree: HostileTree) -> Iterator[ConfinedRoot]:
    with ConfinedRoot.open(str(tree.root), kernel=request.param) as root:
        yield root


def _outcome(run: Callable[[], bytes]) -> bytes | TreeError:
    try:
        return run()
    except TreeError as error:
        return error


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_exchange_between_any_two_steps_gives_the_first_file_or_nothing(
    tree: HostileTree, root: ConfinedRoot, blobs: FileBlobStore, operation: Operation, path: str
) -> None:
    stepped = Stepped(lambda: operation(root, path, blobs), "skillsvc.content")
    first = b"a" * (LARGE if path == LARGE_FILE else SMALL)
    assert stepped.run(lambda _: None) == first
    steps = stepped.count()
    seen = set()
    for attack in tree.exchanges.values():
        for step in range(steps):
            outcome = _outcome(partial(_attacked, stepped, attack, {step}))
            assert outcome == first or isinstance(outcome, TreeError)
            seen.add(type(outcome))
    assert len(seen) > 1, "no exchange came between"
    assert set(blobs.digests()) <= {blobs.put(first)}


@pytest.mark.parametrize("path", ["link/SKILL.md", "sub/up/SKILL.md"])
def test_an_exchange_that_is_undone_between_any_two_steps_gives_the_first_file_or_nothing(
    tree: HostileTree, root: ConfinedRoot, blobs: FileBlobStore, path: str
) -> None:
    stepped = Stepped(lambda: _read(root, path, blobs), "skillsvc.content")
    steps = stepped.count()
    for attack in tree.exchanges.values():
        for done in range(steps):
            for undone in range(done + 1, min(done + 8, steps)):
                outcome = _outcome(partial(_attacked, stepped, attack, {done, undone}))
                assert outcome == b"a" * SMALL or isinstance(outcome, TreeError)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("path", [SMALL_FILE, LARGE_FILE])
def test_an_edit_between_any_two_steps_gives_the_file_before_or_after_whole(
    tree: HostileTree, root: ConfinedRoot, blobs: FileBlobStore, operation: Operation, path: str
) -> None:
    name = Path(path).name
    stepped = Stepped(lambda: operation(root, path, blobs), "skillsvc.content")
    steps = stepped.count()
    states = set()
    for title, attack in tree.edits.items():
        if title.endswith(name):
            before = (tree.root / path).read_bytes()
            attack.do()
            after = (tree.root / path).read_bytes()
            attack.undo()
            states |= {blobs.put(before), blobs.put(after)}
            for step in range(steps):
                _let_the_clock_tick(tree)
                # Changed once, the file stands still for the second reading: nobody is refused.
                assert _attacked(stepped, attack, {step}) in {before, after}
    assert set(blobs.digests()) <= states


def _attacked(stepped: Stepped[bytes], attack: Attack, at: set[int]) -> bytes:
    """Run with the exchange done before the first of the steps `at`, undone before the second, and at last undone."""
    done = False

    def between(step: int) -> None:
        nonlocal done
        if step in at:
            (attack.undo if done else attack.do)()
            done = not done

    try:
        return stepped.run(between)
    finally:
        if done:
            attack.undo()


def _let_the_clock_tick(tree: HostileTree) -> None:
    """Wait until a write gets a later stamp than all before: what the promise about edits in place begins with."""
    probe = tree.spare / "probe"
    probe.touch()
    first = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == first:
        probe.touch()


class _ByName:
    """Opens as a reader does that trusts names once they are checked."""

    def look(self, directory: int, relative: bytes, *, follow_links: bool) -> int:
        del follow_links
        return os.open(relative, os.O_PATH, dir_fd=directory)

    def folder(self, directory: int, relative: bytes, *, follow_links: bool) -> int:
        del follow_links
        return os.open(relative, os.O_RDONLY | os.O_DIRECTORY, dir_fd=directory)


def test_the_same_exchanges_give_the_secret_to_a_reader_that_opens_by_name(
    tree: HostileTree, blobs: FileBlobStore
) -> None:
    with ConfinedDirectory(os.open(tree.root, os.O_RDONLY), _ByName(), time.time_ns) as root:
        stepped = Stepped(lambda: _read(root, SMALL_FILE, blobs), "skillsvc.content")
        outcomes = [_outcome(partial(_attacked, stepped, attack, {0})) for attack in tree.exchanges.values()]
    assert SECRET * SMALL in outcomes


READINGS = 3_000


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_secret_is_read_while_another_process_exchanges_everything(
    tree: HostileTree, root: ConfinedRoot, blobs: FileBlobStore, operation: Operation
) -> None:
    kinds: set[type] = set()
    readings = 0
    with _attacker(tree):
        # On a busy machine it takes more readings until exchanges have come between in more ways than one.
        while readings < READINGS or bytes not in kinds or len(kinds) <= 2:
            outcome = _outcome(partial(operation, root, PATHS[readings % len(PATHS)], blobs))
            assert isinstance(outcome, TreeError) or SECRET not in outcome
            kinds.add(type(outcome))
            readings += 1
    for digest in blobs.digests():
        assert SECRET not in blobs.read(digest)


@contextmanager
def _attacker(tree: HostileTree) -> Iterator[None]:
    """Attack the tree from a process of its own, for as long as this lasts."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.integration.hostile_tree", str(tree.root.parent)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
    ) as attacker:
        try:
            assert attacker.stdout is not None
            assert attacker.stdout.readline() == b"attacking\n"
            yield
            assert attacker.poll() is None, "the attacker gave up"
        finally:
            attacker.kill()

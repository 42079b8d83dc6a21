"""Attacks on the taking in of skills: between each two of its steps, and as fast as another process can.

Whatever happens, no byte from outside the directory reaches the store, nothing waits without end, and what was found
is there whole.
"""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from skillsvc.content.blobs import FileBlobStore
from skillsvc.content.confined import ConfinedRoot
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Bundle
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.discovery import Layout
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Observation
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.integration.hostile_tree import LARGE, SECRET, SMALL, Attack, HostileTree
from tests.integration.stepping import Stepped

DOCUMENT, ASSET = b"a" * SMALL, b"a" * LARGE


def source_of(tree: HostileTree, blobs: MemoryBlobStore | FileBlobStore, *, kernel: bool = True) -> DirectorySource:
    """Return the hostile tree as a source; its SKILL.md files have no frontmatter, and are kept all the same."""
    return DirectorySource(
        DirectorySettings(path=str(tree.root), reading=ReadingSettings(label="hostile", layout=Layout.NESTED)),
        limits=Limits(),
        blobs=blobs,
        open_root=partial(ConfinedRoot.open, kernel=kernel),
    )


def digests_of(bundle: Bundle) -> set[str]:
    """Return the digests of all that a bundle holds."""
    document = {bundle.document.digest} if bundle.document is not None else set()
    return document | {asset.digest for asset in bundle.assets}


def sha256(*contents: bytes) -> set[str]:
    return {hashlib.sha256(content).hexdigest() for content in contents}


@pytest.fixture
def tree(tmp_path: Path) -> HostileTree:
    tree = HostileTree(tmp_path)
    tree.build()
    return tree


def attacked(stepped: Stepped[Observation], attack: Attack, at: set[int]) -> Observation:
    """Look, with the attack made before the first of the steps `at`, undone before the second, and at last undone."""
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


@pytest.mark.parametrize(
    ("kernel", "again"),
    [(True, False), (False, False), (True, True)],
    ids=["first look by openat2", "first look by the walk", "later look by openat2"],
)
def test_an_exchange_between_any_two_steps_of_a_look_stores_nothing_from_outside(
    tree: HostileTree, *, kernel: bool, again: bool
) -> None:
    steps = Stepped(source_of(tree, MemoryBlobStore(), kernel=kernel).observe, "skillsvc.sources").count()
    own = sha256(DOCUMENT, ASSET)
    outcomes = set()
    for title, attack in tree.exchanges.items():
        for step in range(steps):
            blobs = MemoryBlobStore()
            source = source_of(tree, blobs, kernel=kernel)
            if again:
                source.observe()
            seen = attacked(Stepped(source.observe, "skillsvc.sources"), attack, {step, step + 7})
            assert set(blobs.digests()) <= own, title
            assert all(digests_of(found.bundle) <= own for found in seen.found), title
            outcomes.add((seen.outcome, len(seen.found)))
            # At rest, all of it is there again, whatever the look before took it for.
            [found] = [found for found in source.observe().found if found.bundle.skill.name == "link"]
            assert digests_of(found.bundle) == own, title
    assert len(outcomes) > 2, "hardly an exchange came between"


@pytest.mark.parametrize("title", ["grow", "truncate", "rewrite", "replace"])
def test_an_edit_between_any_two_steps_of_a_look_is_stored_before_or_after_whole(tree: HostileTree, title: str) -> None:
    steps = Stepped(source_of(tree, MemoryBlobStore()).observe, "skillsvc.sources").count()
    for name in ("SKILL.md", "large"):
        attack, path = tree.edits[f"{title} {name}"], tree.root / "skill" / name
        before = path.read_bytes()
        attack.do()
        whole = sha256(before, path.read_bytes(), DOCUMENT, ASSET)
        attack.undo()
        for step in range(steps):
            blobs = MemoryBlobStore()
            seen = attacked(Stepped(source_of(tree, blobs).observe, "skillsvc.sources"), attack, {step})
            assert set(blobs.digests()) <= whole
            assert all(digests_of(found.bundle) <= set(blobs.digests()) for found in seen.found)


LOOKS = 600


@pytest.mark.parametrize("kernel", [True, False], ids=["openat2", "walk"])
def test_no_secret_is_stored_while_another_process_exchanges_everything(
    tree: HostileTree, tmp_path: Path, *, kernel: bool
) -> None:
    found = set()
    with FileBlobStore(str(tmp_path / "blobs")) as blobs, _attacker(tree):
        source = source_of(tree, blobs, kernel=kernel)
        source.observe()
        open_before = len(list(Path("/proc/self/fd").iterdir()))
        for number in range(LOOKS):
            seen = source.observe(["skill/SKILL.md", "skill/large"] if number % 3 else None)
            found.add((seen.outcome, len(seen.found)))
            for each in seen.found:
                for digest in digests_of(each.bundle):
                    assert SECRET not in blobs.read(digest)
        assert len(list(Path("/proc/self/fd").iterdir())) == open_before
    assert len(found) > 2, "hardly an exchange came between"
    with FileBlobStore(str(tmp_path / "blobs")) as blobs:
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

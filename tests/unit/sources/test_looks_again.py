"""Looking again: what is unchanged is not read, what is changed or lost is."""

import os
from pathlib import Path

import pytest

from skillsvc.domain.errors import DataLoss
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.looks import CountingBlobStore, settled
from tests.unit.sources.trees import Program, Tree, grow, skill, source_of


def test_unchanged_files_are_not_read_again(tmp_path: Path) -> None:
    tree: Tree = {"a/SKILL.md": skill("a"), "a/run": Program(b"x"), "a/large": b"x" * 300_000, "b/SKILL.md": skill("b")}
    blobs = CountingBlobStore()
    source = settled(grow(tmp_path, tree), blobs)
    first = source.observe()
    assert blobs.taken == 4
    again = source.observe()
    assert (again, blobs.taken) == (first, 4)
    # Of a skill that changed only what changed, and SKILL.md.
    grow(tmp_path, {"a/run": Program(b"y")})
    changed = source.observe()
    assert blobs.taken == 6
    assert changed.found[1] is first.found[1]
    assert changed.found[0].bundle.digest != first.found[0].bundle.digest


def test_bytes_that_the_store_lost_are_read_again_with_the_skill(tmp_path: Path) -> None:
    blobs = CountingBlobStore()
    source = settled(grow(tmp_path, {"a/SKILL.md": skill("a"), "a/x": "x"}), blobs)
    [found] = source.observe().found
    blobs.remove([found.bundle.assets[0].digest], unused_since=blobs.mark())
    grow(tmp_path, {"a/SKILL.md": skill("a", "Another.")})
    [found] = source.observe().found
    assert blobs.read(found.bundle.assets[0].digest) == b"x"


@pytest.mark.parametrize("bad", [b"y", b"", None], ids=["other bytes", "cut", "gone"])
def test_what_a_read_found_lost_is_there_again_after_the_next_look(tmp_path: Path, bad: bytes | None) -> None:
    tree: Tree = {"a/SKILL.md": skill("a"), "a/x": "x", "b/SKILL.md": skill("b"), "b/x": "another"}
    blobs = CountingBlobStore()
    source = settled(grow(tmp_path, tree), blobs)
    first = source.observe()
    for digest in first.found[0].bundle.blobs:
        whole = blobs.read(digest)
        if bad is None:
            del blobs.blobs[digest]
        else:
            blobs.blobs[digest] = bad
        with pytest.raises(DataLoss):
            blobs.read(digest)
        blobs.taken = 0
        assert source.observe() == first
        # Nothing but the lost one, and SKILL.md of its skill, is read.
        assert blobs.taken == len({digest, first.found[0].bundle.document and first.found[0].bundle.document.digest})
        assert blobs.read(digest) == whole
        blobs.taken = 0
        assert source.observe() == first
        assert blobs.taken == 0


def test_what_is_lost_and_no_longer_in_the_source_is_looked_for_no_further(tmp_path: Path) -> None:
    blobs = CountingBlobStore()
    source = settled(grow(tmp_path, {"a/SKILL.md": skill("a"), "a/x": "x"}), blobs)
    [found] = source.observe().found
    [asset] = found.bundle.assets
    del blobs.blobs[asset.digest]
    with pytest.raises(DataLoss):
        blobs.read(asset.digest)
    grow(tmp_path, {"a/x": "y"})
    [found] = source.observe().found
    assert blobs.lost() == {asset.digest}
    assert [blobs.read(asset.digest) for asset in found.bundle.assets] == [b"y"]
    blobs.taken = 0
    source.observe()
    assert blobs.taken == 0


def test_an_edit_of_the_same_size_in_the_same_moment_is_noticed(tmp_path: Path) -> None:
    # With a true clock a file that has just been written has not settled: its stamp proves nothing.
    source = source_of(grow(tmp_path, {"a/SKILL.md": skill("a", "Version 0."), "a/x": "0"}))
    for number in range(1, 10):
        before = (tmp_path / "a/x").stat()
        grow(tmp_path, {"a/SKILL.md": skill("a", f"Version {number}."), "a/x": str(number)})
        for path in ("a/SKILL.md", "a/x"):
            os.utime(tmp_path / path, ns=(before.st_atime_ns, before.st_mtime_ns))
        [found] = source.observe().found
        assert found.bundle.skill.description == f"Version {number}."
        assert found.bundle.assets[0].digest == MemoryBlobStore().put(str(number).encode())


def test_a_change_of_mode_alone_is_noticed(tmp_path: Path) -> None:
    source = settled(grow(tmp_path, {"a/SKILL.md": skill("a"), "a/run": "x"}), MemoryBlobStore())
    assert not source.observe().found[0].bundle.assets[0].executable
    (tmp_path / "a/run").chmod(0o755)
    assert source.observe().found[0].bundle.assets[0].executable

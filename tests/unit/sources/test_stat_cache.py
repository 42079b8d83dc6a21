"""What is known of files over a restart: what it spares, and that nothing is wrong where it is wrong."""

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.confined import ConfinedRoot
from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found
from skillsvc.parsing.findings import Profile
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.discovery import Layout
from skillsvc.sources.reading import ReadingSettings, TreeReading
from skillsvc.sources.source import Observation
from skillsvc.sources.stat_cache import StatCache, fingerprint_of
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.looks import CountingBlobStore
from tests.unit.sources.trees import LABEL, Link, Program, Tree, bundle_at, codes, grow, places_of, skill, stored_tree

TREE: Tree = {
    "a/SKILL.md": skill("a"),
    "a/run": Program(b"x"),
    "a/scripts/deep/y": "y",
    "b/SKILL.md": "---\n",
    "broken/SKILL.md": skill("broken"),
    "broken/no\\name": "x",
    "c/skill.md": skill("c"),
    "linked/SKILL.md": Link("../a/SKILL.md"),
    "manifest/skill.yaml": "name: manifest\ndescription: By a manifest alone.\n",
    "team/COLLECTION.json": '{"id": "crew"}',
    "team/d/SKILL.md": skill("d"),
    "team/d/link": Link("SKILL.md"),
}


class World:
    """A directory, its cache and its store; each look is one of another process."""

    def __init__(self, place: Path) -> None:
        self.root = place / "skills"
        self.file = place / "data" / "stat-cache"
        self.blobs = CountingBlobStore()
        self.settings = DirectorySettings(
            path=str(self.root), reading=ReadingSettings(label=LABEL, layout=Layout.NESTED)
        )
        self.limits = Limits()
        self.version = "1"
        self.now = 0.0
        self.held: tuple[Found, ...] = ()

    @contextmanager
    def process(self, *, ahead_s: float = 1.0) -> Iterator[DirectorySource]:
        """A source with a clock ahead of files by so much: by a second, all of them have settled."""
        cache = StatCache(
            self.file,
            fingerprint=fingerprint_of(self.version, self.settings, self.limits),
            clock=lambda: self.now,
        )
        yield DirectorySource(
            self.settings,
            limits=self.limits,
            blobs=self.blobs,
            open_root=partial(ConfinedRoot.open, now_ns=lambda: time.time_ns() + round(ahead_s * 1e9)),
            cache=cache,
        )
        cache.close()

    def look(self, *, ahead_s: float = 1.0) -> Observation:
        """Look once, with what the last look found held; count what it took in."""
        self.blobs.taken = 0
        with self.process(ahead_s=ahead_s) as source:
            seen = source.observe(held=self.held)
        self.held = seen.found
        return seen

    def fresh(self) -> Observation:
        """Return what a look finds that knows nothing."""
        return DirectorySource(self.settings, limits=self.limits, blobs=MemoryBlobStore()).observe()


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    grow(world.root, TREE)
    return world


def test_after_a_restart_no_unchanged_skill_is_read_again(world: World) -> None:
    first = world.look()
    again = world.look()
    assert (again, world.blobs.taken) == (first, 0)
    assert again == world.fresh()
    # What is equal to what is held is that very object, so that nothing has to compare it further.
    assert all(now is before for now, before in zip(again.found, first.found, strict=True))
    assert len(again.found) == 5
    assert codes(again.diagnostics) != []


def test_after_a_restart_a_changed_skill_alone_is_read(world: World) -> None:
    world.look()
    grow(world.root, {"a/SKILL.md": skill("a", "Another.")})
    seen = world.look()
    # Its SKILL.md, and that of the one that is a link to it.
    assert world.blobs.taken == 2
    assert seen == world.fresh()


EDITS: dict[str, Callable[[Path], object]] = {
    "an edit": lambda root: grow(root, {"a/SKILL.md": skill("a", "Another.")}),
    "an edit of an asset": lambda root: grow(root, {"a/scripts/deep/y": "z"}),
    "a mode": lambda root: (root / "a/scripts/deep/y").chmod(0o755),
    "a new asset": lambda root: grow(root, {"a/new/x": "x"}),
    "an asset that went": lambda root: (root / "a/run").rename(root / "away"),
    "a skill that is mended": lambda root: grow(root, {"b/SKILL.md": skill("b")}),
    "a skill that went": lambda root: (root / "a").rename(root.parent / "away"),
    "another collection": lambda root: grow(root, {"team/COLLECTION.json": '{"id": "other"}'}),
    "another case": lambda root: (root / "c/skill.md").rename(root / "c/SKILL.md"),
    "a file in place of a link": lambda root: [
        (root / "linked/SKILL.md").rename(root / "linked/away"),
        grow(root, {"linked/SKILL.md": skill("linked")}),
    ],
    "a link among the assets that went": lambda root: (root / "team/d/link").unlink(),
    "two that change places": lambda root: [
        (root / "a").rename(root / "x"),
        (root / "c").rename(root / "a"),
        (root / "x").rename(root / "c"),
    ],
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_after_a_restart_a_look_finds_what_one_that_knows_nothing_finds(
    world: World, edit: Callable[[Path], object]
) -> None:
    world.look()
    edit(world.root)
    assert world.look() == world.fresh()
    assert world.look() == world.fresh()


def test_an_edit_of_the_same_size_in_the_same_moment_is_seen_after_a_restart(world: World) -> None:
    # With a true clock a file that has just been written has not settled: its stamp proves nothing, now or later.
    for number in range(10):
        text = skill("a", f"Version {number}.")
        before = (world.root / "a/SKILL.md").stat()
        grow(world.root, {"a/SKILL.md": text, "a/run": Program(str(number).encode())})
        for path in ("a/SKILL.md", "a/run"):
            os.utime(world.root / path, ns=(before.st_atime_ns, before.st_mtime_ns))
        [found] = [found for found in world.look(ahead_s=0.0).found if found.place == "a"]
        assert found.bundle.skill.description == f"Version {number}."
        assert world.blobs.read(found.bundle.assets[0].digest) == str(number).encode()


def test_what_had_not_settled_when_it_was_read_is_read_again_after_a_restart(world: World) -> None:
    # A later write in the same tick would leave its stamp as it is.
    first = world.look(ahead_s=-60.0)
    taken = world.blobs.taken
    assert (world.look(), world.blobs.taken) == (first, taken)
    assert (world.look(), world.blobs.taken) == (first, 0)


def test_an_edit_of_the_same_size_with_its_time_put_back_is_seen_after_a_restart(world: World) -> None:
    world.look()
    before = (world.root / "a/scripts/deep/y").stat()
    grow(world.root, {"a/scripts/deep/y": "z"})
    os.utime(world.root / "a/scripts/deep/y", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert world.look() == world.fresh()


def test_what_is_held_as_another_bundle_or_no_more_is_read(world: World) -> None:
    first = world.look()
    stale = replace(first.found[0].bundle, digest="0" * 64)
    world.held = (replace(first.found[0], bundle=stale), *first.found[2:])
    assert world.look() == first
    assert world.blobs.taken > 0


def test_what_the_store_lost_meanwhile_is_read(world: World) -> None:
    first = world.look()
    [run, _] = bundle_at(first, "a").assets
    del world.blobs.blobs[run.digest]
    assert world.look() == first
    assert world.blobs.read(run.digest) == b"x"


def test_what_nobody_remembers_of_a_store_that_cannot_be_asked_is_read(world: World) -> None:
    first = world.look()

    class Away(CountingBlobStore):
        @override
        def has(self, digest: str) -> bool:
            raise Unavailable(ErrorReason.STORE_UNREACHABLE, "the store is away")

    world.blobs = Away()
    assert places_of(world.look()) == places_of(first)


DEPENDS: dict[str, Callable[[World], None]] = {
    "another version": lambda world: setattr(world, "version", "2"),
    "a lower limit": lambda world: setattr(world, "limits", Limits(asset_bytes=1)),
    "another profile": lambda world: setattr(
        world, "settings", replace(world.settings, reading=replace(world.settings.reading, profile=Profile.STRICT))
    ),
    "other ignored names": lambda world: setattr(
        world,
        "settings",
        replace(world.settings, reading=replace(world.settings.reading, ignored=frozenset({"scripts"}))),
    ),
}


@pytest.mark.parametrize("change", DEPENDS.values(), ids=DEPENDS)
def test_what_was_known_under_other_conditions_is_not_used(world: World, change: Callable[[World], None]) -> None:
    world.look()
    change(world)
    seen = world.look()
    assert seen == world.fresh()
    assert world.blobs.taken > 0


def test_the_fingerprint_does_not_depend_on_the_order_of_a_set(world: World) -> None:
    def of(names: Sequence[str]) -> str:
        settings = replace(world.settings, reading=replace(world.settings.reading, ignored=frozenset(names)))
        return fingerprint_of("1", settings, Limits())

    assert of("abcdefgh") == of("hgfedcba")
    assert of("abc") != of("abd")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_bytes(b""),
    "cut in its head": lambda file: file.write_bytes(file.read_bytes()[:50]),
    "cut": lambda file: file.write_bytes(file.read_bytes()[:-1]),
    "longer": lambda file: file.write_bytes(file.read_bytes() + b" "),
    "with another byte": lambda file: file.write_bytes(file.read_bytes().replace(b"SKILL", b"SKULL")),
    "of zeroes": lambda file: file.write_bytes(b"\0" * file.stat().st_size),
    "no file": lambda file: [file.rename(file.with_name("away")), grow(file, {})],
    "gone": lambda file: file.unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_file_that_is_damaged_is_passed_over(world: World, damage: Callable[[Path], object]) -> None:
    first = world.look()
    damage(world.file)
    assert world.look() == first
    assert world.blobs.taken > 0


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{}", b'{"a": 1}', b'{"a": [1]}', b"[" * 100_000])
def test_what_holds_something_else_though_its_checksum_is_right_is_passed_over(world: World, body: bytes) -> None:
    first = world.look()
    head = world.file.read_bytes().partition(b" ")[0]
    checksum = hashlib.sha256(body).hexdigest().encode()
    world.file.write_bytes(head + b" " + checksum + b"\n" + body)
    assert world.look() == first


def test_where_it_cannot_be_written_nothing_but_the_speed_is_lost(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.file.parent.touch()
    first = world.look()
    assert world.look() == first
    assert "could not be kept" in caplog.text


def test_it_is_written_at_the_end_and_from_time_to_time_where_something_is_new(world: World) -> None:
    def written() -> bytes:
        return world.file.read_bytes() if world.file.exists() else b""

    with world.process() as source:
        source.observe()
        assert written() == b""
        world.now = 61.0
        source.observe()
        first = written()
        assert first != b""
        grow(world.root, {"a/SKILL.md": skill("a", "Another.")})
        world.now = 100.0
        source.observe(["a/SKILL.md"])
        assert written() == first
        world.now = 122.0
        source.observe()
        assert written() != first
        world.file.unlink()
        world.now = 1000.0
        source.observe()
        # Nothing is new: nothing is written.
        assert written() == b""
    assert written() == b""


def test_a_restart_that_finds_nothing_new_writes_nothing(world: World) -> None:
    # What is refused before its files are read has no stamps, and is no news to any look.
    shutil.rmtree(world.root / "broken")
    world.look()
    before = world.file.stat()
    world.look()
    assert world.file.stat().st_ino == before.st_ino


def test_what_could_not_be_seen_is_read_again_after_a_restart(world: World) -> None:
    first = world.look()
    (world.root / "a/SKILL.md").rename(world.root / "a/kept")
    (world.root / "a/SKILL.md").symlink_to("x" * 300)
    unseen = world.look()
    assert [found.bundle for found in unseen.found if found.place == "a"] == [
        found.bundle for found in first.found if found.place == "a"
    ]
    assert (Code.FILE_UNREADABLE, "a") in codes(unseen.diagnostics)
    (world.root / "a/SKILL.md").unlink()
    (world.root / "a/kept").rename(world.root / "a/SKILL.md")
    assert world.look() == first


def test_nobody_else_may_read_it(world: World) -> None:
    world.look()
    assert world.file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in world.file.parent.iterdir()] == [world.file.name]


def test_a_tree_of_digests_is_known_over_a_restart_too(tmp_path: Path) -> None:
    blobs = CountingBlobStore()
    settings = ReadingSettings(label=LABEL)
    files: Tree = {"a/SKILL.md": skill("a"), "a/run": Program(b"x")}
    held: tuple[Found, ...] = ()
    for _ in range(2):
        tree = stored_tree(files, blobs)
        blobs.taken = 0
        cache = StatCache(tmp_path / "cache", fingerprint=fingerprint_of("1", settings, Limits()), clock=lambda: 0.0)
        seen = TreeReading(settings, limits=Limits(), blobs=blobs, cache=cache).read(tree, held=held)
        held = seen.found
        cache.close()
    assert blobs.taken == 0
    assert [found.place for found in held] == ["a"]

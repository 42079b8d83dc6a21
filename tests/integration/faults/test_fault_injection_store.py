"""Faults of what a server keeps things in, for every kind of place, while readers loop over it.

A disk that is full, a store that may not be written, no more files that may be opened, blobs that rot. What holds for
each is said by `Scene.suffer` and `Readers`.
"""

import hashlib
import resource
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from tests.integration.calls import Caller
from tests.integration.faults.places import ASSET, files_of, names_of
from tests.integration.faults.scene import Scene
from tests.integration.faults.taken import forbidden, limited

STORED = {
    "house": "PARTIAL",
    "tools": "PARTIAL",
    "listed": "PARTIAL",
    "site": "PARTIAL",
    "artifact": "STALE",
    "plugin": "STALE",
}
"""How a source stands of which nothing new can be stored: one that is taken in skill by skill is seen in part."""


@pytest.mark.parametrize(("label", "state"), STORED.items())
def test_a_full_disk_leaves_the_last_good(scene: Scene, label: str, state: str) -> None:
    # To whoever writes, a file that may not grow is a disk that is full.
    scene.suffer([label], state, limited(scene, resource.RLIMIT_FSIZE, 0))


def test_a_disk_that_is_full_when_all_is_seen_leaves_what_is_served(scene: Scene) -> None:
    # Each of the blobs is small enough; what the log of generations writes is not.
    scene.suffer(list(STORED), "STALE", limited(scene, resource.RLIMIT_FSIZE, 4096))


@pytest.mark.parametrize(("label", "state"), STORED.items())
def test_a_store_that_may_not_be_written_leaves_the_last_good(scene: Scene, label: str, state: str) -> None:
    scene.suffer([label], state, forbidden(scene.server.data_dir / "blobs/tmp"))


@contextmanager
def log_held(scene: Scene) -> Iterator[None]:
    """Hold the log of generations, as a tool of the operator's may."""
    with closing(sqlite3.connect(scene.server.data_dir / "skillsvc.db", isolation_level=None)) as tool:
        tool.execute("BEGIN EXCLUSIVE")
        yield
        tool.execute("ROLLBACK")


def test_a_log_that_somebody_else_holds_leaves_what_is_served(scene: Scene) -> None:
    scene.suffer(["house", "plugin"], "STALE", log_held(scene))


@pytest.fixture
def all_wanting(scene: Scene) -> Iterator[None]:
    """Let the bytes of any skill be refused, but never be wrong."""
    before, scene.wanting = scene.wanting, tuple(scene.places.all)
    yield
    scene.wanting = before


@pytest.mark.usefixtures("all_wanting")
def test_a_server_that_may_open_no_more_files_leaves_the_last_good(scene: Scene) -> None:
    for front in scene.places.fronts.values():
        front.hang_up()
    scene.suffer(list(scene.places.all), "STALE", limited(scene, resource.RLIMIT_NOFILE, 3))


def change(blob: Path) -> None:
    blob.write_bytes(bytes(byte ^ 1 for byte in blob.read_bytes()))


def cut(blob: Path) -> None:
    blob.write_bytes(blob.read_bytes()[:3])


@pytest.mark.usefixtures("all_wanting")
@pytest.mark.parametrize("label", [*STORED, "needed"])
@pytest.mark.parametrize("damage", [change, cut, Path.unlink])
def test_blobs_that_rot_are_never_served_and_come_back_with_the_next_look(
    scene: Scene, label: str, damage: Callable[[Path], None]
) -> None:
    # Of a new version no answer is kept yet that could be given again.
    scene.expect_change(label)
    scene.publish(label)
    scene.refresh(label)
    name = names_of(label)[0]
    files = files_of(name, scene.published[label])
    with Caller(scene.server.address) as caller:
        assert part(caller, name) == files[ASSET][:-1]
        for path in blobs_of(scene.server.data_dir, files.values()):
            damage(path)
        with refused_or_right():
            assert part(caller, name, 2) == files[ASSET][:-2]
        with refused_or_right():
            assert caller.document(name).decode() == files["SKILL.md"]
        scene.expect_recovered(label)
        assert part(caller, name, 3) == files[ASSET][:-3]
        if label != "needed":
            assert caller.document(name).decode() == files["SKILL.md"]


def part(caller: Caller, name: str, less: int = 1) -> str:
    """Return an asset but for its last bytes, which nobody has asked for like that before."""
    size = caller.assets(name)[0].size
    asked = pb.ReadAssetRequest(skill=name, asset=ASSET, max_bytes=size - less)
    return caller.call(asked, pb.ReadAssetResponse).data.decode()


def blobs_of(data_dir: Path, contents: Iterable[str]) -> list[Path]:
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in contents]
    return [path for each in digests if (path := data_dir / "blobs" / each[:2] / each[2:]).exists()]


@contextmanager
def refused_or_right() -> Iterator[None]:
    with suppress(grpc.RpcError):
        yield

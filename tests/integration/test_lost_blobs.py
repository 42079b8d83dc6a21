"""Bytes that the data folder lost, while the source still has them: an error at first, right after the next look."""

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from tests.integration.calls import PATIENCE_S, Caller
from tests.integration.conftest import Serve
from tests.unit.sources.trees import grow, skill

ASSET = b"lantern"
DOCUMENT = skill("quay", body="The lantern is lit.").encode()
READ_ASSET = pb.ReadAssetRequest(skill="quay", asset="lamp")


def _alter(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"lantern", b"LANTERN"))


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:3])


DAMAGE = {"other bytes": _alter, "cut": _cut, "gone": Path.unlink}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return grow(tmp_path / "skills", {"quay/SKILL.md": DOCUMENT, "quay/lamp": ASSET})


@pytest.fixture
def often(tmp_path: Path) -> str:
    """A configuration with a look every tenth of a second."""
    path = tmp_path / "skillsvc.toml"
    path.write_text("[server]\npoll_s = 0.1\n")
    return str(path)


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_bytes_that_are_lost_while_they_are_served_come_back(
    serve: Serve, source: Path, often: str, damage: Callable[[Path], None]
) -> None:
    server = serve(source, config=often)
    with Caller(server.address) as caller:
        before = caller.generation()
        # A part alone: an answer that was given once is kept, and needs no blob the next time.
        first = pb.ReadAssetRequest(skill="quay", asset="lamp", max_bytes=4)
        assert caller.call(first, pb.ReadAssetResponse).data == ASSET[:4]
        damage(_blob(server.data_dir, ASSET))
        assert caller.refused(READ_ASSET, pb.ReadAssetResponse)[:2] == _LOST
        _until(lambda: caller.asset("quay", "lamp") == ASSET)
        assert caller.generation() == before


def test_bytes_that_were_changed_while_nobody_served_them_come_back(serve: Serve, source: Path, often: str) -> None:
    server = serve(source, config=often)
    assert server.stop() == 0
    for data in (ASSET, DOCUMENT):
        _alter(_blob(server.data_dir, data))
    server = serve(source, data_dir=server.data_dir, config=often)
    with Caller(server.address) as caller:
        # The look at the start cannot tell: there is a blob of the right size.
        assert caller.refused(READ_ASSET, pb.ReadAssetResponse)[:2] == _LOST
        assert caller.refused(pb.SkillBodyRequest(name="quay"), pb.SkillBodyResponse)[:2] == _LOST
        _until(lambda: caller.asset("quay", "lamp") == ASSET)
        _until(lambda: caller.document("quay") == DOCUMENT)
        assert caller.body("quay") == "The lantern is lit."


@pytest.mark.parametrize("damage", [_cut, Path.unlink], ids=["cut", "gone"])
def test_bytes_that_a_look_can_see_are_lost_come_back_with_the_start(
    serve: Serve, source: Path, damage: Callable[[Path], None]
) -> None:
    server = serve(source)
    assert server.stop() == 0
    for data in (ASSET, DOCUMENT):
        damage(_blob(server.data_dir, data))
    server = serve(source, data_dir=server.data_dir)
    with Caller(server.address) as caller:
        assert caller.asset("quay", "lamp") == ASSET
        assert caller.document("quay") == DOCUMENT


_LOST = (grpc.StatusCode.DATA_LOSS, "DIGEST_MISMATCH")


def _blob(data_dir: Path, data: bytes) -> Path:
    digest = hashlib.sha256(data).hexdigest()
    return data_dir / "blobs" / digest[:2] / digest[2:]


def _until(condition: Callable[[], bool]) -> None:
    """Ask until a call is answered, and its answer is right; nobody is told of bytes that are there again."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        with suppress(grpc.RpcError):
            assert condition()
            return
    raise AssertionError("it did not come back")

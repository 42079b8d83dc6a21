"""Sidecars over gRPC: what their check came to is told, nothing of them runs, and hostile ones harm nobody."""

from pathlib import Path

import pytest
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from tests.integration.shelves import Shelves
from tests.unit.sources.trees import Node, grow, skill

pytestmark = pytest.mark.integration

HOSTILE = {
    "signs": b"-" * 1_000_000 + b"1",
    "sums": b"+".join([b"1"] * 400_000),
    "calls": b"a" + b"()" * 600_000,
    "brackets": b"(" * 100_000,
    "nul": b"x = 1\0",
    "no-text": b"\xff\xfe",
    "large": b"#" * 2_000_001,
}


async def test_what_the_check_of_a_sidecar_came_to_is_told_with_readiness(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    shelves = Shelves(tmp_path)
    root = shelves.directory(
        "main",
        {
            "sound/SKILL.md": skill("sound"),
            "sound/kernel.py": f"open({str(mark)!r}, 'w').close()\n",
            "broken/SKILL.md": skill("broken"),
            "broken/kernel.py": "x = 1\ndef fold(:\n",
            "plain/SKILL.md": skill("plain"),
            "plain/other.py": "def fold(:\n",
        },
    )
    async with shelves.serving() as catalog:
        told = {each.name: each for each in (await catalog.page()).skills}
        assert {name: each.readiness.sidecar for name, each in told.items()} == {
            "sound": skill_pb2.SIDECAR_STATE_COMPILES,
            "broken": skill_pb2.SIDECAR_STATE_BROKEN,
            "plain": skill_pb2.SIDECAR_STATE_UNSPECIFIED,
        }
        # It is told beside the verdict: the skill can be used without it.
        assert {each.readiness.state for each in told.values()} == {skill_pb2.READINESS_STATE_READY}
        [said] = told["broken"].diagnostics
        assert (said.code, said.severity) == ("sidecar-broken", skill_pb2.SEVERITY_WARNING)
        assert "line 2" in said.message
        assert "fold" not in said.message
        activated = await catalog.server.call(pb.ActivateRequest(name="broken"), pb.ActivateResponse)
        assert activated.readiness.sidecar == skill_pb2.SIDECAR_STATE_BROKEN
        assert not mark.exists()
        grow(root, {"broken/kernel.py": "x = 1\n"})
        await catalog.look()
        mended = await catalog.skill("broken")
        assert (mended.readiness.sidecar, len(mended.diagnostics)) == (skill_pb2.SIDECAR_STATE_COMPILES, 0)


async def test_hostile_sidecars_end_neither_the_server_nor_the_look(tmp_path: Path) -> None:
    shelves = Shelves(tmp_path)
    documents: dict[str, Node] = {f"{name}/SKILL.md": skill(name) for name in HOSTILE}
    shelves.directory("main", documents | {f"{name}/kernel.py": text for name, text in HOSTILE.items()})
    async with shelves.serving() as catalog:
        told = {each.name: each.readiness.sidecar for each in (await catalog.page()).skills}
        assert told.keys() == HOSTILE.keys()
        for name in ("brackets", "nul", "no-text"):
            assert told[name] == skill_pb2.SIDECAR_STATE_BROKEN
        assert told["large"] == skill_pb2.SIDECAR_STATE_UNCHECKED
        # What the others come to depends on the version of Python; a compiler that can do them is no harm.
        assert await catalog.body("signs") == "Body"

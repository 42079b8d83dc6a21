"""Rows 79 to 82 of the merged list: readiness and network. A docstring says what `rules.md` decides otherwise."""

from pathlib import Path

import pytest
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.partition import Partition
from skillsvc.domain.readiness import Vouched
from skillsvc.parsing.findings import Profile
from skillsvc.parsing.inventory import read_inventory
from skillsvc.settings.settings import make_settings
from skillsvc.settings.vouching import vouched_by
from tests.integration.shelves import Catalog, Shelves

pytestmark = pytest.mark.integration

# What OpenAI4S publishes for these declarations.
NONE = "d2242818c2b57706268dbea994de30bad3e518bd301b3e8e54b88ac87558af10"
UNKNOWN = "0ef0ef171d0f81a89687655f75a0774491bdbef7f9a184846e3be2a37af148fd"
HOST_ONLY = "2ff1b7d09f3b9054eb02f48ef9cd4541271a0ffad0da50e7c12ce83664319408"
LEGACY = skill_pb2.Network(
    digest=UNKNOWN,
    declaration=skill_pb2.NETWORK_DECLARATION_LEGACY,
    source=skill_pb2.NETWORK_SOURCE_COLLECTION_DEFAULT,
)
OURS = Partition("local", "")


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


def document(name: str, *lines: str) -> str:
    """Return a SKILL.md with these further lines of frontmatter."""
    return "\n".join(("---", f"name: {name}", "description: Folds.", *lines, "---", "Body", ""))


def vouch(shelves: Shelves, environment: dict[str, str] | None = None, **said: object) -> None:
    """Have the deployment vouch for what a table [readiness] says."""
    shelves.world.vouched = vouched_by(make_settings({"readiness": said}).readiness, environment or {})


async def readiness(catalog: Catalog, name: str) -> skill_pb2.Readiness:
    """Return what a list says of a skill, which Activate says, too."""
    listed = await catalog.skill(name)
    activated = await catalog.server.call(pb.ActivateRequest(name=name), pb.ActivateResponse)
    assert (activated.readiness, activated.network) == (listed.readiness, listed.network)
    assert activated.HasField("readiness")
    assert activated.HasField("network") == listed.HasField("network")
    return listed.readiness


async def test_row_79_what_is_missing_needs_setup_what_is_odd_is_unknown_and_no_process_is_started(
    shelves: Shelves, tmp_path: Path
) -> None:
    """Checked on the server's own state only where `[readiness]` says so; else unknown, `gpu` too."""
    mark = tmp_path / "ran"
    command = tmp_path / "bin" / "nvidia-smi"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\ntouch {mark}\n")
    command.chmod(0o755)
    shelves.directory(
        "main",
        {
            "gpu/SKILL.md": document("gpu", "requirements: gpu"),
            "odd/SKILL.md": document("odd", "requirements: [Warp Drive]"),
            "both/SKILL.md": document("both", "requirements: '[gpu], odd, odd'"),
            "none/SKILL.md": document("none"),
        },
    )
    ready = skill_pb2.Readiness(state=skill_pb2.READINESS_STATE_READY)
    async with shelves.serving() as catalog:
        before = (await catalog.generation()).digest
        assert await readiness(catalog, "none") == ready
        assert await readiness(catalog, "odd") == skill_pb2.Readiness(
            state=skill_pb2.READINESS_STATE_UNKNOWN, unverifiable=["warp drive"]
        )
        assert await readiness(catalog, "gpu") == skill_pb2.Readiness(
            state=skill_pb2.READINESS_STATE_UNKNOWN, unverifiable=["gpu"]
        )
        commands = {"gpu": "nvidia-smi"}
        vouch(shelves, {"PATH": str(tmp_path / "empty")}, commands=commands)
        assert await readiness(catalog, "gpu") == skill_pb2.Readiness(
            state=skill_pb2.READINESS_STATE_NEEDS_SETUP, missing=["gpu"]
        )
        assert await readiness(catalog, "both") == skill_pb2.Readiness(
            state=skill_pb2.READINESS_STATE_NEEDS_SETUP, missing=["gpu"], unverifiable=["odd"]
        )
        vouch(shelves, {"PATH": str(command.parent)}, commands=commands)
        assert await readiness(catalog, "gpu") == ready
        assert not mark.exists()
        # It is in no digest.
        assert (await catalog.generation()).digest == before


async def test_row_80_raw_network_is_blocked_whatever_the_deployment_allows(shelves: Shelves) -> None:
    shelves.directory(
        "main",
        {
            "raw/SKILL.md": document("raw", "capabilities: {network: {mode: raw_required}}"),
            "host/SKILL.md": document("host", "capabilities: {network: {mode: host_only}}"),
        },
    )
    async with shelves.serving() as catalog:
        for allowed in (False, True):
            vouch(shelves, raw_network=allowed)
            assert await readiness(catalog, "raw") == skill_pb2.Readiness(
                state=skill_pb2.READINESS_STATE_NEEDS_SETUP, blocked_on=["raw_network"]
            )
        vouch(shelves)
        assert await readiness(catalog, "host") == skill_pb2.Readiness(state=skill_pb2.READINESS_STATE_READY)
        vouch(shelves, raw_network=True, sandbox="off")
        assert await readiness(catalog, "host") == skill_pb2.Readiness(
            state=skill_pb2.READINESS_STATE_NEEDS_SETUP, blocked_on=["raw_network_allowed", "sandbox_not_enforced"]
        )


async def test_row_81_block_and_flow_form_have_one_digest_and_an_odd_mode_is_unknown(shelves: Shelves) -> None:
    """`rules.md` 2: where nothing is imported yet, it is the strict profile that refuses an odd mode."""
    odd = document("odd", "capabilities: {network: {mode: warp}}")
    shelves.directory(
        "main",
        {
            "none/SKILL.md": document("none", "capabilities: {network: {mode: none}}"),
            "flow/SKILL.md": document(
                "flow", "capabilities: {network: {mode: host_only, domains: ['https://B.example:8443/x', a.example.]}}"
            ),
            "block/SKILL.md": document(
                "block",
                "capabilities:",
                "  network:",
                "    domains:",
                "      - '*.a.example'",
                "      - b.example",
                "      - a.example",
                "    mode: host_only",
            ),
            "odd/SKILL.md": odd,
            "silent/SKILL.md": document("silent"),
        },
    )
    shelves.directory("strict", {"odd-too/SKILL.md": odd.replace("name: odd", "name: odd-too")}, profile=Profile.STRICT)
    async with shelves.serving() as catalog:
        told = {skill.name: skill.network for skill in (await catalog.page()).skills}
        assert {name: network.digest for name, network in told.items()} == {
            "none": NONE,
            "flow": HOST_ONLY,
            "block": HOST_ONLY,
            "odd": UNKNOWN,
            "silent": "",
        }
        assert told["flow"] == told["block"]
        assert list(told["flow"].domains) == ["a.example", "b.example"]
        assert (told["flow"].mode, told["flow"].declared) == (skill_pb2.NETWORK_MODE_HOST_ONLY, True)
        assert (told["odd"].mode, told["odd"].declaration) == (
            skill_pb2.NETWORK_MODE_UNSPECIFIED,
            skill_pb2.NETWORK_DECLARATION_UNKNOWN,
        )
        assert not (await catalog.skill("silent")).HasField("network")


async def test_row_82_a_member_of_a_collection_is_legacy_and_unknown_whatever_is_declared(shelves: Shelves) -> None:
    none, raw = ("capabilities: {network: {mode: none}}", "capabilities: {network: {mode: raw_required}}")
    tree = {
        "recipes/COLLECTION.json": '{"id": "Recipes"}',
        "recipes/a/SKILL.md": document("a", none),
        "recipes/b/SKILL.md": document("b", raw),
        "recipes/c/SKILL.md": document("c"),
        "d/SKILL.md": document("d", none),
        "e/SKILL.md": document("e"),
    }
    shelves.directory("main", tree)
    shelves.directory("own", {"f/SKILL.md": document("f")}, partition=OURS)
    inventory = b"""{"schema_version": 1,
        "collections": {"recipes": {"declaration": "declared", "mode": "none"}},
        "skills": {"a": {"mode": "none"}, "d": {"mode": "raw_required"}, "e": {"mode": "none"}, "f": {"mode": "none"}}}
    """
    async with shelves.serving() as catalog:
        for name in "abc":
            assert (await catalog.skill(name)).network == LEGACY
            assert (await readiness(catalog, name)).state == skill_pb2.READINESS_STATE_READY
        shelves.world.vouched = Vouched(inventory=read_inventory(inventory))
        pinned = skill_pb2.Network()
        pinned.CopyFrom(LEGACY)
        pinned.source = skill_pb2.NETWORK_SOURCE_INVENTORY
        for name in "abc":
            assert (await catalog.skill(name)).network == pinned
        # Of others what they declare counts, then the inventory; of a caller's own it says nothing.
        assert (await catalog.skill("d")).network.mode == skill_pb2.NETWORK_MODE_NONE
        assert (await catalog.skill("d")).network.source == skill_pb2.NETWORK_SOURCE_FRONTMATTER
        e = (await catalog.skill("e")).network
        assert (e.digest, e.declared, e.source) == (NONE, False, skill_pb2.NETWORK_SOURCE_INVENTORY)
        assert not (await catalog.skill("f")).HasField("network")

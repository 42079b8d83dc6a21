"""What tenants see of each other's layers, line by line as mecatl's AtomicCatalog was tested: over real gRPC.

Here each tenant is a principal that an access rule knows. Where rules.md differs from that system, it decides: a revoke
expires the earlier states that hold the name, too (rules.md 5).
"""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.current import Replaced
from skillsvc.catalog.learned import Learned, LearnedLayers, LearnedSkill
from skillsvc.domain.partition import Partition
from tests.integration.in_process import InProcess, Refusal, World, in_process
from tests.simulators.known_callers import KnownCallers, granted
from tests.simulators.skills import skill_row

ALICE = Partition("token:alice", "")
ALICE_P = Partition("token:alice", "p")
BOB = Partition("token:bob", "")
NOBODY = Partition("token:nobody", "")
SHARED = ["operated"]


class Tenants:
    """A running server, its callers by name, and the way of others into what partitions hold."""

    def __init__(self, server: InProcess) -> None:
        self.server = server
        self.learned = LearnedLayers(
            server.current, blobs=server.world.blobs, limits=server.world.limits, now=server.world.clock
        )

    def hold(self, partition: Partition, *names: str, version: str = "1", number: int | None = None) -> Replaced:
        skills = tuple(LearnedSkill(name=name, description=f"Of {name}.", body=f"{name} {version}.") for name in names)
        (replaced,) = self.learned.replace([Learned(partition=partition, skills=skills, log_generation=number)])
        return replaced

    def clear(self, partition: Partition, number: int | None = None) -> Replaced:
        (replaced,) = self.learned.clear([Learned(partition=partition, log_generation=number)])
        return replaced

    async def listed(self, caller: str, project: str = "") -> pb.ListSkillsResponse:
        return await self.server.of(caller).list(project=project)

    async def names(self, caller: str, project: str = "") -> list[str]:
        return [skill.name for skill in (await self.listed(caller, project)).skills]

    async def body(self, caller: str, name: str, token: str | None = None) -> str:
        request = pb.SkillBodyRequest(name=name, consistency={"at_exactly": token} if token else None)
        return (await self.server.of(caller).call(request, pb.SkillBodyResponse)).body

    async def no_body(self, caller: str, name: str, token: str | None = None) -> Refusal:
        request = pb.SkillBodyRequest(name=name, consistency={"at_exactly": token} if token else None)
        return await self.server.of(caller).refused(request)

    async def assets(self, caller: str, name: str) -> list[str]:
        answer = await self.server.of(caller).call(pb.ListAssetsRequest(name=name), pb.ListAssetsResponse)
        return [asset.name for asset in answer.assets]

    async def asset(self, caller: str, name: str) -> bytes:
        request = pb.ReadAssetRequest(skill=name, asset="notes.txt")
        return (await self.server.of(caller).call(request, pb.ReadAssetResponse)).data


@pytest.fixture
async def tenants() -> AsyncIterator[Tenants]:
    callers = KnownCallers(
        alice=granted("token:alice"),
        bob=granted("token:bob"),
        stranger=granted("token:stranger"),
        both=granted("token:both", further=(ALICE, BOB)),
    )
    world = World()
    operated = skill_row(world.blobs, "operated", body="By the operator.", assets={"notes.txt": b"Noted."})
    async with in_process(operated, world=world, identities=callers) as server:
        yield Tenants(server)


async def test_a_publish_and_a_clear_of_generation_1_are_refused_after_2_and_what_2_holds_stays(
    tenants: Tenants,
) -> None:
    assert not tenants.hold(ALICE, "second", number=2).stale
    before = await tenants.listed("alice")
    assert tenants.hold(ALICE, "first", number=1).stale
    assert tenants.clear(ALICE, number=1).stale
    assert await tenants.listed("alice") == before
    assert [skill.name for skill in before.skills] == ["operated", "second"]


async def test_alice_loses_what_is_revoked_of_hers_with_a_higher_generation_and_bobs_of_the_same_name_stays(
    tenants: Tenants,
) -> None:
    tenants.hold(ALICE, "deploy")
    tenants.hold(BOB, "deploy")
    hers, his = await tenants.listed("alice"), await tenants.listed("bob")
    current, now = tenants.server.current, tenants.server.world.clock
    assert current.revoke(ALICE, "deploy", now()).changed
    after = await tenants.listed("alice")
    assert [skill.name for skill in after.skills] == SHARED
    assert after.generation.sequence > hers.generation.sequence
    assert await tenants.listed("bob") == his
    assert (await tenants.no_body("alice", "deploy", hers.generation.token)).reason == "GENERATION_EXPIRED"
    assert (await tenants.no_body("alice", "deploy")).reason == "SKILL_NOT_FOUND"
    assert not current.revoke(ALICE, "deploy", now()).changed
    current.revoke(BOB, "operated", now())
    current.revoke(BOB, "absent", now())
    assert await tenants.listed("alice") == after
    assert await tenants.listed("bob") == his
    assert await tenants.body("bob", "operated") == "By the operator."


async def test_a_learned_name_of_the_deployment_serves_the_operators_body_and_assets_and_those_learned_have_none(
    tenants: Tenants,
) -> None:
    # In another log the name may be taken, since that one knows nothing of this deployment.
    tenants.hold(ALICE, "deploy")
    world = tenants.server.world
    tenants.server.current.publish(ALICE, (skill_row(world.blobs, "operated", body="Hers."),), (), world.clock())
    assert await tenants.body("alice", "operated") == "By the operator."
    assert await tenants.assets("alice", "operated") == ["notes.txt"]
    assert await tenants.asset("alice", "operated") == b"Noted."
    tenants.hold(ALICE, "learned")
    assert await tenants.names("alice") == ["learned", "operated"]
    assert await tenants.assets("alice", "learned") == []
    refusal = await tenants.server.of("alice").refused(pb.ReadAssetRequest(skill="learned", asset="notes.txt"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "ASSET_NOT_FOUND")


async def test_a_refresh_between_two_reads_of_one_state_mixes_no_old_and_new(tenants: Tenants) -> None:
    tenants.hold(ALICE, "deploy", version="1")
    token = (await tenants.listed("alice")).generation.token
    assert await tenants.body("alice", "deploy", token) == "deploy 1."
    tenants.hold(ALICE, "deploy", version="2")
    assert await tenants.body("alice", "deploy", token) == "deploy 1."
    assert await tenants.body("alice", "deploy") == "deploy 2."


async def test_a_learned_skill_is_its_owners_to_use_and_nobody_elses_with_or_without_an_identity(
    tenants: Tenants,
) -> None:
    tenants.hold(ALICE, "deploy")
    request = pb.ActivateRequest(name="deploy")
    answer = await tenants.server.of("alice").call(request, pb.ActivateResponse)
    assert "deploy 1." in answer.text
    for caller in ("bob", "stranger"):
        assert (await tenants.server.of(caller).refused(request)).reason == "SKILL_NOT_FOUND"
    assert (await tenants.server.refused(request)).reason == "CREDENTIALS_MISSING"


async def test_partitions_that_are_refreshed_together_are_seen_whole_in_every_view(tenants: Tenants) -> None:
    ended = threading.Event()

    def pairs() -> None:
        # A thread that does nothing but publish lets go of the interpreter only for moments too short to be noticed.
        for number in itertools.takewhile(lambda _: not ended.wait(0.001), itertools.count()):
            text = f"Version {number}."
            tenants.learned.replace(
                [
                    Learned(partition=each, skills=(LearnedSkill(name=name, description=text, body=text),))
                    for each, name in ((ALICE, "hers"), (BOB, "his"))
                ]
            )

    tenants.learned.replace([Learned(partition=ALICE), Learned(partition=BOB)])
    with ThreadPoolExecutor(1) as beside:
        publishing = beside.submit(pairs)
        seen: set[tuple[str, ...]] = set()
        try:
            while len(seen) < 20 and not publishing.done():
                listed = {skill.name: skill.description for skill in (await tenants.listed("both")).skills}
                listed.pop("operated")
                assert len(set(listed.values())) <= 1
                assert len(listed) in {0, 2}
                seen.add(tuple(listed.values()))
        finally:
            ended.set()
        publishing.result()
    assert len(seen) == 20


async def test_a_caller_reads_what_it_learned_and_what_the_operator_gives_and_nothing_of_another(
    tenants: Tenants,
) -> None:
    tenants.hold(ALICE, "hers")
    tenants.hold(BOB, "his")
    assert (await tenants.body("alice", "hers"), await tenants.assets("alice", "hers")) == ("hers 1.", [])
    assert (await tenants.no_body("alice", "his")).reason == "SKILL_NOT_FOUND"
    assert await tenants.asset("alice", "operated") == b"Noted."
    assert await tenants.names("stranger") == SHARED


async def test_three_refreshes_at_once_evict_nothing_and_lists_hold_ones_own_and_the_operators_alone(
    tenants: Tenants,
) -> None:
    held = {ALICE: "hers", BOB: "his", ALICE_P: "project"}
    await asyncio.gather(*(asyncio.to_thread(tenants.hold, partition, name) for partition, name in held.items()))
    assert await tenants.names("alice") == ["hers", "operated"]
    assert await tenants.names("alice", "p") == ["hers", "operated", "project"]
    assert await tenants.names("bob") == ["his", "operated"]
    assert (await tenants.no_body("bob", "hers")).reason == "SKILL_NOT_FOUND"
    tenants.clear(ALICE)
    assert await tenants.names("alice") == SHARED
    assert await tenants.names("alice", "p") == ["operated", "project"]
    assert await tenants.names("bob") == ["his", "operated"]


async def test_a_clear_of_what_nobody_published_to_shows_nothing_and_a_view_held_before_it_never_changes(
    tenants: Tenants,
) -> None:
    tenants.hold(ALICE, "hers")
    before = await tenants.listed("alice")
    tenants.clear(NOBODY)
    tenants.clear(BOB)
    assert await tenants.listed("alice") == before
    assert await tenants.names("bob") == SHARED
    tenants.hold(ALICE, "other")
    again = await tenants.server.of("alice").list(consistency={"at_exactly": before.generation.token})
    assert again == before

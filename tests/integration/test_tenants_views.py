"""What tenants see of each other's layers, line by line as mecatl's AtomicCatalog was tested: over real gRPC.

Here each tenant is a principal that an access rule knows by its bearer token, and an operator publishes by the admin
service. Where rules.md differs from that system, a test says so in its own words. `docs/rows.md` has the table of them.
"""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import Message
from skillsource.v1 import admin_pb2
from skillsource.v1 import skill_source_pb2 as pb
from typing_extensions import override

from skillsvc.catalog.learned import Learned, LearnedLayers, LearnedSkill
from skillsvc.domain.partition import Partition
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.integration.in_process import Refusal, World
from tests.integration.many_tenants import OPERATOR, House
from tests.simulators.authority import Authority
from tests.simulators.skills import in_order, skill_row
from tests.simulators.tenants_model import Grant

STALE, PUBLISHED = admin_pb2.PARTITION_VERDICT_STALE, admin_pb2.PARTITION_VERDICT_PUBLISHED
ALICE = Partition("token:alice", "")
ALICE_P = Partition("token:alice", "p")
ALICE_FED = Partition("token:alice", "fed")
BOB = Partition("token:bob", "")
NOBODY = Partition("token:nobody", "")
SHARED = ["operated"]


class Interrupted(MemoryBlobStore):
    """Blobs whose next read lets something happen first."""

    def __init__(self) -> None:
        super().__init__()
        self.first: Callable[[], object] | None = None

    @override
    def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
        first, self.first = self.first, None
        if first is not None:
            first()
        return super().read(digest, offset, length)


class Tenants:
    """A running server, its callers by name, and its operator."""

    def __init__(self, house: House, blobs: Interrupted) -> None:
        self.house = house
        self.blobs = blobs
        self.learned = LearnedLayers(
            house.server.current, blobs=blobs, limits=house.world.limits, now=house.world.clock
        )

    async def hold(
        self, partition: Partition, *names: str, version: str = "1", number: int | None = None
    ) -> admin_pb2.PartitionOutcome:
        content = admin_pb2.PartitionContent(
            partition=named(partition),
            skills=[
                admin_pb2.LearnedSkill(name=name, description=f"Of {name}.", body=f"{name} {version}.")
                for name in names
            ],
            log_generation=number,
        )
        answer = await self.operate(admin_pb2.RefreshPartitionsRequest(partitions=[content]))
        (outcome,) = admin_pb2.RefreshPartitionsResponse.FromString(answer).partitions
        return outcome

    async def clear(self, partition: Partition, number: int | None = None) -> admin_pb2.PartitionOutcome:
        emptied = admin_pb2.PartitionEmptied(partition=named(partition), log_generation=number)
        answer = await self.operate(admin_pb2.ClearPartitionsRequest(partitions=[emptied]))
        (outcome,) = admin_pb2.ClearPartitionsResponse.FromString(answer).partitions
        return outcome

    async def revoke(self, partition: Partition, name: str) -> admin_pb2.RevokeSkillResponse:
        answer = await self.operate(admin_pb2.RevokeSkillRequest(partition=named(partition), name=name))
        return admin_pb2.RevokeSkillResponse.FromString(answer)

    async def operate(self, request: Message) -> bytes:
        told = await self.house.ask_as_operator(OPERATOR, request)
        assert told.refusal is None, told.refusal
        return told.answer

    async def ask(self, caller: str, request: Message) -> bytes:
        told = await self.house.ask(caller, request)
        assert told.refusal is None, told.refusal
        return told.answer

    async def refused(self, caller: str, request: Message) -> Refusal:
        refusal = (await self.house.ask(caller, request)).refusal
        assert refusal is not None
        return refusal

    async def listed(self, caller: str, project: str = "", token: str | None = None) -> pb.ListSkillsResponse:
        request = pb.ListSkillsRequest(project=project, consistency={"at_exactly": token} if token else None)
        return pb.ListSkillsResponse.FromString(await self.ask(caller, request))

    async def names(self, caller: str, project: str = "") -> list[str]:
        return [skill.name for skill in (await self.listed(caller, project)).skills]

    async def read(self, caller: str, name: str, token: str | None = None) -> pb.SkillBodyResponse:
        request = pb.SkillBodyRequest(name=name, consistency={"at_exactly": token} if token else None)
        return pb.SkillBodyResponse.FromString(await self.ask(caller, request))

    async def body(self, caller: str, name: str, token: str | None = None) -> str:
        return (await self.read(caller, name, token)).body

    async def no_body(self, caller: str, name: str, token: str | None = None) -> Refusal:
        request = pb.SkillBodyRequest(name=name, consistency={"at_exactly": token} if token else None)
        return await self.refused(caller, request)

    async def assets(self, caller: str, name: str) -> list[str]:
        answer = await self.ask(caller, pb.ListAssetsRequest(name=name))
        return [asset.name for asset in pb.ListAssetsResponse.FromString(answer).assets]

    async def asset(self, caller: str, name: str) -> bytes:
        answer = await self.ask(caller, pb.ReadAssetRequest(skill=name, asset="notes.txt"))
        return pb.ReadAssetResponse.FromString(answer).data

    async def activated(self, caller: str, name: str, project: str = "") -> pb.ActivateResponse:
        answer = await self.ask(caller, pb.ActivateRequest(name=name, project=project))
        return pb.ActivateResponse.FromString(answer)


@pytest.fixture
async def tenants(tmp_path: Path) -> AsyncIterator[Tenants]:
    blobs = Interrupted()
    house = House(
        tmp_path,
        Authority(),
        callers=("alice", "bob", "stranger", "both"),
        fed=(ALICE_FED,),
        world=World(blobs=blobs),
    )
    house.rule(
        {
            "alice": Grant("token:alice"),
            "bob": Grant("token:bob"),
            "stranger": Grant("token:stranger"),
            "both": Grant("token:both", further=(ALICE, BOB)),
        }
    )
    await house.start()
    operated = skill_row(blobs, "operated", body="By the operator.", assets={"notes.txt": b"Noted."})
    house.server.publish(operated)
    yield Tenants(house, blobs)
    await house.stop()


def named(partition: Partition) -> admin_pb2.Partition:
    return admin_pb2.Partition(principal=partition.principal, project=partition.project)


async def test_a_publish_and_a_clear_of_generation_1_are_refused_after_2_and_what_2_holds_stays(
    tenants: Tenants,
) -> None:
    assert (await tenants.hold(ALICE, "second", number=2)).verdict == PUBLISHED
    before = await tenants.listed("alice")
    for outcome in (await tenants.hold(ALICE, "first", number=1), await tenants.clear(ALICE, number=1)):
        assert (outcome.verdict, outcome.log_generation) == (STALE, 2)
    assert await tenants.listed("alice") == before
    assert [skill.name for skill in before.skills] == ["operated", "second"]


async def test_alice_loses_what_is_revoked_of_hers_with_a_higher_generation_and_bobs_of_the_same_name_stays(
    tenants: Tenants,
) -> None:
    """`rules.md` 5: before a revoke is acknowledged, every retained generation that holds the name expires."""
    await tenants.hold(ALICE, "deploy")
    await tenants.hold(BOB, "deploy")
    hers, his = await tenants.listed("alice"), await tenants.listed("bob")
    assert (await tenants.revoke(ALICE, "deploy")).changed
    after = await tenants.listed("alice")
    assert [skill.name for skill in after.skills] == SHARED
    assert after.generation.sequence > hers.generation.sequence
    assert await tenants.listed("bob") == his
    assert (await tenants.no_body("alice", "deploy", hers.generation.token)).reason == "GENERATION_EXPIRED"
    assert (await tenants.no_body("alice", "deploy")).reason == "SKILL_NOT_FOUND"
    # Again, of a name of the operator's, of one that nobody has, and in a partition that nobody published to.
    assert not (await tenants.revoke(ALICE, "deploy")).changed
    await tenants.revoke(BOB, "operated")
    await tenants.revoke(BOB, "absent")
    unknown = admin_pb2.RevokeSkillRequest(partition=named(NOBODY), name="deploy")
    refusal = (await tenants.house.ask_as_operator(OPERATOR, unknown)).refusal
    assert refusal is not None
    assert refusal.reason == "PARTITION_NOT_FOUND"
    assert await tenants.listed("alice") == after
    assert await tenants.listed("bob") == his
    assert await tenants.body("bob", "operated") == "By the operator."


async def test_a_learned_name_of_the_deployment_is_one_conflict_and_the_operators_body_and_assets_are_served(
    tenants: Tenants,
) -> None:
    outcome = await tenants.hold(ALICE, "operated", "deploy")
    assert list(outcome.conflicts) == ["operated"]
    assert await tenants.body("alice", "operated") == "By the operator."
    assert await tenants.assets("alice", "operated") == ["notes.txt"]
    assert await tenants.asset("alice", "operated") == b"Noted."
    # Also where another log took the name, which knows nothing of this deployment.
    world = tenants.house.world
    hers = skill_row(world.blobs, "operated", body="Hers.")
    tenants.house.server.current.publish(ALICE, (hers,), (), world.clock())
    assert await tenants.body("alice", "operated") == "By the operator."
    await tenants.hold(ALICE, "learned")
    assert await tenants.names("alice") == ["learned", "operated"]
    assert await tenants.assets("alice", "learned") == []
    refusal = await tenants.refused("alice", pb.ReadAssetRequest(skill="learned", asset="notes.txt"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "ASSET_NOT_FOUND")


async def test_a_refresh_from_within_the_read_of_a_body_mixes_no_old_and_new_in_what_is_answered(
    tenants: Tenants,
) -> None:
    loop = asyncio.get_running_loop()

    def publish(version: str) -> None:
        rows = [skill_row(tenants.blobs, "fed", body=f"Body {version}.", assets={f"{version}.txt": b"x"})]
        world = tenants.house.world
        tenants.house.server.current.publish(ALICE_FED, in_order(rows), (), world.clock())

    def refresh() -> None:
        # In the thread that reads, while the call waits for it.
        publish("new")
        asyncio.run_coroutine_threadsafe(tenants.hold(ALICE, "deploy", version="2"), loop).result()

    publish("old")
    await tenants.hold(ALICE, "deploy", version="1")
    tenants.blobs.first = refresh
    answer = await tenants.activated("alice", "fed", project="fed")
    assert ("Body old." in answer.text, [asset.name for asset in answer.assets]) == (True, ["old.txt"])
    # That it was published in between is seen by the next one.
    answer = await tenants.activated("alice", "fed", project="fed")
    assert ("Body new." in answer.text, [asset.name for asset in answer.assets]) == (True, ["new.txt"])
    # So it is of a learned one, whose reads go on by the token of the first.
    tenants.blobs.first = lambda: asyncio.run_coroutine_threadsafe(
        tenants.hold(ALICE, "deploy", version="3"), loop
    ).result()
    read = await tenants.read("alice", "deploy")
    assert read.body == "deploy 2."
    assert await tenants.body("alice", "deploy", read.generation.token) == "deploy 2."
    assert await tenants.body("alice", "deploy") == "deploy 3."


async def test_a_learned_skill_is_its_owners_to_use_and_nobody_elses_with_or_without_an_identity(
    tenants: Tenants,
) -> None:
    await tenants.hold(ALICE, "deploy")
    assert "deploy 1." in (await tenants.activated("alice", "deploy")).text
    for caller in ("bob", "stranger"):
        assert (await tenants.refused(caller, pb.ActivateRequest(name="deploy"))).reason == "SKILL_NOT_FOUND"
    assert (await tenants.refused("", pb.ActivateRequest(name="deploy"))).reason == "CREDENTIALS_MISSING"


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
    await tenants.hold(ALICE, "hers")
    await tenants.hold(BOB, "his")
    assert (await tenants.body("alice", "hers"), await tenants.assets("alice", "hers")) == ("hers 1.", [])
    assert (await tenants.no_body("alice", "his")).reason == "SKILL_NOT_FOUND"
    assert await tenants.asset("alice", "operated") == b"Noted."
    assert await tenants.names("stranger") == SHARED
    assert (await tenants.no_body("stranger", "hers")).reason == "SKILL_NOT_FOUND"


async def test_three_refreshes_at_once_evict_nothing_and_lists_hold_ones_own_and_the_operators_alone(
    tenants: Tenants,
) -> None:
    held = {ALICE: "hers", BOB: "his", ALICE_P: "project"}
    await asyncio.gather(*(tenants.hold(partition, name) for partition, name in held.items()))
    assert await tenants.names("alice") == ["hers", "operated"]
    assert await tenants.names("alice", "p") == ["hers", "operated", "project"]
    assert await tenants.names("bob") == ["his", "operated"]
    assert (await tenants.refused("bob", pb.ActivateRequest(name="hers"))).reason == "SKILL_NOT_FOUND"
    await tenants.clear(ALICE)
    assert await tenants.names("alice") == SHARED
    assert await tenants.names("alice", "p") == ["operated", "project"]
    assert await tenants.names("bob") == ["his", "operated"]


async def test_a_clear_of_what_nobody_published_to_shows_nothing_and_a_view_held_before_it_never_changes(
    tenants: Tenants,
) -> None:
    await tenants.hold(ALICE, "hers")
    before = await tenants.listed("alice")
    await tenants.clear(NOBODY)
    await tenants.clear(BOB)
    assert await tenants.listed("alice") == before
    assert await tenants.names("bob") == SHARED
    await tenants.hold(ALICE, "other")
    assert await tenants.listed("alice", token=before.generation.token) == before

"""Partitions filled, cleared and revoked by operators: every scenario of the reference's catalog, over gRPC."""

import asyncio
import itertools
import os
from collections.abc import Collection, Sequence
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import Message
from skillsource.v1 import admin_pb2 as pb
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as agents_pb
from typing_extensions import override

from skillsvc.catalog.current import Current
from skillsvc.catalog.log import LayerRecord, LayerStep
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.generation import Generation
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from tests.integration.admin_in_process import operated
from tests.integration.in_process import World
from tests.integration.partitions import Tenants, content, of, skill, tenants
from tests.patience import PATIENCE_S
from tests.simulators.memory_log import MemoryLayerLog
from tests.simulators.scripted_looks import ScriptedLooks, report
from tests.simulators.skills import skill_row

PUBLISHED, UNCHANGED = pb.PARTITION_VERDICT_PUBLISHED, pb.PARTITION_VERDICT_UNCHANGED
STALE, FED = pb.PARTITION_VERDICT_STALE, pb.PARTITION_VERDICT_FED_BY_SOURCES


class FailingLog(MemoryLayerLog):
    """A log whose disk may be gone."""

    gone = False

    @override
    def load(self, partition: Partition) -> LayerRecord:
        self._check()
        return super().load(partition)

    @override
    def append(self, generation: Generation, *, dropped: Collection[int]) -> None:
        self._check()
        super().append(generation, dropped=dropped)

    @override
    def keep(self, steps: Sequence[LayerStep]) -> None:
        self._check()
        super().keep(steps)

    def _check(self) -> None:
        if self.gone:
            raise Unavailable(ErrorReason.STORE_UNREACHABLE, "gone")


@pytest.fixture
def log() -> FailingLog:
    return FailingLog(os.urandom)


@pytest.fixture
def world(log: FailingLog) -> World:
    return World(log=log)


class TestRefresh:
    async def test_a_learned_skill_is_read_as_a_file_is_and_trusted_by_nobody(
        self, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            outcome = await here.hold(
                "alice",
                skill("review", "\n\nLook: 1\r\nTwice.  \n\n", 'Says "no": \\o/\n---\ttwice  \u0085 é\U0001f600'),
            )
            assert (outcome.verdict, outcome.generation.skills) == (PUBLISHED, 1)
            (listed,) = (await here.server.list(project="alice")).skills
            assert listed.description == 'Says "no": \\o/ --- twice é\U0001f600'
            assert (listed.origin, listed.trust) == (skill_pb2.TIER_LEARNED, skill_pb2.TRUST_UNTRUSTED)
            assert not listed.has_assets
            assert await here.body("alice", "review") == "Look: 1\nTwice."

    async def test_a_long_description_is_cut_as_that_of_a_file_is(self, world: World, tmp_path: Path) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("review", description="x" * 1_000))
            (listed,) = (await here.server.list(project="alice")).skills
            assert (len(listed.description.encode()), listed.description_bytes) == (800, 1_000)
            assert listed.description_truncated

    @pytest.mark.parametrize(
        "broken", [skill("review", description=" \n "), skill("review", body="a\0b")], ids=["blank", "NUL"]
    )
    async def test_a_skill_that_cannot_be_read_publishes_nothing_of_the_call(
        self, world: World, tmp_path: Path, broken: pb.LearnedSkill
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            request = pb.RefreshPartitionsRequest(
                partitions=[content("bob", skill("test")), content("alice", skill("fine"), broken)]
            )
            refusal = await here.operator.refused(request)
            assert (refusal.reason, refusal.metadata["field"]) == ("ARGUMENT_MALFORMED", "partitions[1].skills")
            assert (await here.names("alice"), await here.names("bob")) == ([], [])

    @pytest.mark.parametrize(
        ("request_", "reason", "field"),
        [
            (pb.RefreshPartitionsRequest(), "ARGUMENT_MALFORMED", "partitions"),
            (
                pb.RefreshPartitionsRequest(partitions=[content("a"), content("a")]),
                "ARGUMENT_MALFORMED",
                "partitions",
            ),
            (
                pb.RefreshPartitionsRequest(partitions=[content("a"), content("deployment")]),
                "ARGUMENT_MALFORMED",
                "partitions[1].partition",
            ),
            (
                pb.RefreshPartitionsRequest(partitions=[pb.PartitionContent()]),
                "ARGUMENT_MALFORMED",
                "partitions[0].partition",
            ),
            (
                pb.RefreshPartitionsRequest(partitions=[content("a", skill("x"), skill("x"))]),
                "ARGUMENT_MALFORMED",
                "partitions[0].skills",
            ),
            (
                pb.RefreshPartitionsRequest(partitions=[content("a", skill("X"))]),
                "NAME_MALFORMED",
                "partitions[0].skills[0].name",
            ),
            (
                pb.RefreshPartitionsRequest(partitions=[content("a", skill("x", description="x" * 8_193))]),
                "ARGUMENT_OUT_OF_RANGE",
                "partitions[0].skills[0].description",
            ),
            (
                pb.RefreshPartitionsRequest(partitions=[content("a", number=2**63)]),
                "ARGUMENT_OUT_OF_RANGE",
                "partitions[0].log_generation",
            ),
            (
                pb.RefreshPartitionsRequest(partitions=[content(str(number)) for number in range(1_001)]),
                "ARGUMENT_OUT_OF_RANGE",
                "partitions",
            ),
            (
                pb.RefreshPartitionsRequest(partitions=[content("a", *[skill("x")] * 1_001)]),
                "ARGUMENT_OUT_OF_RANGE",
                "partitions[0].skills",
            ),
            (pb.ClearPartitionsRequest(), "ARGUMENT_MALFORMED", "partitions"),
            (
                pb.ClearPartitionsRequest(partitions=[pb.PartitionEmptied(partition=of("deployment"))]),
                "ARGUMENT_MALFORMED",
                "partitions[0].partition",
            ),
            (pb.RevokeSkillRequest(partition=of("deployment"), name="house/x"), "NAME_MALFORMED", "name"),
            (pb.LiftRevokeRequest(partition=of("deployment")), "NAME_MALFORMED", "name"),
        ],
    )
    async def test_what_is_wrong_with_a_request_is_told(
        self, world: World, tmp_path: Path, request_: Message, reason: str, field: str
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            refusal = await here.operator.refused(request_)
            assert (refusal.reason, refusal.metadata["field"]) == (reason, field)

    async def test_equal_content_is_no_new_generation(self, world: World, tmp_path: Path) -> None:
        async with tenants(tmp_path, world=world) as here:
            first = await here.hold("alice", skill("review"))
            again = await here.hold("alice", skill("review"), number=7)
            assert (again.verdict, again.generation, again.log_generation) == (UNCHANGED, first.generation, 7)

    async def test_what_cannot_be_read_is_named_as_the_request_has_it(self, world: World, tmp_path: Path) -> None:
        looks = ScriptedLooks()
        fed = Partition(principal="local", project="fed")
        looks.feed(fed, report("main"))
        async with operated(looks, tmp_path, world=world, partitions=(DEPLOYMENT, fed)) as operator:
            broken = skill("b", description=" ")
            refusal = await operator.refused(
                pb.RefreshPartitionsRequest(partitions=[content("fed"), content("alice", broken)])
            )
            assert refusal.metadata["field"] == "partitions[1].skills"
            assert refusal.message.startswith("the skill b of partitions[1].skills cannot be published: ")

    async def test_a_partition_that_sources_feed_is_left_to_them_and_the_others_are_published(
        self, world: World, tmp_path: Path
    ) -> None:
        looks = ScriptedLooks()
        fed = Partition(principal="local", project="fed")
        looks.feed(fed, report("main"))
        async with operated(looks, tmp_path, world=world, partitions=(DEPLOYMENT, fed)) as operator:
            here = Tenants(operator)
            here.server.publish(skill_row(world.blobs, "kept"), partition=fed)
            outcomes = await here.refresh([content("alice", skill("a")), content("fed", skill("b"))])
            assert [outcome.verdict for outcome in outcomes] == [PUBLISHED, FED]
            assert (await here.clear("fed")).verdict == FED
            assert (await here.names("alice"), await here.names("fed")) == (["a"], ["kept"])


class TestStale:
    async def test_a_stale_publish_and_a_stale_clear_are_refused_and_change_nothing(
        self, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            held = await here.hold("alice", skill("second"), number=2)
            for stale in (await here.hold("alice", skill("first"), number=1), await here.clear("alice", number=1)):
                assert (stale.verdict, stale.generation, stale.log_generation) == (STALE, held.generation, 2)
            assert await here.names("alice") == ["second"]

    async def test_the_number_that_is_held_is_accepted_again(self, world: World, tmp_path: Path) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("one"), number=2)
            assert (await here.hold("alice", skill("other"), number=2)).verdict == PUBLISHED
            assert (await here.clear("alice", number=2)).verdict == PUBLISHED
            assert await here.names("alice") == []

    async def test_others_of_the_call_are_published_and_the_answer_tells_which(
        self, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("second"), number=2)
            outcomes = await here.refresh(
                [content("alice", skill("first"), number=1), content("bob", skill("first"), number=1)]
            )
            assert [outcome.verdict for outcome in outcomes] == [STALE, PUBLISHED]
            assert (await here.names("alice"), await here.names("bob")) == (["second"], ["first"])

    async def test_content_without_a_number_is_never_stale_and_leaves_the_number(
        self, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("second"), number=2)
            unnumbered = await here.hold("alice", skill("third"))
            assert (unnumbered.verdict, unnumbered.log_generation) == (PUBLISHED, 2)
            # The hazard of mixed numbering: publishing without a number must not make the true one stale.
            assert (await here.hold("alice", skill("second"), number=2)).verdict == PUBLISHED

    async def test_the_number_outlives_a_restart(self, world: World, tmp_path: Path) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("second"), number=2)
        async with tenants(tmp_path, world=world) as here:
            assert (await here.hold("alice", skill("first"), number=1)).verdict == STALE


class TestRevoke:
    async def test_one_loses_it_with_a_higher_generation_and_the_other_keeps_all(
        self, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.refresh([content(each, skill("review"), skill("test")) for each in ("alice", "bob")])
            bob = await here.server.list(project="bob")
            told = await here.revoke("alice", "review")
            assert told.changed
            assert (told.before.sequence, told.after.sequence) == (1, 2)
            assert await here.names("alice") == ["test"]
            refusal = await here.no_body("alice", "review")
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "SKILL_NOT_FOUND")
            assert await here.server.list(project="bob") == bob
            assert await here.body("bob", "review") == "Do it."

    async def test_tokens_and_page_tokens_of_what_held_it_expire_and_those_before_stay(
        self, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("test"))
            before = await here.token("alice")
            await here.hold("alice", skill("review"), skill("test"))
            token = await here.token("alice")
            page = (await here.server.list(project="alice", page_size=1)).next_page_token
            await here.revoke("alice", "review")
            assert (await here.no_body("alice", "review", token)).reason == "GENERATION_EXPIRED"
            assert (await here.no_body("alice", "test", token)).reason == "GENERATION_EXPIRED"
            refusal = await here.server.refused(
                agents_pb.ListSkillsRequest(project="alice", page_size=1, page_token=page)
            )
            assert refusal.reason == "GENERATION_EXPIRED"
            assert await here.body("alice", "test", before) == "Do it."
            held = await here.operator.refused(
                pb.GetGenerationRequest(partition=of("alice"), generation=pb.GenerationName(sequence=2))
            )
            assert held.reason == "GENERATION_EXPIRED"

    async def test_what_is_revoked_already_or_not_there_changes_no_generation(
        self, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, skill_row(world.blobs, "house"), world=world) as here:
            await here.hold("alice", skill("review"), skill("test"))
            await here.revoke("alice", "review")
            token = await here.token("alice")
            again = await here.revoke("alice", "review")
            assert (again.changed, again.before) == (False, again.after)
            absent = await here.revoke("alice", "nowhere")
            assert (absent.changed, absent.before) == (True, absent.after)
            # A name of the deployment is not alice's to lose: only her own layer is told.
            await here.revoke("alice", "house")
            refusal = await here.operator.refused(pb.RevokeSkillRequest(partition=of("nobody"), name="review"))
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "PARTITION_NOT_FOUND")
            assert await here.names("alice") == ["house", "test"]
            assert await here.token("alice") == token

    async def test_no_refresh_and_no_restart_brings_it_back_until_it_is_lifted(
        self, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("review"), skill("test"))
            await here.revoke("alice", "review")
            outcome = await here.hold("alice", skill("review", "Again."), skill("test", "Again."))
            assert (list(outcome.revoked), await here.names("alice")) == (["review"], ["test"])
        async with tenants(tmp_path, world=world) as here:
            outcome = await here.hold("alice", skill("review", "Once more."), skill("test", "Once more."))
            assert (list(outcome.revoked), await here.names("alice")) == (["review"], ["test"])
            lifted = await here.lift("alice", "review")
            assert (lifted.changed, await here.names("alice")) == (True, ["test"])
            await here.hold("alice", skill("review"), skill("test"))
            assert await here.names("alice") == ["review", "test"]
            assert not (await here.lift("alice", "review")).changed

    async def test_a_name_is_revoked_before_anybody_publishes_it(self, world: World, tmp_path: Path) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("test"))
            await here.revoke("alice", "review")
            await here.hold("alice", skill("review"), skill("test"))
            assert await here.names("alice") == ["test"]

    async def test_the_deployment_loses_a_name_for_everybody_qualified_too(self, world: World, tmp_path: Path) -> None:
        rows = (
            skill_row(world.blobs, "review", source="main"),
            skill_row(world.blobs, "review", source="other", shadowed=True),
            skill_row(world.blobs, "test"),
        )
        async with tenants(tmp_path, *rows, world=world) as here:
            await here.hold("alice", skill("mine"))
            await here.revoke("deployment", "review")
            assert await here.names("alice") == ["mine", "test"]
            assert (await here.no_body("", "other/review")).reason == "SKILL_NOT_FOUND"
            here.server.publish(*rows)
            assert await here.names("") == ["test"]

    async def test_a_watcher_is_told_that_it_is_gone(self, world: World, tmp_path: Path) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("review"), skill("test"))
            watcher = here.server.watch(project="alice")
            # The stream has begun before anything changes.
            assert (await watcher.event()).generation.sequence == 2
            await here.revoke("alice", "review")
            removed: list[str] = []
            async with asyncio.timeout(PATIENCE_S):
                while not removed:
                    removed.extend((await watcher.event()).removed)
            assert removed == ["review"]

    async def test_operators_see_what_is_revoked(self, world: World, tmp_path: Path) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("test"), number=4)
            for name in ("b", "a"):
                await here.revoke("alice", name)
            generation = await here.operator.call(
                pb.GetGenerationRequest(partition=of("alice")), pb.GetGenerationResponse
            )
            assert list(generation.revoked) == ["a", "b"]
            listed = await here.operator.call(pb.ListPartitionsRequest(), pb.ListPartitionsResponse)
            assert [(each.partition.project, each.revoked, each.log_generation) for each in listed.partitions] == [
                ("", 0, 0),
                ("alice", 2, 4),
            ]

    async def test_more_names_than_may_be_are_refused_and_lifting_makes_room(
        self, log: FailingLog, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=World(log=log, limits=Limits(revoked_names=2))) as here:
            await here.hold("alice", skill("test"))
            for name in "abb":
                await here.revoke("alice", name)
            refusal = await here.operator.refused(pb.RevokeSkillRequest(partition=of("alice"), name="c"))
            assert (refusal.reason, refusal.metadata["limit"]) == ("LIMIT_EXCEEDED", "2")
            await here.lift("alice", "a")
            assert (await here.revoke("alice", "c")).changed

    async def test_a_lifted_name_of_sources_is_looked_for_at_once(self, world: World, tmp_path: Path) -> None:
        looks = ScriptedLooks()
        looks.feed(DEPLOYMENT, report("main"))
        async with operated(looks, tmp_path, skill_row(world.blobs, "review"), world=world) as operator:
            here = Tenants(operator)
            await here.revoke("deployment", "review")
            await here.lift("deployment", "review")
            assert looks.asked == [(DEPLOYMENT, None, None)]


class TestFailClosed:
    async def test_a_revoke_that_cannot_be_kept_empties_the_partition_until_it_can(
        self, log: FailingLog, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, skill_row(world.blobs, "house"), world=world) as here:
            await here.refresh([content(each, skill("review"), skill("test")) for each in ("alice", "bob")])
            token = await here.token("alice")
            log.gone = True
            refusal = await here.operator.refused(pb.RevokeSkillRequest(partition=of("alice"), name="review"))
            assert refusal.reason == "STORE_UNREACHABLE"
            assert (await here.names("alice"), await here.names("bob")) == (["house"], ["house", "review", "test"])
            assert (await here.no_body("alice", "test", token)).reason == "GENERATION_EXPIRED"
            closed = await here.sequence("alice")
            log.gone = False
            told = await here.revoke("alice", "review")
            assert (await here.names("alice"), told.after.sequence > closed) == (["house", "test"], True)

    async def test_what_was_to_be_revoked_is_so_by_a_refresh_that_can_be_kept(
        self, log: FailingLog, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("review"), skill("test"))
            log.gone = True
            await here.operator.refused(pb.RevokeSkillRequest(partition=of("alice"), name="review"))
            log.gone = False
            outcome = await here.hold("alice", skill("review"), skill("test", "Again."))
            assert (list(outcome.revoked), await here.names("alice")) == (["review"], ["test"])
        async with tenants(tmp_path, world=world) as here:
            assert await here.names("alice") == ["test"]

    async def test_a_clear_that_cannot_be_kept_empties_the_partition_all_the_same(
        self, log: FailingLog, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("review"))
            log.gone = True
            request = pb.ClearPartitionsRequest(partitions=[pb.PartitionEmptied(partition=of("alice"))])
            assert (await here.operator.refused(request)).reason == "STORE_UNREACHABLE"
            assert await here.names("alice") == []
            log.gone = False
            assert (await here.clear("alice")).verdict == PUBLISHED
            assert await here.names("alice") == []
            await here.hold("alice", skill("review"))
            assert await here.names("alice") == ["review"]

    async def test_what_was_to_be_cleared_is_so_by_whatever_is_kept_next(
        self, log: FailingLog, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            for each in ("alice", "bob", "new"):
                await here.hold(each, skill("review"), number=5)
            log.gone = True
            numbers = {"alice": None, "bob": 6, "new": 4}
            request = pb.ClearPartitionsRequest(
                partitions=[
                    pb.PartitionEmptied(partition=of(each), log_generation=number) for each, number in numbers.items()
                ]
            )
            assert (await here.operator.refused(request)).reason == "STORE_UNREACHABLE"
            # What is known to be stale is not emptied for that.
            assert [await here.names(each) for each in numbers] == [[], [], ["review"]]
            log.gone = False
            for each in numbers:
                await here.revoke(each, "another")
            assert [await here.names(each) for each in numbers] == [[], [], ["review"]]
            assert (await here.hold("bob", skill("review"), number=5)).verdict == STALE
        async with tenants(tmp_path, world=world) as here:
            assert [await here.names(each) for each in numbers] == [[], [], ["review"]]

    async def test_a_refresh_that_cannot_be_kept_leaves_all_as_it_was(
        self, log: FailingLog, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("review"))
            log.gone = True
            request = pb.RefreshPartitionsRequest(partitions=[content("alice"), content("new", skill("x"))])
            assert (await here.operator.refused(request)).reason == "STORE_UNREACHABLE"
            assert (await here.names("alice"), await here.names("new")) == (["review"], [])

    async def test_of_the_deployment_the_name_alone_is_gone(
        self, log: FailingLog, world: World, tmp_path: Path
    ) -> None:
        rows = (skill_row(world.blobs, "review"), skill_row(world.blobs, "test"))
        async with tenants(tmp_path, *rows, world=world) as here:
            log.gone = True
            refusal = await here.operator.refused(pb.RevokeSkillRequest(partition=of("deployment"), name="review"))
            assert (refusal.reason, await here.names("")) == ("STORE_UNREACHABLE", ["test"])
            log.gone = False
            here.server.publish(*rows, skill_row(world.blobs, "third"))
            assert await here.names("") == ["test", "third"]
        async with tenants(tmp_path, world=world) as here:
            assert await here.names("") == ["test", "third"]

    async def test_nothing_is_served_of_a_layer_that_cannot_be_read(
        self, log: FailingLog, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("review"))
        async with tenants(tmp_path, world=world) as here:
            log.gone = True
            assert (await here.no_body("alice", "review")).reason == "STORE_UNREACHABLE"
            assert (await here.names("bob")) == []
            log.gone = False
            assert await here.body("alice", "review") == "Do it."


class TestIsolation:
    async def test_a_learned_name_never_takes_that_of_the_deployment(self, world: World, tmp_path: Path) -> None:
        house = skill_row(world.blobs, "review", body="House.", assets={"a.txt": b"asset"})
        async with tenants(tmp_path, house, world=world) as here:
            outcome = await here.hold("alice", skill("review", "Mine."), skill("learned"))
            assert (list(outcome.conflicts), outcome.generation.skills) == (["review"], 1)
            assert await here.body("alice", "review") == "House."
            asset = await here.server.call(
                agents_pb.ReadAssetRequest(project="alice", skill="review", asset="a.txt"), agents_pb.ReadAssetResponse
            )
            assert asset.data == b"asset"
            # A later refresh shows the new learned name, and the deployment's is as it was.
            outcome = await here.hold("alice", skill("newer"))
            assert (list(outcome.conflicts), await here.names("alice")) == ([], ["newer", "review"])
            assets = await here.server.call(
                agents_pb.ListAssetsRequest(project="alice", name="newer"), agents_pb.ListAssetsResponse
            )
            assert not assets.assets
            refusal = await here.server.refused(
                agents_pb.ReadAssetRequest(project="alice", skill="newer", asset="a.txt")
            )
            assert refusal.reason == "ASSET_NOT_FOUND"

    async def test_a_deployment_that_takes_a_learned_name_later_wins_as_well(
        self, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("review", "Mine."))
            here.server.publish(skill_row(world.blobs, "review", body="House."))
            assert await here.body("alice", "review") == "House."

    async def test_what_is_learned_is_its_owners_alone(self, world: World, tmp_path: Path) -> None:
        async with tenants(tmp_path, skill_row(world.blobs, "house"), world=world) as here:
            await here.hold("alice", skill("mine"))
            assert await here.body("alice", "mine") == "Do it."
            for other in ("bob", ""):
                unknown = await here.no_body(other, "nowhere")
                assert await here.no_body(other, "mine") == unknown
                assert await here.names(other) == ["house"]

    async def test_a_refresh_between_two_reads_mixes_nothing_for_who_says_which_state(
        self, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("a", "Old."), skill("b", "Old."))
            read = await here.server.call(
                agents_pb.SkillBodyRequest(project="alice", name="a"), agents_pb.SkillBodyResponse
            )
            await here.hold("alice", skill("a", "New."), skill("b", "New."))
            assert (read.body, await here.body("alice", "b", read.generation.token)) == ("Old.", "Old.")
            assert await here.body("alice", "b") == "New."

    async def test_three_refreshes_at_once_evict_nothing_and_a_clear_is_of_one(
        self, world: World, tmp_path: Path
    ) -> None:
        async with tenants(tmp_path, skill_row(world.blobs, "house"), world=world) as here:
            await asyncio.gather(*(here.hold(each, skill(f"of-{each}")) for each in ("alice", "bob", "alice-2")))
            for each in ("alice", "bob", "alice-2"):
                assert await here.names(each) == ["house", f"of-{each}"]
            assert (await here.no_body("alice", "of-bob")).reason == "SKILL_NOT_FOUND"
            await here.clear("alice")
            assert await here.names("alice") == ["house"]
            assert await here.names("bob") == ["house", "of-bob"]

    async def test_a_clear_of_what_nobody_published_to_is_an_empty_layer(self, world: World, tmp_path: Path) -> None:
        async with tenants(tmp_path, world=world) as here:
            outcome = await here.clear("never", number=3)
            assert (outcome.verdict, outcome.generation.skills, outcome.log_generation) == (PUBLISHED, 0, 3)
            assert (await here.hold("never", skill("a"), number=2)).verdict == STALE

    async def test_1_000_refreshes_of_a_pair_are_seen_whole_by_1_000_views(self, world: World, tmp_path: Path) -> None:
        def pair(number: int) -> list[pb.PartitionContent]:
            return [
                content("alice", skill("one", f"{number}"), number=number),
                content("", skill("two", f"{number}"), number=number),
            ]

        async with tenants(tmp_path, world=world) as here:
            await here.refresh(pair(0))
            seen: list[int] = []

            async def look() -> None:
                listed = await here.server.list(project="alice")
                token = listed.generation.token
                bodies = [await here.body("alice", name, token) for name in ("one", "two")]
                assert bodies[0] == bodies[1]
                seen.append(int(bodies[0]))

            async def read() -> None:
                while len(seen) < 1_000 or len(set(seen)) < 3:
                    await look()

            async def write(reading: asyncio.Future[tuple[None, None]]) -> None:
                for number in itertools.count(1):
                    await here.refresh(pair(number))
                    # Whoever of them is the faster one goes on until the other has done its part.
                    if number >= 1_000 and reading.done():
                        break

            reading = asyncio.gather(read(), read())
            await asyncio.gather(reading, write(reading))


class TestMemory:
    async def test_layers_come_in_when_they_are_asked_for_and_go_again(self, log: FailingLog, tmp_path: Path) -> None:
        world = World(log=log, limits=Limits(resident_layer_bytes=100_000))
        async with tenants(tmp_path, world=world) as here:
            for number in range(50):
                await here.hold(f"p{number}", skill("review", f"Of {number}."))
            held = len(here.server.current.layers)
            assert held < 30
            tokens = {number: await here.token(f"p{number}") for number in range(50)}
            for number, token in tokens.items():
                assert await here.body(f"p{number}", "review", token) == f"Of {number}."
            assert len(here.server.current.layers) < 30
            listed = await here.operator.pages(pb.ListPartitionsRequest(page_size=20), pb.ListPartitionsResponse)
            assert [page.total_size for page in listed] == [51, 51, 51]
            assert [each.present.skills for page in listed for each in page.partitions] == [0, *[1] * 50]

    async def test_a_watcher_of_a_layer_that_went_is_told_of_changes_alone(
        self, log: FailingLog, tmp_path: Path
    ) -> None:
        world = World(log=log, limits=Limits(resident_layer_bytes=50_000))
        async with tenants(tmp_path, world=world) as here:
            await here.hold("alice", skill("review"))
            watcher = here.server.watch(project="alice")
            assert (await watcher.event()).generation.sequence == 2
            for number in range(30):
                await here.hold(f"p{number}", skill("other"))
            await here.hold("alice", skill("review"), skill("test"))
            names: list[str] = []
            async with asyncio.timeout(PATIENCE_S):
                while not names:
                    event = await watcher.event()
                    assert not event.removed
                    names.extend(skill.name for skill in event.added)
            assert names == ["test"]

    async def test_what_nobody_published_to_takes_no_memory(self, world: World, tmp_path: Path) -> None:
        current = Current(world.log, world.limits)
        async with tenants(tmp_path, world=world, current=current) as here:
            for number in range(100):
                assert await here.names(f"nobody-{number}") == []
            assert (current.partitions, tuple(current.layers)) == ((DEPLOYMENT,), (DEPLOYMENT,))

"""ReportOutcome and BestMatch beside their rows: activations, repetitions, what is seen, searches, and memory."""

import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import LOCAL_PRINCIPAL, Partition
from skillsvc.experience.learning import Rate
from tests.integration.in_process import World, in_process
from tests.integration.outcomes import HERE, best, report
from tests.simulators.skills import skill_row

pytestmark = pytest.mark.integration


@pytest.fixture
def world() -> World:
    return World(rate=Rate.LAST)


class TestActivations:
    """An outcome of an activation is that of its skill at what it was begun for."""

    @pytest.mark.parametrize("request_id", ["", "r"])
    async def test_it_is_of_what_was_begun(self, world: World, request_id: str) -> None:
        async with in_process(skill_row(world.blobs, "a"), world=world) as server:
            request = pb.ActivateRequest(name="a", task="review rust", request_id=request_id)
            begun = await server.call(request, pb.ActivateResponse)
            told = pb.ReportOutcomeRequest(activation_id=begun.activation_id, success_rate=1)
            assert (await server.call(told, pb.ReportOutcomeResponse)).recorded
            found = await best(server, "rust")
            assert (found.skill, found.task_pattern) == ("a", "review rust")

    @pytest.mark.parametrize(("task", "pattern"), [("", "a"), ("review", "review")])
    async def test_where_it_was_begun_for_nothing_said_the_report_or_the_name_says_it(
        self, world: World, task: str, pattern: str
    ) -> None:
        async with in_process(skill_row(world.blobs, "a"), world=world) as server:
            begun = await server.call(pb.ActivateRequest(name="a"), pb.ActivateResponse)
            told = pb.ReportOutcomeRequest(activation_id=begun.activation_id, task=task, success_rate=1)
            await server.call(told, pb.ReportOutcomeResponse)
            assert (await best(server, pattern)).task_pattern == pattern

    async def test_one_that_is_unknown_of_another_project_or_of_a_skill_that_is_gone_is_not_found(
        self, world: World
    ) -> None:
        async with in_process(skill_row(world.blobs, "a"), world=world) as server:
            begun = await server.call(pb.ActivateRequest(name="a"), pb.ActivateResponse)
            own = pb.ReportOutcomeRequest(activation_id=begun.activation_id, success_rate=1)
            refusals = [
                await server.refused(pb.ReportOutcomeRequest(activation_id="id-99", success_rate=1)),
                await server.refused(
                    pb.ReportOutcomeRequest(activation_id=begun.activation_id, project="p", success_rate=1)
                ),
                await server.refused(pb.ReportOutcomeRequest(skill="b", task="rust", success_rate=1)),
                await server.refused(
                    pb.ReportOutcomeRequest(activation_id=begun.activation_id, success_rate=1, allow=pb.AllowList())
                ),
            ]
            server.publish(skill_row(world.blobs, "b"))
            refusals.append(await server.refused(own))
        assert {(refusal.reason, refusal.message) for refusal in refusals} == {("SKILL_NOT_FOUND", refusals[0].message)}


class TestRequestIds:
    async def test_a_repetition_is_answered_alike_and_teaches_nothing(self, world: World) -> None:
        async with in_process(skill_row(world.blobs, "a"), world=world) as server:
            first = await report(server, "a", "rust", 1, request_id="r")
            assert await report(server, "a", "rust", 1, request_id="r") == first
            refusal = await server.refused(
                pb.ReportOutcomeRequest(skill="a", task="rust", success_rate=0, request_id="r")
            )
            assert refusal.reason == "REQUEST_ID_REUSED"
            await report(server, "a", "rust", 1, request_id="r", project="p")
            begun = await server.call(pb.ActivateRequest(name="a", request_id="r"), pb.ActivateResponse)
            assert begun.activation_id
        (prior,) = world.experience.priors(HERE)
        assert (prior.outcomes, prior.success_rate) == (1, 1)
        (elsewhere,) = world.experience.priors(Partition(LOCAL_PRINCIPAL, "p"))
        assert elsewhere.outcomes == 1


class TestWhatIsSeen:
    async def test_only_what_is_seen_and_allowed_now_is_told_of(self, world: World) -> None:
        rows = [skill_row(world.blobs, name) for name in ("a", "b")]
        async with in_process(*rows, world=world) as server:
            await report(server, "a", "rust", 1)
            await report(server, "b", "rust", 1)
            assert (await best(server, "rust")).skill == "a"
            assert (await best(server, "rust", allow={"names": ["b"]})).skill == "b"
            assert not (await best(server, "rust", allow={})).found
            assert not (await best(server, "rust", project="p")).found
            server.publish(skill_row(world.blobs, "b"))
            assert (await best(server, "rust")).skill == "b"

    async def test_a_hidden_skill_of_a_name_teaches_nothing_of_the_one_that_is_listed(self, world: World) -> None:
        rows = [skill_row(world.blobs, "a"), skill_row(world.blobs, "a", source="spare", shadowed=True)]
        async with in_process(*rows, world=world) as server:
            assert not (await report(server, "spare/a", "rust", 1)).recorded
            assert (await report(server, "main/a", "rust", 1)).recorded
        assert len(world.experience.priors(HERE)) == 1

    async def test_no_success_raises_trust_or_changes_the_state(self, world: World) -> None:
        async with in_process(skill_row(world.blobs, "a"), world=world) as server:
            before = await server.list(view=pb.SKILL_VIEW_FULL)
            for _ in range(20):
                await report(server, "a", "rust", 1)
            after = await server.list(view=pb.SKILL_VIEW_FULL)
            assert after == before


class TestSearch:
    @pytest.mark.parametrize("task", ["review the rust code", "rust"])
    async def test_what_did_well_at_a_task_comes_up_and_what_failed_goes_down(self, task: str) -> None:
        world = World(rate=Rate.LAST)
        rows = [skill_row(world.blobs, name, description="Reviews code.") for name in ("aa", "bb", "cc")]
        async with in_process(*rows, world=world) as server:

            async def found(**fields: object) -> list[str]:
                request = pb.SearchSkillsRequest(query="reviews code", **fields)  # type: ignore[arg-type] # of any field
                return [hit.skill.name for hit in (await server.call(request, pb.SearchSkillsResponse)).hits]

            assert await found(task=task) == ["aa", "bb", "cc"]
            await report(server, "cc", task, 1)
            await report(server, "aa", task, 0)
            assert await found() == await found(task=" ") == ["aa", "bb", "cc"]
            assert await found(task=task) == ["cc", "bb", "aa"]
            assert await found(task=task, limit=1) == ["cc"]
            assert await found(task=task, limit=2) == ["cc", "bb"]
            assert await found(task="something else entirely here") == ["aa", "bb", "cc"]
            assert await found(task=task, project="p") == ["aa", "bb", "cc"]

    async def test_the_catalog_as_text_is_ordered_by_what_did_well(self, world: World) -> None:
        rows = [skill_row(world.blobs, name) for name in ("aa", "bb", "cc")]
        async with in_process(*rows, world=world) as server:
            await report(server, "cc", "rust", 1)
            await report(server, "aa", "rust", 0)
            for task in ("rust", ""):
                request = pb.RenderCatalogRequest(
                    format=pb.CATALOG_FORMAT_LINES, order=pb.CATALOG_ORDER_PRIOR, task=task
                )
                text = (await server.call(request, pb.RenderCatalogResponse)).text
                assert text.index("cc") < text.index("bb") < text.index("aa")


async def test_priors_that_nobody_asks_for_take_no_memory() -> None:
    world = World(limits=Limits(prior_cache_bytes=5_000))
    async with in_process(skill_row(world.blobs, "a"), world=world) as server:
        experience = server.server._experience
        for project in map(str, range(20)):
            await report(server, "a", "rust", 1, project=project)
        assert not experience._kept
        for project in map(str, range(20)):
            assert (await best(server, "rust", project=project)).found
        assert experience._bytes <= 5_000
        assert 0 < len(experience._kept) < 20

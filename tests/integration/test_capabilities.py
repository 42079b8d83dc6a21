"""SearchCapabilities as a server answers it: whatever tools are named, whatever narrows it, at any state."""

import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.partition import DEPLOYMENT, Partition
from tests.integration.in_process import InProcess, World, in_process
from tests.simulators.skills import skill_row

LOCAL = Partition("local", "")


async def find(server: InProcess, query: str, **fields: object) -> list[tuple[int, str]]:
    request = pb.SearchCapabilitiesRequest(query=query, **fields)  # type: ignore[arg-type] # of any field
    answer = await server.call(request, pb.SearchCapabilitiesResponse)
    return [(each.kind, each.name) for each in answer.results]


def both(*names: str) -> list[tuple[int, str]]:
    """Return skills that the model and the user may begin, as they are found."""
    kinds = (pb.CAPABILITY_KIND_SKILL, pb.CAPABILITY_KIND_COMMAND)
    return [(kind, name) for kind in kinds for name in names]


async def test_an_allow_list_narrows_before_the_limit_and_no_tool_is_narrowed() -> None:
    world = World()
    tool = pb.OfferedTool(name="wind", description="Blows.")
    rows = [skill_row(world.blobs, name, description="Wind.") for name in "abc"]
    async with in_process(*rows, world=world) as server:
        assert await find(server, "wind") == both("a", "b", "c")
        assert await find(server, "wind", allow=pb.AllowList(names=["c", "x"]), limit=1) == both("c")[:1]
        assert await find(server, "wind", allow=pb.AllowList(), tools=[tool]) == [(pb.CAPABILITY_KIND_TOOL, "wind")]


async def test_it_answers_from_the_state_that_is_named() -> None:
    world = World()
    async with in_process(skill_row(world.blobs, "a", description="Wind."), world=world) as server:
        past = pb.Consistency(at_exactly=(await server.list()).generation.token)
        server.publish(skill_row(world.blobs, "b", description="Wind."))
        assert await find(server, "wind") == both("b")
        assert await find(server, "wind", consistency=past) == both("a")


async def test_a_callers_own_skills_are_found_beside_the_deployments_which_win() -> None:
    world = World()
    rows = [skill_row(world.blobs, "a", description="Wind.")]
    async with in_process(*rows, world=world, partitions=(DEPLOYMENT, LOCAL)) as server:
        own = [skill_row(world.blobs, name, description="Own wind.") for name in ("a", "b")]
        server.publish(*own, partition=LOCAL)
        assert await find(server, "wind") == both("a", "b")
        assert await find(server, "own wind") == both("b")


@pytest.mark.parametrize(
    ("tools", "reason", "field"),
    [
        ([pb.OfferedTool(description="Nameless.")], "ARGUMENT_MALFORMED", "tools.name"),
        ([pb.OfferedTool(name="a\nb")], "ARGUMENT_MALFORMED", "tools.name"),
        ([pb.OfferedTool(name="a"), pb.OfferedTool(name="n" * 129)], "ARGUMENT_OUT_OF_RANGE", "tools.name"),
        ([pb.OfferedTool(name="a", description="d" * 1_025)], "ARGUMENT_OUT_OF_RANGE", "tools.description"),
        ([pb.OfferedTool(name=f"t{number}") for number in range(513)], "ARGUMENT_OUT_OF_RANGE", "tools"),
    ],
    ids=["nameless", "two lines", "a long name", "a long description", "many"],
)
async def test_tools_beyond_their_bounds_are_refused(tools: list[pb.OfferedTool], reason: str, field: str) -> None:
    async with in_process() as server:
        refusal = await server.refused(pb.SearchCapabilitiesRequest(query="a", tools=tools))
    assert (refusal.reason, refusal.metadata["field"]) == (reason, field)


async def test_as_many_tools_as_there_may_be_are_searched_each_as_long_as_it_may_be() -> None:
    tools = [pb.OfferedTool(name=f"{number:0128}", description="d" * 1_024) for number in range(512)]
    async with in_process() as server:
        request = pb.SearchCapabilitiesRequest(query="D", limit=50, tools=tools)
        answer = await server.call(request, pb.SearchCapabilitiesResponse)
        assert [each.name for each in answer.results] == [f"{number:0128}" for number in range(50)]
        assert {each.description for each in answer.results} == {"d" * 1_024}


async def test_a_description_is_answered_on_one_line() -> None:
    async with in_process() as server:
        request = pb.SearchCapabilitiesRequest(query="t", tools=[pb.OfferedTool(name="t", description="One\n\ttwo.")])
        [found] = (await server.call(request, pb.SearchCapabilitiesResponse)).results
    assert found.description == "One two."


async def test_a_query_has_eight_kibibytes_at_most() -> None:
    async with in_process() as server:
        assert await find(server, "x" * 8_192) == []
        refusal = await server.refused(pb.SearchCapabilitiesRequest(query="x" * 8_193))
        assert (refusal.reason, refusal.metadata) == ("ARGUMENT_OUT_OF_RANGE", {"field": "query", "limit": "8192"})

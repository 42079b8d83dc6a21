"""Row 41 of the merged list: tools, skills and commands in one search. A docstring says what is decided otherwise."""

from pathlib import Path

import pytest
from skillsource.v1 import skill_source_pb2 as pb

from tests.integration.shelves import Catalog, Shelves
from tests.unit.sources.trees import skill

pytestmark = pytest.mark.integration

TOOL, SKILL, COMMAND = pb.CAPABILITY_KIND_TOOL, pb.CAPABILITY_KIND_SKILL, pb.CAPABILITY_KIND_COMMAND


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


def flagged(name: str, description: str, *flags: str) -> str:
    """Return a SKILL.md with invocation flags."""
    return "\n".join(("---", f"name: {name}", f"description: {description}", *flags, "---", "Body", ""))


async def find(catalog: Catalog, query: str, *tools: tuple[str, str], limit: int = 0) -> pb.SearchCapabilitiesResponse:
    """Search, with tools of names and descriptions."""
    offered = [pb.OfferedTool(name=name, description=description) for name, description in tools]
    request = pb.SearchCapabilitiesRequest(query=query, tools=offered, limit=limit)
    return await catalog.server.call(request, pb.SearchCapabilitiesResponse)


async def found(catalog: Catalog, query: str, *tools: tuple[str, str], limit: int = 0) -> list[tuple[int, str]]:
    """Return the kinds and names of what a search finds."""
    return [(each.kind, each.name) for each in (await find(catalog, query, *tools, limit=limit)).results]


NO_MODEL, NO_USER = "disable-model-invocation: true", "user-invocable: false"


async def test_row_41_tools_come_before_skills_before_commands_each_by_name(shelves: Shelves) -> None:
    """What the model may begin is a skill, what the user may is a command, so that one skill may be both."""
    shelves.directory(
        "main",
        {
            "review/SKILL.md": skill("review", "Reads code."),
            "audit/SKILL.md": flagged("audit", "Reads code twice.", NO_USER),
            "deploy/SKILL.md": flagged("deploy", "Ships code.", NO_MODEL),
            "nobody/SKILL.md": flagged("nobody", "Hides code.", NO_MODEL, NO_USER),
            "tea/SKILL.md": skill("tea", "Brews.", "Never code."),
        },
    )
    async with shelves.serving() as catalog:
        tools = (("zip", "Packs code."), ("decode", "Unpacks."), ("grep", "Finds lines."))
        answer = await find(catalog, "CODE", *tools)
        assert [(each.kind, each.name, each.description) for each in answer.results] == [
            (TOOL, "decode", "Unpacks."),
            (TOOL, "zip", "Packs code."),
            (SKILL, "audit", "Reads code twice."),
            (SKILL, "review", "Reads code."),
            (COMMAND, "deploy", "Ships code."),
            (COMMAND, "review", "Reads code."),
        ]
        assert answer.generation == await catalog.generation()
        assert await found(catalog, "reads code") == [(SKILL, "audit"), (SKILL, "review"), (COMMAND, "review")]
        assert await found(catalog, "code reads", *tools) == []


async def test_row_41_twenty_come_where_nothing_is_said_and_fifty_at_most(shelves: Shelves) -> None:
    tree = {f"s{number:02}/SKILL.md": skill(f"s{number:02}", "Sails.") for number in range(30)}
    shelves.directory("main", tree)
    whole = [(SKILL, f"s{number:02}") for number in range(30)] + [(COMMAND, f"s{number:02}") for number in range(30)]
    async with shelves.serving() as catalog:
        for limit, most in ((0, 20), (1, 1), (19, 19), (31, 31), (50, 50), (51, 50), (2**32 - 1, 50)):
            assert await found(catalog, "sail", limit=limit) == whole[:most]
        tools = [(f"t{number:02}", "Sails.") for number in range(25)]
        assert await found(catalog, "sail", *tools) == [(TOOL, name) for name, _description in tools[:20]]


@pytest.mark.parametrize("query", ["", " ", "\t\n\u00a0"])
async def test_row_41_a_blank_query_finds_nothing(shelves: Shelves, query: str) -> None:
    """ARES's tool makes it an error, its searcher an empty list."""
    shelves.directory("main", {"a/SKILL.md": skill("a", "Does it.")})
    async with shelves.serving() as catalog:
        assert await found(catalog, query, ("t", "Does it.")) == []

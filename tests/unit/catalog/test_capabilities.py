"""What has a text in its name or its description: tools, skills and commands."""

from collections.abc import Sequence

import pytest

from skillsvc.catalog.capabilities import Capability, CapabilityKind, Tool, find_capabilities
from skillsvc.domain.generation import Row
from tests.simulators.searchable import Shelves

TOOL, SKILL, COMMAND = CapabilityKind.TOOL, CapabilityKind.SKILL, CapabilityKind.COMMAND


@pytest.fixture
def shelves() -> Shelves:
    return Shelves()


def tool(name: str, description: str = "Does it.") -> Tool:
    return Tool(name=name, description=description)


def found(
    query: str, *, tools: Sequence[Tool] = (), skills: Sequence[Row] = (), limit: int = 20
) -> list[tuple[CapabilityKind, str]]:
    """Return the kinds and names of what a query finds."""
    return [(each.kind, each.name) for each in find_capabilities(query, tools=tools, skills=skills, limit=limit)]


def test_tools_come_first_then_skills_then_commands_each_by_name(shelves: Shelves) -> None:
    skills = [
        shelves.row("a-both", "Does it."),
        shelves.row("b-command", "Does it.", model=False),
        shelves.row("c-skill", "Does it.", user=False),
        shelves.row("d-neither", "Does it.", model=False, user=False),
    ]
    assert found("does", tools=[tool("z"), tool("y")], skills=skills) == [
        (TOOL, "y"),
        (TOOL, "z"),
        (SKILL, "a-both"),
        (SKILL, "c-skill"),
        (COMMAND, "a-both"),
        (COMMAND, "b-command"),
    ]


def test_tools_are_in_byte_order_whatever_their_letters() -> None:
    names = ["\U0001f527x", "\uffe6x", "Zx", "ax", "_x"]
    assert [name for _kind, name in found("x", tools=[tool(name) for name in names])] == sorted(
        names, key=lambda name: name.encode()
    )


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("review", True),
        ("REVIEW", True),
        ("  Review\t", True),
        ("evie", True),
        ("code-re", True),
        ("finds faults", True),
        ("Finds  faults", False),
        ("faults finds", False),
        ("\uff4f\uff46 \u00c9tude", True),
        ("of %", False),
        (".*", False),
        ("", False),
        (" \n\u00a0", False),
    ],
)
def test_a_text_is_in_a_name_or_a_description_or_it_is_not(shelves: Shelves, query: str, *, fits: bool) -> None:
    name, description = "code-review", "Finds faults of \u00e9tudes."
    assert bool(found(query, tools=[tool(name, description)])) is fits
    assert bool(found(query, skills=[shelves.row(name, description)])) is fits


def test_a_body_is_not_looked_through(shelves: Shelves) -> None:
    assert found("hidden", skills=[shelves.row("a", "Does it.", "Hidden words.")]) == []


def test_the_limit_cuts_the_whole_and_not_each_kind(shelves: Shelves) -> None:
    skills = [shelves.row(name, "Does it.") for name in ("a", "b")]
    tools = [tool("t"), tool("u")]
    whole = found("does", tools=tools, skills=skills)
    assert len(whole) == 6
    for limit in range(7):
        assert found("does", tools=tools, skills=skills, limit=limit) == whole[:limit]


def test_of_tools_of_one_name_the_first_counts() -> None:
    tools = [tool("grep", "Seeks in files."), tool("grep", "Finds.")]
    assert find_capabilities("seeks", tools=tools, skills=(), limit=20) == (
        Capability(kind=TOOL, name="grep", description="Seeks in files."),
    )
    assert found("finds", tools=tools) == []


def test_a_tool_and_a_skill_of_one_name_are_two(shelves: Shelves) -> None:
    assert found("grep", tools=[tool("grep")], skills=[shelves.row("grep", user=False)]) == [
        (TOOL, "grep"),
        (SKILL, "grep"),
    ]

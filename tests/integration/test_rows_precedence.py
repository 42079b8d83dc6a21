"""Rows 14 to 23 of the merged list: who wins a name. A docstring says what `rules.md` decides otherwise."""

from pathlib import Path

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.partition import Partition
from skillsvc.sources.installed_providers import ProviderRefused, find_provider
from skillsvc.sources.provider import ProviderContext
from skillsvc.testing.runtime_skills import RuntimeSkills
from tests.integration.shelves import Shelves
from tests.simulators.scripted_provider import ScriptedProvider, candidate, gives
from tests.unit.sources.trees import skill

pytestmark = pytest.mark.integration

PROJECT = Partition(principal="local", project="red")
OWN = Partition(principal="local", project="")


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


async def test_row_14_two_providers_are_merged_and_a_claim_of_another_fails_its_own_source(shelves: Shelves) -> None:
    """`rules.md` 5: a source that fails keeps its last good observation; it never fails the whole listing."""
    one = ScriptedProvider(gives(candidate("a")))
    shelves.provider("one", one.make)
    shelves.provider("two", ScriptedProvider(gives(candidate("b", provider="two"))).make)
    with pytest.raises(ProviderRefused, match="reserved"):
        find_provider("runtime")
    with pytest.raises(ValueError, match="reserved"):
        shelves.provider("runtime", ScriptedProvider(gives()).make)
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["a", "b"]
        one.then(gives(candidate("a"), candidate("c", provider="two")))
        await catalog.look()
        page = await catalog.page()
        assert [each.name for each in page.skills] == ["a", "b"]
        [behind] = page.generation.unreachable_sources
        assert (behind.source, behind.state) == ("one", pb.SOURCE_STATE_STALE)
        assert "another provider" in catalog.said()[Code.SOURCE_MALFORMED]


async def test_row_15_the_lowest_rank_wins_then_who_was_first(shelves: Shelves) -> None:
    given = [candidate("a", str(rank), rank=rank) for rank in (400, 100, 250)]
    shelves.provider("one", ScriptedProvider(gives(*given, candidate("b", "first"), candidate("b", "second"))).make)
    async with shelves.serving() as catalog:
        assert [await catalog.body(name) for name in ("a", "b")] == ["100", "first"]


async def test_row_15_between_sources_their_order_decides_whatever_the_ranks(shelves: Shelves) -> None:
    """`rules.md` 4: within a layer the order of sources in the configuration decides."""
    shelves.provider("one", ScriptedProvider(gives(candidate("a", "one", rank=900))).make)
    shelves.provider("two", ScriptedProvider(gives(candidate("a", "two", rank=10))).make)
    async with shelves.serving() as catalog:
        assert [await catalog.body(name) for name in ("a", "one/a", "two/a")] == ["one", "one", "two"]


async def test_row_16_the_deployment_layer_wins_and_a_nearer_layer_adds_for_its_own_callers(shelves: Shelves) -> None:
    """`rules.md` 4: the deployment layer always wins over a partition's; each loss is a diagnostic."""
    shelves.directory("main", {"a/SKILL.md": skill("a", body="Of all.")})
    shelves.directory("near", {"a/SKILL.md": skill("a", body="Near."), "b/SKILL.md": skill("b")}, partition=PROJECT)
    async with shelves.serving() as catalog:
        assert await catalog.names(project="red") == ["a", "b"]
        assert await catalog.body("a", project="red") == "Of all."
        assert await catalog.body("near/a", project="red") == "Near."
        assert await catalog.names() == ["a"]
        assert await catalog.names(project="blue") == ["a"]
        assert catalog.said(PROJECT)[Code.SHADOWED].startswith("the deployment layer has a skill of this name")


async def test_row_17_a_deployment_skill_wins_over_a_callers_own(shelves: Shelves) -> None:
    shelves.directory("bundled", {"folder/SKILL.md": skill("pdf", body="Bundled.")})
    shelves.directory("own", {"pdf/SKILL.md": skill("pdf", body="Own.")}, partition=OWN)
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["pdf"]
        assert await catalog.body("pdf") == "Bundled."


async def test_row_18_a_projects_skill_wins_over_a_personal_one_in_that_project_alone(shelves: Shelves) -> None:
    shelves.directory("personal", {"a/SKILL.md": skill("a", body="Personal.")}, partition=OWN)
    shelves.directory("project", {"a/SKILL.md": skill("a", body="Of red.")}, partition=PROJECT)
    async with shelves.serving() as catalog:
        bodies = [await catalog.body("a", project=project) for project in ("red", "blue", "")]
        assert bodies == ["Of red.", "Personal.", "Personal."]
        assert catalog.said(PROJECT)[Code.SHADOWED].startswith("the layer of the project has a skill of this name")
        assert Code.SHADOWED not in catalog.said(OWN)


async def test_row_19_the_first_skill_registered_at_run_time_stays(shelves: Shelves) -> None:
    made: list[RuntimeSkills] = []

    def make(context: ProviderContext) -> RuntimeSkills:
        made.append(RuntimeSkills(context))
        return made[0]

    shelves.provider("program", make)
    async with shelves.serving() as catalog:
        take_back = made[0].register(candidate("a", "First."))
        take_back_second = made[0].register(candidate("a", "Second."))
        await catalog.look()
        assert await catalog.body("a") == "First."
        take_back_second()
        await catalog.look()
        assert await catalog.body("a") == "First."
        take_back()
        await catalog.look()
        assert await catalog.names() == []
        assert shelves.told == ["program"] * 2


@pytest.mark.parametrize("name", ["Bad_Name", "-a", "A"])
async def test_row_20_what_is_no_name_is_refused_where_it_is_asked_and_never_listed(
    shelves: Shelves, name: str
) -> None:
    shelves.directory("main", {f"{name}/SKILL.md": skill(name)})
    async with shelves.serving() as catalog:
        refusal = await catalog.server.refused(pb.SkillBodyRequest(name=name))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "NAME_MALFORMED")
        [listed] = await catalog.names()
        assert listed != name
        assert await catalog.body(listed) == "Body"


async def test_row_20_hyphens_and_digits_are_names(shelves: Shelves) -> None:
    """`rules.md` 2: names are `[a-z0-9][a-z0-9_-]{0,63}`, so that `a--b` is one, too."""
    shelves.directory("main", {f"{name}/SKILL.md": skill(name) for name in ("a1-b2", "a--b")})
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["a--b", "a1-b2"]


async def test_row_21_names_that_are_shown_as_one_are_told_and_both_listed(shelves: Shelves) -> None:
    """`rules.md` 2, 4: a skill's name is what is listed, and made so that two never meet; of display names, which are
    compared as one identity, a clash is told, naming both."""
    shelves.directory(
        "main",
        {
            "one/SKILL.md": skill("Canonical Skill"),
            "two/SKILL.md": skill("\uff23anonical   SKILL"),
            "foo/SKILL.md": skill("foo"),
        },
    )
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["foo", "one", "two"]
        message = catalog.said()[Code.DISPLAY_NAME_CLASH]
        assert "one" in message
        assert "two" in message


async def test_row_22_a_collection_is_one_line_that_counts_what_the_caller_sees(shelves: Shelves) -> None:
    members = {f"lab/{name}/SKILL.md": skill(name) for name in "abc"}
    shelves.directory("main", {"lab/COLLECTION.json": '{"id": "lab", "prompt_line": "{count} recipes"}', **members})
    async with shelves.serving() as catalog:
        for allow, line, count in ((None, "3 recipes", 3), ({"names": ["b"]}, "1 recipes", 1)):
            [collection] = (await catalog.page(allow=allow)).collections
            assert (collection.id, collection.line, collection.count) == ("lab", line, count)
        assert await catalog.names(collection="lab") == ["a", "b", "c"]


async def test_row_23_two_collections_are_two_lines_and_two_of_one_id_are_one_and_told(shelves: Shelves) -> None:
    """`rules.md` 4: ids of collections are compared as one identity; a clash is a diagnostic that names both, and hides
    no skill."""
    for label, id_ in (("one", "lab"), ("two", "art"), ("three", "LAB")):
        shelves.directory(
            label,
            {"c/COLLECTION.json": f'{{"id": "{id_}"}}', f"c/{label}/SKILL.md": skill(label)},
        )
    async with shelves.serving() as catalog:
        collections = [(each.id, each.count) for each in (await catalog.page()).collections]
        assert collections == [("art", 1), ("lab", 2)]
        message = catalog.said()[Code.COLLECTION_CLASH]
        assert "one" in message
        assert "three" in message

"""Rows 1 to 9 of the merged list: where skills are looked for. A docstring says what `rules.md` decides otherwise."""

from pathlib import Path

import pytest
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.trust import Tier
from tests.integration.shelves import Shelves
from tests.unit.sources.trees import Link, grow, skill

pytestmark = pytest.mark.integration


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


async def test_row_01_only_declared_roots_are_looked_at(shelves: Shelves) -> None:
    shelves.directory("main", {"a/SKILL.md": skill("a")})
    grow(shelves.place / "beside", {"b/SKILL.md": skill("b")})
    grow(shelves.place, {"SKILL.md": skill("above")})
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["a"]


async def test_row_02_one_level_is_enumerated(shelves: Shelves) -> None:
    shelves.directory("main", {"a/SKILL.md": skill("a"), "b/c/SKILL.md": skill("c")})
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["a"]


async def test_row_03_a_missing_root_is_empty_and_complete(shelves: Shelves) -> None:
    shelves.directory("main")
    async with shelves.serving() as catalog:
        page = await catalog.page()
        assert (page.total_size, page.generation.complete) == (0, True)


async def test_row_04_hidden_directories_are_skipped(shelves: Shelves) -> None:
    shelves.directory("main", {"a/SKILL.md": skill("a"), ".x/SKILL.md": skill("x")})
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["a"]


async def test_row_05_the_folder_system_is_skipped_in_every_root(shelves: Shelves) -> None:
    """`rules.md` 1: folder names that begin with a dot are skipped at skill level, in roots of every tier."""
    for tier in (Tier.USER, Tier.PROJECT, Tier.EXPLICIT):
        label = tier.name.lower()
        shelves.directory(label, {".system/SKILL.md": skill("system"), f"{label}/SKILL.md": skill(label)}, tier=tier)
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["explicit", "project", "user"]


async def test_row_06_a_folder_with_only_skill_yaml_is_listed_and_has_no_body(shelves: Shelves) -> None:
    shelves.directory("main", {"bare/skill.yaml": "name: bare\ndescription: Has no text.\n", "none/x.txt": "x"})
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["bare"]
        assert await catalog.refusal("bare") == "BODY_NOT_FOUND"


async def test_row_07_a_file_at_the_root_is_a_skill_where_the_source_says_so(shelves: Shelves) -> None:
    """`rules.md` 1: a single file is a skill only with `single_files`; it has no folder, and so no assets."""
    tree = {"foo.md": skill("foo"), "notes.txt": "no skill", "sub/bar.md": skill("bar")}
    shelves.directory("with", tree, single_files=True)
    shelves.directory("without", {"baz.md": skill("baz")})
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["foo"]
        assert await catalog.body("foo") == "Body"
        assert not (await catalog.server.call(pb.ListAssetsRequest(name="foo"), pb.ListAssetsResponse)).assets


async def test_row_08_links_are_followed_beneath_the_root_and_a_broken_one_fails_nothing(shelves: Shelves) -> None:
    """`rules.md` 1: a link is followed only where it resolves beneath the source's root."""
    grow(shelves.place / "outside", {"c/SKILL.md": skill("c")})
    shelves.directory(
        "main",
        {
            "a/SKILL.md": skill("a"),
            "stock/deep/b/SKILL.md": skill("b"),
            "b": Link("stock/deep/b"),
            "broken": Link("nowhere"),
            "out": Link("../outside/c"),
            "circle": Link("circle"),
        },
    )
    async with shelves.serving() as catalog:
        page = await catalog.page()
        assert [each.name for each in page.skills] == ["a", "b"]
        assert page.generation.complete
        assert {Code.LINK_DANGLING, Code.LINK_ESCAPES} <= set(catalog.said())


async def test_row_09_one_path_declared_twice_lists_each_skill_once_with_the_first_ones_tier(shelves: Shelves) -> None:
    """`rules.md` 4: the order in the configuration decides. The second source stands, all of it shadowed and told."""
    root = shelves.directory("project", {"a/SKILL.md": skill("a")}, tier=Tier.PROJECT)
    shelves.directory("extra", path=root, tier=Tier.REGISTERED)
    async with shelves.serving() as catalog:
        [listed] = (await catalog.page()).skills
        assert (listed.name, listed.source, listed.origin) == ("a", "project", skill_pb2.TIER_PROJECT)
        assert catalog.said()[Code.SHADOWED].startswith("the source project has a skill of this name")
        assert await catalog.body("extra/a") == "Body"

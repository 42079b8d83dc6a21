"""Rows 22, 23, 26, 28, 30, 50 to 52 and 77 of the merged list: the catalog as text, and what a model is told of it.

A docstring says what is decided otherwise, and why.
"""

import hashlib
import json
from pathlib import Path

import pytest
import skillsource
from skillsource import CatalogFormat, CatalogText, TextChange
from skillsource.v1 import skill_source_pb2 as pb

from tests.integration.shelves import Catalog, Shelves
from tests.simulators.scripted_provider import ScriptedProvider, candidate, fails, gives
from tests.unit.sources.trees import skill

pytestmark = pytest.mark.integration

MARKER = "zanzibar-marker"


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


async def rendered(catalog: Catalog, **fields: object) -> pb.RenderCatalogResponse:
    """Render the catalog, as one line a skill where nothing else is said."""
    request = pb.RenderCatalogRequest(**{"format": pb.CATALOG_FORMAT_LINES, **fields})  # type: ignore[arg-type] # of any field
    return await catalog.server.call(request, pb.RenderCatalogResponse)


async def lines(catalog: Catalog, **fields: object) -> list[str]:
    return (await rendered(catalog, **fields)).text.splitlines()


async def test_row_22_the_text_has_one_line_of_a_collection_with_the_callers_own_count(shelves: Shelves) -> None:
    members = {f"lab/{name}/SKILL.md": skill(name) for name in "abc"}
    shelves.directory(
        "main",
        {"lab/COLLECTION.json": '{"id": "lab", "prompt_line": "{count} recipes"}', **members, "z/SKILL.md": skill("z")},
    )
    async with shelves.serving() as catalog:
        assert (await lines(catalog))[0] == "(collection of 3) lab: 3 recipes"
        assert [line.split(":")[0] for line in await lines(catalog)] == ["(collection of 3) lab", "z"]
        assert await lines(catalog, allow={"names": ["b"]}) == ["(collection of 1) lab: 1 recipes"]
        answer = await rendered(catalog)
        assert (answer.shown, answer.total, answer.omitted_total) == (1, 4, 3)
        assert [omitted.name for omitted in answer.omitted] == ["a", "b", "c"]


async def test_row_23_two_collections_are_two_lines(shelves: Shelves) -> None:
    for id_ in ("one", "two"):
        shelves.directory(id_, {"c/COLLECTION.json": f'{{"id": "{id_}"}}', f"c/{id_}/SKILL.md": skill(id_)})
    async with shelves.serving() as catalog:
        assert await lines(catalog) == [
            "(collection of 1) one: Skills of the collection one: 1",
            "(collection of 1) two: Skills of the collection two: 1",
        ]


async def test_row_26_what_a_model_may_not_begin_is_not_in_its_text(shelves: Shelves) -> None:
    flags = {
        "both": (),
        "user": ("disable-model-invocation: ON",),
        "model": ("user-invocable: 0",),
        "nobody": ("disable-model-invocation: yes", "user-invocable: 'False'"),
    }
    shelves.directory(
        "main",
        {
            f"{name}/SKILL.md": "\n".join(("---", f"name: {name}", "description: Does it.", *said, "---", "Body", ""))
            for name, said in flags.items()
        },
    )
    async with shelves.serving() as catalog:
        answer = await rendered(catalog)
        assert answer.text == "both: Does it.\nmodel: Does it."
        assert (answer.shown, answer.total, answer.omitted_total) == (2, 2, 0)


async def test_row_28_a_folded_description_is_one_line_of_the_text(shelves: Shelves) -> None:
    folded = "---\nname: a\ndescription: >\n  Does\n  it\n\n  well.\n---\nBody\n"
    shelves.directory("main", {"a/SKILL.md": folded})
    async with shelves.serving() as catalog:
        assert await lines(catalog) == ["a: Does it well."]


async def test_row_30_no_body_is_in_the_text_and_a_hundred_skills_fit_ten_thousand_tokens_whole(
    shelves: Shelves,
) -> None:
    shelves.directory(
        "main",
        {
            f"skill-{number:03}/SKILL.md": skill(f"skill-{number:03}", "Does one thing well. " * 9, f"Be a {MARKER}.")
            for number in range(100)
        },
    )
    async with shelves.serving() as catalog:
        for form in (pb.CATALOG_FORMAT_XML, pb.CATALOG_FORMAT_MARKDOWN, pb.CATALOG_FORMAT_LINES):
            answer = await rendered(catalog, format=form, max_tokens=10_000)
            assert (answer.shown, answer.shortened, answer.omitted_total) == (100, 0, 0)
            assert MARKER not in answer.text
            answer = await rendered(catalog, format=form, max_bytes=16_000)
            assert (answer.shown, answer.shortened) == (100, 100)
            assert len(answer.text.encode()) <= 16_000


async def test_row_50_the_cap_is_the_contracts_and_the_digest_is_of_names_and_descriptions(shelves: Shelves) -> None:
    """`rules.md` 3: descriptions are cut at 800 bytes, with `…`, for everybody; a text has a budget in place of a cap
    of its own, and one that nothing fits has nothing in it."""
    root = shelves.directory(
        "main", {"a-skill/SKILL.md": skill("a-skill", "A"), "b-skill/SKILL.md": skill("b-skill", "B")}
    )
    async with shelves.serving() as catalog:
        vector = "904cbd8443366cd888052476358bf2b6226657862aac522340876f41a6f4e2a2"
        first = await rendered(catalog)
        for fields in ({}, {"format": pb.CATALOG_FORMAT_XML}, {"max_bytes": 40}, {"query": "B"}):
            assert (await rendered(catalog, **fields)).entries_digest == vector
        (root / "a-skill" / "SKILL.md").write_text(skill("a-skill", "A", "Another body."))
        await catalog.look()
        again = await rendered(catalog, if_none_match=first.digest)
        assert again.generation.digest != first.generation.digest
        assert (again.not_modified, again.text, again.digest) == (True, "", first.digest)
        (root / "a-skill" / "SKILL.md").write_text(skill("a-skill", "a&" * 600))
        await catalog.look()
        longest = f"a-skill: {'a&amp;' * 398}a…"
        assert await lines(catalog) == [longest, "b-skill: B"]
        entries = (("a-skill", f"{'a&' * 398}a…"), ("b-skill", "B"))
        written = "\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in entries)
        assert (await rendered(catalog)).entries_digest == hashlib.sha256(written.encode()).hexdigest()
        assert (await rendered(catalog, max_bytes=2)).text == ""


async def test_row_51_a_change_replaces_all_of_the_text_once_and_the_last_skill_takes_it_along(
    shelves: Shelves,
) -> None:
    root = shelves.directory("main", {"a/SKILL.md": skill("a", "A.")})
    async with shelves.serving() as catalog, skillsource.connect_async(catalog.server.address) as client:
        told = CatalogText()

        async def step() -> tuple[TextChange, str]:
            done = told.take(await client.render_catalog(format=CatalogFormat.LINES))
            return done.change, done.text

        assert await step() == (TextChange.REPLACE, "a: A.")
        (root / "b").mkdir()
        (root / "b" / "SKILL.md").write_text(skill("b", "B."))
        await catalog.look()
        assert await step() == (TextChange.REPLACE, "a: A.\nb: B.")
        assert await step() == (TextChange.UNCHANGED, "a: A.\nb: B.")
        (root / "a" / "SKILL.md").write_text(skill("a", "A.", "Another body."))
        await catalog.look()
        assert await step() == (TextChange.UNCHANGED, "a: A.\nb: B.")
        told.forget()
        assert await step() == (TextChange.REPLACE, "a: A.\nb: B.")
        for name in "ab":
            (root / name / "SKILL.md").unlink()
        await catalog.look()
        assert await step() == (TextChange.WITHDRAW, "(no skills are available)")
        assert await step() == (TextChange.UNCHANGED, "(no skills are available)")


async def test_row_51_an_empty_catalog_that_was_never_another_is_not_told(shelves: Shelves) -> None:
    shelves.directory("main", {})
    async with shelves.serving() as catalog, skillsource.connect_async(catalog.server.address) as client:
        done = CatalogText().take(await client.render_catalog())
        assert (done.change, done.text) == (TextChange.UNCHANGED, "")


async def test_row_52_while_a_source_is_missing_the_last_text_stays(shelves: Shelves) -> None:
    """`rules.md` 5: only where a source is missing or partial; what is kept of one that cannot be read now is good."""
    root = shelves.directory("main", {"a/SKILL.md": skill("a", "A.")})
    provider = ScriptedProvider(gives(candidate("b", description="B.")))
    shelves.provider("other", provider.make)
    async with shelves.serving() as catalog, skillsource.connect_async(catalog.server.address) as client:
        told = CatalogText()

        async def step() -> tuple[TextChange, str, list[str]]:
            done = told.take(await client.render_catalog(format=CatalogFormat.LINES))
            return done.change, done.text, [source.state for source in done.waits_for]

        assert await step() == (TextChange.REPLACE, "a: A.\nb: B.", [])
        provider.then(fails(ValueError()))
        (root / "a" / "SKILL.md").write_text(skill("a", "Another."))
        await catalog.look()
        assert await step() == (TextChange.REPLACE, "a: Another.\nb: B.", [])
        provider.then(gives(complete=False))
        await catalog.look()
        assert await step() == (TextChange.UNCHANGED, "a: Another.\nb: B.", ["partial"])
        provider.then(gives())
        await catalog.look()
        assert await step() == (TextChange.REPLACE, "a: Another.", [])


async def test_row_52_a_model_without_the_tool_for_skills_is_told_of_none(shelves: Shelves) -> None:
    """Which tools a model has is known to its host, which narrows the client to no skills where that one is missing."""
    shelves.directory("main", {"a/SKILL.md": skill("a", "A.")})
    async with shelves.serving() as catalog, skillsource.connect_async(catalog.server.address) as client:
        told = CatalogText()
        denied = client.narrowed(allow=())
        assert told.take(await denied.render_catalog()).change is TextChange.UNCHANGED
        assert told.take(await client.render_catalog()).change is TextChange.REPLACE
        done = told.take(await denied.render_catalog())
        assert (done.change, done.text) == (TextChange.WITHDRAW, "<available_skills>\n</available_skills>")


async def test_row_77_the_text_has_all_for_no_list_none_for_an_empty_one_and_else_exactly_those(
    shelves: Shelves,
) -> None:
    shelves.directory("main", {f"{name}/SKILL.md": skill(name, "Does it.") for name in "abc"})
    async with shelves.serving() as catalog:
        assert [line[0] for line in await lines(catalog)] == ["a", "b", "c"]
        assert await lines(catalog, allow={}) == ["(no skills are available)"]
        assert await lines(catalog, allow={"names": ["b", "elsewhere"]}) == ["b: Does it."]

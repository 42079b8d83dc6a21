"""Rows 22 and 31 to 39 of the merged list: what a search finds. A docstring says what is decided otherwise, and why."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from skillsource.v1 import skill_source_pb2 as pb

from tests.integration.shelves import Catalog, Shelves
from tests.unit.sources.trees import skill

pytestmark = pytest.mark.integration


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


def manifested(name: str, *lines: str, description: str = "Does it.", body: str = "Body") -> str:
    """Return a SKILL.md with further lines of frontmatter."""
    return "\n".join(("---", f"name: {name}", f"description: {description}", *lines, "---", body, ""))


async def find(catalog: Catalog, query: str, **fields: object) -> pb.SearchSkillsResponse:
    """Search."""
    request = pb.SearchSkillsRequest(query=query, **fields)  # type: ignore[arg-type] # of any field
    return await catalog.server.call(request, pb.SearchSkillsResponse)


async def names(catalog: Catalog, query: str, **fields: object) -> list[str]:
    """Return the names that a search finds, best first."""
    return [hit.skill.name for hit in (await find(catalog, query, **fields)).hits]


async def scores(catalog: Catalog, query: str, **fields: object) -> dict[str, float]:
    """Return the names that a search finds, and their scores."""
    return {hit.skill.name: hit.score for hit in (await find(catalog, query, limit=50, **fields)).hits}


async def older(catalog: Catalog, root: Path) -> pb.Consistency:
    """Return what names the present state, after which another is published: no index is kept of what is past."""
    token = (await catalog.generation()).token
    (root / "later").mkdir()
    (root / "later" / "SKILL.md").write_text(skill("later", "Came later.", "Later."))
    await catalog.look()
    return pb.Consistency(at_exactly=token)


async def test_row_22_members_of_a_collection_are_found(shelves: Shelves) -> None:
    shelves.directory(
        "main",
        {
            "lab/COLLECTION.json": '{"id": "lab", "prompt_line": "{count} of the lab"}',
            "lab/a/SKILL.md": skill("a", "Washes the pipettes."),
            "b/SKILL.md": skill("b"),
        },
    )
    async with shelves.serving() as catalog:
        assert await names(catalog, "pipette") == ["a"]


async def test_row_31_a_keyword_counts_and_so_does_each_word_of_a_name_and_ties_are_by_name(shelves: Shelves) -> None:
    """A part of a word is not looked for: `rust-review` is found by each of its words, and not by `vie`."""
    shelves.directory(
        "main",
        {
            "rust-review/SKILL.md": manifested("rust-review", "keywords: [borrowing]"),
            "zz/SKILL.md": skill("zz", "Equal to another."),
            "aa/SKILL.md": skill("aa", "Equal to another."),
            "other/SKILL.md": skill("other", "Borrows nothing at all."),
        },
    )
    async with shelves.serving() as catalog:
        assert await names(catalog, "borrowing") == ["rust-review", "other"]
        assert (await find(catalog, "borrowing")).hits[0].matched == ["keywords"]
        for query in ("rust", "review", "rust-review", "rust_review", "rustreview"):
            assert await names(catalog, query) == ["rust-review"]
        assert await names(catalog, "vie") == []
        assert await names(catalog, "equal") == ["aa", "zz"]


async def test_row_32_both_words_come_before_one_of_them(shelves: Shelves) -> None:
    """There is no narrower first search whose failure falls back: what has more of the query comes first."""
    shelves.directory(
        "main",
        {
            "both/SKILL.md": skill("both", "Writes unsafe rust."),
            "rust/SKILL.md": skill("rust", "Writes it."),
            "security/SKILL.md": skill("security", "Looks for holes."),
            "github/SKILL.md": skill("github", "Opens issues."),
        },
    )
    async with shelves.serving() as catalog:
        assert (await names(catalog, "rust unsafe"))[0] == "both"
        assert sorted(await names(catalog, "security github")) == ["github", "security"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("rust-review", ["rust-review"]),
        ("c++", ["cpp-headers"]),
        ("it's", ["its"]),
        ("web.", ["web"]),
        ("web* NEAR(rust)", ["rust-review", "web"]),
        ('"web', ["web"]),
        ("name:web", ["web"]),
        ("rust AND NOT web", ["rust-review", "web"]),
        ("rust OR web", ["rust-review", "web"]),
        ("'; DROP TABLE skills; --", []),
        ("^ - + * : ( ) { } [ ] \" ' \\ \x00 %", []),
        ("", []),
        ("東京", ["maps"]),
        ("k8s", ["cluster"]),
        ("headings", ["cpp-headers"]),
    ],
)
async def test_row_33_nothing_typed_is_an_operator_or_an_error(shelves: Shelves, query: str, found: list[str]) -> None:
    """Decided: `OR` is a word like all others."""
    shelves.directory(
        "main",
        {
            "rust-review/SKILL.md": skill("rust-review", "Reads crates."),
            "cpp-headers/SKILL.md": skill("cpp-headers", "Sorts C++ headings."),
            "its/SKILL.md": skill("its", "Says what it's for."),
            "web/SKILL.md": skill("web", "Serves pages."),
            "maps/SKILL.md": skill("maps", "Zeichnet 東京の地図."),
            "cluster/SKILL.md": skill("cluster", "Looks after k8s."),
        },
    )
    async with shelves.serving() as catalog:
        assert sorted(await names(catalog, query)) == found


async def test_row_34_and_35_without_an_index_the_rarity_of_words_decides_as_the_vectors_say(shelves: Shelves) -> None:
    """By an index, which sees how often and where, it is another number."""
    root = shelves.directory(
        "main",
        {
            "alpha/SKILL.md": skill("alpha", "t test statistics", "run the t test"),
            "beta/SKILL.md": skill("beta", "genomics", "the the test pipeline"),
            "gamma/SKILL.md": skill("gamma", "plots", "the plot"),
        },
    )
    async with shelves.serving() as catalog:
        past = await older(catalog, root)
        answer = await find(catalog, "t-test the", consistency=past)
        assert answer.engine == "idf"
        assert [hit.skill.name for hit in answer.hits] == ["alpha", "beta", "gamma"]
        assert [hit.score for hit in answer.hits] == pytest.approx([1.3085, 0.6035, 0.1335], abs=5e-5)
        assert await scores(catalog, "t", consistency=past) == {"alpha": pytest.approx(2.4521, abs=5e-5)}
        present = await find(catalog, "t-test the")
        assert (present.engine, present.hits[0].skill.name) == ("bm25", "alpha")
        # What an index of another state knows is as true, and no other number.
        assert await scores(catalog, "t-test the", consistency=past) == {
            hit.skill.name: hit.score for hit in answer.hits
        }


async def test_row_35_one_skill_alone_is_found_by_its_own_word_and_one_letter_searches(shelves: Shelves) -> None:
    root = shelves.directory("main", {"r/SKILL.md": skill("r", "Plots in R.")})
    async with shelves.serving() as catalog:
        assert await names(catalog, "plots") == ["r"]
        assert await names(catalog, "R") == ["r"]
        past = await older(catalog, root)
        assert await names(catalog, "plots", consistency=past) == ["r"]
        assert await names(catalog, "R", consistency=past) == ["r"]


async def test_row_36_a_word_in_the_name_counts_for_more_and_ties_leave_collections_for_last(shelves: Shelves) -> None:
    root = shelves.directory(
        "main",
        {
            "harbor/SKILL.md": skill("harbor", "Draws.", "Something."),
            "other/SKILL.md": skill("other", "Draws.", "Of a harbor, once."),
            "lab/COLLECTION.json": '{"id": "lab"}',
            "lab/aa/SKILL.md": skill("aa", "Tied."),
            "bb/SKILL.md": skill("bb", "Tied."),
            "cc/SKILL.md": skill("cc", "Tied."),
        },
    )
    async with shelves.serving() as catalog:
        past = await older(catalog, root)
        for state in (pb.Consistency(), past):
            assert await names(catalog, "harbor", consistency=state) == ["harbor", "other"]
            assert await names(catalog, "tied", consistency=state) == ["bb", "cc", "aa"]


def numbered(count: int) -> dict[str, str]:
    """Return skills that fit the better the lower their number is."""
    return {
        f"s{number:02}/SKILL.md": skill(f"s{number:02}", "Sails ships.", "wind " * (count - number + 1))
        for number in range(1, count + 1)
    }


async def test_row_37_and_38_what_is_left_out_changes_no_score_and_an_allowed_sixth_is_the_first(
    shelves: Shelves,
) -> None:
    """Row 37 is about what is disabled, which is not built; what a request leaves out counts in the same way."""
    root = shelves.directory("main", numbered(8))
    async with shelves.serving() as catalog:
        past = await older(catalog, root)
        for state in (pb.Consistency(), past):
            everything = await scores(catalog, "wind sails", consistency=state)
            sixth = list(everything)[5]
            narrowed = pb.AllowList(names=[sixth, "nobody"])
            assert await scores(catalog, "wind sails", allow=narrowed, consistency=state) == {sixth: everything[sixth]}
            assert await names(catalog, "wind sails", allow=narrowed, limit=1, consistency=state) == [sixth]
            assert await names(catalog, "wind sails", allow=pb.AllowList(), consistency=state) == []
            assert len(await names(catalog, "wind sails", consistency=state)) == 5
            assert len(await names(catalog, "wind sails", limit=3, consistency=state)) == 3


async def test_row_38_at_most_fifty_come_whatever_is_asked(shelves: Shelves) -> None:
    shelves.directory("main", numbered(52))
    async with shelves.serving() as catalog:
        assert len(await names(catalog, "wind", limit=2**32 - 1)) == 50


async def test_row_39_bodies_keep_to_the_budget_and_no_hit_is_dropped(shelves: Shelves) -> None:
    """Bodies are whole or not there, where OpenAI4S shortens them: SkillBody has ranges."""
    bodies = ["wind " * 3_600 + str(number) for number in range(5)]
    shelves.directory(
        "main", {f"s{number}/SKILL.md": skill(f"s{number}", "Sails.", body) for number, body in enumerate(bodies)}
    )
    async with shelves.serving() as catalog:
        for budget, held in ((0, 0), (1, 0), (18_000, 0), (18_001, 1), (20_000, 1), (36_002, 2), (2**32 - 1, 5)):
            hits = (await find(catalog, "sails wind", body_bytes=budget)).hits
            assert len(hits) == 5
            given = [hit.body for hit in hits if hit.body]
            assert len(given) == held
            assert set(given) <= set(bodies)
            assert sum(len(body.encode()) for body in given) <= budget
        whole = await catalog.server.raw(
            "SearchSkills", pb.SearchSkillsRequest(query="wind", body_bytes=20_000).SerializeToString()
        )
        assert len(whole) < 20_000 + 5 * 1_024


async def test_an_answer_with_the_largest_bodies_is_below_what_any_answer_may_be(shelves: Shelves) -> None:
    body = "wind " * 50_000
    shelves.directory(
        "main", {f"s{number:02}/SKILL.md": skill(f"s{number:02}", "Sails.", body) for number in range(50)}
    )
    async with shelves.serving() as catalog:
        request = pb.SearchSkillsRequest(query="wind", limit=50, body_bytes=2**32 - 1)
        answer = await catalog.server.raw("SearchSkills", request.SerializeToString())
        hits = pb.SearchSkillsResponse.FromString(answer).hits
        assert (len(hits), len(answer) < 2 * 1024 * 1024) == (50, True)
        assert sum(len(hit.body) for hit in hits) <= 1024 * 1024


@pytest.mark.parametrize(
    ("invocation", "found"),
    [
        (pb.INVOCATION_FILTER_UNSPECIFIED, ["all", "model", "none", "user"]),
        (pb.INVOCATION_FILTER_ANY, ["all", "model", "none", "user"]),
        (pb.INVOCATION_FILTER_MODEL, ["all", "model"]),
        (pb.INVOCATION_FILTER_USER, ["all", "user"]),
    ],
)
async def test_row_26_flags_hide_a_skill_from_the_searches_of_one_invoker(
    shelves: Shelves, invocation: int, found: Sequence[str]
) -> None:
    off, hidden = "disable-model-invocation: true", "user-invocable: false"
    root = shelves.directory(
        "main",
        {
            "all/SKILL.md": manifested("all"),
            "model/SKILL.md": manifested("model", hidden),
            "user/SKILL.md": manifested("user", off),
            "none/SKILL.md": manifested("none", off, hidden),
        },
    )
    async with shelves.serving() as catalog:
        past = await older(catalog, root)
        for state in (pb.Consistency(), past):
            # Before the limit: the last by name is among two hits where the others are not for who asks.
            assert await names(catalog, "does", invocation=invocation, limit=4, consistency=state) == found
            assert await names(catalog, "does", invocation=invocation, limit=2, consistency=state) == found[:2]


async def test_a_hit_says_what_matched_and_shows_where(shelves: Shelves) -> None:
    body = "Begin.\n\n" + "Nothing here. " * 200 + "\nThen hoist the mizzen.\n" + "Nothing there. " * 200
    shelves.directory("main", {"sail/SKILL.md": skill("sail", "Sets all canvas.", body), "b/SKILL.md": skill("b")})
    async with shelves.serving() as catalog:
        [hit] = (await find(catalog, "mizzen canvas")).hits
        assert hit.matched == ["description", "body"]
        assert hit.snippet.startswith("Then hoist the mizzen.")
        assert len(hit.snippet.encode()) <= 512
        assert "\n" not in hit.snippet
        assert hit.skill == (await catalog.server.list()).skills[1]
        [of_description] = (await find(catalog, "canvas")).hits
        assert (list(of_description.matched), of_description.snippet) == (["description"], "Sets all canvas.")


async def test_what_is_published_is_found_at_once_and_what_is_gone_is_not(shelves: Shelves) -> None:
    root = shelves.directory("main", numbered(3))
    async with shelves.serving() as catalog:
        assert await names(catalog, "wind") == ["s01", "s02", "s03"]
        (root / "s02" / "SKILL.md").write_text(skill("s02", "Rows boats."))
        (root / "s03" / "SKILL.md").unlink()
        await catalog.look()
        answer = await find(catalog, "wind boats")
        assert sorted(hit.skill.name for hit in answer.hits) == ["s01", "s02"]
        assert answer.generation == await catalog.generation()


async def test_a_query_has_eight_kibibytes_at_most(shelves: Shelves) -> None:
    shelves.directory("main", numbered(1))
    async with shelves.serving() as catalog:
        assert await names(catalog, ("wind " * 1_639)[:8_192]) == ["s01"]
        refusal = await catalog.server.refused(pb.SearchSkillsRequest(query="x" * 8_193))
        assert (refusal.reason, refusal.metadata) == ("ARGUMENT_OUT_OF_RANGE", {"field": "query", "limit": "8192"})

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
    """Words are compared, and no parts of them: `rust-review` is found by each of its words, and not by `vie`."""
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
    """There is one search: what has more of the words comes before what has fewer, which is not left out."""
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
    """`OR` is a word like all others."""
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


async def test_row_34_without_an_index_the_rarity_of_words_decides_as_the_vectors_say(shelves: Shelves) -> None:
    """ADR 0012: the rule answers while there is no index of the state; by an index scores are others."""
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
        past = await older(catalog, root)
        assert await names(catalog, "plots", consistency=past) == ["r"]
        for state in (pb.Consistency(), past):
            alone = await scores(catalog, "R", consistency=state)
            assert list(alone) == ["r"]
        # Beside a longer one it is not looked for where there is no index.
        assert await scores(catalog, "R plots", consistency=past) == await scores(catalog, "plots", consistency=past)


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


async def test_row_37_what_a_request_leaves_out_changes_no_score(shelves: Shelves) -> None:
    """What `allow` leaves out counts as what is disabled does."""
    root = shelves.directory("main", numbered(8))
    async with shelves.serving() as catalog:
        past = await older(catalog, root)
        for state in (pb.Consistency(), past):
            everything = await scores(catalog, "wind sails", consistency=state)
            for name in everything:
                allow = pb.AllowList(names=[name])
                assert await scores(catalog, "wind sails", allow=allow, consistency=state) == {name: everything[name]}


async def test_row_38_an_allowed_sixth_is_the_first_and_five_come_where_nothing_is_said(shelves: Shelves) -> None:
    root = shelves.directory("main", numbered(8))
    async with shelves.serving() as catalog:
        past = await older(catalog, root)
        for state in (pb.Consistency(), past):
            sixth = list(await scores(catalog, "wind sails", consistency=state))[5]
            allow = pb.AllowList(names=[sixth, "nobody"])
            assert await names(catalog, "wind sails", allow=allow, limit=1, consistency=state) == [sixth]
            assert await names(catalog, "wind sails", allow=pb.AllowList(), consistency=state) == []
            assert len(await names(catalog, "wind sails", consistency=state)) == 5
            assert len(await names(catalog, "wind sails", limit=3, consistency=state)) == 3


async def test_row_38_at_most_fifty_come_whatever_is_asked(shelves: Shelves) -> None:
    shelves.directory("main", numbered(52))
    async with shelves.serving() as catalog:
        assert len(await names(catalog, "wind", limit=2**32 - 1)) == 50


async def test_row_39_bodies_keep_to_the_budget_and_no_hit_is_dropped(shelves: Shelves) -> None:
    """A body is whole or not there: SkillBody has ranges."""
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

"""The catalog as text: who comes first, what is folded, what is left out and told."""

import pytest

from skillsvc.catalog.render import OMITTED_AT_MOST, Reason, digest_of_entries, entries_digest, render
from skillsvc.catalog.render_forms import CatalogFormat
from skillsvc.domain.collection import Collection
from skillsvc.domain.generation import Row
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.collected import collected
from tests.simulators.skills import in_order, skill_row

BLOBS = MemoryBlobStore()
LINES = CatalogFormat.LINES


def row(name: str, description: str = "Does it.", collection: str = "", line: str = "") -> Row:
    return skill_row(BLOBS, name, description=description, collection=collection, collection_line=line)


def text_of(*rows: Row, form: CatalogFormat = LINES, budget: int = 20_000, **ranks: float) -> str:
    ordered = in_order(rows)
    return render(ordered, collections=collected(ordered), form=form, budget=budget, ranks=ranks).text


def test_a_catalog_in_its_three_forms() -> None:
    rows = (row("b"), row("a", "Says R&D."))
    assert text_of(*rows, form=CatalogFormat.XML) == (
        "<available_skills>\n"
        "<skill><name>a</name><description>Says R&amp;D.</description></skill>\n"
        "<skill><name>b</name><description>Does it.</description></skill>\n"
        "</available_skills>"
    )
    assert text_of(*rows, form=CatalogFormat.MARKDOWN) == "- `a`: Says R&amp;D.\n- `b`: Does it."
    assert text_of(*rows) == "a: Says R&amp;D.\nb: Does it."


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (CatalogFormat.XML, "<available_skills>\n</available_skills>"),
        (CatalogFormat.MARKDOWN, "No skills are available."),
        (LINES, "(no skills are available)"),
    ],
)
def test_an_empty_catalog_says_so_where_that_fits(form: CatalogFormat, text: str) -> None:
    assert text_of(form=form) == text
    assert text_of(form=form, budget=len(text)) == text
    assert text_of(form=form, budget=len(text) - 1) == ""


@pytest.mark.parametrize("form", CatalogFormat)
def test_where_no_skill_fits_the_text_is_not_that_of_an_empty_catalog(form: CatalogFormat) -> None:
    rendered = render((row("a" * 64), row("b" * 64)), collections=(), form=form, budget=60, ranks={})
    assert (rendered.text, rendered.shown, rendered.total, rendered.omitted_total) == ("", 0, 2, 2)


def test_what_ranks_higher_comes_first_then_by_name_and_what_ranks_below_nothing_last() -> None:
    names = text_of(row("a"), row("b"), row("c"), row("d"), c=2.0, d=2.0, a=-0.5).split(": Does it.\n")
    assert [name[0] for name in names] == ["c", "d", "b", "a"]


def test_a_collection_is_one_line_that_counts_its_members() -> None:
    rows = (*(row(f"m{n}", collection="Lab", line="{count} of the lab") for n in range(3)), row("z"))
    assert text_of(*rows) == "(collection of 3) Lab: 3 of the lab\nz: Does it."
    assert text_of(*rows, form=CatalogFormat.MARKDOWN).startswith("- collection of 3, Lab: 3 of the lab\n- `z`")
    assert '<collection count="3"><name>Lab</name><description>3 of the lab' in text_of(*rows, form=CatalogFormat.XML)
    rendered = render(in_order(rows), collections=collected(rows), form=LINES, budget=20_000, ranks={})
    assert (rendered.shown, rendered.total, rendered.omitted_total) == (1, 4, 3)
    assert [(omitted.name, omitted.reason) for omitted in rendered.omitted] == [
        (f"m{n}", Reason.IN_COLLECTION) for n in range(3)
    ]


def test_a_collection_has_the_rank_of_its_best_member() -> None:
    rows = (row("a"), row("m", collection="lab"), row("n", collection="lab"), row("z"))
    assert text_of(*rows, z=2.0, m=1.0, n=1.5).splitlines()[:2] == [
        "z: Does it.",
        "(collection of 2) lab: Skills of the collection lab: 2",
    ]


def test_members_of_what_is_no_collection_of_the_listing_stand_for_themselves() -> None:
    member = row("m", collection="lab")
    rendered = render((member,), collections=(), form=LINES, budget=100, ranks={})
    assert rendered.text == "m: Does it."
    other = Collection(id="other", line="Has none here", count=2)
    rendered = render((member,), collections=(other,), form=LINES, budget=100, ranks={})
    assert rendered.text == "m: Does it."


def test_what_is_left_out_is_counted_in_the_text_and_named_beside_it_those_over_the_budget_first() -> None:
    rows = in_order((*(row(f"s{n:04}") for n in range(2_000)), row("m", collection="lab")))
    rendered = render(rows, collections=collected(rows), form=LINES, budget=1_000, ranks={"s1999": 1.0})
    lines = rendered.text.splitlines()
    assert lines[0] == "s1999: Does it."
    assert lines[-1] == f"(left out: {2_000 - rendered.shown})"
    assert len(rendered.text.encode()) <= 1_000
    assert rendered.shown + rendered.omitted_total == rendered.total == 2_001
    assert len(rendered.omitted) == OMITTED_AT_MOST
    assert {omitted.reason for omitted in rendered.omitted} == {Reason.OVER_BUDGET}
    # One is ahead of the first that are shown by their names.
    assert rendered.omitted[0].name == f"s{rendered.shown - 1:04}"


def test_what_is_shortened_is_counted() -> None:
    rows = in_order([row("a"), *(row(f"long-{n}", "word " * 100) for n in range(5))])
    assert render(rows, collections=(), form=LINES, budget=1_000, ranks={}).shortened == 5
    assert render(rows, collections=(), form=LINES, budget=5_000, ranks={}).shortened == 0


def test_the_digest_of_the_entries_is_that_of_dsh() -> None:
    assert digest_of_entries(()).startswith("e3b0c442")
    assert digest_of_entries((("a-skill", "A"), ("b-skill", "B"))) == (
        "904cbd8443366cd888052476358bf2b6226657862aac522340876f41a6f4e2a2"
    )
    rows = in_order((row("b-skill", "B"), row("a-skill", "A", collection="lab")))
    assert entries_digest(rows) == digest_of_entries((("a-skill", "A"), ("b-skill", "B")))
    # As JSON.stringify writes it: what is beyond ASCII as it is, quotes and backslashes escaped.
    assert digest_of_entries((("a", 'é "q" \\ </a>'),)) != digest_of_entries((("a", "é q  </a>"),))

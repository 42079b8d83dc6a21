"""Five hundred real skills in eight thousand tokens: how many are shown, shortened and left out, and how that looks.

Of names that several of them have, the second and further ones get a number: all are to compete.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.render_fitting import LEAST
from skillsvc.domain.generation import Row, make_row
from skillsvc.domain.skill import Found, make_bundle
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.discovery import Layout
from tests.integration.corpus import documents
from tests.integration.in_process import InProcess, in_process
from tests.unit.sources.trees import source_of

pytestmark = pytest.mark.integration

TOKENS = 8_000
BYTES = 4 * TOKENS


def real_skills(corpus: Path) -> list[Row]:
    """Return every skill of the corpus, whatever hides it from others there."""
    files = [corpus / path for path in documents(corpus) if not (corpus / path).is_symlink()]
    folders = {path.parent for path in files if path.is_file() and path.read_bytes()[:1] != b"."}
    found: list[Found] = []
    for place in sorted({folder.parent for folder in folders}):
        seen = source_of(place, layout=Layout.FLAT).observe()
        found += [each for each in seen.found if place / each.place in folders]
    times: Counter[str] = Counter()
    rows = []
    for each in sorted(found, key=lambda each: (each.bundle.skill.name, each.bundle.digest)):
        name = each.bundle.skill.name
        times[name] += 1
        if times[name] > 1:
            numbered = replace(each.bundle.skill, name=f"{name[:60]}-{times[name]}")
            bundle = each.bundle
            bundle = make_bundle(numbered, document=bundle.document, body=bundle.body, assets=bundle.assets)
            each = replace(each, bundle=bundle)  # noqa: PLW2901 - the same skill under a further name
        row = make_row(source="main", shadowed=False, found=each, tier=Tier.EXPLICIT, trust=Trust.ALLOWED)
        if row.bundle.skill.model_invocable:
            rows.append(row)
    return rows


async def rendered(server: InProcess, **fields: object) -> pb.RenderCatalogResponse:
    request = pb.RenderCatalogRequest(max_tokens=TOKENS, **fields)  # type: ignore[arg-type] # of any field
    answer = await server.call(request, pb.RenderCatalogResponse)
    assert len(answer.text.encode()) <= BYTES
    assert answer.shown + answer.omitted_total == answer.total
    return answer


async def test_five_hundred_real_skills_in_eight_thousand_tokens(corpus: Path) -> None:
    rows = real_skills(corpus)
    assert len(rows) > 450
    by_name = {row.name: row for row in rows}
    shown: dict[int, pb.RenderCatalogResponse] = {}
    async with in_process(*rows) as server:
        for form in (pb.CATALOG_FORMAT_XML, pb.CATALOG_FORMAT_MARKDOWN, pb.CATALOG_FORMAT_LINES):
            answer = await rendered(server, format=form)
            print(  # noqa: T201 - for whoever looks at it
                f"{pb.CatalogFormat.Name(form)}: {answer.total} skills, {answer.shown} shown, "
                f"{answer.shortened} of them shortened, {answer.omitted_total} left out, "
                f"{len(answer.text.encode())} bytes\n{answer.text}"
            )
            # Nearly all of the room is used.
            assert len(answer.text.encode()) > BYTES - LEAST - 128
            # Nobody is left out who could be there for the bytes by which another says more than the least.
            assert answer.shortened > 0.95 * answer.shown
            assert answer.shown > answer.total / 2
            assert [omitted.name for omitted in answer.omitted] == sorted(by_name)[answer.shown :]
            shown[form] = answer
        # The less a line costs, the more are shown: in lists all of them are.
        assert shown[pb.CATALOG_FORMAT_XML].omitted_total > 0
        assert shown[pb.CATALOG_FORMAT_MARKDOWN].omitted_total == shown[pb.CATALOG_FORMAT_LINES].omitted_total == 0
        lines = shown[pb.CATALOG_FORMAT_LINES].text.splitlines()
        described = [line for line in lines if ": " in line]
        assert len(described) > len(lines) / 2
        # Names alone come after all that says something, and have no more than a fourth of the room.
        assert lines[: len(described)] == described
        assert sum(len(line) + 1 for line in lines[len(described) :]) <= BYTES / 4


async def test_of_real_skills_those_that_fit_a_query_are_first_and_whole(corpus: Path) -> None:
    rows = real_skills(corpus)
    async with in_process(*rows) as server:
        answer = await rendered(server, format=pb.CATALOG_FORMAT_LINES, query="fill in the fields of a PDF form")
        whole = {row.name for row in rows} - _shortened(answer.text.splitlines(), rows)
        first = [line.split(":")[0] for line in answer.text.splitlines()[:20]]
        assert set(first) <= whole
        assert answer.shown + answer.omitted_total == len(rows)


def _shortened(lines: Sequence[str], rows: Sequence[Row]) -> set[str]:
    """Return the names whose lines end in an ellipsis that their descriptions do not have, or say nothing."""
    said = {row.name: row.bundle.skill.description for row in rows}
    named = ((line.split(":")[0], line) for line in lines if not line.startswith("("))
    return {name for name, line in named if ":" not in line or (line.endswith("…") and not said[name].endswith("…"))}

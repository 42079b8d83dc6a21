"""Catalog texts, by vectors for the server and the helpers of all clients."""

import hashlib
import json
from typing import Any

import pytest
from skillsource import CatalogText, RenderedCatalog, TextChange
from skillsource.values import Generation, SourceState, UnreachableSource

from skillsvc.catalog.render import digest_of_entries
from tests.conformance.loading import VECTORS

CASES = json.loads((VECTORS / "catalog_text.json").read_text(encoding="utf-8"))


def rendered(text: str, total: int, sources: list[str]) -> RenderedCatalog:
    generation = Generation(
        token=f"of {total}",
        sequence=1,
        digest="d",
        published_at=None,
        complete=not sources,
        unreachable_sources=tuple(
            UnreachableSource(source=f"s{number}", since=None, state=SourceState(state))
            for number, state in enumerate(sources)
        ),
    )
    return RenderedCatalog(
        generation=generation,
        text=text,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        entries_digest="",
        shown=total,
        shortened=0,
        total=total,
        omitted=(),
        omitted_total=0,
    )


@pytest.mark.parametrize("case", CASES["entries"], ids=lambda case: case["name"])
def test_entries_have_the_digest_of_the_vector(case: dict[str, Any]) -> None:
    assert digest_of_entries((name, description) for name, description in case["entries"]) == case["digest"]


@pytest.mark.parametrize("case", CASES["conversations"], ids=lambda case: case["name"])
def test_a_model_is_told_what_the_vector_says(case: dict[str, Any]) -> None:
    told = CatalogText()
    for step in case["steps"]:
        if step.get("forget"):
            told.forget()
            continue
        done = told.take(rendered(step["text"], step["total"], step.get("sources", [])))
        assert (done.change, done.text) == (TextChange(step["change"]), step["told"])
        assert told.text == step["told"]
        assert bool(done.waits_for) == step.get("waits", False)

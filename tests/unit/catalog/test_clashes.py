"""Names that look alike, and skills that a stronger layer hides."""

from dataclasses import replace

import pytest

from skillsvc.catalog.clashes import clashes_in, hidden_in
from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.generation import Generation, Row, make_generation
from skillsvc.domain.partition import DEPLOYMENT, Partition
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.clock import START
from tests.simulators.skills import skill_row


def shown(name: str, display_name: str = "", *, source: str = "main", collection: str = "") -> Row:
    row = skill_row(MemoryBlobStore(), name, source=source, collection=collection)
    bundle = replace(row.bundle, skill=replace(row.bundle.skill, display_name=display_name))
    return replace(row, found=replace(row.found, bundle=bundle))


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ([shown("a"), shown("b"), shown("c", "Charts")], []),
        ([shown("a", "PDF"), shown("b", "pdf")], [("b", "a", "'pdf'")]),
        ([shown("a", "PDF"), shown("pdf")], [("a", "pdf", "'PDF'")]),
        ([shown("pdf", "PDF")], []),
        # Full-width letters, a ligature, and the sharp s.
        ([shown("a", "\uff30\uff24\uff26"), shown("b", "PDF")], [("b", "a", "'PDF'")]),
        ([shown("a", "\ufb01le"), shown("b", "File")], [("b", "a", "'File'")]),
        ([shown("a", "Stra\xdfe"), shown("b", "STRASSE")], [("b", "a", "'STRASSE'")]),
        ([shown("a", "x"), shown("b", "X"), shown("c", "x")], [("b", "a", "'X'"), ("c", "a", "'x'")]),
    ],
)
def test_skills_that_are_shown_alike_are_told_with_both(listed: list[Row], told: list[tuple[str, str, str]]) -> None:
    diagnostics = clashes_in(listed)
    assert [each.skill for each in diagnostics] == [name for name, _, _ in told]
    for each, (name, other, text) in zip(diagnostics, told, strict=True):
        assert (each.severity, each.code) == (Severity.WARNING, DiagnosticCode.DISPLAY_NAME_CLASH)
        assert each.message == f"the skills {other} of main and {name} of main are both shown as {text}"


def test_collections_of_one_id_in_several_sources_are_told_once_each_with_both_places() -> None:
    diagnostics = clashes_in(
        [
            shown("a", source="one", collection="maps"),
            shown("b", source="two", collection="MAPS"),
            shown("c", source="two", collection="MAPS"),
            shown("d", source="one", collection="maps"),
            shown("e", source="three", collection="charts"),
        ]
    )
    assert [(each.code, each.skill, each.source, each.message) for each in diagnostics] == [
        (
            DiagnosticCode.COLLECTION_CLASH,
            "b",
            "two",
            "the collection MAPS with b of two has the id of maps with a of one",
        )
    ]


def generation(partition: Partition, *rows: Row) -> Generation:
    return make_generation(partition=partition, log_id=b"x" * 16, sequence=1, published_at=START, rows=rows)


def test_what_a_stronger_layer_hides_is_told_once_with_both_layers_and_the_source_that_is_seen() -> None:
    shadowed = replace(shown("c", source="mine"), shadowed=True)
    told = hidden_in(
        [
            generation(DEPLOYMENT, shown("b", source="shared"), shown("c", source="shared")),
            generation(Partition("local", "red"), shown("a", source="reds"), shown("b", source="reds")),
            generation(Partition("local", ""), shown("a", source="mine"), shown("b", source="mine"), shadowed),
        ]
    )
    over = "has a skill of this name, of the source"
    assert [(each.severity, each.code, each.skill, each.source, each.message) for each in told] == [
        (Severity.WARNING, DiagnosticCode.SHADOWED, name, source, message)
        for name, source, message in (
            ("b", "reds", f"the deployment layer {over} shared, and stands before the layer of the project"),
            ("a", "mine", f"the layer of the project {over} reds, and stands before the layer of the principal"),
            ("b", "mine", f"the deployment layer {over} shared, and stands before the layer of the principal"),
        )
    ]


def test_one_layer_hides_nothing() -> None:
    assert not list(hidden_in([generation(DEPLOYMENT, shown("a"))]))

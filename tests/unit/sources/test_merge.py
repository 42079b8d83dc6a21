"""Which of several bundles of one name a layer lists (rules.md 4)."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from skillsvc.domain.diagnostics import Diagnostic, Severity
from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.generation import make_generation
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.merge import NOTHING, Merged, merge, remembered
from skillsvc.sources.source import Observation, Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.clock import START
from tests.simulators.skills import skill_row


def found(name: str, description: str = "One.", *, place: str | None = None) -> Found:
    """Return a bundle as it was found, in the folder of its name where no place is given."""
    row = skill_row(MemoryBlobStore(), name, description=description)
    return replace(row.found, place=name if place is None else place)


def seen(source: str, *bundles: Found, tier: Tier = Tier.EXPLICIT) -> Observation:
    trust = Trust.ALLOWED if tier is Tier.EXPLICIT else Trust.UNTRUSTED
    return Observation(source=source, tier=tier, trust=trust, outcome=Outcome.WHOLE, found=bundles)


def listed(merged: Merged) -> list[tuple[str, str, str, bool]]:
    """Return the rows: name, source, place, and whether another one is listed in its place."""
    return [(row.name, row.source, row.found.place, row.shadowed) for row in merged.rows]


def test_nothing_makes_no_rows() -> None:
    assert merge([]) is NOTHING
    assert (merge([seen("main")]).rows, merge([seen("main")]).diagnostics) == ((), ())


def test_rows_are_sorted_by_name_and_source() -> None:
    merged = merge([seen("z", found("b"), found("a"), found("a-b")), seen("a", found("b"))])
    assert listed(merged) == [
        ("a", "z", "a", False),
        ("a-b", "z", "a-b", False),
        ("b", "a", "b", True),
        ("b", "z", "b", False),
    ]
    make_generation(partition=DEPLOYMENT, log_id=b"x" * 16, sequence=1, published_at=START, rows=merged.rows)


@pytest.mark.parametrize("equal", [True, False])
def test_the_earlier_source_wins_and_the_loser_is_told_with_both(*, equal: bool) -> None:
    loser = found("deploy", "One." if equal else "Two.", place="x/deploy")
    merged = merge([seen("first", found("deploy")), seen("second", loser), seen("third", loser)])
    assert listed(merged) == [
        ("deploy", "first", "deploy", False),
        ("deploy", "second", "x/deploy", True),
        ("deploy", "third", "x/deploy", True),
    ]
    assert merged.diagnostics == tuple(
        Diagnostic(
            severity=Severity.WARNING,
            code=Code.SHADOWED,
            message=f"the source first has a skill of this name and stands before {source}",
            skill="deploy",
            source=source,
        )
        for source in ("second", "third")
    )


def test_within_a_source_the_first_place_wins_and_the_loser_is_told_with_both() -> None:
    merged = merge([seen("main", found("deploy", place="a"), found("deploy", "Two.", place="b/c"))])
    assert listed(merged) == [("deploy", "main", "a", False)]
    [said] = merged.diagnostics
    assert (said.severity, said.code, said.skill, said.source) == (Severity.WARNING, Code.SHADOWED, "deploy", "main")
    assert said.message == "another skill of this name stands at a; the one at b/c is not listed"


def test_a_copy_within_a_source_is_folded_with_a_note() -> None:
    merged = merge([seen("main", found("deploy", place=""), found("deploy", place="b"), found("deploy", place="c"))])
    assert listed(merged) == [("deploy", "main", "", False)]
    assert [(said.severity, said.code, said.message) for said in merged.diagnostics] == [
        (Severity.NOTE, Code.FOLDED, "the same bundle stands at the root; the one at b is not listed"),
        (Severity.NOTE, Code.FOLDED, "the same bundle stands at the root; the one at c is not listed"),
    ]


def test_every_diagnostic_of_the_observations_is_kept() -> None:
    note = Diagnostic(severity=Severity.NOTE, code=Code.FOLDER_IGNORED, message="said", skill=".git", source="main")
    warning = replace(note, code=Code.DESCRIPTION_CUT, skill="deploy")
    observation = replace(seen("main", replace(found("deploy"), diagnostics=(warning,))), diagnostics=(note,))
    assert merge([observation]).diagnostics == (note, warning)


CHANGES: dict[str, tuple[Callable[[Found], list[Observation]], bool]] = {
    "its content": (lambda one: [seen("main", replace(found("a", "Two."), place=one.place))], False),
    "its place": (lambda one: [seen("main", replace(one, place="other"))], False),
    "its collection": (lambda one: [seen("main", replace(one, collection="maps"))], False),
    "its tier": (lambda one: [seen("main", one, tier=Tier.LEARNED)], False),
    "its trust alone": (lambda one: [replace(seen("main", one), trust=Trust.ASK)], False),
    "what stands before it": (lambda one: [seen("first", found("a")), seen("main", one)], False),
    "nothing": (lambda one: [seen("main", one)], True),
    "nothing, read again": (lambda one: [seen("main", replace(one))], True),
}


@pytest.mark.parametrize(("change", "shared"), CHANGES.values(), ids=CHANGES)
def test_a_row_is_that_of_the_generation_before_where_nothing_of_it_changed(
    change: Callable[[Found], list[Observation]], *, shared: bool
) -> None:
    one = found("a")
    before = merge([seen("main", one)])
    for known in (before, remembered(before.rows)):
        after = merge(change(one), known)
        [row] = [row for row in after.rows if row.source == "main"]
        assert (row is before.rows[0]) is shared
        assert row == merge(change(one)).rows[-1]


def test_the_same_observations_again_are_the_same_merge() -> None:
    seen_by = [seen("first", found("a"), found("b")), seen("second", found("b"), found("c"))]
    before = merge(seen_by)
    assert merge(seen_by, before) is before
    assert merge(list(reversed(seen_by)), before) is not before
    assert merge(seen_by[:1], before) is not before


def test_the_part_of_a_source_that_nothing_touches_stays_the_same() -> None:
    first, second, third = seen("first", found("a")), seen("second", found("b")), seen("third", found("a"))
    before = merge([first, second, third])
    after = merge([seen("first", found("a"), found("c")), second, third], before)
    assert [after.parts[label] is before.parts[label] for label in before.parts] == [False, True, True]


def test_what_no_source_holds_any_more_goes_from_what_was_remembered() -> None:
    before = merge([seen("first", *(found(f"s{number}") for number in range(40))), seen("second", found("a"))])
    after = merge([seen("second", found("a"))], remembered(before.rows))
    assert listed(after) == [("a", "second", "a", False)]
    kept = seen("first", *(each.found for each in before.rows if each.name not in {"a", "s3"}))
    assert [name for name, *_ in listed(merge([kept], remembered(before.rows)))] == [
        name for name, *_ in listed(before) if name not in {"a", "s3"}
    ]

"""Precedence: which of several bundles of one name a layer lists (rules.md 4). Pure.

The order of the sources decides, earlier ones win; within one source the order of its observation: shallower places
first, then byte order. What loses to another source stays in the layer as a shadowed row; what loses within its source
is no row. Either is told, with both sides named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Row, make_row
from skillsvc.domain.skill import Found
from skillsvc.sources.source import Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The rows of a layer, sorted by (name, source), and all diagnostics of its sources."""

    rows: tuple[Row, ...]
    diagnostics: tuple[Diagnostic, ...]


def merge(observations: Sequence[Observation], before: Sequence[Row] = ()) -> Merged:
    """Merge observations, strongest source first; labels are unique.

    Rows equal to those of `before` are taken from there, so that generations share what did not change.
    """
    known: Mapping[tuple[str, str], Row] = {(row.name, row.source): row for row in before}
    winners: dict[str, str] = {}
    rows: list[Row] = []
    diagnostics: list[Diagnostic] = []
    for observation in observations:
        diagnostics.extend(observation.diagnostics)
        kept: dict[str, Found] = {}
        for found in observation.found:
            diagnostics.extend(found.diagnostics)
            name = found.bundle.skill.name
            first = kept.setdefault(name, found)
            if first is not found:
                diagnostics.append(_repeated(first, found, observation.source))
        for name, found in kept.items():
            winner = winners.setdefault(name, observation.source)
            shadowed = winner != observation.source
            if shadowed:
                diagnostics.append(
                    Diagnostic(
                        severity=Severity.WARNING,
                        code=DiagnosticCode.SHADOWED,
                        message=f"the source {winner} has a skill of this name and stands before {observation.source}",
                        skill=name,
                        source=observation.source,
                    )
                )
            rows.append(_row(known.get((name, observation.source)), observation, found, shadowed=shadowed))
    rows.sort(key=lambda row: (row.name, row.source))
    return Merged(rows=tuple(rows), diagnostics=tuple(diagnostics))


def _row(known: Row | None, observation: Observation, found: Found, *, shadowed: bool) -> Row:
    if (
        known is not None
        and known.found is found
        and known.shadowed == shadowed
        and known.tier is observation.tier
        and known.trust is observation.trust
    ):
        # Nothing was read anew: the common case of a look at a large source.
        return known
    row = make_row(
        source=observation.source, shadowed=shadowed, found=found, tier=observation.tier, trust=observation.trust
    )
    if known is None or known.encoded != row.encoded:
        return row
    return known if _not_covered(known.found) == _not_covered(found) else row


def _not_covered(found: Found) -> tuple[str, str, tuple[Diagnostic, ...]]:
    """Return what no digest covers."""
    return found.place, found.collection_line, found.diagnostics


def _repeated(first: Found, again: Found, source: str) -> Diagnostic:
    """Tell of a second skill of one name in one source: a copy is folded, anything else is shadowed."""
    if first.bundle.digest == again.bundle.digest:
        severity, code, what = Severity.NOTE, DiagnosticCode.FOLDED, "the same bundle stands at"
    else:
        severity, code, what = Severity.WARNING, DiagnosticCode.SHADOWED, "another skill of this name stands at"
    return Diagnostic(
        severity=severity,
        code=code,
        message=f"{what} {first.place or 'the root'}; the one at {again.place or 'the root'} is not listed",
        skill=again.bundle.skill.name,
        source=source,
    )

"""Precedence: which of several bundles of one name a layer lists (rules.md 4). Pure.

The order of the sources decides, earlier ones win; within one source the order of its observation: shallower places
first, then byte order. What loses to another source stays in the layer as a shadowed row; what loses within its source
is no row. Either is told, with both sides named.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType

from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Row, make_row
from skillsvc.domain.skill import Found
from skillsvc.sources.source import Observation

_FEW = 16
"""Where less than one row in so many differs, it is put in its place; else all are sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one source brings to a layer.

    `kept` is the first of each name in its `observation`, `rows` what became of these, by name, and `over` the names
    that a stronger source has, each with the label of the strongest. `said` is what its skills and its own folder told,
    without what came of other sources. `observation` is None where rows alone are known.
    """

    observation: Observation | None
    kept: Mapping[str, Found]
    over: Mapping[str, str]
    rows: Mapping[str, Row]
    said: tuple[Diagnostic, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The rows of a layer, sorted by (name, source), and the part of each source by its label, the strongest first."""

    rows: tuple[Row, ...]
    parts: Mapping[str, Part]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that is said of its sources."""
        return tuple(chain.from_iterable(part.diagnostics for part in self.parts.values()))


NOTHING = Merged(rows=(), parts=MappingProxyType({}))


def remembered(rows: Sequence[Row]) -> Merged:
    """Return what is known of a merge of which the rows alone are left."""
    by_source: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_source.setdefault(row.source, {})[row.name] = row
    parts = {
        source: Part(
            observation=None,
            kept=MappingProxyType({}),
            over=MappingProxyType({}),
            rows=MappingProxyType(of_source),
            said=(),
            diagnostics=(),
        )
        for source, of_source in by_source.items()
    }
    return Merged(rows=tuple(rows), parts=MappingProxyType(parts))


def merge(observations: Iterable[Observation], before: Merged = NOTHING) -> Merged:
    """Merge observations, strongest source first; labels are unique.

    Rows equal to those of `before` are taken from there, so that generations share what did not change; and a source
    whose observation is the same object costs next to nothing. Where nothing differs, `before` itself is returned.
    """
    parts: dict[str, Part] = {}
    strongest: dict[str, str] = {}
    for observation in observations:
        part = _part(observation, strongest, before.parts.get(observation.source))
        parts[observation.source] = part
        strongest.update(dict.fromkeys(part.kept.keys() - part.over.keys(), observation.source))
    if list(parts) == list(before.parts) and all(part is before.parts[label] for label, part in parts.items()):
        return before
    return Merged(rows=_rows(before, parts), parts=MappingProxyType(parts))


def _part(observation: Observation, strongest: Mapping[str, str], before: Part | None) -> Part:
    if before is not None and before.observation is observation:
        kept, said = before.kept, before.said
    else:
        kept, said = _kept(observation)
    over = {name: strongest[name] for name in kept.keys() & strongest.keys()}
    if before is not None and before.kept is kept and before.over == over:
        return before
    known = before.rows if before is not None else {}
    rows = {name: _row(known.get(name), observation, found, shadowed=name in over) for name, found in kept.items()}
    shadowed = (_shadowed(name, over[name], observation.source) for name in kept if name in over)
    return Part(
        observation=observation,
        kept=kept,
        over=MappingProxyType(over),
        rows=MappingProxyType(rows),
        said=said,
        diagnostics=(*said, *shadowed) if over else said,
    )


def _kept(observation: Observation) -> tuple[Mapping[str, Found], tuple[Diagnostic, ...]]:
    """Return the first of each name, and what is said of the source by itself."""
    kept: dict[str, Found] = {}
    said = list(observation.diagnostics)
    for found in observation.found:
        said.extend(found.diagnostics)
        first = kept.setdefault(found.bundle.skill.name, found)
        if first is not found:
            said.append(_repeated(first, found, observation.source))
    return MappingProxyType(kept), tuple(said)


def _rows(before: Merged, parts: Mapping[str, Part]) -> tuple[Row, ...]:
    """Return the rows of all parts in order: those of before, with what differs in its place."""
    differ = list(_differing(before.parts, parts))
    if not differ:
        return before.rows
    if len(differ) * _FEW > len(before.rows):
        return tuple(sorted(chain.from_iterable(part.rows.values() for part in parts.values()), key=_key_of))
    rows = list(before.rows)
    for key, row in differ:
        at = bisect_left(rows, key, key=_key_of)
        end = at + (at < len(rows) and _key_of(rows[at]) == key)
        rows[at:end] = [] if row is None else [row]
    return tuple(rows)


def _differing(before: Mapping[str, Part], after: Mapping[str, Part]) -> Iterable[tuple[tuple[str, str], Row | None]]:
    """Yield the place of each row that differs, and the row, None where there is none any more."""
    for label in {**before, **after}:
        old, new = before.get(label), after.get(label)
        if old is new:
            continue
        was = old.rows if old is not None else {}
        now = new.rows if new is not None else {}
        yield from (((name, label), row) for name, row in now.items() if was.get(name) is not row)
        yield from (((name, label), None) for name in was.keys() - now.keys())


def _key_of(row: Row) -> tuple[str, str]:
    return row.name, row.source


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


def _shadowed(name: str, strongest: str, source: str) -> Diagnostic:
    return Diagnostic(
        severity=Severity.WARNING,
        code=DiagnosticCode.SHADOWED,
        message=f"the source {strongest} has a skill of this name and stands before {source}",
        skill=name,
        source=source,
    )


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

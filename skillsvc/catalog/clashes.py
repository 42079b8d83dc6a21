"""What no look at one source can tell an operator: names that look alike, skills that are hidden. Pure.

Display names and ids of collections are compared as one identity (rules.md 4). What clashes stays listed; what a
stronger layer hides is listed to nobody. None of it is part of what callers are served.
"""

from collections.abc import Iterator, Sequence

from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.folding import folded
from skillsvc.domain.generation import Generation, Row
from skillsvc.domain.partition import DEPLOYMENT


def clashes_in(listed: Sequence[Row]) -> tuple[Diagnostic, ...]:
    """Return what clashes among the rows that a layer lists."""
    return (*_display_clashes(listed), *_collection_clashes(listed))


def hidden_in(layers: Sequence[Generation]) -> Iterator[Diagnostic]:
    """Yield what the layers of one view, strongest first, list that callers get from a stronger one instead."""
    for rank, weaker in enumerate(layers):
        for row in weaker.listed:
            for stronger in layers[:rank]:
                over = stronger.find(row.name)
                if over is not None:
                    yield _warning(
                        row,
                        DiagnosticCode.SHADOWED,
                        f"{_whose(stronger)} has a skill of this name, of the source {over.source}, and stands before "
                        f"{_whose(weaker)}",
                    )
                    break


def _whose(layer: Generation) -> str:
    if layer.partition == DEPLOYMENT:
        return "the deployment layer"
    return "the layer of the project" if layer.partition.project else "the layer of the principal"


def _display_clashes(listed: Sequence[Row]) -> Iterator[Diagnostic]:
    """Yield a warning for each skill that is shown as one before it is; without a display name it is by its name."""
    first: dict[str, Row] = {}
    for row in sorted(listed, key=lambda row: bool(row.bundle.skill.display_name)):
        shown = row.bundle.skill.display_name or row.name
        other = first.setdefault(folded(shown), row)
        if other is not row:
            yield _warning(
                row,
                DiagnosticCode.DISPLAY_NAME_CLASH,
                f"the skills {other.name} of {other.source} and {row.name} of {row.source} are both shown as {shown!r}",
            )


def _collection_clashes(listed: Sequence[Row]) -> Iterator[Diagnostic]:
    """Yield a warning for each source with a collection that one before it has; within a source the look tells."""
    first: dict[str, Row] = {}
    told: set[tuple[str, str]] = set()
    for row in listed:
        if not row.found.collection:
            continue
        id_ = folded(row.found.collection)
        other = first.setdefault(id_, row)
        if other.source != row.source and (id_, row.source) not in told:
            told.add((id_, row.source))
            yield _warning(
                row,
                DiagnosticCode.COLLECTION_CLASH,
                f"the collection {row.found.collection} with {_place(row)} has the id of {other.found.collection} "
                f"with {_place(other)}",
            )


def _place(row: Row) -> str:
    return f"{row.found.place or 'the root'} of {row.source}"


def _warning(row: Row, code: DiagnosticCode, message: str) -> Diagnostic:
    return Diagnostic(severity=Severity.WARNING, code=code, message=message, skill=row.name, source=row.source)

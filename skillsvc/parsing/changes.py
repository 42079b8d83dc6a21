"""What the caps changed, as diagnostics: nothing is cut quietly (rules.md 3)."""

from collections.abc import Iterable

from skillsvc.domain.caps import Change, What
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.parsing.findings import Findings


def report_changes(changes: Iterable[Change], findings: Findings) -> None:
    """Say what was cut or dropped, with its size and the cap."""
    for change in changes:
        match change.what:
            case What.CUT if change.path == "description":
                findings.warn(
                    DiagnosticCode.DESCRIPTION_CUT,
                    f"the description has {change.size} bytes and is cut to {change.limit}; begin with what "
                    "matters most",
                )
            case What.CUT:
                findings.warn(
                    DiagnosticCode.FIELD_CUT, f"{change.path} has {change.size} bytes and is cut to {change.limit}"
                )
            case What.ITEMS_DROPPED:
                findings.warn(
                    DiagnosticCode.ITEMS_DROPPED,
                    f"{change.path} has {change.size} entries; the first {change.limit} are kept",
                )
            case _:
                findings.warn(
                    DiagnosticCode.FIELD_DROPPED,
                    f"{change.path} is left out: {change.size} is more than the {change.limit} that are possible",
                )

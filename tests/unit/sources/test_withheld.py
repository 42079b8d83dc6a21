"""A withheld source: it finds nothing, says why, and never changes."""

from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.source import Outcome
from skillsvc.sources.withheld import WithheldSource


def test_nothing_is_found_and_that_is_said() -> None:
    source = WithheldSource("project-agents", Tier.PROJECT)
    seen = source.observe()
    assert (seen.source, seen.tier, seen.trust) == (source.label, Tier.PROJECT, Trust.UNTRUSTED)
    assert (seen.outcome, seen.found) == (Outcome.WHOLE, ())
    (said,) = seen.diagnostics
    assert (said.code, said.severity, said.source) == (
        DiagnosticCode.SOURCE_WITHHELD,
        Severity.WARNING,
        "project-agents",
    )


def test_every_look_is_the_same() -> None:
    source = WithheldSource("project-agents", Tier.PROJECT)
    assert source.observe() is source.observe(["a"])

"""A source that is withheld: it is declared, and nothing of it is served or even looked at."""

from collections.abc import Collection, Sequence

from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission, Tier, Trust
from skillsvc.sources.source import Observation, Outcome


class WithheldSource:
    """A place of a workspace that is not trusted (`rules.md` 1). Whoever wrote its skills is known to nobody here."""

    def __init__(self, label: str, tier: Tier) -> None:
        """Prepare what each look returns, the same object every time."""
        self._label = label
        diagnostic = Diagnostic(
            severity=Severity.WARNING,
            code=DiagnosticCode.SOURCE_WITHHELD,
            message="not looked at, since its workspace is not trusted; once you trust it, say trusted = true in "
            "[conventional]",
            source=label,
        )
        self._observation = Observation(
            source=label, tier=tier, trust=Trust.UNTRUSTED, outcome=Outcome.WHOLE, diagnostics=(diagnostic,)
        )

    @property
    def label(self) -> str:
        """The name by which callers and diagnostics know it."""
        return self._label

    @property
    def admission(self) -> Admission:
        """The tier that it is declared with, and no trust."""
        return self._observation.admission

    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        """Return that there is nothing to be served (`Source`)."""
        del changed, held
        return self._observation

"""A source that finds what a test puts there."""

from collections.abc import Collection, Sequence

from skillsvc.domain.diagnostics import Diagnostic
from skillsvc.domain.generation import Row
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission, Tier, Trust
from skillsvc.sources.source import Observation, Outcome


class ScriptedSource:
    """Tells `outcome`, `found` and `revision` until they are changed.

    How it was asked is in `looks` and `held`.
    """

    def __init__(self, label: str, *rows: Row) -> None:
        self._label = label
        self.found: tuple[Found, ...] = tuple(row.found for row in rows)
        self.outcome = Outcome.WHOLE
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.revision = ""
        self.error: BaseException | None = None
        self.looks: list[Collection[str] | None] = []
        self.held: tuple[Found, ...] = ()
        self.admission = Admission(tier=Tier.EXPLICIT, trust=Trust.ALLOWED)
        self._last: Observation | None = None

    @property
    def label(self) -> str:
        return self._label

    def hold(self, *rows: Row) -> None:
        """Find the bundles of these rows from now on, in this order."""
        self.found = tuple(row.found for row in rows)

    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        self.held = tuple(held)
        self.looks.append(changed)
        if self.error is not None:
            raise self.error
        seen = self.outcome in {Outcome.WHOLE, Outcome.PARTIAL}
        now = Observation(
            source=self._label,
            tier=self.admission.tier,
            trust=self.admission.trust,
            outcome=self.outcome,
            found=self.found if seen else (),
            diagnostics=self.diagnostics,
            revision=self.revision if seen else "",
        )
        if self._last is None or now != self._last:
            self._last = now
        return self._last

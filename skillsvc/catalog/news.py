"""What the log is told of looks: what was published, and what is not listed since (P3)."""

import logging

from skillsvc.catalog.refresh import Refresh
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Generation

_TOLD_AT_ONCE = 100

_log = logging.getLogger(__name__)


class News:
    """Tells the log of one layer. What was told is told again only after it was gone."""

    def __init__(self) -> None:
        """Begin with nothing told."""
        self._diagnostics: tuple[Diagnostic, ...] = ()
        self._unlisted: frozenset[Diagnostic] = frozenset()

    def tell(self, refresh: Refresh, published: Generation | None) -> None:
        """Log what came of a look."""
        if published is not None:
            _log.info(
                "published",
                extra={
                    "sequence": published.sequence,
                    "layer_digest": published.digest,
                    "skills": len(published.names),
                    "diagnostics": len(refresh.diagnostics),
                },
            )
        if refresh.diagnostics is not self._diagnostics:
            self._diagnostics = refresh.diagnostics
            self._tell_unlisted()

    def _tell_unlisted(self) -> None:
        """Log what is refused, unseen or shadowed since this look: nothing goes missing in silence."""
        unlisted = [each for each in self._diagnostics if _is_unlisted(each)]
        news = [each for each in unlisted if each not in self._unlisted]
        for each in news[:_TOLD_AT_ONCE]:
            _log.warning(
                "%s", each.message, extra={"code": each.code.value, "skill": each.skill, "source": each.source}
            )
        if len(news) > _TOLD_AT_ONCE:
            _log.warning("%d more are not listed: `skillsvc check` tells them all", len(news) - _TOLD_AT_ONCE)
        self._unlisted = frozenset(unlisted)


def _is_unlisted(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity is Severity.ERROR or diagnostic.code is DiagnosticCode.SHADOWED

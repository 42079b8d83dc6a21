"""When to look: once at the start, whenever something is told, and every so often in any case."""

import logging
import threading
from collections.abc import Collection

from skillsvc.catalog.refresh import Refresh
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import SkillsvcError

_COLLECT_EVERY_LOOKS = 30
"""How many periodic looks lie between two collections of blobs that nothing names."""

_TOLD_A_LOOK = 100

_log = logging.getLogger(__name__)


class RefreshLoop:
    """Refreshes one layer; `run` is for a thread of its own, everything else for any."""

    def __init__(self, refresh: Refresh, *, every_s: float) -> None:
        """Prepare; a whole look happens every so many seconds, whatever is told."""
        self._refresh = refresh
        self._every_s = every_s
        self._woken = threading.Condition()
        self._told: dict[str, set[str] | None] = {}
        self._stopping = False
        self._unlisted: frozenset[Diagnostic] = frozenset()
        self.first_look = threading.Event()

    def tell(self, source: str, paths: Collection[str]) -> None:
        """Say that paths below a source have changed; none for anything of it."""
        with self._woken:
            held = self._told.setdefault(source, set())
            if not paths:
                self._told[source] = None
            elif held is not None:
                held.update(paths)
            self._woken.notify()

    def stop(self) -> None:
        """End `run` once the look that is under way is over."""
        with self._woken:
            self._stopping = True
            self._woken.notify()

    def run(self) -> None:
        """Look until stopped. A look that fails is logged, and what is served stays."""
        looks = 0
        changed: dict[str, set[str] | None] = {}
        while True:
            try:
                self._look(changed)
                if not changed and looks % _COLLECT_EVERY_LOOKS == 0:
                    self._refresh.collect()
            except SkillsvcError as error:
                _log.error("the look failed: %s", error.message, extra={"reason": error.reason.value})
            except Exception:  # noqa: BLE001 - the loop outlives whatever a look meets
                _log.exception("the look failed; what is served stays")
            looks += not changed
            self.first_look.set()
            with self._woken:
                self._woken.wait_for(lambda: self._told or self._stopping, timeout=self._every_s)
                if self._stopping:
                    return
                changed, self._told = self._told, {}

    def _look(self, changed: dict[str, set[str] | None]) -> None:
        try:
            published = self._refresh.look(changed or None)
        finally:
            self._tell_unlisted()
        if published is not None:
            _log.info(
                "published",
                extra={
                    "sequence": published.sequence,
                    "layer_digest": published.digest,
                    "skills": len(published.names),
                    "diagnostics": len(self._refresh.diagnostics),
                },
            )

    def _tell_unlisted(self) -> None:
        """Log what is not listed since this look, refused, unseen or shadowed: nothing goes missing in silence (P3)."""
        unlisted = [each for each in self._refresh.diagnostics if _is_unlisted(each)]
        news = [each for each in unlisted if each not in self._unlisted]
        for each in news[:_TOLD_A_LOOK]:
            _log.warning(
                "%s", each.message, extra={"code": each.code.value, "skill": each.skill, "source": each.source}
            )
        if len(news) > _TOLD_A_LOOK:
            _log.warning("%d more are not listed: `skillsvc check` tells them all", len(news) - _TOLD_A_LOOK)
        self._unlisted = frozenset(unlisted)


def _is_unlisted(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity is Severity.ERROR or diagnostic.code is DiagnosticCode.SHADOWED

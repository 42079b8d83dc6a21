"""When to look: once at the start, whenever something is told, and every so often in any case."""

import logging
import threading
from collections.abc import Callable, Collection, Mapping

from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.sources.source import LookAbandoned

_SWEEP_EVERY = 30
"""How many times the time between two whole looks lies between two sweeps of the blobs that nothing names."""

_AGAIN_S = 1.0
"""How soon after a look that did not see or publish everything it is looked again; twice as long each time."""

_TOLD_A_LOOK = 100

_log = logging.getLogger(__name__)


class RefreshLoop:
    """Refreshes one layer; `run` is for a thread of its own, everything else for any."""

    def __init__(
        self,
        refresh: Refresh,
        sweep: BlobSweep,
        *,
        every_s: float,
        stopping: threading.Event,
        clock: Callable[[], float],
    ) -> None:
        """Prepare.

        Args:
            refresh: What looks.
            sweep: What removes blobs between looks, never before the first one is over.
            every_s: How long after a whole look the next one is due, whatever is told.
            stopping: Set by `stop`; whoever looks abandons the look by it.
            clock: Tells seconds that only grow.
        """
        self._refresh = refresh
        self._sweep = sweep
        self._every_s = every_s
        self._stopping = stopping
        self._clock = clock
        self._woken = threading.Condition()
        self._told: dict[str, set[str] | None] = {}
        self._unlisted: frozenset[Diagnostic] = frozenset()
        self._look_due = self._sweep_due = clock()
        self._again_s = min(_AGAIN_S, every_s)
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
        """End `run` at the next step of what is under way."""
        with self._woken:
            self._stopping.set()
            self._woken.notify()

    def run(self) -> None:
        """Look until stopped. Whatever fails is logged, and what is served stays."""
        try:
            while not self._stopping.is_set():
                self._look_if_due()
                self.first_look.set()
                self._sweep_if_due()
                with self._woken:
                    due = min(self._look_due, self._sweep_due)
                    self._woken.wait_for(
                        lambda: self._told or self._stopping.is_set(), timeout=max(0.0, due - self._clock())
                    )
        except LookAbandoned:
            _log.info("the look is abandoned")
        finally:
            self.first_look.set()

    def _look_if_due(self) -> None:
        """Look wholly where that is due, however much is told, else at what is told."""
        whole = self._clock() >= self._look_due
        with self._woken:
            told, self._told = self._told, {}
        if not whole and not told:
            return
        complete = self._look(None if whole else told)
        now = self._clock()
        if not complete:
            # What failed may pass without being told, and what was told may be lost with what failed.
            due = now + self._again_s
            self._look_due = due if whole else min(self._look_due, due)
        elif whole:
            self._look_due = now + self._every_s
        if whole:
            self._again_s = min(_AGAIN_S if complete else 2 * self._again_s, self._every_s)

    def _sweep_if_due(self) -> None:
        if self._clock() < self._sweep_due:
            return
        try:
            self._sweep.sweep()
        except Exception:  # noqa: BLE001 - the loop outlives whatever a sweep meets
            _log.exception("what nothing names could not be removed")
        self._sweep_due = self._clock() + _SWEEP_EVERY * self._every_s

    def _look(self, changed: Mapping[str, Collection[str] | None] | None) -> bool:
        """Tell whether all was seen and published."""
        try:
            published = self._refresh.look(changed)
        except LookAbandoned:
            raise
        except Exception:  # noqa: BLE001 - the loop outlives whatever a look meets
            _log.exception("the look failed; what is served stays")
            return False
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
        return not self._refresh.unreachable

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

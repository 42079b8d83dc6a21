"""Whoever looks at the sources, as a test lets it: it tells what is put there, and its looks end when the test says."""

from collections.abc import Collection
from concurrent.futures import Future

from skillsvc.catalog.reports import Looked, ReportedState, SourceReport
from skillsvc.domain.diagnostics import Diagnostic
from skillsvc.domain.partition import Partition
from skillsvc.domain.trust import Tier, Trust


class ScriptedLooks:
    """Tells `sources` and `said`, and remembers what it was asked in `asked`, with the future of each look."""

    def __init__(self) -> None:
        self.sources: dict[Partition, tuple[SourceReport, ...]] = {}
        self.said: dict[Partition, tuple[Diagnostic, ...]] = {}
        self.asked: list[tuple[Partition, Collection[str] | None, Collection[str] | None]] = []
        self.looks: list[Future[Looked]] = []

    def feed(self, partition: Partition, *sources: SourceReport, said: tuple[Diagnostic, ...] = ()) -> None:
        """Let sources feed a partition."""
        self.sources[partition] = sources
        self.said[partition] = said

    def reports(self, partition: Partition) -> tuple[SourceReport, ...]:
        return self.sources[partition]

    def diagnostics(self, partition: Partition) -> tuple[Diagnostic, ...]:
        return self.said[partition]

    def look_now(
        self, partition: Partition, labels: Collection[str] | None = None, paths: Collection[str] | None = None
    ) -> "Future[Looked]":
        known = {report.source for report in self.sources[partition]}
        if unknown := set(labels or ()) - known:
            raise KeyError(*unknown)
        self.asked.append((partition, labels, paths))
        self.looks.append(Future())
        return self.looks[-1]


def report(source: str, **told: object) -> SourceReport:
    """Return how a source stands that was wholly seen, but for what is told of it."""
    values: dict[str, object] = {
        "kind": "directory",
        "tier": Tier.EXPLICIT,
        "trust": Trust.ALLOWED,
        "state": ReportedState.COMPLETE,
        "last_look_at": None,
        "last_success_at": None,
        "last_error": "",
        "revision": "",
        "skills": 0,
        "diagnostics": 0,
        "looking": False,
        "next_look_at": None,
        **told,
    }
    return SourceReport(source=source, **values)  # type: ignore[arg-type] # of any field

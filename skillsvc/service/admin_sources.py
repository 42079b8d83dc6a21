"""The admin calls about sources: how they stand, what is to be said of them, and a look at once."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice

from skillsource.v1 import admin_pb2 as pb

from skillsvc.catalog.clashes import hidden_in
from skillsvc.catalog.comparing import compare
from skillsvc.catalog.reports import Looked, SourceReport
from skillsvc.domain.diagnostics import Diagnostic
from skillsvc.domain.errors import ErrorReason, InvalidInput, NotFound, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.service import admin_wire
from skillsvc.service.admin_pages import SEPARATOR, Pages, joined
from skillsvc.service.admin_requests import DiagnosticsAsk, RefreshAsk, SourcesAsk
from skillsvc.service.admin_scope import AdminScope, draining
from skillsvc.service.audit import Audit
from skillsvc.service.call import Call
from skillsvc.service.changes import Changes
from skillsvc.service.threads import Threads

_NAMES = 1000
"""The first names of each list that a refresh tells."""


class SourceAdmin:
    """The handlers of ListSources, Refresh and ListDiagnostics. Lives on the event loop."""

    def __init__(
        self, *, scope: AdminScope, pages: Pages, limits: Limits, changes: Changes, threads: Threads, audit: Audit
    ) -> None:
        """Tell of `scope`; go through whole catalogs in `threads`; `changes` tells when the phase may be another."""
        self._scope = scope
        self._pages = pages
        self._limits = limits
        self._changes = changes
        self._threads = threads
        self._audit = audit
        self._listed = _Listed(fields=b"", diagnostics=())

    async def list_sources(self, ask: SourcesAsk, call: Call) -> bytes:
        """Answer ListSources."""
        self._scope.check_phase()
        await self._scope.layer(ask.partition)
        reports = self._scope.reports(ask.partition)
        start = 0
        if ask.page.token:
            last = self._pages.position(ask.page, call).last_name
            start = 1 + next((at for at, report in enumerate(reports) if report.source == last), len(reports))
            if start > len(reports):
                raise InvalidInput(
                    ErrorReason.PAGE_TOKEN_MALFORMED, "the source that the page goes on behind is gone; begin again"
                )
        page = self._pages.page(
            reports, start, ask.page.size, lambda it: pb.ListSourcesResponse(sources=[admin_wire.source_report(it)])
        )
        end = start + len(page)
        after = self._pages.next_token(ask.page, call, reports[end - 1].source) if end < len(reports) else ""
        return joined(page, pb.ListSourcesResponse(next_page_token=after, total_size=len(reports)))

    async def refresh(self, ask: RefreshAsk, call: Call) -> bytes:
        """Answer Refresh."""
        self._scope.check_phase()
        already = await self._scope.already(ask.partition)
        layer = await self._scope.layer(ask.partition)
        # A partition that is looked at by need may be looked at for this very question, and may be new: then its first
        # generation is empty.
        before = already or layer.generations[0]
        reports = self._scope.reports(ask.partition)
        for source in ask.sources:
            _check_source(source, reports)
        looked = Looked(before=before, after=layer.present)
        if reports:
            try:
                look = self._scope.looks.look_now(ask.partition, ask.sources or None, ask.paths or None)
            except KeyError as error:
                # What is declared is another since a moment ago.
                raise _no_source(ask.sources[0] if len(ask.sources) == 1 else "") from error
            came = await self._awaited(look, ask, call)
            first = min(before, came.before, key=lambda generation: generation.sequence)
            looked = Looked(before=first, after=came.after)
        self._audit.allowed(
            "Refresh",
            call.actor,
            partition=ask.partition,
            generation=looked.after.sequence,
        )
        told = await self._threads.run(lambda: compare(looked.before, looked.after))
        wanted = frozenset(ask.sources)
        reported = [report for report in self._scope.reports(ask.partition) if not wanted or report.source in wanted]
        return pb.RefreshResponse(
            before=admin_wire.layer_generation(looked.before),
            after=admin_wire.layer_generation(looked.after),
            sources=[admin_wire.source_report(report) for report in reported[:_NAMES]],
            added=_names(each.name for each in told.changes if each.before is None),
            modified=_names(each.name for each in told.changes if each.before and each.after),
            removed=_names(each.name for each in told.changes if each.after is None),
            added_total=told.added,
            modified_total=told.modified,
            removed_total=told.removed,
        ).SerializeToString()

    async def list_diagnostics(self, ask: DiagnosticsAsk, call: Call) -> bytes:
        """Answer ListDiagnostics."""
        self._scope.check_phase()
        await self._scope.layer(ask.partition)
        if ask.source:
            _check_source(ask.source, self._scope.reports(ask.partition))
        position = self._pages.position(ask.page, call).last_name if ask.page.token else ""
        found = await self._diagnostics_of(ask)
        start = _start_behind(found, position) if position else 0
        page = self._pages.page(
            found.diagnostics,
            start,
            ask.page.size,
            lambda it: pb.ListDiagnosticsResponse(diagnostics=[admin_wire.diagnostic(it)]),
        )
        end = start + len(page)
        after = ""
        if end < len(found.diagnostics):
            key = _place_of(found.diagnostics[end - 1])
            sent = end - bisect_left(found.diagnostics, key, key=_place_of)
            after = self._pages.next_token(ask.page, call, SEPARATOR.join((*key, str(sent))))
        return joined(page, pb.ListDiagnosticsResponse(next_page_token=after, total_size=len(found.diagnostics)))

    async def _awaited(self, look: "Future[Looked]", ask: RefreshAsk, call: Call) -> Looked:
        """Return what comes of a look. Whoever waits no longer, for whatever reason, leaves it to go on."""
        look.add_done_callback(lambda _: self._changes.tell())
        try:
            await self._until_over(look, ask, call)
        finally:
            # Where it hangs for ever, nobody is to be remembered who waits no longer.
            look.cancel()
        if look.cancelled():
            raise draining()
        return look.result()

    async def _until_over(self, look: "Future[Looked]", ask: RefreshAsk, call: Call) -> None:
        left = call.time_left_s(math.inf)
        # The transport ends a call at its caller's deadline: only one without is ended here.
        within = math.inf if math.isfinite(left) else self._limits.call_without_deadline_s
        ends = self._changes.now() + within
        while True:
            count = self._changes.count
            if look.done():
                return
            self._scope.check_phase()
            wait = min(ends - self._changes.now(), self._limits.heartbeat_s)
            if not await self._changes.beyond(count, wait) and self._changes.now() >= ends:
                looking = next((report for report in self._scope.reports(ask.partition) if report.looking), None)
                raise Unavailable(
                    ErrorReason.SOURCE_UNREACHABLE,
                    f"the look is not over after {within:g} seconds; it goes on",
                    metadata={"source": looking.source if looking else ""},
                )

    async def _diagnostics_of(self, ask: DiagnosticsAsk) -> "_Listed":
        """Return the list that is asked for: anew for its first page, since what all of it takes costs a second."""
        if not ask.page.token or self._listed.fields != ask.page.fields:
            seen = await self._scope.seen_from(ask.partition)
            found = await self._threads.run(
                lambda: _select((*self._scope.diagnostics(ask.partition), *hidden_in(seen)), ask)
            )
            self._listed = _Listed(fields=ask.page.fields, diagnostics=found)
        return self._listed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    """The diagnostics that a request asks for, in order; `fields` is the hash of it."""

    fields: bytes
    diagnostics: tuple[Diagnostic, ...]


def _select(told: Iterable[Diagnostic], ask: DiagnosticsAsk) -> tuple[Diagnostic, ...]:
    wanted = (
        each
        for each in told
        if each.severity.value >= ask.least.value
        and (not ask.source or each.source == ask.source)
        and (not ask.skill or admin_wire.line_of("Diagnostic.skill", each.skill) == ask.skill)
    )
    return tuple(sorted(wanted, key=_place_of))


def _place_of(diagnostic: Diagnostic) -> tuple[str, str]:
    """Return where a diagnostic stands in order, as the wire tells it, so that a position fits a token."""
    return (
        admin_wire.line_of("Diagnostic.source", diagnostic.source),
        admin_wire.line_of("Diagnostic.skill", diagnostic.skill),
    )


def _start_behind(found: _Listed, position: str) -> int:
    source, skill, sent = position.split(SEPARATOR)
    first = bisect_left(found.diagnostics, (source, skill), key=_place_of)
    # Of the same skill there may be fewer by now: never go on into the middle of the next one.
    return min(first + int(sent), bisect_right(found.diagnostics, (source, skill), key=_place_of))


def _check_source(source: str, reports: Sequence[SourceReport]) -> None:
    if all(report.source != source for report in reports):
        raise _no_source(source)


def _names(names: Iterable[str]) -> list[str]:
    return list(islice(names, _NAMES))


def _no_source(source: str) -> NotFound:
    return NotFound(
        ErrorReason.SOURCE_NOT_FOUND, "the partition has no source of this name", metadata={"source": source}
    )

"""WatchCatalog: one stream a watcher, deltas only, nothing sent to those who see no change (contract.md, "Watch")."""

import math
from collections.abc import AsyncIterator, Callable
from datetime import datetime

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.diff import difference
from skillsvc.catalog.listing import Selection, select
from skillsvc.catalog.views import Sight
from skillsvc.domain.errors import ErrorReason, InvalidInput, StateMissing, Unauthenticated
from skillsvc.domain.limits import Limits
from skillsvc.domain.view import Viewer
from skillsvc.service import wire
from skillsvc.service.answers import Answer, AnswerCache
from skillsvc.service.call import Call
from skillsvc.service.changes import Changes
from skillsvc.service.requests import WatchAsk
from skillsvc.service.sights import Phase, Seen, Sights

_RESYNC = pb.WatchCatalogResponse(resync=True).SerializeToString()


class Watch:
    """The handler of WatchCatalog."""

    def __init__(
        self,
        *,
        sights: Sights,
        changes: Changes,
        answers: AnswerCache,
        limits: Limits,
        now: Callable[[], datetime],
    ) -> None:
        """Follow `sights` by `changes`, which are told of new access rules, too; keep differences in `answers`."""
        self._sights = sights
        self._changes = changes
        self._answers = answers
        self._limits = limits
        self._now = now
        interval = pb.WatchCatalogResponse(heartbeat_interval_ms=round(limits.heartbeat_s * 1000))
        self._interval = interval.SerializeToString()
        self._heartbeat = pb.WatchCatalogResponse(heartbeat=True).SerializeToString() + self._interval
        self._going_away = pb.WatchCatalogResponse(going_away=True).SerializeToString() + self._interval

    async def watch_catalog(self, ask: WatchAsk, call: Call) -> AsyncIterator[bytes]:
        """Answer WatchCatalog.

        What a slow reader gets is one difference from what it last got: the state is taken when the event can be sent.
        Before each event the caller is judged by the rules in force; one whose view is made of other layers or names
        since is told to list anew.
        """
        viewer = self._sights.viewer(ask.scope, call)
        self._sights.check_phase()
        count = self._changes.count
        seen = await self._sights.present(viewer)
        event: bytes | None = self._interval + await self._first(ask, viewer, seen)
        due = 0.0
        while True:
            if event is not None:
                yield seen.encoded + event
                due = self._changes.now() + self._limits.heartbeat_s
            # Counted from the last event: changes that this watcher cannot see must not keep its heartbeat back.
            changed = await self._changes.beyond(count, min(due - self._changes.now(), self._lasts_s(call)))
            if self._sights.phase is Phase.DRAINING:
                yield seen.encoded + self._going_away
                return
            call.judge_again()
            if self._lasts_s(call) <= 0:
                raise Unauthenticated(ErrorReason.CREDENTIALS_INVALID, "the credentials have expired")
            is_due = self._changes.now() >= due
            if not (changed or is_due):
                event = None
                continue
            # With each heartbeat too: what is looked at by need is looked at as long as it is watched.
            count = self._changes.count
            before, seen_as = seen, viewer
            viewer = self._sights.viewer(ask.scope, call)
            seen = await self._sights.present(viewer)
            # A label matters from the first word to it on, and what that changes is told by names.
            if viewer._replace(session="") != seen_as._replace(session=""):
                event = self._interval + _RESYNC
            else:
                event = self._told(before.sight, seen.sight, ask.selection) or (self._heartbeat if is_due else None)

    def _lasts_s(self, call: Call) -> float:
        """Return for how many seconds a caller's credentials are good, as far as is known now."""
        expires_at = call.grant.expires_at
        return math.inf if expires_at is None else (expires_at - self._now()).total_seconds()

    async def _first(self, ask: WatchAsk, viewer: Viewer, seen: Seen) -> bytes:
        """Encode what leads from the state that a watcher holds to the present one."""
        if not ask.since:
            return _RESYNC
        try:
            held = await self._sights.exactly(viewer, ask.since)
        except (InvalidInput, StateMissing):
            # A token of a lost or foreign log, or of a state too old: the watcher lists anew.
            return _RESYNC
        if not self._sights.is_as_enabled(viewer, ask.since):
            # Of what was switched on or off meanwhile no token tells the names.
            return _RESYNC
        if held.sight.view.digest == seen.sight.view.digest:
            return b""
        return self._change(held.sight, seen.sight, ask.selection)

    def _told(self, before: Sight, after: Sight, selection: Selection) -> bytes | None:
        """Encode what a watcher is told of a change, None where it sees none."""
        if before.view is not after.view and before.view.digest != after.view.digest:
            return self._interval + self._change(before, after, selection)
        return self._interval if before.unreachable != after.unreachable else None

    def _change(self, before: Sight, after: Sight, selection: Selection) -> bytes:
        """Encode a difference, or a resync where it is too large for one event."""
        key = ("change", before.view.digest, after.view.digest, selection.key)
        answer = self._answers.get(key)
        if answer is None:
            change = difference(select(before.view, selection), select(after.view, selection))
            encoded = _RESYNC
            if len(change.added) + len(change.modified) + len(change.removed) <= self._limits.watch_names:
                told = wire.difference(change).SerializeToString()
                encoded = told if len(told) <= self._limits.watch_bytes else _RESYNC
            answer = self._answers.put(key, Answer(encoded))
        return answer.encoded

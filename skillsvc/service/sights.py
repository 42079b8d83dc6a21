"""What a request sees: the one read of the present state, and the waiting for a state that is not there yet."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import TypeVar

from skillsvc.catalog.listing import Reference, find
from skillsvc.catalog.reports import SourceKey
from skillsvc.catalog.views import LayersAway, Missing, Sight, Views
from skillsvc.domain.errors import ErrorReason, InvalidInput, NotFound, StateMissing, Unavailable
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.domain.view import Viewer
from skillsvc.service import wire
from skillsvc.service.call import Call
from skillsvc.service.changes import Changes
from skillsvc.service.needs import Needs
from skillsvc.service.requests import Scope
from skillsvc.service.threads import Threads

_RETRY_S = 0.2
_TIMES_BROUGHT_IN = 3
"""How often layers are brought in for one look, where others need the memory at once."""
_Seen = TypeVar("_Seen")


@unique
class Phase(Enum):
    """Whether there is something to answer from."""

    STARTING = "starting"
    """The sources have not been looked at yet."""
    SERVING = "serving"
    LEAVING = "leaving"
    """As SERVING, but not healthy any more: whoever spreads calls sends no new ones."""
    DRAINING = "draining"
    """About to stop: calls under way end, new ones are refused."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A sight and its part of an answer: the encoded generation."""

    sight: Sight
    encoded: bytes


class Sights:
    """Gives every request its sight. Lives on the event loop."""

    def __init__(
        self, views: Views, changes: Changes, limits: Limits, threads: Threads, needs: Needs | None = None
    ) -> None:
        """Begin in the phase STARTING.

        Args:
            views: The views of callers.
            changes: Tells when something may be another.
            limits: The limits in force.
            threads: Brings in layers that are not in memory.
            needs: Sees to partitions that are looked at by need, None where there are none.
        """
        self._views = views
        self._changes = changes
        self._limits = limits
        self._threads = threads
        self._needs = needs
        self._encoded: dict[Viewer, Seen] = {}
        self.phase = Phase.STARTING

    async def of(self, scope: Scope, call: Call) -> Seen:
        """Return what a request is to be answered from.

        Raises:
            Unavailable: NOT_READY, DRAINING, or GENERATION_NOT_YET where the named state did not come in time;
                STORE_UNREACHABLE where a layer could not be brought in.
            StateMissing: GENERATION_EXPIRED.
            InvalidInput: TOKEN_MALFORMED.
            Denied: PROJECT_NOT_ALLOWED.
        """
        self.check_phase()
        viewer = self.viewer(scope, call)
        if scope.at_exactly is not None:
            return await self.exactly(viewer, scope.at_exactly)
        if scope.at_least is not None:
            return await self._at_least(viewer, scope.at_least, call)
        return await self.present(viewer)

    def viewer(self, scope: Scope, call: Call) -> Viewer:
        """Return who asks, with the label of the request where anything is said to such; raises as `Call.viewer`."""
        viewer = call.viewer(scope.project)
        return self._views.labelled(viewer, scope.session) if scope.session else viewer

    def check_still(self, scope: Scope, call: Call, row: Row) -> None:
        """Refuse what rules or operators have hidden since it was found: to load it may have taken a while.

        Raises:
            Unauthenticated: The credentials are good no more.
            Denied: ROLE_MISSING or PROJECT_NOT_ALLOWED.
            NotFound: SKILL_NOT_FOUND, as of what is nowhere.
        """
        call.judge_again()
        if not self._views.shows(self.viewer(scope, call), row.name):
            raise unknown_skill()

    def is_as_enabled(self, viewer: Viewer, token: str) -> bool:
        """Tell whether a token is of a view with the same names disabled as a viewer's now; raises as `exactly`."""
        return self._views.is_as_enabled(viewer, token)

    async def present(self, viewer: Viewer) -> Seen:
        """Return what a viewer sees now."""
        needs = self._needs
        # As `see_to`, which every call would wait for.
        if needs is not None and not needs.are_met(viewer.partitions):
            await needs.meet(viewer.partitions)
        try:
            # What nearly every request comes to.
            return self._seen(viewer, self._views.present(viewer))
        except LayersAway:
            return self._seen(viewer, await self._look(viewer, lambda: self._views.present(viewer)))

    async def exactly(self, viewer: Viewer, token: str) -> Seen:
        """Return the state that a token names; GENERATION_EXPIRED where it is not held any more."""
        sight = await self._look(viewer, lambda: self._views.exactly(viewer, token))
        if isinstance(sight, Missing):
            raise await self._expired(viewer)
        return self._seen(viewer, sight)

    async def page(self, viewer: Viewer, scope: Scope, token: str) -> Seen:
        """Return the state that the token of a listing names, whatever is published since.

        A `consistency` beside it must name the same state. A listing that began with `at_least` goes on with it: the
        state must be the one named or a later one. Where other names are disabled since, the token has expired: pages
        of one listing never mix.

        Raises:
            Unavailable: NOT_READY, DRAINING.
            InvalidInput: PAGE_TOKEN_MALFORMED, or TOKEN_MALFORMED.
            StateMissing: GENERATION_EXPIRED.
        """
        self.check_phase()
        seen = await self.exactly(viewer, token)
        if not self._views.is_as_enabled(viewer, token):
            raise await self._expired(viewer)
        fits = True
        if scope.at_exactly is not None:
            fits = (await self.exactly(viewer, scope.at_exactly)).sight.view.digest == seen.sight.view.digest
        elif scope.at_least is not None:
            named = scope.at_least
            fits = await self._look(viewer, lambda: self._views.reaches(viewer, seen.sight, named))
        if not fits:
            raise InvalidInput(ErrorReason.PAGE_TOKEN_MALFORMED, "consistency names another state than the page")
        return seen

    async def see_to(self, partitions: Sequence[Partition]) -> None:
        """Have partitions in use that are looked at by need, and in the state that they are in; raises as `Needs`."""
        needs = self._needs
        if needs is not None and not needs.are_met(partitions):
            await needs.meet(partitions)

    def check_phase(self) -> None:
        """Refuse to answer before there is anything to answer from, and when the end has begun."""
        phase = self.phase
        if phase is Phase.SERVING:
            return
        if phase is Phase.STARTING:
            raise Unavailable(ErrorReason.NOT_READY, "the sources are being looked at for the first time")
        if phase is Phase.DRAINING:
            raise Unavailable(ErrorReason.DRAINING, "the server is about to stop")

    async def _at_least(self, viewer: Viewer, token: str, call: Call) -> Seen:
        left = min(self._limits.wait_for_generation_s, call.time_left_s(2 * self._limits.wait_for_generation_s) / 2)
        ends = self._changes.now() + left
        while True:
            count = self._changes.count
            sight = await self._look(viewer, lambda: self._views.at_least(viewer, token))
            if isinstance(sight, Sight):
                return self._seen(viewer, sight)
            if sight is Missing.EXPIRED:
                raise await self._expired(viewer)
            if not await self._changes.beyond(count, ends - self._changes.now()):
                raise Unavailable(
                    ErrorReason.GENERATION_NOT_YET,
                    "the named generation has not been seen here yet",
                    retry_after_s=_RETRY_S,
                )
            self.check_phase()

    async def _look(self, viewer: Viewer, look: Callable[[], _Seen]) -> _Seen:
        """Return what a look at the views comes to, with the layers of the viewer brought into memory for it."""
        await self.see_to(viewer.partitions)
        for _ in range(_TIMES_BROUGHT_IN):
            try:
                return look()
            except LayersAway:
                await self._threads.run(lambda: self._views.bring_in(viewer))
        try:
            return look()
        except LayersAway as error:
            raise Unavailable(
                ErrorReason.STORE_UNREACHABLE, "too many layers are asked for at once", retry_after_s=_RETRY_S
            ) from error

    def _seen(self, viewer: Viewer, sight: Sight) -> Seen:
        seen = self._encoded.get(viewer)
        if seen is None or seen.sight is not sight:
            seen = Seen(sight, wire.encode_generation(sight))
            if len(self._encoded) >= _HELD:
                del self._encoded[next(iter(self._encoded))]
            self._encoded[viewer] = seen
        return seen

    async def _expired(self, viewer: Viewer) -> StateMissing:
        present = await self._look(viewer, lambda: self._views.present(viewer))
        return StateMissing(
            ErrorReason.GENERATION_EXPIRED,
            "the named generation is no longer held; begin again from the current one",
            metadata={"current_token": present.token},
        )


_HELD = 1024
"""Callers choose projects, so that there may be any number of them."""


def row_of(seen: Seen, reference: Reference, allow: frozenset[str] | None) -> Row:
    """Return the row that a request names.

    Raises:
        NotFound: SKILL_NOT_FOUND, in the same words whether it is unknown or not allowed (rules.md 7).
    """
    row = find(seen.sight.view, reference, allow)
    if row is None:
        raise unknown_skill()
    return row


def unknown_skill() -> NotFound:
    """Return the error of a skill that a caller does not see, for whatever reason (rules.md 7)."""
    return NotFound(ErrorReason.SKILL_NOT_FOUND, "no skill of this name in the catalog")


def source_of(seen: Seen, row: Row) -> SourceKey:
    """Return the source of a row that was found in what is seen."""
    for layer in seen.sight.view.layers:
        if layer.find_qualified(row.source, row.name) is row:
            return SourceKey(layer.partition, row.source)
    raise LookupError("the row is of no layer that is seen")

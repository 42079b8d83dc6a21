"""What a request sees: the one read of the present state, and the waiting for a state that is not there yet."""

from dataclasses import dataclass
from enum import Enum, unique

from skillsvc.catalog.listing import Reference, find
from skillsvc.catalog.views import Missing, Sight, Views
from skillsvc.domain.caps import CAPS
from skillsvc.domain.errors import ErrorReason, InvalidInput, NotFound, StateMissing, Unavailable
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.service import wire
from skillsvc.service.boundary import Call
from skillsvc.service.changes import Changes
from skillsvc.service.requests import Scope, Scoped, text_of

_TOKEN_MAX_BYTES = CAPS["Consistency.at_exactly"].max_bytes
_RETRY_S = 0.2


@unique
class Phase(Enum):
    """Whether there is something to answer from."""

    STARTING = "starting"
    """The sources have not been looked at yet."""
    SERVING = "serving"
    DRAINING = "draining"
    """About to stop: calls under way end, new ones are refused."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A sight and its part of an answer: the encoded generation."""

    sight: Sight
    encoded: bytes


class Sights:
    """Gives every request its sight. Lives on the event loop."""

    def __init__(self, views: Views, changes: Changes, limits: Limits) -> None:
        """Begin in the phase STARTING."""
        self._views = views
        self._changes = changes
        self._limits = limits
        self._encoded: dict[Partition, Seen] = {}
        self.phase = Phase.STARTING

    async def of(self, request: Scoped, scope: Scope, call: Call) -> Seen:
        """Return what a request is to be answered from.

        Raises:
            Unavailable: NOT_READY, DRAINING, or GENERATION_NOT_YET where the named state did not come in time.
            StateMissing: GENERATION_EXPIRED.
            InvalidInput: TOKEN_MALFORMED.
        """
        self.check_phase()
        if request.HasField("consistency"):
            consistency = request.consistency
            if consistency.HasField("at_exactly"):
                return self.exactly(scope.caller, text_of("at_exactly", consistency.at_exactly, _TOKEN_MAX_BYTES))
            if consistency.HasField("at_least"):
                token = text_of("at_least", consistency.at_least, _TOKEN_MAX_BYTES)
                return await self._at_least(scope.caller, token, call)
        return self.present(scope.caller)

    def present(self, caller: Partition) -> Seen:
        """Return what a caller sees now."""
        return self._seen(caller, self._views.present(caller))

    def exactly(self, caller: Partition, token: str) -> Seen:
        """Return the state that a token names; GENERATION_EXPIRED where it is not held any more."""
        sight = self._views.exactly(caller, token)
        if isinstance(sight, Missing):
            raise self._expired(caller)
        return self._seen(caller, sight)

    def check_page(self, request: Scoped, caller: Partition, seen: Seen) -> None:
        """Refuse a `consistency` beside a page token that asks for another state than the page's.

        A listing that began with `at_least` goes on with it, whatever is published meanwhile: the page's state must be
        the one named or a later one.

        Raises:
            InvalidInput: PAGE_TOKEN_MALFORMED, or TOKEN_MALFORMED.
            StateMissing: GENERATION_EXPIRED.
        """
        consistency = request.consistency
        if consistency.HasField("at_exactly"):
            named = self.exactly(caller, text_of("at_exactly", consistency.at_exactly, _TOKEN_MAX_BYTES))
            fits = named.sight.view.digest == seen.sight.view.digest
        elif consistency.HasField("at_least"):
            token = text_of("at_least", consistency.at_least, _TOKEN_MAX_BYTES)
            fits = self._views.reaches(caller, seen.sight, token)
        else:
            fits = True
        if not fits:
            raise InvalidInput(ErrorReason.PAGE_TOKEN_MALFORMED, "consistency names another state than the page")

    def check_phase(self) -> None:
        """Refuse to answer before there is anything to answer from, and when the end has begun."""
        match self.phase:
            case Phase.SERVING:
                return
            case Phase.STARTING:
                raise Unavailable(ErrorReason.NOT_READY, "the sources are being looked at for the first time")
            case Phase.DRAINING:
                raise Unavailable(ErrorReason.DRAINING, "the server is about to stop")

    async def _at_least(self, caller: Partition, token: str, call: Call) -> Seen:
        left = min(self._limits.wait_for_generation_s, call.time_left_s(2 * self._limits.wait_for_generation_s) / 2)
        ends = self._changes.now() + left
        while True:
            count = self._changes.count
            sight = self._views.at_least(caller, token)
            if isinstance(sight, Sight):
                return self._seen(caller, sight)
            if sight is Missing.EXPIRED:
                raise self._expired(caller)
            if not await self._changes.beyond(count, ends - self._changes.now()):
                raise Unavailable(
                    ErrorReason.GENERATION_NOT_YET,
                    "the named generation has not been seen here yet",
                    retry_after_s=_RETRY_S,
                )
            self.check_phase()

    def _seen(self, caller: Partition, sight: Sight) -> Seen:
        seen = self._encoded.get(caller)
        if seen is None or seen.sight is not sight:
            seen = Seen(sight, wire.encode_generation(sight))
            if len(self._encoded) >= _HELD:
                del self._encoded[next(iter(self._encoded))]
            self._encoded[caller] = seen
        return seen

    def _expired(self, caller: Partition) -> StateMissing:
        return StateMissing(
            ErrorReason.GENERATION_EXPIRED,
            "the named generation is no longer held; begin again from the current one",
            metadata={"current_token": self._views.present(caller).token},
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
        raise NotFound(ErrorReason.SKILL_NOT_FOUND, "no skill of this name in the catalog")
    return row

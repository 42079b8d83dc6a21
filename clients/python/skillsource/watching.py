"""Following a catalog: one stream after another, each going on where the last one ended.

Like the operations, a watch is a generator that does no I/O: it yields steps, is sent what came of them, and yields the
events between them.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from skillsource import wire
from skillsource.answers import CatalogEvent
from skillsource.errors import (
    Cancelled,
    ClientClosed,
    Conflict,
    DeadlineExceeded,
    Exhausted,
    GenerationExpired,
    Internal,
    InvalidArgument,
    ProtocolError,
    SkillsourceError,
    Unavailable,
)
from skillsource.methods import WATCH_CATALOG, Pause
from skillsource.mirror import ALIVE_S
from skillsource.scope import Scope
from skillsource.values import Skill

FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 30.0
ATTEMPTS_BEFORE_THE_FIRST = 4
"""Attempts for a first event; after it the watch goes on for ever."""

_PASSING = (Unavailable, DeadlineExceeded, Cancelled, Exhausted, Internal, Conflict)
"""What another attempt may mend; anything else would only be said again."""


@dataclass(frozen=True, slots=True)
class Open:
    """Open the stream, and give up the one before."""

    path: str
    request: bytes


@dataclass(frozen=True, slots=True)
class Receive:
    """Send back the next message, or None where the stream has ended; throw DeadlineExceeded after so many seconds."""

    seconds: float


Watch: TypeAlias = Generator[Open | Receive | Pause | CatalogEvent, bytes | None, None]


def watch(
    scope: Scope,
    since: str,
    chance: Callable[[], float],
    *,
    on_break: Callable[[SkillsourceError], None] | None = None,
) -> Watch:
    """Follow the catalog without end.

    A stream that ends, breaks, or says nothing for 90 seconds is opened again from the last state heard of, after a
    pause that grows with each failure in a row and differs each time.

    Args:
        scope: What is followed; its consistency means nothing here.
        since: Token of the state that the caller holds; empty for none.
        chance: A number from 0 up to 1.
        on_break: Told of everything that ends a stream. With it nothing is raised: also what no attempt seems to mend
            is tried again, for an operator may mend it. Without it the first event has to come within four attempts,
            and what no attempt mends is raised.
    """
    failures = 0
    heard = False
    while True:
        try:
            yield Open(WATCH_CATALOG.path, WATCH_CATALOG.encode(_fields(scope, since)))
            events = _Events(since)
            while (data := (yield Receive(ALIVE_S))) is not None:
                event = events.next(data)
                heard = True
                since = event.generation.token
                yield event
                if event.going_away:
                    break
                if events.count > 1:
                    # A stream that lives only up to its first event has not mended what broke the one before.
                    failures = 0
            error: SkillsourceError = Unavailable("the watch was ended by the server")
        except ClientClosed:
            raise
        except SkillsourceError as raised:
            error = raised
        failures += 1
        if heard and since and _token_is_lost(error):
            since = ""
        elif on_break is None and not (isinstance(error, _PASSING) and (heard or failures < ATTEMPTS_BEFORE_THE_FIRST)):
            raise error
        if on_break is not None:
            on_break(error)
        yield Pause(_pause_s(failures, error, chance))


def _fields(scope: Scope, since: str) -> dict[str, object]:
    fields = scope.fields()
    fields.pop("consistency", None)
    if since:
        fields["since"] = since
    return fields


def _token_is_lost(error: SkillsourceError) -> bool:
    """Tell whether a server does not take the token of the last one, which is no reason not to begin anew."""
    return isinstance(error, GenerationExpired) or (
        isinstance(error, InvalidArgument) and error.reason == "TOKEN_MALFORMED"
    )


def _pause_s(failures: int, error: SkillsourceError, chance: Callable[[], float]) -> float:
    longest = min(FIRST_PAUSE_S * 2.0 ** min(failures, 16), LONGEST_PAUSE_S)
    asked = min(error.retry_after_s or 0.0, LONGEST_PAUSE_S)
    return max(longest * (0.5 + 0.5 * chance()), asked)


class _Events:
    """The events of one stream, checked against each other."""

    def __init__(self, since: str) -> None:
        self._since = since
        self._sequence = 0
        self.count = 0

    def next(self, data: bytes) -> CatalogEvent:
        """Return the next event.

        Raises:
            ProtocolError: It is none, or leads back to a state before the one heard of last.
        """
        answer = WATCH_CATALOG.decode(data)
        values = answer.values
        generation = wire.generation(values)
        if generation.sequence < self._sequence:
            raise ProtocolError("WatchCatalog: an event leads back")
        self._sequence = generation.sequence
        self.count += 1
        resync = values.get("resync", False)
        event = CatalogEvent(
            generation=generation,
            # The first event without a state to differ from can only mean that.
            resync=resync or (self.count == 1 and not self._since),
            heartbeat=values.get("heartbeat", False),
            heartbeat_interval_ms=values.get("heartbeat_interval_ms", 0),
            going_away=values.get("going_away", False),
            dropped=answer.drops.told(),
        )
        if event.resync:
            return event
        return replace(
            event,
            added=_by_name(values.get("added", ())),
            modified=_by_name(values.get("modified", ())),
            removed=tuple(sorted(set(values.get("removed", ())))),
        )


def _by_name(items: Sequence[Mapping[str, Any]]) -> tuple[Skill, ...]:
    skills = {skill.name: skill for skill in wire.each(reversed(items), wire.skill)}
    return tuple(skills[name] for name in sorted(skills))

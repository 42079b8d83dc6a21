"""What is known to be unchanged while the catalog is followed, so that reading it again costs no call."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from skillsource.answers import AssetContent, Body, CatalogEvent, Inventory, Listing
from skillsource.cache import Cache, Identity
from skillsource.errors import DeadlineExceeded, SkillsourceError
from skillsource.values import Generation

ALIVE_S = 90.0
"""Seconds for which the last event or heartbeat vouches for the catalog (rules.md 5)."""

CATALOG = ""
"""In the place of a skill's name: what depends on the whole catalog. No skill has this name."""

_MAX_LEARNED = 65_536
"""Entries after which all are forgotten, to be learned anew: each costs one call that is answered `not_modified`."""

Kept = TypeVar("Kept", Body, AssetContent, Inventory, Listing)


def awake_and_asleep() -> float:
    """Return seconds that only grow, the time for which the machine slept counted in where the system can tell.

    A revoke may have come while it slept: a clock that stood still would vouch for the skill meanwhile.
    """
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One state of the catalog, and the digests known to hold in it: by skill, then by what was asked."""

    generation: Generation
    digests: dict[str, dict[Identity, str]]


class Mirror:
    """Follows a catalog through the events it is told of, and vouches for what they left unchanged.

    Events are told by one thread; any thread may ask.

    Attributes:
        error: What broke the stream, until it is heard again.
    """

    def __init__(self, cache: Cache, clock: Callable[[], float]) -> None:
        """Make one that has seen nothing.

        Args:
            cache: Holds the answers themselves.
            clock: Seconds that only grow.
        """
        self._cache = cache
        self._clock = clock
        self._heard_at = float("-inf")
        self._seen: _Seen | None = None
        self._learned = 0
        self.error: SkillsourceError | None = None
        self._lock = threading.Lock()
        self._news = threading.Condition(self._lock)
        self._ended = False

    @property
    def alive(self) -> bool:
        """Whether something was heard in the last 90 seconds, and the stream did not break since."""
        return self._clock() - self._heard_at <= ALIVE_S

    def wait_until_alive(self, seconds: float) -> bool:
        """Wait until the stream is alive; False where it is not within so many seconds, or was ended meanwhile."""
        with self._news:
            self._news.wait_for(lambda: self._ended or self.alive, seconds)
        return self.alive

    def not_alive_in_time(self) -> DeadlineExceeded:
        """Return the error of who has waited in vain; what broke the stream is in its message, and its cause."""
        said = "the catalog is not followed in the time given"
        error = DeadlineExceeded(said if self.error is None else f"{said}: {self.error}")
        error.__cause__ = self.error
        return error

    def generation(self) -> Generation | None:
        """Return the present state, while the stream is alive."""
        seen = self._seen
        return seen.generation if seen is not None and self.alive else None

    def at_hand(self, name: str, identity: Identity, kind: type[Kept]) -> Kept | None:
        """Return an answer that the present state would give again, or None where that has to be asked."""
        # Taken once, so that a state published meanwhile cannot mix with this one.
        seen = self._seen
        if seen is None or self._clock() - self._heard_at > ALIVE_S:
            return None
        digests = seen.digests.get(name)
        digest = digests.get(identity) if digests is not None else None
        kept = self._cache.find(identity, digest, kind) if digest is not None else None
        if kept is None or digest is None or kept.generation is seen.generation:
            return kept
        kept = replace(kept, generation=seen.generation)
        self._cache.renew(identity, digest, kept)
        return kept

    def learn(self, name: str, identity: Identity, digest: str, generation: Generation) -> None:
        """Remember what was just read, if it was read from the present state."""
        with self._lock:
            seen = self._seen
            if seen is None or seen.generation.digest != generation.digest:
                return
            self._learned += 1
            if self._learned > _MAX_LEARNED:
                seen.digests.clear()
                self._learned = 1
            seen.digests.setdefault(name, {})[identity] = digest

    def hear(self, event: CatalogEvent) -> None:
        """Take over what an event tells."""
        with self._lock:
            self._heard_at = self._clock()
            self.error = None
            seen = self._seen
            names = (*(skill.name for skill in (*event.added, *event.modified)), *event.removed)
            if seen is None:
                self._seen = _Seen(event.generation, {})
            elif names or event.generation != seen.generation:
                self._seen = _after(seen, event, names)
            self._news.notify_all()

    def lose(self, error: SkillsourceError | None = None) -> None:
        """Vouch for nothing until the next event: the stream broke, for this error."""
        self._heard_at = float("-inf")
        self.error = error

    def end(self) -> None:
        """Vouch for nothing any more: nobody will tell of another event."""
        self.lose()
        with self._news:
            self._ended = True
            self._news.notify_all()


def _after(seen: _Seen, event: CatalogEvent, changed: tuple[str, ...]) -> _Seen:
    same_content = event.generation.digest == seen.generation.digest
    if event.resync and not same_content:
        return _Seen(event.generation, {})
    digests = dict(seen.digests)
    for name in changed if same_content else (CATALOG, *changed):
        digests.pop(name, None)
    return _Seen(event.generation, digests)

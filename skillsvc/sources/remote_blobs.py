"""Blobs that are not here yet: what an index names by digest and size is fetched when somebody first needs it."""

import logging
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from skillsvc.content.blobs import BlobStore
from skillsvc.domain.errors import ErrorReason, Unavailable

_WITHIN_S: Final = 10.0
"""Seconds that a fetch on need may take: whoever needs it waits."""
_AT_ONCE: Final = 4
"""Fetches on need from one source at a time: one that does not answer must not take all threads."""
_TURN_S: Final = 2.0
"""Seconds that a fetch waits for its turn."""
_FORMER: Final = 10_000
"""Blobs of earlier indexes that are remembered for each source: generations that are retained may name them."""
_RETRY_S: Final = 2.0

_log = logging.getLogger(__name__)


class NotHad(Exception):
    """Something could not be had from a source, now. The message is for whoever runs the server."""


class RemoteBlob(NamedTuple):
    """Where a blob can be had; `url` is "" where that is not known, which a next look at its source may tell."""

    url: str
    size: int


class Offering(Protocol):
    """A source that has blobs elsewhere. Any thread may call."""

    def has_shown(self, digest: str) -> bool:
        """Tell whether the source has given the bytes of a digest: one that merely names it has no right to them."""

    def bring(self, digest: str, at: RemoteBlob, within_s: float) -> None:
        """Fetch a blob into the store, within seconds. Raises NotHad or Unavailable."""


@dataclass(slots=True)
class _Offers:
    """What one source offers; `shown` is what it gave of that earlier, as far as it forgets it."""

    source: Offering
    blobs: dict[str, RemoteBlob]
    shown: set[str]
    room: threading.Semaphore
    is_stuck: bool = False
    """Whether somebody waited for a turn in vain since a fetch last ended."""

    def has_shown(self, digest: str) -> bool:
        """Tell whether the source has given a blob."""
        return digest in self.shown or self.source.has_shown(digest)

    def enter(self, within_s: float) -> bool:
        """Take one's turn, or tell that there is none in time.

        Who comes while others have waited in vain is sent away at once: threads that wait are missing to all sources.
        """
        entered = self.room.acquire(blocking=False)
        if not entered and not self.is_stuck:
            entered = self.room.acquire(timeout=within_s)
        self.is_stuck = not entered
        return entered

    def leave(self) -> None:
        """Let the next one in."""
        self.is_stuck = False
        self.room.release()


class RemoteBlobs:
    """What all sources offer to fetch on need, into one store. Any thread may call.

    A blob is brought for one source, by that source, with its credentials. Whoever names by its digest what another
    one has is given nothing of it, also where that one has brought it already (G29). `place` is where a source is
    declared: rows name it. Two that are declared there one after the other are two.
    """

    def __init__(
        self, blobs: BlobStore, *, clock: Callable[[], float] = time.monotonic, turn_s: float = _TURN_S
    ) -> None:
        """Offer nothing yet; what is fetched goes to `blobs`.

        `clock` tells seconds that only grow, `turn_s` is how long a fetch waits for its turn.
        """
        self._blobs = blobs
        self._clock = clock
        self._turn_s = turn_s
        self._offers: dict[Hashable, _Offers] = {}
        self._withdrawn: dict[tuple[Hashable, str], bool] = {}
        self._under_way: dict[tuple[Hashable, str], Future[None]] = {}
        self._changing = threading.Lock()

    @property
    def is_idle(self) -> bool:
        """Whether no source offers anything, nor did."""
        return not self._offers and not self._withdrawn

    def offer(self, place: Hashable, source: Offering, blobs: Mapping[str, RemoteBlob]) -> None:
        """Offer the blobs that a source's index names, by digest, instead of those that it named before.

        Those stay known for a while, the oldest for the shortest.
        """
        with self._changing:
            offers = self._offers.get(place)
            if offers is not None and offers.source is not source:
                self._withdraw(place)
                offers = None
            former = {} if offers is None else {each: at for each, at in offers.blobs.items() if each not in blobs}
            kept = dict(list(former.items())[-_FORMER:])
            room = threading.Semaphore(_AT_ONCE) if offers is None else offers.room
            shown = set() if offers is None else {each for each in kept if offers.has_shown(each)}
            self._offers[place] = _Offers(source=source, blobs={**kept, **blobs}, shown=shown, room=room)

    def withdraw(self, place: Hashable, source: Offering) -> None:
        """Forget where a source has what it offered: it is declared no longer.

        That it was offered is remembered, so that what is not here is out of reach and not lost.
        """
        with self._changing:
            offers = self._offers.get(place)
            if offers is not None and offers.source is source:
                self._withdraw(place)

    def _withdraw(self, place: Hashable) -> None:
        offers = self._offers.pop(place)
        withdrawn = {**self._withdrawn, **{(place, each): offers.has_shown(each) for each in offers.blobs}}
        self._withdrawn = dict(list(withdrawn.items())[-_FORMER:])

    def offers(self, place: Hashable, digest: str) -> bool:
        """Tell whether a source offers a blob, or did."""
        offers = self._offers.get(place)
        return (offers is not None and digest in offers.blobs) or (place, digest) in self._withdrawn

    def owes(self, place: Hashable, digest: str) -> bool:
        """Tell whether a source offers a blob, or did, and never gave it: bytes of that digest are not its own then."""
        offers = self._offers.get(place)
        if offers is not None and digest in offers.blobs:
            return not offers.has_shown(digest)
        return not self._withdrawn.get((place, digest), True)

    def bring(self, place: Hashable, digest: str) -> None:
        """Return once a source has given a blob that it offers, and it is in the store.

        Whoever needs one that is on its way waits for it.

        Raises:
            Unavailable: SOURCE_UNREACHABLE where it cannot be had, or its bytes are others: nothing is kept of these.
        """
        wanted = place, digest
        with self._changing:
            fetched = self._under_way.get(wanted)
            mine = fetched is None
            if fetched is None:
                fetched = self._under_way[wanted] = Future()
        if not mine:
            try:
                fetched.result(timeout=_WITHIN_S)
            except (NotHad, TimeoutError) as error:
                raise _unreachable() from error
            return
        try:
            self._fetch(place, digest)
        except NotHad as error:
            fetched.set_exception(error)
            # Callers learn of a place no more than that it is away: hosts and ports are the operator's.
            _log.warning("a fetch on need failed: %s", error, extra={"digest": digest})
            raise _unreachable() from error
        except BaseException as error:
            fetched.set_exception(error)
            raise
        else:
            fetched.set_result(None)
        finally:
            with self._changing:
                del self._under_way[wanted]

    def _fetch(self, place: Hashable, digest: str) -> None:
        """Fetch from the source; whoever waited here may find that it was done meanwhile."""
        if not self.owes(place, digest) and self._blobs.has(digest):
            return
        ends = self._clock() + _WITHIN_S
        offers = self._offers.get(place)
        at = None if offers is None else offers.blobs.get(digest)
        if offers is None or at is None:
            raise NotHad("its source is declared no more")
        if not at.url:
            raise NotHad("its source has not been reached since the start")
        if not offers.enter(self._turn_s):
            raise NotHad("its source does not answer those who wait for it already")
        try:
            offers.source.bring(digest, at, ends - self._clock())
            offers.shown.add(digest)
        finally:
            offers.leave()


def _unreachable() -> Unavailable:
    return Unavailable(
        ErrorReason.SOURCE_UNREACHABLE,
        "what is asked for is fetched from the skill's source on need, and cannot be had now",
        retry_after_s=_RETRY_S,
    )

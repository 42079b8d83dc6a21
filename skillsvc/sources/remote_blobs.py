"""Blobs that are not here yet: what an index names by digest and size is fetched when somebody first needs it."""

import logging
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, NamedTuple

from skillsvc.content.blobs import BlobStore
from skillsvc.domain.errors import ErrorReason, Unavailable

_WITHIN_S: Final = 10.0
"""Seconds that a fetch on need may take, of all sources that have the blob: whoever needs it waits."""
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


Bring = Callable[[str, RemoteBlob, float], None]
"""Fetches a blob into the store by its digest, within seconds; raises NotHad or Unavailable."""


@dataclass(slots=True)
class _Offers:
    """What one source offers."""

    bring: Bring
    blobs: dict[str, RemoteBlob]
    room: threading.Semaphore
    is_stuck: bool = False
    """Whether somebody waited for a turn in vain since a fetch last ended."""

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
    """What all sources offer to fetch on need, into one store. Any thread may call."""

    def __init__(self, blobs: BlobStore, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Offer nothing yet; what is fetched goes to `blobs`. `clock` tells seconds that only grow."""
        self._blobs = blobs
        self._clock = clock
        self._offers: dict[Hashable, _Offers] = {}
        self._withdrawn: dict[str, None] = {}
        self._under_way: dict[str, Future[None]] = {}
        self._changing = threading.Lock()

    def offer(self, owner: Hashable, blobs: Mapping[str, RemoteBlob], bring: Bring) -> None:
        """Offer the blobs that a source's index names, by digest, instead of those that it named before.

        Those stay known for a while, the oldest for the shortest. `owner` tells the source from others.
        """
        with self._changing:
            offers = self._offers.get(owner)
            former = {} if offers is None else {each: at for each, at in offers.blobs.items() if each not in blobs}
            kept = dict(list(former.items())[-_FORMER:])
            room = threading.Semaphore(_AT_ONCE) if offers is None else offers.room
            self._offers[owner] = _Offers(bring=bring, blobs={**kept, **blobs}, room=room)

    def withdraw(self, owner: Hashable) -> None:
        """Forget where a source has what it offered: it is declared no longer.

        That it was offered is remembered, so that what is not here is out of reach and not lost.
        """
        with self._changing:
            offers = self._offers.pop(owner, None)
            if offers is not None:
                withdrawn = {**self._withdrawn, **dict.fromkeys(offers.blobs)}
                self._withdrawn = dict.fromkeys(list(withdrawn)[-_FORMER:])

    def offers(self, digest: str) -> bool:
        """Tell whether somebody offers a blob, or did."""
        return digest in self._withdrawn or any(digest in offers.blobs for offers in tuple(self._offers.values()))

    def bring(self, digest: str) -> None:
        """Return once a blob that is offered is in the store. Whoever needs one that is on its way waits for it.

        Raises:
            Unavailable: SOURCE_UNREACHABLE where it cannot be had, or its bytes are others: nothing is kept of these.
        """
        with self._changing:
            fetched = self._under_way.get(digest)
            mine = fetched is None
            if fetched is None:
                fetched = self._under_way[digest] = Future()
        if not mine:
            try:
                fetched.result(timeout=_WITHIN_S)
            except (NotHad, TimeoutError) as error:
                raise _unreachable() from error
            return
        try:
            self._fetch(digest)
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
                del self._under_way[digest]

    def _fetch(self, digest: str) -> None:
        """Fetch from the first source that has it; whoever waited here may find that another one did."""
        if self._blobs.has(digest):
            return
        failed = NotHad("nobody offers it any more")
        ends = self._clock() + _WITHIN_S
        having = [offers for offers in tuple(self._offers.values()) if digest in offers.blobs]
        for left, offers in zip(range(len(having), 0, -1), having, strict=True):
            at = offers.blobs[digest]
            # Each has its share, so that one that does not answer leaves time for the next.
            now = self._clock()
            share_s = (ends - now) / left
            if not at.url:
                failed = NotHad("its source has not been reached since the start")
            elif not offers.enter(min(_TURN_S, share_s / 2)):
                failed = NotHad("its source does not answer those who wait for it already")
            else:
                try:
                    offers.bring(digest, at, now + share_s - self._clock())
                    return  # noqa: TRY300 - the first that succeeds ends it
                except NotHad as error:
                    failed = error
                finally:
                    offers.leave()
        raise failed


def _unreachable() -> Unavailable:
    return Unavailable(
        ErrorReason.SOURCE_UNREACHABLE,
        "what is asked for is fetched from the skill's source on need, and cannot be had now",
        retry_after_s=_RETRY_S,
    )

"""Changes of the catalog, told by whichever thread made them, as something that a coroutine can wait for."""

import asyncio
from collections import deque


class Changes:
    """A count of changes, and whoever waits for the next one. Lives on one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin with none on a loop."""
        self._loop = loop
        self._count = 0
        self._waiting: set[asyncio.Future[bool]] = set()
        self._to_wake: deque[asyncio.Future[bool]] = deque()

    @property
    def count(self) -> int:
        """How many changes there have been. Take it before looking at what may change."""
        return self._count

    def tell(self) -> None:
        """Tell of a change, from any thread; once the loop is closed nobody is there to be told."""
        try:
            self._loop.call_soon_threadsafe(self._advance)
        except RuntimeError:
            if not self._loop.is_closed():
                raise

    def now(self) -> float:
        """Return the loop's own time in seconds, by which waiting is counted."""
        return self._loop.time()

    async def beyond(self, count: int, timeout_s: float) -> bool:
        """Wait until there are more changes than `count`; return whether there are, within the time."""
        if self._count > count:
            return True
        # A future of its own for each: thousands wait, and leaving a crowd around one costs a look at all the others.
        waiter: asyncio.Future[bool] = self._loop.create_future()
        self._waiting.add(waiter)
        timer = self._loop.call_later(max(0.0, timeout_s), _end, waiter, False)  # noqa: FBT003 - what it resolves to
        try:
            return await waiter
        finally:
            timer.cancel()
            self._waiting.discard(waiter)

    def _advance(self) -> None:
        self._count += 1
        is_waking = bool(self._to_wake)
        self._to_wake.extend(self._waiting)
        self._waiting = set()
        if not is_waking:
            self._wake()

    def _wake(self) -> None:
        """Wake one, later the others: each may go through a catalog, and no call is to wait for all of them."""
        if self._to_wake:
            _end(self._to_wake.popleft(), True)  # noqa: FBT003 - what it resolves to
        if self._to_wake:
            self._loop.call_soon(self._wake)


def _end(waiter: asyncio.Future[bool], changed: bool) -> None:  # noqa: FBT001 - what it resolves to
    if not waiter.done():
        waiter.set_result(changed)

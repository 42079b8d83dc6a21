"""Changes of the catalog, told by whichever thread made them, as something that a coroutine can wait for."""

import asyncio


class Changes:
    """A count of changes, and whoever waits for the next one. Lives on one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin with none on a loop."""
        self._loop = loop
        self._count = 0
        self._next: asyncio.Future[None] = loop.create_future()

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
        waiting = self._next
        done, _pending = await asyncio.wait([waiting], timeout=max(0.0, timeout_s))
        return bool(done)

    def _advance(self) -> None:
        self._count += 1
        told, self._next = self._next, self._loop.create_future()
        told.set_result(None)

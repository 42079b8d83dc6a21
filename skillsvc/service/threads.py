"""Threads for what may block: reads of blobs and steps of the store, off the event loop and each within a time."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from skillsvc.domain.errors import ErrorReason, Unavailable

_Done = TypeVar("_Done")
_AWAITED: Final = {
    ErrorReason.STORE_UNREACHABLE: "what is stored",
    ErrorReason.SOURCE_UNREACHABLE: "what sources have elsewhere",
}


class Threads:
    """Work in a pool of threads, awaited. Lives on the event loop."""

    def __init__(
        self,
        name: str,
        *,
        threads: int,
        waiting: int,
        within_s: float,
        reason: ErrorReason = ErrorReason.STORE_UNREACHABLE,
    ) -> None:
        """Prepare a pool.

        Args:
            name: What the threads are called.
            threads: How many there are.
            waiting: How much work may be under way or wait for its turn; more is refused at once.
            within_s: How many seconds whoever awaits it waits at most, so that no call lasts for ever.
            reason: What it means to a caller where work is not done in time; one of Unavailable's.
        """
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._room = waiting
        self._within_s = within_s
        self._reason = reason

    async def run(self, work: Callable[[], _Done]) -> _Done:
        """Return what work returns, or raise what it raises.

        Raises:
            Unavailable: Of the pool's reason, where it is not done in time, or too much waits already. What is begun
                goes on in its thread: nothing ends one.
        """
        return await self.done(self.begin(work))

    def begin(self, work: Callable[[], _Done]) -> "asyncio.Future[_Done]":
        """Begin work; the future ends when it has, however long that takes. Raises Unavailable if too much waits."""
        if self._room <= 0:
            raise Unavailable(self._reason, f"too many calls wait for {_AWAITED[self._reason]}")
        self._room -= 1
        future = asyncio.get_running_loop().run_in_executor(self._executor, work)
        future.add_done_callback(self._leave)
        return future

    async def done(self, future: "asyncio.Future[_Done]") -> _Done:
        """Return what work came to that was begun; raises as `run`."""
        timeout = asyncio.timeout(self._within_s)
        try:
            async with timeout:
                # Shielded, so that whoever gives up waiting leaves no room that a thread still takes.
                return await asyncio.shield(future)
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise Unavailable(
                self._reason, f"{_AWAITED[self._reason]} could not be had within {self._within_s:g} seconds"
            ) from error

    def close(self) -> None:
        """End the pool: what waits for its turn is dropped, what is under way is waited for."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _leave(self, future: asyncio.Future[_Done]) -> None:
        self._room += 1
        if not future.cancelled():
            # Whoever asked may be gone: an error that nobody asks for any more is no fault of the loop's.
            future.exception()

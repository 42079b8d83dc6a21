"""Threads for what may block: reads of blobs and steps of the store, off the event loop and each within a time."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

from skillsvc.domain.errors import ErrorReason, Unavailable

_Done = TypeVar("_Done")


class Threads:
    """Work in a pool of threads, awaited. Lives on the event loop."""

    def __init__(self, executor: Executor, *, within_s: float) -> None:
        """Work in `executor`; whoever awaits it waits so many seconds at most, so that no call lasts for ever."""
        self._executor = executor
        self._within_s = within_s

    async def run(self, work: Callable[[], _Done]) -> _Done:
        """Return what work returns, or raise what it raises.

        Raises:
            Unavailable: STORE_UNREACHABLE where it is not done in time. It goes on in its thread: nothing ends one.
        """
        timeout = asyncio.timeout(self._within_s)
        try:
            async with timeout:
                return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise Unavailable(
                ErrorReason.STORE_UNREACHABLE, f"what is stored could not be had within {self._within_s:g} seconds"
            ) from error

"""What requests need of partitions that are looked at by need: found out before anybody is answered from them."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from itertools import groupby
from operator import attrgetter

from skillsvc.catalog.in_use import PartitionsInUse
from skillsvc.catalog.reports import Looked
from skillsvc.domain.errors import DataLoss, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.service.threads import Threads


class Needs:
    """Sees to the partitions of requests. Lives on the event loop."""

    def __init__(self, in_use: PartitionsInUse, threads: Threads, limits: Limits) -> None:
        """Ask `in_use`, and look for places in `threads`."""
        self._in_use = in_use
        self._threads = threads
        self._within_s = limits.wait_for_generation_s
        # What is found out of each principal's partitions just now, until the thread is free again.
        self._under_way: dict[str, asyncio.Future[list[Future[Looked]]]] = {}

    def are_met(self, partitions: Sequence[Partition]) -> bool:
        """Tell whether there is nothing to be found out; what is asked for stays in use."""
        return self._in_use.holds(partitions)

    async def meet(self, partitions: Sequence[Partition]) -> None:
        """Find out what there is of partitions, and wait a while for what is looked at for the first time.

        A look that takes longer goes on, and nobody waits for it again: what the log holds is served meanwhile.

        Raises:
            Unavailable: STORE_UNREACHABLE, or SOURCE_UNREACHABLE where places could not be looked for in time.
            DataLoss: The log is damaged.
        """
        looks: list[Future[Looked]] = []
        for principal, of_it in groupby(partitions, attrgetter("principal")):
            looks += await self._found_out(principal, tuple(of_it))
        if looks:
            await asyncio.wait([asyncio.wrap_future(look) for look in looks], timeout=self._within_s)
            self._in_use.give_up(partitions)

    async def _found_out(self, principal: str, partitions: Sequence[Partition]) -> list[Future[Looked]]:
        """Return what `bring_in` returns, in a thread: one at a time for each principal.

        Folders of one principal that hang must not take the threads that others' are looked for in.
        """
        # One that is done is still noted until the loop comes to it, and to wait for it would not let the loop do so.
        while (before := self._under_way.get(principal)) is not None and not before.done():
            try:
                await self._threads.done(before)
            except (Unavailable, DataLoss):
                if not before.done():
                    raise
            if self.are_met(partitions):
                return []
        begun = self._threads.begin(lambda: self._in_use.bring_in(partitions))
        self._under_way[principal] = begun
        begun.add_done_callback(partial(self._end, principal))
        return await self._threads.done(begun)

    def _end(self, principal: str, ended: "asyncio.Future[list[Future[Looked]]]") -> None:
        if self._under_way.get(principal) is ended:
            del self._under_way[principal]

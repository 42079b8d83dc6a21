"""What requests need of partitions that are looked at by need."""

import asyncio
from concurrent.futures import Future

from skillsvc.catalog.in_use import PartitionsInUse
from skillsvc.catalog.reports import Looked
from skillsvc.domain.errors import ErrorReason
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.service.needs import Needs
from skillsvc.service.threads import Threads
from tests.patience import PATIENCE_S
from tests.unit.catalog.stage import Stage

ALICE = Partition("token:alice", "")


async def test_what_has_just_been_found_out_and_is_still_noted_holds_up_nobody() -> None:
    stage = Stage()
    in_use = PartitionsInUse(stage.loop, stage.current, idle_s=1, clock=lambda: stage.now, now=stage.time)
    threads = Threads("places", threads=1, waiting=1, within_s=PATIENCE_S, reason=ErrorReason.SOURCE_UNREACHABLE)
    try:
        needs = Needs(in_use, threads, Limits())
        done: asyncio.Future[list[Future[Looked]]] = asyncio.get_running_loop().create_future()
        done.set_result([])
        needs._under_way[ALICE.principal] = done
        await needs.meet((ALICE,))
        assert needs._under_way == {}
    finally:
        threads.close()

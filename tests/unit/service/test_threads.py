"""Work in threads: what it gives, what it raises, and that nobody waits for it for ever."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from skillsvc.domain.errors import DataLoss, ErrorReason, Unavailable
from skillsvc.service.threads import Threads

WITHIN_S = 20.0


@pytest.fixture
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


async def test_work_is_done_in_a_thread_of_its_own(executor: ThreadPoolExecutor) -> None:
    threads = Threads(executor, within_s=WITHIN_S)
    assert await threads.run(threading.get_ident) != threading.get_ident()
    assert await threads.run(lambda: 7) == 7


@pytest.mark.parametrize(
    "error", [DataLoss(ErrorReason.DIGEST_MISMATCH, "damaged"), TimeoutError("of the disk"), ValueError("a bug")]
)
async def test_what_work_raises_comes_out_as_it_is(executor: ThreadPoolExecutor, error: Exception) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error), match=str(error)):
        await Threads(executor, within_s=WITHIN_S).run(fail)


async def test_work_that_takes_too_long_is_a_store_that_cannot_be_reached(executor: ThreadPoolExecutor) -> None:
    release = threading.Event()
    try:
        with pytest.raises(Unavailable) as caught:
            await Threads(executor, within_s=0.01).run(release.wait)
    finally:
        release.set()
    assert caught.value.reason is ErrorReason.STORE_UNREACHABLE
    assert "0.01 seconds" in caught.value.message


async def test_a_caller_who_goes_away_ends_the_waiting(executor: ThreadPoolExecutor) -> None:
    release, begun = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work() -> bool:
        loop.call_soon_threadsafe(begun.set)
        return release.wait(WITHIN_S)

    waiting = asyncio.create_task(Threads(executor, within_s=WITHIN_S).run(work))
    await begun.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    release.set()

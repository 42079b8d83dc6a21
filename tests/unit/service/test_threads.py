"""Work in threads: what it gives, what it raises, and that nobody waits for it for ever."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from skillsvc.domain.errors import DataLoss, ErrorReason, Unavailable
from skillsvc.service.threads import Threads
from tests.patience import PATIENCE_S


@pytest.fixture
def made() -> Iterator[list[Threads]]:
    made: list[Threads] = []
    yield made
    for threads in made:
        threads.close()


def pool(made: list[Threads], *, waiting: int = 8, within_s: float = PATIENCE_S) -> Threads:
    threads = Threads("test", threads=1, waiting=waiting, within_s=within_s)
    made.append(threads)
    return threads


async def test_work_is_done_in_a_thread_of_its_own(made: list[Threads]) -> None:
    threads = pool(made)
    assert await threads.run(threading.get_ident) != threading.get_ident()
    assert await threads.run(lambda: 7) == 7


@pytest.mark.parametrize(
    "error", [DataLoss(ErrorReason.DIGEST_MISMATCH, "damaged"), TimeoutError("of the disk"), ValueError("a bug")]
)
async def test_what_work_raises_comes_out_as_it_is(made: list[Threads], error: Exception) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error), match=str(error)):
        await pool(made).run(fail)


async def test_work_that_takes_too_long_is_a_store_that_cannot_be_reached(made: list[Threads]) -> None:
    release = threading.Event()
    try:
        with pytest.raises(Unavailable) as caught:
            await pool(made, within_s=0.01).run(release.wait)
    finally:
        release.set()
    assert caught.value.reason is ErrorReason.STORE_UNREACHABLE
    assert "0.01 seconds" in caught.value.message


async def test_a_caller_who_goes_away_ends_the_waiting(made: list[Threads]) -> None:
    release, begun = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work() -> bool:
        loop.call_soon_threadsafe(begun.set)
        return release.wait(PATIENCE_S)

    waiting = asyncio.create_task(pool(made).run(work))
    await begun.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    release.set()


async def test_more_work_than_may_wait_is_refused_at_once_and_room_comes_back(made: list[Threads]) -> None:
    threads = pool(made, waiting=2)
    release = threading.Event()
    held = [asyncio.create_task(threads.run(lambda: release.wait(PATIENCE_S))) for _ in range(2)]
    await asyncio.sleep(0)  # lets both begin
    with pytest.raises(Unavailable, match="too many calls"):
        await threads.run(lambda: None)
    release.set()
    assert await asyncio.gather(*held) == [True, True]
    assert await threads.run(lambda: 7) == 7


async def test_whoever_gives_up_leaves_no_room_that_a_thread_still_takes(made: list[Threads]) -> None:
    threads = pool(made, waiting=1, within_s=0.01)
    release = threading.Event()
    with pytest.raises(Unavailable, match="within"):
        await threads.run(lambda: release.wait(PATIENCE_S))
    with pytest.raises(Unavailable, match="too many calls"):
        await threads.run(lambda: None)
    release.set()

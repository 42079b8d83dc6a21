"""Changes: told by any thread, awaited on the loop, none of them missed."""

import asyncio
import threading

from skillsvc.service.changes import Changes
from tests.patience import PATIENCE_S


async def test_a_change_before_the_waiting_is_not_missed() -> None:
    changes = Changes(asyncio.get_running_loop())
    before = changes.count
    changes.tell()
    assert await changes.beyond(before, PATIENCE_S)
    assert await changes.beyond(before, 0.0)
    assert changes.count == before + 1


async def test_without_a_change_the_waiting_ends_in_time() -> None:
    changes = Changes(asyncio.get_running_loop())
    assert not await changes.beyond(changes.count, 0.001)
    assert not await changes.beyond(changes.count, -1.0)


async def test_every_waiter_hears_of_a_change_from_another_thread() -> None:
    changes = Changes(asyncio.get_running_loop())
    waiters = [asyncio.create_task(changes.beyond(0, PATIENCE_S)) for _ in range(100)]
    await asyncio.sleep(0)
    thread = threading.Thread(target=changes.tell)
    thread.start()
    assert all(await asyncio.gather(*waiters))
    thread.join()


async def test_many_threads_tell_of_every_change() -> None:
    changes = Changes(asyncio.get_running_loop())

    def tell_often() -> None:
        for _ in range(50):
            changes.tell()

    threads = [threading.Thread(target=tell_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    while changes.count < 200:
        assert await changes.beyond(changes.count, PATIENCE_S)
    for thread in threads:
        thread.join()
    assert changes.count == 200


async def test_a_waiter_who_goes_away_leaves_the_others() -> None:
    changes = Changes(asyncio.get_running_loop())
    leaving, staying = (asyncio.create_task(changes.beyond(0, PATIENCE_S)) for _ in range(2))
    await asyncio.sleep(0)
    leaving.cancel()
    changes.tell()
    assert await staying


def test_once_the_loop_is_closed_nobody_is_told() -> None:
    loop = asyncio.new_event_loop()
    changes = Changes(loop)
    loop.close()
    changes.tell()


async def test_a_crowd_is_woken_in_parts_between_which_others_have_their_turn() -> None:
    changes = Changes(asyncio.get_running_loop())
    woken: list[bool] = []

    async def wait() -> None:
        woken.append(await changes.beyond(0, PATIENCE_S))

    crowd = [asyncio.create_task(wait()) for _ in range(100)]
    await asyncio.sleep(0)
    changes.tell()
    seen: set[int] = set()
    while len(woken) < len(crowd):
        await asyncio.sleep(0)
        seen.add(len(woken))
    assert len(seen) > 20
    assert all(woken)


async def test_a_change_while_a_crowd_is_woken_is_told_to_those_who_wait_by_then() -> None:
    changes = Changes(asyncio.get_running_loop())
    first = [asyncio.create_task(changes.beyond(0, PATIENCE_S)) for _ in range(50)]
    await asyncio.sleep(0)
    changes.tell()
    await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
    second = [asyncio.create_task(changes.beyond(1, PATIENCE_S)) for _ in range(50)]
    await asyncio.sleep(0)
    changes.tell()
    assert all(await asyncio.gather(*first, *second))

"""Indexes that are made beside the serving: what is awaited, what is not, and what becomes of faults."""

import asyncio
import os
import threading
from collections.abc import Callable
from itertools import count

import pytest

from skillsvc.catalog.current import Current
from skillsvc.catalog.reports import SourceKey
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.skill import Bundle
from skillsvc.domain.view import View, compose
from skillsvc.service.changes import Changes
from skillsvc.service.indexing import LARGE, Indexing
from tests.patience import PATIENCE_S
from tests.simulators.clock import Clock
from tests.simulators.memory_log import MemoryLayerLog
from tests.simulators.searchable import Shelves
from tests.simulators.skills import in_order

SHELVES = Shelves()


def body_of(_source: SourceKey, bundle: Bundle) -> str:
    return SHELVES.bodies[bundle.digest]


class Stage:
    """A layer that a test publishes to, and what indexes it."""

    def __init__(self, body: Callable[[SourceKey, Bundle], str | None] = body_of) -> None:
        self.clock = Clock()
        self.current = Current(MemoryLayerLog(os.urandom), Limits())
        self.current.open_layer(DEPLOYMENT, self.clock())
        self.changes = Changes(asyncio.get_running_loop())
        self.current.subscribe(self.changes.tell)
        self.indexing = Indexing(self.current, body, at_most_bytes=1 << 26, wait_s=PATIENCE_S)
        self.numbers = count()

    def publish(self, skills: int) -> View:
        """Publish skills of whose names none was there before; return what is seen then."""
        rows = [SHELVES.row(f"s{next(self.numbers)}", body="wind") for _ in range(skills)]
        self.current.publish(DEPLOYMENT, in_order(rows), (), self.clock())
        return self.view()

    def view(self) -> View:
        return compose((self.current.layers[DEPLOYMENT].present,))

    async def has_caught_up(self, view: View) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while await self.indexing.of(view) is None:  # noqa: ASYNC110 - threads build; nothing tells of each
                await asyncio.sleep(0)


async def test_a_small_layer_is_indexed_by_whoever_asks_and_of_an_older_generation_there_is_nothing() -> None:
    stage = Stage()
    earlier, later = stage.publish(2), stage.publish(3)
    found = await stage.indexing.of(later)
    assert found is not None
    assert [index.layer_digest for index in found] == [later.layers[0].digest]
    assert await stage.indexing.of(earlier) is None
    assert await stage.indexing.of(later) == found
    assert stage.indexing.latest(earlier) == found
    await stage.indexing.close()


async def test_a_large_layer_is_followed_without_being_asked_for() -> None:
    stage = Stage()
    stage.publish(LARGE)
    stage.indexing.follow(stage.changes)
    await stage.has_caught_up(stage.view())
    digests = set()
    for _ in range(3):
        view = stage.publish(LARGE)
        digests.add(view.layers[0].digest)
        async with asyncio.timeout(PATIENCE_S):
            while {index.layer_digest for index in stage.indexing.latest(view)} != {view.layers[0].digest}:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0)
    assert len(digests) == 3
    await stage.indexing.close()


async def test_what_cannot_be_built_is_told_and_searched_without(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_source: SourceKey, _bundle: Bundle) -> str:
        raise ValueError("broken")

    stage = Stage(broken)
    assert await stage.indexing.of(stage.publish(1)) is None
    assert [record.getMessage() for record in caplog.records] == ["an index of a layer could not be built"]
    await stage.indexing.close()


async def test_the_end_does_not_wait_for_a_large_layer() -> None:
    begun = threading.Event()
    read: list[str] = []

    def told(source: SourceKey, bundle: Bundle) -> str:
        read.append(bundle.digest)
        begun.set()
        # Until the end has begun: whatever is asked for then is the last.
        stage.indexing.is_closing.wait()
        return body_of(source, bundle)

    stage = Stage(told)
    stage.publish(LARGE)
    stage.indexing.follow(stage.changes)
    await asyncio.to_thread(begun.wait)
    await stage.indexing.close()
    assert len(read) == 1


class Lazy:
    """Bodies that are not at hand before they are let come."""

    def __init__(self) -> None:
        self.come: set[str] = set()

    def __call__(self, source: SourceKey, bundle: Bundle) -> str | None:
        return body_of(source, bundle) if bundle.digest in self.come else None

    def bring(self, stage: Stage, bundle: Bundle) -> None:
        """Let a body come, and tell of it."""
        assert bundle.body is not None
        self.come.add(bundle.digest)
        stage.indexing.take_in(DEPLOYMENT, bundle.body.digest)


async def test_a_body_that_comes_later_is_taken_into_the_index() -> None:
    lazy = Lazy()
    stage = Stage(lazy)
    rows = [SHELVES.row(name, "About it.", body=f"Of {name}.") for name in ("wind", "rain")]
    stage.current.publish(DEPLOYMENT, in_order(rows), (), stage.clock())
    view = stage.view()
    assert (found := await stage.indexing.of(view)) is not None
    assert (found[0].count("of"), len(found[0].unread)) == (0, 2)
    for number, row in enumerate(rows, 1):
        lazy.bring(stage, row.bundle)
        async with asyncio.timeout(PATIENCE_S):
            while (found := await stage.indexing.of(view)) is None or len(found[0].unread) != 2 - number:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0)
        assert (found[0].count("of"), found[0].count("about"), len(found[0])) == (number, 2, 2)
    await stage.indexing.close()


async def test_a_body_that_nobody_waits_for_has_nothing_made() -> None:
    stage = Stage()
    view = stage.publish(1)
    before = await stage.indexing.of(view)
    stage.indexing.take_in(DEPLOYMENT, "0" * 64)
    assert await stage.indexing.of(view) == before
    await stage.indexing.close()

"""Sights: what is kept of callers stays bounded."""

import asyncio
import os

from skillsvc.catalog.current import Current
from skillsvc.catalog.views import Views
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.tokens import TokenKeys
from skillsvc.domain.view import Viewer
from skillsvc.service.changes import Changes
from skillsvc.service.sights import Sights
from skillsvc.service.threads import Threads
from tests.simulators.clock import START
from tests.simulators.memory_log import MemoryLayerLog


async def test_a_generation_is_encoded_once_a_caller_and_for_a_bounded_number_of_them() -> None:
    current = Current(MemoryLayerLog(os.urandom), Limits())
    current.open_layer(DEPLOYMENT, START)
    threads = Threads("layers", threads=1, waiting=1, within_s=10)
    sights = Sights(Views(current, TokenKeys((b"k" * 32,))), Changes(asyncio.get_running_loop()), Limits(), threads)
    viewers = [Viewer("local", str(number)) for number in range(2_000)]
    for viewer in viewers:
        assert await sights.present(viewer) is await sights.present(viewer)
    assert len(sights._encoded) <= 1_024
    threads.close()

"""Serving: the composition root. All objects of a server are built here, and get what they need in the constructor."""

import asyncio
import gc
import logging
import os
import signal
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from skillsvc.catalog.current import Current
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.refresh_loop import RefreshLoop
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.tokens import TokenKeys
from skillsvc.service.server import Parts, Server
from skillsvc.settings.settings import Settings
from skillsvc.sources.directory import DirectorySource
from skillsvc.sources.watch import DirectoryWatch
from skillsvc.store.data_folder import DataFolder
from skillsvc.store.sqlite import SqliteStore
from skillsvc.store.token_key_file import read_token_key_file

_FIRST_LOOK_S = 30.0
"""How long a start waits for every source to be looked at once."""

_log = logging.getLogger(__name__)


def serve(settings: Settings, announce: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT, then drain.

    Args:
        settings: What to serve, and where.
        announce: Called once, when health is SERVING, with the address: `HOST:PORT` or `unix:PATH`.

    Raises:
        SkillsvcError: The data folder, its log or its keys cannot be used.
        CannotListen: The address cannot be listened on.
    """
    limits = settings.make_limits()
    with (
        _data_folder(settings) as folder,
        FileBlobStore(str(folder.blobs)) as blobs,
        closing(SqliteStore(folder.database, random_bytes=os.urandom)) as store,
    ):
        current = Current(store, limits)
        current.open_layer(DEPLOYMENT, _now())
        stopping = threading.Event()
        sources = [
            DirectorySource(
                directory,
                limits=limits,
                blobs=blobs,
                stopped=stopping.is_set,
            )
            for directory in settings.directories()
        ]
        refresh = Refresh(current, DEPLOYMENT, sources, blobs=blobs, limits=limits, now=_now, stopped=stopping.is_set)
        sweep = BlobSweep(current, [refresh], blobs=blobs, stopped=stopping.is_set)
        loop = RefreshLoop(refresh, sweep, every_s=settings.server.poll_s, stopping=stopping, clock=time.monotonic)
        parts = Parts(
            current=current,
            blobs=blobs,
            requests=store,
            keys=_token_keys(settings, folder),
            limits=limits,
            version=version("skillsvc"),
            now=_now,
            new_id=lambda: str(uuid.uuid4()),
        )
        asyncio.run(_answer(settings, parts, loop, sources, announce))


async def _answer(
    settings: Settings,
    parts: Parts,
    loop: RefreshLoop,
    sources: Sequence[DirectorySource],
    announce: Callable[[str], None],
) -> None:
    """Listen, look at the sources, and begin to answer once each has been seen or the time for that is over.

    What cannot listen looks at nothing. At the end it drains, and then looks no more.
    """
    stopping = asyncio.Event()
    server = Server(parts)

    def stop() -> None:
        if stopping.is_set():
            # Whoever asks a second time does not want to wait for calls under way.
            server.hurry()
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    address = await server.start(settings.server.listen)
    with _looking(loop, DirectoryWatch(sources, loop.tell)):
        try:
            looked = asyncio.create_task(asyncio.to_thread(loop.first_look.wait, _FIRST_LOOK_S))
            stopped = asyncio.create_task(stopping.wait())
            with keeping_all():
                await asyncio.wait({looked, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not stopping.is_set():
                server.serve()
                announce(address)
                _log.info("serving", extra={"address": address, "version": parts.version})
                await stopped
        finally:
            _log.info("draining")
            # A first look that nobody waits for any more must not hold up the end.
            loop.first_look.set()
            await server.drain(settings.server.drain_s)


@contextmanager
def keeping_all() -> Iterator[None]:
    """Collect no garbage, and leave what there is at the end out of all later collections.

    A start makes next to none, and to go through a catalog of 10,000 skills stops all threads for a tenth of a second.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def _looking(loop: RefreshLoop, watch: DirectoryWatch) -> Iterator[None]:
    """Run the refreshing and the watching beside, each in its thread."""
    stop = threading.Event()
    threads = [
        threading.Thread(target=loop.run, name="refresh", daemon=True),
        threading.Thread(target=watch.run, args=(stop,), name="watch", daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        loop.stop()
        for thread in threads:
            thread.join()


def _data_folder(settings: Settings) -> DataFolder:
    if settings.server.data_dir is None:
        return DataFolder.temporary(Path(tempfile.gettempdir()))
    return DataFolder.open(settings.server.data_dir)


def _token_keys(settings: Settings, folder: DataFolder) -> TokenKeys:
    if settings.server.token_key_file is None:
        return folder.token_keys(os.urandom)
    return read_token_key_file(settings.server.token_key_file)


def _now() -> datetime:
    return datetime.now(UTC)

"""Serving: the composition root. All objects of a server are built here, and get what they need in the constructor."""

import asyncio
import gc
import logging
import os
import random
import signal
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from skillsvc.catalog.current import Current
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.refresh_loop import RefreshLoop
from skillsvc.catalog.reports import Declared
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.cli.watching import Watches
from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.tokens import TokenKeys
from skillsvc.service.listening import CannotListen
from skillsvc.service.server import Parts, Server
from skillsvc.settings.settings import Settings
from skillsvc.sources.directory import DirectorySource
from skillsvc.store.data_folder import DataFolder
from skillsvc.store.sqlite import SqliteStore
from skillsvc.store.token_key_file import read_token_key_file

_FIRST_LOOK_S = 30.0
"""How long a start waits for every source to be looked at once."""
_SWEEP_EVERY = 30
"""How many times the time between two whole looks lies between two sweeps of the blobs that nothing names."""

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
    stopping = threading.Event()
    with (
        _data_folder(settings) as folder,
        closing(SqliteStore(folder.database, random_bytes=os.urandom)) as store,
        ExitStack() as closes_blobs,
    ):
        blobs = closes_blobs.enter_context(FileBlobStore(str(folder.blobs)))
        current = Current(store, limits)

        def open_layer(partition: Partition) -> Refresh:
            current.open_layer(partition, _now())
            return Refresh(current, partition, (), blobs=blobs, limits=limits, now=_now, stopped=stopping.is_set)

        loop = RefreshLoop(
            open_layer,
            sweep=BlobSweep(current, blobs=blobs, now=_now, stopped=stopping.is_set),
            sweep_every_s=_SWEEP_EVERY * settings.server.poll_s,
            stopping=stopping,
            clock=time.monotonic,
            now=_now,
            chance=random.SystemRandom().random,
        )
        directories = [
            DirectorySource(directory, limits=limits, blobs=blobs, stopped=stopping.is_set)
            for directory in settings.directories()
        ]
        declared = [Declared(source=each, kind="directory", poll_s=settings.server.poll_s) for each in directories]
        loop.replace({DEPLOYMENT: declared})
        parts = Parts(
            current=current,
            blobs=blobs,
            requests=store,
            keys=_token_keys(settings, folder),
            limits=limits,
            version=version("skillsvc"),
            now=_now,
            new_id=lambda: str(uuid.uuid4()),
            looks=loop,
        )
        asyncio.run(_answer(settings, parts, loop, {DEPLOYMENT: directories}, admin=folder.admin, announce=announce))
        if loop.is_looking:
            # What a look that hangs still does to the store must not reach whatever gets its descriptors next.
            closes_blobs.pop_all()


async def _answer(
    settings: Settings,
    parts: Parts,
    loop: RefreshLoop,
    directories: Mapping[Partition, Sequence[DirectorySource]],
    *,
    admin: Path,
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
    try:
        admin_address = await server.start_admin(admin)
    except CannotListen:
        await server.drain(0)
        raise
    with _looking(loop), Watches(loop.tell) as watches:
        watches.replace(directories)
        try:
            looked = asyncio.create_task(asyncio.to_thread(loop.first_look.wait, _FIRST_LOOK_S))
            stopped = asyncio.create_task(stopping.wait())
            with keeping_all():
                await asyncio.wait({looked, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not stopping.is_set():
                server.serve()
                announce(address)
                _log.info("serving", extra={"address": address, "admin": admin_address, "version": parts.version})
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
def _looking(loop: RefreshLoop) -> Iterator[None]:
    """Run the refreshing beside, in a thread."""
    thread = threading.Thread(target=loop.run, name="refresh", daemon=True)
    thread.start()
    try:
        yield
    finally:
        loop.stop()
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

"""Serving: the composition root. All objects of a server are built here, and get what they need in the constructor."""

import asyncio
import gc
import logging
import os
import signal
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

from skillsvc.catalog.current import Current
from skillsvc.catalog.enablements import Enablements
from skillsvc.cli.descriptors import connections_of, raise_descriptors
from skillsvc.cli.hang_ups import HangUps
from skillsvc.cli.identifying import Identifying
from skillsvc.cli.listeners import Listeners
from skillsvc.cli.looking import Looking
from skillsvc.cli.vouching import Vouching
from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.generation import Generation
from skillsvc.domain.tokens import TokenKeys
from skillsvc.service.audit import Audit
from skillsvc.service.listening import CannotListen
from skillsvc.service.server import Parts, Server
from skillsvc.settings.settings import Settings
from skillsvc.sources.remote_blobs import RemoteBlobs
from skillsvc.store.data_folder import DataFolder
from skillsvc.store.sqlite import SqliteStore
from skillsvc.store.token_key_file import read_token_key_file

_FIRST_LOOK_S = 30.0
"""How long a start waits for every source to be looked at once."""

_log = logging.getLogger(__name__)


def serve(
    settings: Settings, announce: Callable[[str], None], *, read_anew: Callable[[], Settings], hang_ups: HangUps
) -> None:
    """Serve until SIGTERM or SIGINT, then drain. SIGHUP has the settings read anew.

    Args:
        settings: What to serve, and where.
        announce: Called once, when health is SERVING, with the address: `HOST:PORT` or `unix:PATH`.
        read_anew: Reads the settings again; raises SettingsRefused.
        hang_ups: Tells of each SIGHUP.

    Raises:
        SettingsRefused: A source cannot be made, or certificates, keys or tokens cannot be used.
        SkillsvcError: The data folder, its log or its keys cannot be used.
        CannotListen: The address cannot be listened on.
    """
    limits = settings.make_limits()
    with (
        _data_folder(settings) as folder,
        closing(SqliteStore(folder.database, random_bytes=os.urandom)) as store,
        ExitStack() as closes_blobs,
    ):
        blobs = closes_blobs.enter_context(FileBlobStore(str(folder.blobs)))
        audit = Audit(time.monotonic)
        current = Current(store, limits, published=partial(_tell_of_publish, audit))
        remote = RemoteBlobs(blobs)
        identifying = Identifying(settings, now=_now, audit=audit)
        vouching = Vouching(settings.readiness)
        looking = Looking(
            settings,
            current=current,
            blobs=blobs,
            remote=remote,
            limits=limits,
            folder=folder.sources,
            read_anew=read_anew,
            identifying=identifying,
            vouching=vouching,
            audit=audit,
            now=_now,
        )
        hang_ups.tell(looking.reloading.ask)
        parts = Parts(
            current=current,
            enablements=Enablements(store, limits),
            blobs=blobs,
            requests=store,
            experience=store,
            keys=_token_keys(settings, folder),
            limits=limits,
            version=version("skillsvc"),
            now=_now,
            new_id=lambda: str(uuid.uuid4()),
            connections=replace(settings.connections.connections(), at_most=connections_of(raise_descriptors())),
            health_watches=settings.health.health_watches(),
            shares=None if settings.asks_nobody() else settings.fairness.shares(),
            identities=identifying.identities,
            asks_owner=settings.admin.socket == "identified",
            looks=looking.loop,
            in_use=looking.in_use,
            remote=remote,
            rate=settings.experience.make_rate(),
            vouched=vouching.now,
        )
        listeners = Listeners.of(settings, folder=folder, now=_now)
        with identifying.running():
            asyncio.run(_answer(settings, parts, looking, listeners=listeners, announce=announce))
        if not looking.close():
            # What a look that hangs still does to the store must not reach whatever gets its descriptors next.
            closes_blobs.pop_all()


async def _answer(
    settings: Settings, parts: Parts, looking: Looking, *, listeners: Listeners, announce: Callable[[str], None]
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
    try:
        listening = await listeners.start(server)
    except CannotListen:
        await server.drain(0)
        raise
    with looking.running():
        try:
            looked = asyncio.create_task(asyncio.to_thread(looking.loop.first_look.wait, _FIRST_LOOK_S))
            stopped = asyncio.create_task(stopping.wait())
            with keeping_all():
                await asyncio.wait({looked, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not stopping.is_set():
                server.serve()
                _log.info("serving", extra={**listening, "version": parts.version})
                announce(listening["address"])
                await stopped
        finally:
            _log.info("draining")
            # A first look that nobody waits for any more must not hold up the end.
            looking.loop.first_look.set()
            await asyncio.to_thread(looking.reloading.stop)
            await server.drain(settings.server.drain_s)
            # Else a signal that comes while the loop closes wakes one that is not there, and is told as a fault.
            signal.set_wakeup_fd(-1)


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


def _data_folder(settings: Settings) -> DataFolder:
    if settings.server.data_dir is None:
        return DataFolder.temporary(Path(tempfile.gettempdir()))
    return DataFolder.open(settings.server.data_dir)


def _token_keys(settings: Settings, folder: DataFolder) -> TokenKeys:
    if settings.server.token_key_file is None:
        return folder.token_keys(os.urandom)
    return read_token_key_file(settings.server.token_key_file)


def _tell_of_publish(audit: Audit, generation: Generation) -> None:
    audit.allowed("Publish", partition=generation.partition, generation=generation.sequence, what=generation.digest)


def _now() -> datetime:
    return datetime.now(UTC)

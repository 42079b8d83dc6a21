"""The server: one grpc.aio server on one listener, with health and reflection; begun, made ready, drained (P10)."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import grpc
from grpc_reflection.v1alpha import reflection

from skillsvc.catalog.current import Current
from skillsvc.catalog.log import RequestLog
from skillsvc.catalog.views import Views
from skillsvc.content.blobs import BlobStore
from skillsvc.domain.limits import Limits
from skillsvc.domain.tokens import TokenKeys
from skillsvc.service.activations import Activations
from skillsvc.service.answers import AnswerCache
from skillsvc.service.boundary import Boundary
from skillsvc.service.changes import Changes
from skillsvc.service.health import SERVICE as HEALTH_SERVICE
from skillsvc.service.health import Health, health_handlers
from skillsvc.service.listening import Listener
from skillsvc.service.reads import Reads
from skillsvc.service.sights import Phase, Sights
from skillsvc.service.skill_source import SERVICE, ServerInfo, skill_source_handlers
from skillsvc.service.texts import Texts
from skillsvc.service.threads import Threads
from skillsvc.service.watch import Watch

_READING_THREADS = 4
_LEAVING_S = 0.1
"""How long before anything else health is told."""
_STEPS = 3
"""The most steps in threads that one call takes: an activation finds its record, may renew it, and reads the body."""
_WAITING = 1024
"""Calls that may wait for one pool of threads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a server serves from, built by the composition root."""

    current: Current
    blobs: BlobStore
    requests: RequestLog
    keys: TokenKeys
    limits: Limits
    version: str
    now: Callable[[], datetime]
    new_id: Callable[[], str]


class Server:
    """A server on one event loop. Made and used on that loop."""

    def __init__(self, parts: Parts) -> None:
        """Prepare; nothing listens before `start`."""
        self._changes = Changes(asyncio.get_running_loop())
        self._unsubscribe = parts.current.subscribe(self._changes.tell)
        within_s = parts.limits.call_without_deadline_s / _STEPS
        # A pool each: a store that is slow to write must not keep anybody from reading.
        self._reading = Threads("reads", threads=_READING_THREADS, waiting=_WAITING, within_s=within_s)
        self._recording = Threads("records", threads=1, waiting=_WAITING, within_s=within_s)
        self._sights = Sights(Views(parts.current, parts.keys), self._changes, parts.limits)
        self._hurrying: asyncio.Future[None] | None = None
        self._listener = Listener(parts.new_id)
        self._server = grpc.aio.server(
            options=(
                # A second server on the port must fail to start, rather than share its calls.
                ("grpc.so_reuseport", 0),
                # A little more than the limit, so that it is the boundary that refuses, with a reason.
                ("grpc.max_receive_message_length", parts.limits.request_bytes + 64 * 1024),
                ("grpc.http2.min_recv_ping_interval_without_data_ms", 20_000),
                ("grpc.keepalive_permit_without_calls", 1),
                # One connection alone must not fill the queue of calls that are not taken up yet: gRPC then cancels
                # calls at random, whoever made them.
                ("grpc.max_concurrent_streams", 1000),
                ("grpc.server.max_pending_requests", 10_000),
                ("grpc.server.max_pending_requests_hard_limit", 20_000),
                # A peer that is gone holds what waits to be sent to it.
                ("grpc.keepalive_time_ms", 60_000),
                ("grpc.keepalive_timeout_ms", 20_000),
            )
        )
        self._register(parts)

    def _register(self, parts: Parts) -> None:
        limits = parts.limits
        answers = AnswerCache(limits.answer_cache_bytes)
        boundary = Boundary(limits=limits, new_incident=parts.new_id)
        texts = Texts(parts.blobs, self._reading)
        handlers = skill_source_handlers(
            boundary,
            info=ServerInfo(version=parts.version, limits=limits, now=parts.now),
            reads=Reads(sights=self._sights, texts=texts, answers=answers, keys=parts.keys, limits=limits),
            activations=Activations(
                sights=self._sights,
                texts=texts,
                answers=answers,
                requests=parts.requests,
                threads=self._recording,
                limits=limits,
                now=parts.now,
                new_id=parts.new_id,
            ),
            sights=self._sights,
            watch=Watch(sights=self._sights, changes=self._changes, answers=answers, limits=limits),
        )
        health = Health((SERVICE,), sights=self._sights, changes=self._changes, limits=limits)
        self._server.add_generic_rpc_handlers(
            (
                grpc.method_handlers_generic_handler(SERVICE, handlers),
                grpc.method_handlers_generic_handler(HEALTH_SERVICE, health_handlers(boundary, health)),
            )
        )
        reflection.enable_server_reflection((SERVICE, HEALTH_SERVICE, reflection.SERVICE_NAME), self._server)

    async def start(self, address: str) -> str:
        """Listen on `HOST:PORT` or `unix:PATH` and answer NOT_READY; return the address with the port that it got.

        Raises:
            CannotListen: The address is taken or not of this machine.
        """
        listening = self._listener.listen(self._server, address)
        await self._server.start()
        return listening

    def serve(self) -> None:
        """Begin to answer from the catalog, and be healthy."""
        self._enter(Phase.SERVING)

    async def drain(self, grace_s: float) -> None:
        """Stop: health first, then watchers are told, then calls under way end, within `grace_s` seconds."""
        if self._sights.phase is Phase.SERVING:
            # Before that health was never told, and nothing is there to answer from meanwhile.
            self._enter(Phase.LEAVING)
            await asyncio.sleep(min(_LEAVING_S, grace_s))
        self._enter(Phase.DRAINING)
        self._listener.release()
        await self._server.stop(grace_s)
        self._unsubscribe()
        self._reading.close()
        self._recording.close()

    def hurry(self) -> None:
        """End the calls that a drain is waiting for."""
        self._hurrying = asyncio.ensure_future(self._server.stop(0))

    def _enter(self, phase: Phase) -> None:
        self._sights.phase = phase
        self._changes.tell()

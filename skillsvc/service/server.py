"""The server: its front for agents and its front for operators, begun, made ready and drained as one (P10)."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePath

from skillsvc.catalog.current import Current
from skillsvc.catalog.enablements import Enablements
from skillsvc.catalog.in_use import PartitionsInUse
from skillsvc.catalog.learned import LearnedLayers
from skillsvc.catalog.log import RequestLog
from skillsvc.catalog.views import Views
from skillsvc.content.blobs import BlobStore
from skillsvc.domain.access import OWNER
from skillsvc.domain.errors import ErrorReason
from skillsvc.domain.limits import Limits
from skillsvc.domain.readiness import Vouched
from skillsvc.domain.shares import Shares
from skillsvc.domain.tokens import TokenKeys
from skillsvc.experience.learning import Rate
from skillsvc.experience.log import ExperienceLog
from skillsvc.service.activations import Activations
from skillsvc.service.admin import SERVICE as ADMIN_SERVICE
from skillsvc.service.admin import admin_handlers
from skillsvc.service.admin_access import AccessAdmin
from skillsvc.service.admin_enablement import EnablementAdmin
from skillsvc.service.admin_generations import GenerationAdmin
from skillsvc.service.admin_pages import Pages
from skillsvc.service.admin_partitions import PartitionAdmin
from skillsvc.service.admin_scope import AdminScope, Looks
from skillsvc.service.admin_sources import SourceAdmin
from skillsvc.service.answers import AnswerCache
from skillsvc.service.arrivals import Handler
from skillsvc.service.audit import Audit
from skillsvc.service.boundary import Boundary
from skillsvc.service.call import Identities, OfThisMachine
from skillsvc.service.capabilities import Capabilities
from skillsvc.service.changes import Changes
from skillsvc.service.channelz import SERVICE as CHANNELZ_SERVICE
from skillsvc.service.channelz import channelz_handlers
from skillsvc.service.connections import Connections
from skillsvc.service.experience import Experience
from skillsvc.service.fairness import Fairness
from skillsvc.service.front import Front
from skillsvc.service.health import SERVICE as HEALTH_SERVICE
from skillsvc.service.health import Health, health_handlers
from skillsvc.service.health_watches import HealthWatches
from skillsvc.service.indexing import Indexing
from skillsvc.service.needs import Needs
from skillsvc.service.outcomes import Outcomes
from skillsvc.service.reads import Reads
from skillsvc.service.reflection import SERVICE as REFLECTION_SERVICE
from skillsvc.service.reflection import reflection_handlers
from skillsvc.service.renders import Renders
from skillsvc.service.searches import Searches
from skillsvc.service.sights import Phase, Sights
from skillsvc.service.skill_source import SERVICE, ServerInfo, skill_source_handlers
from skillsvc.service.texts import Texts
from skillsvc.service.threads import Threads
from skillsvc.service.tls_credentials import Credentials
from skillsvc.service.watch import Watch
from skillsvc.sources.remote_blobs import RemoteBlobs

_READING_THREADS = 4
_LAYER_THREADS = 2
_LOOKING_THREADS = 32
"""Of each principal one at most hangs at a time."""
_SEARCHING_THREADS = 2
_OUTBOUND_THREADS = 16
_OUTBOUND_WAITING = 64
"""Calls that may wait for what sources have elsewhere."""
_LEAVING_S = 0.1
"""How long before anything else health is told."""
_STEPS = 7
"""The most steps in threads that one call takes: an activation looks for places, brings in its layers, finds its
record, may renew it, looks whether the body is here, may have it brought, and reads it."""
_WAITING = 1024
"""Calls that may wait for one pool of threads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a server serves from, built by the composition root.

    `identities` tells who calls; without any, everybody is `local`. Operators on the socket in the data folder are
    asked where `asks_owner` says so. `shares` is how much each may take, None where callers are not told apart. `looks`
    is None where nobody looks at sources: there is no service for operators then. `in_use` is None where no partition
    is looked at by need, `remote` where no source has anything elsewhere. `vouched` says what the deployment vouches
    for, now.
    """

    current: Current
    enablements: Enablements
    blobs: BlobStore
    requests: RequestLog
    experience: ExperienceLog
    keys: TokenKeys
    limits: Limits
    version: str
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    connections: Connections = field(default_factory=Connections)
    health_watches: HealthWatches = field(default_factory=HealthWatches)
    identities: Identities = field(default_factory=OfThisMachine)
    shares: Shares | None = None
    asks_owner: bool = False
    looks: Looks | None = None
    in_use: PartitionsInUse | None = None
    remote: RemoteBlobs | None = None
    vouched: Callable[[], Vouched] = Vouched
    rate: Rate = Rate.SMOOTHED


class Server:
    """A server on one event loop. Made and used on that loop."""

    def __init__(self, parts: Parts) -> None:
        """Prepare; nothing listens before `start`."""
        self._changes = Changes(asyncio.get_running_loop())
        # What callers see is another where what is published changes, what is on or off, and the access rules.
        self._subscribed = (
            parts.current.subscribe(self._changes.tell),
            parts.enablements.subscribe(self._changes.tell),
            parts.identities.subscribe(self._changes.tell),
        )
        within_s = parts.limits.call_without_deadline_s / _STEPS
        # A pool each: a store that is slow to write must not keep anybody from reading.
        self._reading = Threads("reads", threads=_READING_THREADS, waiting=_WAITING, within_s=within_s)
        self._outbound = Threads(
            "outbound",
            threads=_OUTBOUND_THREADS,
            waiting=_OUTBOUND_WAITING,
            within_s=within_s,
            reason=ErrorReason.SOURCE_UNREACHABLE,
        )
        self._recording = Threads("records", threads=1, waiting=_WAITING, within_s=within_s)
        self._comparing = Threads("admin", threads=1, waiting=_WAITING, within_s=within_s)
        # A layer is brought in whole: it must not wait for bodies, nor these for it.
        self._layers = Threads("layers", threads=_LAYER_THREADS, waiting=_WAITING, within_s=within_s)
        # What is looked for at a place may take as long as a file system likes: nobody else must wait for it.
        self._looking_for = Threads(
            "places",
            threads=_LOOKING_THREADS,
            waiting=_WAITING,
            within_s=within_s,
            reason=ErrorReason.SOURCE_UNREACHABLE,
        )
        # What has an index is found in no time: it must not wait for what has none.
        self._searching = Threads("search", threads=_SEARCHING_THREADS, waiting=_WAITING, within_s=within_s)
        self._searching_plainly = Threads("plain", threads=_SEARCHING_THREADS, waiting=_WAITING, within_s=within_s)
        # What callers learned waits for no search, nor any search without a task for what they learned.
        self._recalling = Threads("experience", threads=1, waiting=_WAITING, within_s=within_s)
        self._experience = Experience(
            parts.experience,
            limits=parts.limits,
            rate=parts.rate,
            reading=self._recalling,
            recording=self._recording,
        )
        self._texts = Texts(parts.blobs, self._reading, remote=parts.remote, outbound=self._outbound)
        self._indexing = Indexing(
            parts.current, self._texts.body_at_hand, at_most_bytes=parts.limits.search_index_bytes
        )
        self._texts.when_brought(lambda source, digest: self._indexing.take_in(source.partition, digest))
        needs = None if parts.in_use is None else Needs(parts.in_use, self._looking_for, parts.limits)
        views = Views(parts.current, parts.keys, parts.enablements)
        self._sights = Sights(views, self._changes, parts.limits, self._layers, needs)
        self._hurrying: asyncio.Future[None] | None = None
        loop = asyncio.get_running_loop()
        self._audit = Audit(loop.time, later=loop.call_later)
        boundary = Boundary(
            limits=parts.limits,
            new_incident=parts.new_id,
            identities=parts.identities,
            audit=self._audit,
            fairness=None if parts.shares is None else Fairness(parts.shares, time.monotonic),
        )
        self._front = self._agents_front(parts, boundary)
        self._admin_front: Front | None = None
        self._remote_admin_front: Front | None = None
        if parts.looks is not None:
            # A socket of mode 0600 lets nobody in but whoever runs the server, who needs no credentials.
            of_this_user = Boundary(
                limits=parts.limits, new_incident=parts.new_id, identities=OfThisMachine(OWNER), audit=self._audit
            )
            own = boundary if parts.asks_owner else of_this_user
            self._admin_front = self._operators_front(parts, parts.looks, own)
            self._remote_admin_front = self._operators_front(parts, parts.looks, boundary)
        self._probes_front = self._health_front(parts, boundary)
        fronts = (self._front, self._admin_front, self._remote_admin_front, self._probes_front)
        self._fronts = [front for front in fronts if front is not None]

    def _agents_front(self, parts: Parts, boundary: Boundary) -> Front:
        limits = parts.limits
        answers = AnswerCache(limits.answer_cache_bytes)
        texts = self._texts
        searches = Searches(
            sights=self._sights,
            texts=texts,
            indexing=self._indexing,
            experience=self._experience,
            threads=self._searching,
            plainly=self._searching_plainly,
        )
        handlers = skill_source_handlers(
            boundary,
            info=ServerInfo(version=parts.version, limits=limits, now=parts.now),
            reads=Reads(
                sights=self._sights,
                texts=texts,
                answers=answers,
                keys=parts.keys,
                limits=limits,
                vouched=parts.vouched,
            ),
            searches=searches,
            renders=Renders(
                sights=self._sights,
                searches=searches,
                answers=answers,
                threads=self._searching,
                weights=self._experience.weights,
            ),
            capabilities=Capabilities(sights=self._sights, threads=self._searching),
            activations=Activations(
                sights=self._sights,
                texts=texts,
                answers=answers,
                requests=parts.requests,
                threads=self._recording,
                limits=limits,
                audit=self._audit,
                now=parts.now,
                new_id=parts.new_id,
                vouched=parts.vouched,
            ),
            outcomes=Outcomes(
                sights=self._sights,
                experience=self._experience,
                requests=parts.requests,
                threads=self._recording,
                limits=limits,
                audit=self._audit,
                now=parts.now,
            ),
            watch=Watch(sights=self._sights, changes=self._changes, answers=answers, limits=limits, now=parts.now),
        )
        health = self._health(SERVICE, parts, boundary)
        return self._front_of({SERVICE: handlers, HEALTH_SERVICE: health}, parts, boundary)

    def _operators_front(self, parts: Parts, looks: Looks, boundary: Boundary) -> Front:
        scope = AdminScope(current=parts.current, looks=looks, sights=self._sights, threads=self._layers)
        pages = Pages(parts.keys, parts.limits)
        handlers = admin_handlers(
            boundary,
            sources=SourceAdmin(
                scope=scope,
                pages=pages,
                limits=parts.limits,
                changes=self._changes,
                threads=self._comparing,
                audit=self._audit,
            ),
            generations=GenerationAdmin(scope=scope, pages=pages, threads=self._comparing),
            partitions=PartitionAdmin(
                scope=scope,
                learned=LearnedLayers(parts.current, blobs=parts.blobs, limits=parts.limits, now=parts.now),
                threads=self._layers,
                audit=self._audit,
                now=parts.now,
            ),
            enablement=EnablementAdmin(
                scope=scope,
                enablements=parts.enablements,
                pages=pages,
                threads=self._layers,
                audit=self._audit,
                now=parts.now,
            ),
            # By whatever way an operator comes, it is the rules of agents that are explained.
            access=AccessAdmin(
                scope=scope, judges=parts.identities, pages=pages, threads=self._comparing, audit=self._audit
            ),
        )
        health = self._health(ADMIN_SERVICE, parts, boundary)
        channelz = channelz_handlers(boundary)
        services = {ADMIN_SERVICE: handlers, HEALTH_SERVICE: health, CHANNELZ_SERVICE: channelz}
        return self._front_of(services, parts, boundary)

    def _health_front(self, parts: Parts, boundary: Boundary) -> Front:
        services = {HEALTH_SERVICE: self._health(SERVICE, parts, boundary)}
        return Front(services, limits=parts.limits, connections=parts.connections, new_id=parts.new_id)

    def _front_of(self, services: Mapping[str, Mapping[str, Handler]], parts: Parts, boundary: Boundary) -> Front:
        reflected = {**services, REFLECTION_SERVICE: reflection_handlers(boundary, services)}
        return Front(reflected, limits=parts.limits, connections=parts.connections, new_id=parts.new_id)

    def _health(self, service: str, parts: Parts, boundary: Boundary) -> dict[str, Handler]:
        health = Health(
            (service,), sights=self._sights, changes=self._changes, limits=parts.limits, watches=parts.health_watches
        )
        return health_handlers(boundary, health)

    async def start(self, address: str, *, locked: Path | None = None, credentials: Credentials | None = None) -> str:
        """Listen on `HOST:PORT` or `unix:PATH` and answer NOT_READY; return the address with the port that it got.

        `locked` is a folder that the caller has locked, in which the socket may be, too. Without `credentials` of TLS
        all is sent in plaintext.

        Raises:
            CannotListen: The address is taken or not of this machine.
        """
        of_tls = None if credentials is None else credentials.for_listener()
        return await self._front.start(address, locked=locked, credentials=of_tls)

    async def start_admin(self, path: PurePath) -> str:
        """Let operators call by a unix socket of mode 0600, in a folder that the caller has locked; return its address.

        Raises:
            CannotListen: Something else has the name.
        """
        assert self._admin_front is not None, "an admin service needs what looks at the sources"
        return await self._admin_front.start_privately(path)

    async def start_remote_admin(self, address: str, credentials: Credentials) -> str:
        """Let operators call by `HOST:PORT` with TLS, as who they are; return the address with the port that it got.

        Raises:
            CannotListen: The address is taken or not of this machine.
        """
        assert self._remote_admin_front is not None, "an admin service needs what looks at the sources"
        return await self._remote_admin_front.start(address, credentials=credentials.for_listener())

    async def start_probes(self, address: str) -> str:
        """Tell health alone by `HOST:PORT`, in plaintext and to everybody; return the address with its port.

        Raises:
            CannotListen: The address is taken or not of this machine.
        """
        return await self._probes_front.start(address)

    def serve(self) -> None:
        """Begin to answer from the catalog, and be healthy."""
        self._indexing.follow(self._changes)
        self._enter(Phase.SERVING)

    async def drain(self, grace_s: float) -> None:
        """Stop: health first, then watchers are told, then calls under way end, within `grace_s` seconds."""
        if self._sights.phase is Phase.SERVING:
            # Before that health was never told, and nothing is there to answer from meanwhile.
            self._enter(Phase.LEAVING)
            await asyncio.sleep(min(_LEAVING_S, grace_s))
        self._enter(Phase.DRAINING)
        for front in self._fronts:
            front.release()
        await self._stop(grace_s)
        for unsubscribe in self._subscribed:
            unsubscribe()
        await self._indexing.close()
        self._searching.close()
        self._searching_plainly.close()
        self._outbound.close()
        self._reading.close()
        self._recording.close()
        self._recalling.close()
        self._comparing.close()
        self._audit.flush()
        self._layers.close()
        self._looking_for.close()

    def hurry(self) -> None:
        """End the calls that a drain is waiting for."""
        self._hurrying = asyncio.ensure_future(self._stop(0))

    async def _stop(self, grace_s: float) -> None:
        await asyncio.gather(*(front.stop(grace_s) for front in self._fronts))

    def _enter(self, phase: Phase) -> None:
        self._sights.phase = phase
        self._changes.tell()

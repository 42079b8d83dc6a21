"""The asyncio client: the methods of the blocking client, to be awaited, on one event loop."""

import asyncio
import functools
import importlib.metadata
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from dataclasses import dataclass, field, fields
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import grpc
import grpc.aio

from skillsource.activating import of_inventory, rest_of_body
from skillsource.answers import Activation, AssetContent, CatalogEvent
from skillsource.async_connection import AsyncConnection
from skillsource.cache import Cache
from skillsource.channel import TlsOptions, Token, channel_options, check_target, credentials_of
from skillsource.errors import ClientClosed, SkillsourceError
from skillsource.mirror import Mirror
from skillsource.operations import Operations, PagePlan, Plan
from skillsource.scope import Scope
from skillsource.surroundings import ACTIVATE_TIMEOUT_S, CACHE_BYTES, READ_TIMEOUT_S, Surroundings
from skillsource.values import Dropped, Generation, Skill

P = ParamSpec("P")
T = TypeVar("T")


def connect_async(
    target: str,
    *,
    project: str = "",
    session: str = "",
    allow: Iterable[str] | None = None,
    builtin_tools: Iterable[str] = (),
    token: Token | None = None,
    tls: TlsOptions | None = None,
    follow: bool = False,
    cache_bytes: int = CACHE_BYTES,
    read_timeout: float = READ_TIMEOUT_S,
    activate_timeout: float = ACTIVATE_TIMEOUT_S,
    on_dropped: Callable[[Dropped], None] | None = None,
) -> "AsyncClient":
    """Make a client of one server, for the running event loop; everything else is as with `connect`."""
    check_target(target, tls=tls is not None)
    credentials = credentials_of(token)
    options = channel_options(importlib.metadata.version("skillsource"), plaintext=tls is None)
    if tls is None:
        channel = grpc.aio.insecure_channel(target, options)
    else:
        channel = grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(tls.ca, tls.key, tls.cert), options)
    surroundings = Surroundings(
        cache=Cache(cache_bytes),
        read_timeout_s=read_timeout,
        activate_timeout_s=activate_timeout,
        on_dropped=on_dropped,
    )
    scope = Scope.of(project=project, session=session, allow=allow, builtin_tools=builtin_tools)
    client = AsyncClient(
        AsyncConnection(channel, target, credentials, surroundings.clock, tls), Operations(scope, surroundings)
    )
    if follow:
        client.follow()
    return client


def _awaited(
    plan: Callable[Concatenate[Operations, P], Plan[T]],
) -> Callable[Concatenate["AsyncClient", P], Coroutine[Any, Any, T]]:
    @functools.wraps(plan)
    async def method(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run(plan(self._operations, *args, **kwargs))

    return method


def _activating(
    plan: Callable[Concatenate[Operations, P], Plan[Activation]],
) -> Callable[Concatenate["AsyncClient", P], Coroutine[Any, Any, "AsyncActiveSkill"]]:
    @functools.wraps(plan)
    async def method(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> "AsyncActiveSkill":
        activation = await self._run(plan(self._operations, *args, **kwargs))
        values = {part.name: getattr(activation, part.name) for part in fields(activation)}
        return AsyncActiveSkill(**values, reads=self.pinned(activation.generation))

    return method


def _iterating(
    plan: Callable[Concatenate[Operations, P], PagePlan],
) -> Callable[Concatenate["AsyncClient", P], AsyncIterator[Skill]]:
    @functools.wraps(plan)
    async def method(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[Skill]:
        listing = plan(self._operations, *args, **kwargs)
        while not listing.pages.ended:
            for skill in (await self._run(Plan(listing.pages.next(), listing.timeout_s))).skills:
                yield skill

    return method


def _deriving(
    change: Callable[Concatenate[Operations, P], Operations],
) -> Callable[Concatenate["AsyncClient", P], "AsyncClient"]:
    @functools.wraps(change)
    def method(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> "AsyncClient":
        return AsyncClient(self._connection, change(self._operations, *args, **kwargs), owns_connection=False)

    return method


class AsyncClient:
    """Reads and activates skills of one server, in one scope, on one event loop.

    Every call takes a `timeout` in seconds for all that it does, and raises a SkillsourceError where it fails. Nothing
    that a server sends makes it raise anything else, or return what the contract does not allow.
    """

    def __init__(self, connection: AsyncConnection, operations: Operations, *, owns_connection: bool = True) -> None:
        """Use `connect_async` instead.

        Args:
            connection: Does what the operations ask for.
            operations: Those of this client's scope.
            owns_connection: Close the connection with this client.
        """
        self._connection = connection
        self._operations = operations
        self._owns_connection = owns_connection
        self._follower: asyncio.Task[None] | None = None
        self._heard = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop following, and close the connection unless it is another client's."""
        follower, self._follower = self._follower, None
        if follower is not None:
            follower.cancel()
            await asyncio.wait([follower])
            self._heard.set()
        if self._owns_connection:
            await self._connection.close()

    pinned = _deriving(Operations.pinned)
    at_least = _deriving(Operations.at_least)
    narrowed = _deriving(Operations.narrowed)

    server_info = _awaited(Operations.server_info)
    present = _awaited(Operations.present)
    list_skills = _awaited(Operations.list_skills)
    iter_skills = _iterating(Operations.iter_skills)
    list_collections = _awaited(Operations.list_collections)
    search_skills = _awaited(Operations.search_skills)
    render_catalog = _awaited(Operations.render_catalog)
    search_capabilities = _awaited(Operations.search_capabilities)
    skill_body = _awaited(Operations.skill_body)
    list_assets = _awaited(Operations.list_assets)
    read_asset = _awaited(Operations.read_asset)
    activate = _activating(Operations.activate)
    report_outcome = _awaited(Operations.report_outcome)
    best_match = _awaited(Operations.best_match)

    def watch(self, since: Generation | str = "") -> AsyncIterator[CatalogEvent]:
        """Follow the catalog, event by event, without end; see `Client.watch`. `aclose` ends it."""
        return self._connection.watch(self._operations.watch(since))

    def follow(self) -> None:
        """Follow the catalog in a task, until this client is closed; see `Client.follow`."""
        if self._follower is None:
            surroundings = self._operations.surroundings
            mirror = Mirror(surroundings.cache, surroundings.watch_clock)
            self._operations = self._operations.followed(mirror)
            events = self._connection.watch(self._operations.follow(mirror))
            self._follower = asyncio.get_running_loop().create_task(_tell(mirror, events, self._heard))

    async def wait_until_following(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 - as of a call
        """Follow the catalog, and wait until the stream is alive; see `Client.wait_until_following`."""
        self.follow()
        seconds = self._operations.surroundings.read_timeout_s if timeout is None else timeout
        try:
            async with asyncio.timeout(seconds):
                while not self.following:
                    self._connection.check_open()
                    if self._follower is None:
                        raise ClientClosed("the client was closed")
                    self._heard.clear()
                    await self._heard.wait()
        except TimeoutError:
            mirror = self._operations.mirror
            assert mirror is not None, "what follows has a mirror"
            late = mirror.not_alive_in_time()
            raise late from late.__cause__

    @property
    def following(self) -> bool:
        """Whether the catalog is followed, and the stream is alive."""
        mirror = self._operations.mirror
        return mirror is not None and mirror.alive

    @property
    def follow_error(self) -> SkillsourceError | None:
        """What broke the followed stream, until it is heard again."""
        mirror = self._operations.mirror
        return None if mirror is None else mirror.error

    async def _run(self, plan: Plan[T]) -> T:
        value = await self._connection.run(plan.operation, plan.timeout_s)
        if (on_dropped := self._operations.surroundings.on_dropped) is not None:
            for dropped in getattr(value, "dropped", ()):
                on_dropped(dropped)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class AsyncActiveSkill(Activation):
    """An activation whose further reads come from its own generation."""

    reads: AsyncClient = field(repr=False, compare=False)
    """Pinned to the activation's generation."""

    async def rest_of_body(self, *, timeout: float | None = None) -> str:  # noqa: ASYNC109 - the deadline of a call
        """Return what `text` leaves out of the body; the empty text where it is whole."""
        if not self.truncated:
            return ""
        return rest_of_body(self, await self.reads.skill_body(self.reference, timeout=timeout))

    async def read_asset(
        self,
        asset: str,
        *,
        as_text: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline of a call
    ) -> AssetContent:
        """Read one of the assets: what comes has the digest that the inventory names."""
        content = await self.reads.read_asset(self.reference, asset, as_text=as_text, timeout=timeout)
        return of_inventory(self, asset, content)


async def _tell(mirror: Mirror, events: AsyncIterator[CatalogEvent], heard: asyncio.Event) -> None:
    """Tell a mirror what a stream gives, until the stream is closed, and whoever waits for that."""
    try:
        async for event in events:
            mirror.hear(event)
            heard.set()
    except ClientClosed:
        pass
    finally:
        mirror.end()
        heard.set()

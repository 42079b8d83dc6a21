"""The blocking client. It may be shared between threads."""

import functools
import importlib.metadata
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

import grpc

from skillsource.activating import of_inventory, rest_of_body
from skillsource.answers import Activation, AssetContent
from skillsource.cache import Cache
from skillsource.channel import TlsOptions, Token, channel_options, check_target, credentials_of
from skillsource.connection import Connection, EventStream
from skillsource.errors import ClientClosed, SkillsourceError
from skillsource.mirror import Mirror
from skillsource.operations import Operations, PagePlan, Plan
from skillsource.scope import Scope
from skillsource.surroundings import ACTIVATE_TIMEOUT_S, CACHE_BYTES, READ_TIMEOUT_S, Surroundings
from skillsource.values import Dropped, Generation, Skill

P = ParamSpec("P")
T = TypeVar("T")


def connect(
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
) -> "Client":
    """Make a client of one server. The first call connects.

    Args:
        target: `HOST:PORT`, `unix:PATH`, or another target of gRPC.
        project: The project whose catalog is read.
        session: A label of the caller's session.
        allow: The names to narrow to; None for all, and none at all for an empty one.
        builtin_tools: Tools that the caller offers by name.
        token: A bearer token, or what gives the present one before each call.
        tls: How to secure the connection; None for plaintext, which goes to this machine alone.
        follow: Follow the catalog from the start: see `Client.follow`.
        cache_bytes: Most bytes of content held for repeated reads.
        read_timeout: Seconds for a whole read, all its pages and ranges.
        activate_timeout: Seconds for an activation, all its attempts.
        on_dropped: Told of everything that an answer holds and may not, besides the `dropped` of each value.

    Raises:
        InsecureTarget: Plaintext would leave this machine.
        InvalidArgument: The token does not fit into a header.
    """
    check_target(target, tls=tls is not None)
    credentials = credentials_of(token)
    options = channel_options(importlib.metadata.version("skillsource"), plaintext=tls is None)
    if tls is None:
        channel = grpc.insecure_channel(target, options)
    else:
        channel = grpc.secure_channel(target, grpc.ssl_channel_credentials(tls.ca, tls.key, tls.cert), options)
    surroundings = Surroundings(
        cache=Cache(cache_bytes),
        read_timeout_s=read_timeout,
        activate_timeout_s=activate_timeout,
        on_dropped=on_dropped,
    )
    scope = Scope.of(project=project, session=session, allow=allow, builtin_tools=builtin_tools)
    client = Client(Connection(channel, target, credentials, surroundings.clock, tls), Operations(scope, surroundings))
    if follow:
        client.follow()
    return client


def _blocking(
    plan: Callable[Concatenate[Operations, P], Plan[T]],
) -> Callable[Concatenate["Client", P], T]:
    @functools.wraps(plan)
    def method(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._run(plan(self._operations, *args, **kwargs))

    return method


def _activating(
    plan: Callable[Concatenate[Operations, P], Plan[Activation]],
) -> Callable[Concatenate["Client", P], "ActiveSkill"]:
    @functools.wraps(plan)
    def method(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> "ActiveSkill":
        activation = self._run(plan(self._operations, *args, **kwargs))
        values = {part.name: getattr(activation, part.name) for part in fields(activation)}
        return ActiveSkill(**values, reads=self.pinned(activation.generation))

    return method


def _iterating(
    plan: Callable[Concatenate[Operations, P], PagePlan],
) -> Callable[Concatenate["Client", P], Iterator[Skill]]:
    @functools.wraps(plan)
    def method(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> Iterator[Skill]:
        listing = plan(self._operations, *args, **kwargs)
        while not listing.pages.ended:
            yield from self._run(Plan(listing.pages.next(), listing.timeout_s)).skills

    return method


def _deriving(
    change: Callable[Concatenate[Operations, P], Operations],
) -> Callable[Concatenate["Client", P], "Client"]:
    @functools.wraps(change)
    def method(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> "Client":
        return Client(self._connection, change(self._operations, *args, **kwargs), owns_connection=False)

    return method


class Client:
    """Reads and activates skills of one server, in one scope.

    Every call takes a `timeout` in seconds for all that it does, and raises a SkillsourceError where it fails. Nothing
    that a server sends makes it raise anything else, or return what the contract does not allow.
    """

    def __init__(self, connection: Connection, operations: Operations, *, owns_connection: bool = True) -> None:
        """Use `connect` instead.

        Args:
            connection: Does what the operations ask for.
            operations: Those of this client's scope.
            owns_connection: Close the connection with this client.
        """
        self._connection = connection
        self._operations = operations
        self._owns_connection = owns_connection
        self._follower: _Follower | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop following, and close the connection unless it is another client's."""
        with self._lock:
            follower, self._follower = self._follower, None
        if follower is not None:
            follower.stop()
        if self._owns_connection:
            self._connection.close()

    pinned = _deriving(Operations.pinned)
    at_least = _deriving(Operations.at_least)
    narrowed = _deriving(Operations.narrowed)

    server_info = _blocking(Operations.server_info)
    present = _blocking(Operations.present)
    list_skills = _blocking(Operations.list_skills)
    iter_skills = _iterating(Operations.iter_skills)
    list_collections = _blocking(Operations.list_collections)
    search_skills = _blocking(Operations.search_skills)
    render_catalog = _blocking(Operations.render_catalog)
    search_capabilities = _blocking(Operations.search_capabilities)
    skill_body = _blocking(Operations.skill_body)
    list_assets = _blocking(Operations.list_assets)
    read_asset = _blocking(Operations.read_asset)
    activate = _activating(Operations.activate)
    report_outcome = _blocking(Operations.report_outcome)
    best_match = _blocking(Operations.best_match)

    def watch(self, since: Generation | str = "") -> EventStream:
        """Follow the catalog, event by event, without end.

        A stream that ends, breaks or falls silent is opened again, and goes on where it stopped. The iterator can be
        closed, also from another thread.

        Args:
            since: The state that the caller holds; empty for none.

        Raises:
            SkillsourceError: From the iterator: no first event came in four attempts, or no attempt can mend it.
        """
        return self._connection.watch(self._operations.watch(since))

    def follow(self) -> None:
        """Follow the catalog in a thread, until this client is closed.

        While something was heard in the last 90 seconds, what is unchanged is read again without a call.
        """
        with self._lock:
            if self._follower is None:
                surroundings = self._operations.surroundings
                mirror = Mirror(surroundings.cache, surroundings.watch_clock)
                self._operations = self._operations.followed(mirror)
                self._follower = _Follower(self._connection.watch(self._operations.follow(mirror)), mirror)
                self._follower.start()

    def wait_until_following(self, *, timeout: float | None = None) -> None:
        """Follow the catalog, and wait until the stream is alive.

        Raises:
            DeadlineExceeded: It is not in time. What broke the stream is in the message, and the cause.
        """
        self.follow()
        seconds = self._operations.surroundings.read_timeout_s if timeout is None else timeout
        mirror = self._operations.mirror
        assert mirror is not None, "what follows has a mirror"
        if not mirror.wait_until_alive(seconds):
            self._connection.check_open()
            if self._follower is None:
                raise ClientClosed("the client was closed")
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

    def _run(self, plan: Plan[T]) -> T:
        value = self._connection.run(plan.operation, plan.timeout_s)
        if (on_dropped := self._operations.surroundings.on_dropped) is not None:
            for dropped in getattr(value, "dropped", ()):
                on_dropped(dropped)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveSkill(Activation):
    """An activation whose further reads come from its own generation."""

    reads: Client = field(repr=False, compare=False)
    """Pinned to the activation's generation."""

    def rest_of_body(self, *, timeout: float | None = None) -> str:
        """Return what `text` leaves out of the body; the empty text where it is whole."""
        if not self.truncated:
            return ""
        return rest_of_body(self, self.reads.skill_body(self.reference, timeout=timeout))

    def read_asset(self, asset: str, *, as_text: bool = False, timeout: float | None = None) -> AssetContent:
        """Read one of the assets: what comes has the digest that the inventory names."""
        return of_inventory(self, asset, self.reads.read_asset(self.reference, asset, as_text=as_text, timeout=timeout))


class _Follower(threading.Thread):
    """Tells a mirror what a stream gives."""

    def __init__(self, stream: EventStream, mirror: Mirror) -> None:
        super().__init__(name="skillsource-follow", daemon=True)
        self._stream = stream
        self._mirror = mirror

    def run(self) -> None:
        """Tell every event, until the stream is closed."""
        try:
            for event in self._stream:
                self._mirror.hear(event)
        except ClientClosed:
            pass
        finally:
            self._mirror.end()

    def stop(self) -> None:
        """Close the stream, and wait for the thread."""
        self._stream.close()
        self.join()

"""A server of many tenants, each with a bearer token of its own, on a log that outlives it; every byte it says is kept.

Callers prove who they are as in production; operators call by the listener with TLS, by a bearer token, too.
"""

import logging
import random
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import grpc
from google.protobuf.message import Message
from typing_extensions import override

from skillsvc.catalog.current import Current
from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.domain.access import Access, AccessRule, IdentityKind, Match, Role
from skillsvc.domain.generation import Row
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.patterns import Pattern
from skillsvc.domain.principal_template import PrincipalTemplate
from skillsvc.domain.trust import Tier, Trust
from skillsvc.service.audit import LOGGER
from skillsvc.service.identities.identities import Identities, Ways
from skillsvc.service.identities.kept import Kept
from skillsvc.service.identities.static_tokens import StaticTokens, line_of, parse_tokens
from skillsvc.service.tls_credentials import Credentials
from skillsvc.store.sqlite import SqliteStore
from tests.integration.admin_in_process import SERVICE as ADMIN
from tests.integration.in_process import SERVICE, InProcess, Refusal, World, in_process, refusal_of
from tests.patience import PATIENCE_S
from tests.simulators.authority import Authority, Files, channel_to
from tests.simulators.scripted_looks import ScriptedLooks, report
from tests.simulators.skills import in_order, skill_row
from tests.simulators.tenants_model import Grant, Text

OPERATOR = "operator"
_ENCODED = re.compile(rb"[A-Za-z0-9_-]{40,}")


def bearer_of(caller: str) -> str:
    """Return the secret that a caller shows."""
    return f"the-token-of-{caller}-".ljust(48, "0")


_OF_NAMES = {"RevokeSkill", "LiftRevoke", "SetEnablement"}


class House:
    """What servers stand on that come one after another: a log, a token key, certificates, callers, their rules."""

    def __init__(
        self,
        folder: Path,
        authority: Authority,
        *,
        callers: Iterable[str],
        fed: Iterable[Partition] = (),
        world: World | None = None,
    ) -> None:
        """Begin with no rules but the operator's. `fed` are the partitions that sources feed, beside the deployment."""
        self._folder = folder
        self._authority = authority
        self._files = Files(folder).put(authority.issue())
        self._callers = tuple(callers)
        self._fed = (DEPLOYMENT, *fed)
        self.world = world or World()
        # Log ids are drawn of it: the same run gives the same tokens.
        self._random_bytes = random.Random(0).randbytes  # noqa: S311 - no secret, but a run that can be repeated
        self._stack = AsyncExitStack()
        self._identities = Identities(self._ways(), Access(), now=self.world.clock)
        self.rule({})

    async def start(self) -> None:
        """Begin a server on the log."""
        store = SqliteStore(self._folder / "log", random_bytes=self._random_bytes)
        self._stack.callback(store.close)
        self.world.log = self.world.requests = self.world.experience = store
        looks = ScriptedLooks()
        for partition in self._fed:
            looks.feed(partition, report("source"))
        serving = in_process(
            world=self.world,
            partitions=self._fed,
            looks=looks,
            current=Current(store, self.world.limits),
            identities=self._identities,
        )
        self.server: InProcess = await self._stack.enter_async_context(serving)
        tls = Credentials(self._files, now=lambda: datetime.now(UTC))
        address = await self.server.server.start_remote_admin("127.0.0.1:0", tls)
        self._operators = await self._stack.enter_async_context(channel_to(address, self._authority))

    async def stop(self) -> None:
        """End the server; what it stood on stays."""
        await self._stack.aclose()

    def rule(self, grants: Mapping[str, Grant | None]) -> None:
        """Let callers get these from now on, by a reload of the access rules."""
        rules = [_rule(caller, grant) for caller, grant in grants.items() if grant is not None]
        operator = Grant("token:operator", roles=frozenset({"admin"}))
        self._identities.take(self._ways(), Access(rules=(*rules, _rule(OPERATOR, operator))))

    def feed(self, whose: Partition, texts: Iterable[Text], *, unseen: str = "") -> None:
        """Publish what sources hold of a layer; `unseen` names one that could not be seen, if there is any."""
        now = self.world.clock()
        unreachable = (UnreachableSource(source=unseen, since=now, state=SourceState.STALE),) if unseen else ()
        rows = in_order(_row(self.world, text) for text in texts)
        self.server.current.publish(whose, rows, unreachable, now)

    async def ask(self, caller: str, request: Message) -> "Told":
        """Make the call that a request is named after."""
        rpc = request.DESCRIPTOR.name.removesuffix("Request")
        return await _told(self.server.channel, f"/{SERVICE}/{rpc}", caller, request)

    async def ask_as_operator(self, caller: str, request: Message, *, elsewhere: bool = False) -> "Told":
        """Make an admin call: on the listener of operators, or `elsewhere` on that of agents."""
        rpc = request.DESCRIPTOR.name.removesuffix("Request")
        channel = self.server.channel if elsewhere else self._operators
        return await _told(channel, f"/{ADMIN.full_name}/{rpc}", caller, request)

    async def watch(self, caller: str, request: Message) -> "Told":
        """Begin a watch, and leave it after its first event."""
        method: grpc.aio.UnaryStreamMultiCallable[bytes, bytes]
        method = self.server.channel.unary_stream(f"/{SERVICE}/WatchCatalog")
        stream = method(request.SerializeToString(), timeout=PATIENCE_S, metadata=_shown_by(caller))
        try:
            event = await stream.read()
            assert isinstance(event, bytes), "the stream ended"
            return Told(event, None, _heard(event, await stream.initial_metadata()))
        except grpc.aio.AioRpcError as error:
            return _refused(error)
        finally:
            stream.cancel()

    def _ways(self) -> Ways:
        lines = "\n".join(line_of(caller, bearer_of(caller)) for caller in (*self._callers, OPERATOR))
        tokens: Kept[StaticTokens] = Kept(
            "tokens",
            parse_tokens(lines.encode(), b"k" * 32),
            lambda: None,
            every_s=600,
            after_failure_s=30,
            apart_s=60,
            submit=_never,
            clock=lambda: 0.0,
            changed=lambda: None,
        )
        return Ways(tokens=tokens)


@dataclass(frozen=True, slots=True)
class Told:
    """What came back of a call: an answer or a refusal, and every byte of it, also of what is encoded within."""

    answer: bytes
    refusal: Refusal | None
    heard: bytes


class Lines(logging.Handler):
    """All that the log says from the level info on, each line with everything that a formatter could write of it."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.records: list[logging.LogRecord] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    def take(self) -> list[logging.LogRecord]:
        """Return the lines since the last time."""
        records, self.records = self.records, []
        return records


def words_of(record: logging.LogRecord) -> bytes:
    """Return all that a line may say, but for a name that an operator gave: that is its own."""
    of_a_name = record.name == LOGGER and getattr(record, "act", "") in _OF_NAMES
    told = {name: value for name, value in vars(record).items() if not (of_a_name and name == "what")}
    return repr((record.getMessage(), told)).encode()


def labels_of_metrics() -> bytes:
    """Return every label of every metric: there are no metrics yet, so none. Whoever adds them reads them here."""
    return b""


async def _told(channel: grpc.aio.Channel, path: str, caller: str, request: Message) -> Told:
    method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(path)
    call = method(request.SerializeToString(), timeout=PATIENCE_S, metadata=_shown_by(caller))
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        return _refused(error)
    return Told(answer, None, _heard(answer, await call.initial_metadata(), await call.trailing_metadata()))


def _refused(error: grpc.aio.AioRpcError) -> Told:
    told = (error.initial_metadata(), error.trailing_metadata(), error.details(), error.debug_error_string())
    return Told(b"", refusal_of(error), _heard(*told))


def _heard(*told: object) -> bytes:
    """Return all bytes of what was told, and after them what tokens among them hold in base64."""
    plain = b"\0".join(each if isinstance(each, bytes) else repr(each).encode() for each in _flat(told))
    whole = (each for each in _ENCODED.findall(plain) if len(each) % 4 != 1)
    return b"\0".join((plain, *(urlsafe_b64decode(each + b"=" * (-len(each) % 4)) for each in whole)))


def _flat(told: Iterable[object]) -> Iterable[object]:
    for each in told:
        if isinstance(each, Iterable) and not isinstance(each, str | bytes):
            yield from _flat(each)
        else:
            yield each


def _shown_by(caller: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {bearer_of(caller)}"),) if caller else ()


def _rule(caller: str, grant: Grant) -> AccessRule:
    return AccessRule(
        name=caller,
        match=Match(kind=IdentityKind.TOKEN, names=(Pattern(caller),)),
        principal=PrincipalTemplate.parse(grant.principal),
        partitions=tuple(Partition(*whose) for whose in grant.further),
        projects=tuple(map(Pattern, grant.projects)),
        roles=frozenset(map(Role, grant.roles)),
        allow=grant.allow,
    )


def _row(world: World, text: Text) -> Row:
    of_all = text.whose == DEPLOYMENT
    return skill_row(
        world.blobs,
        text.name,
        description=text.description,
        body=text.body,
        assets=text.assets,
        model=text.for_models,
        source=text.source,
        shadowed=text.shadowed,
        tier=Tier.EXPLICIT if of_all else Tier.PROJECT,
        trust=Trust.ALLOWED if of_all else Trust.ASK,
        collection=text.collection,
    )


def _never(_work: Callable[[], None]) -> "Future[None]":
    raise AssertionError("nobody looks at the tokens of a test")

"""The boundary: raw bytes in, raw bytes out, and the one place that turns errors into statuses.

Composed around each handler at registration rather than as an interceptor, which costs a third of the throughput
(performance.md). A request that is no message is INVALID_ARGUMENT; an error of ours is mapped by one table and carries
one ErrorInfo; anything else reaches the log whole and the caller as an incident id.

Who calls is judged before anything of the request is looked at, once a call and once more where the rules changed
meanwhile. What comes of it is a `Grant`, and through it a `Viewer`: no handler has another way to whose catalog it is.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from math import ceil
from typing import Final, Generic, NamedTuple, NoReturn, Protocol, TypeAlias, TypeVar

import grpc
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError, Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from skillsvc.domain import errors
from skillsvc.domain.access import (
    LOCAL,
    NOBODY_IS_ASKED,
    Grant,
    Identity,
    Judgement,
    Refusal,
    Role,
    access_of_this_machine,
)
from skillsvc.domain.errors import Denied, ErrorReason, Exhausted, InternalFault, InvalidInput, SkillsvcError
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.domain.shares import Group
from skillsvc.domain.view import Viewer
from skillsvc.service.audit import Audit, Refused
from skillsvc.service.fairness import Fairness, Turn, Turnstile
from skillsvc.service.groups import CHANGES, OPERATIONS, act_of, group_of
from skillsvc.service.peers import address_of
from skillsvc.service.roles import Need, Open, need_of

DOMAIN = "skillsource.v1"
CODES: dict[type[SkillsvcError], int] = {
    errors.InvalidInput: code_pb2.INVALID_ARGUMENT,
    errors.NotFound: code_pb2.NOT_FOUND,
    errors.StateMissing: code_pb2.FAILED_PRECONDITION,
    errors.Unavailable: code_pb2.UNAVAILABLE,
    errors.Unauthenticated: code_pb2.UNAUTHENTICATED,
    errors.Denied: code_pb2.PERMISSION_DENIED,
    errors.Conflict: code_pb2.ABORTED,
    errors.AlreadyExists: code_pb2.ALREADY_EXISTS,
    errors.Exhausted: code_pb2.RESOURCE_EXHAUSTED,
    errors.DataLoss: code_pb2.DATA_LOSS,
    errors.NotImplementedYet: code_pb2.UNIMPLEMENTED,
    errors.InternalFault: code_pb2.INTERNAL,
}
_MESSAGE_MAX_BYTES = 1024
"""A whole status must stay below 4 KiB, or the transport loses it."""

Handler: TypeAlias = "grpc.RpcMethodHandler[bytes, bytes]"
"""The registered form of one call's handler."""

_AUDITED: Final = frozenset(
    {
        ErrorReason.CREDENTIALS_MISSING,
        ErrorReason.CREDENTIALS_INVALID,
        ErrorReason.ROLE_MISSING,
        ErrorReason.PROJECT_NOT_ALLOWED,
        ErrorReason.QUOTA_EXCEEDED,
        ErrorReason.RATE_LIMITED,
    }
)
"""Refusals that the audit is told of, whatever the call."""
_FLOODING: Final = frozenset(
    {
        ErrorReason.CREDENTIALS_MISSING,
        ErrorReason.CREDENTIALS_INVALID,
        ErrorReason.ROLE_MISSING,
        ErrorReason.RATE_LIMITED,
    }
)
"""Refusals of which as many come as somebody likes to send."""
_TOLD = 1024
_REMEMBERED = 4096
_REMEMBERED_BYTES = 256

_log = logging.getLogger(__name__)
_Request = TypeVar("_Request", bound=Message)
_Ask = TypeVar("_Ask")
_Raw = TypeVar("_Raw")
Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"
"""What gRPC knows of a call."""


class Identities(Protocol):
    """Who calls, and what the access rules make of that. Lives on the event loop, but for `subscribe`."""

    @property
    def version(self) -> int:
        """A number that grows when rules or credentials change: what was granted before is to be judged again."""

    def grant_of(self, context: Context, /) -> Grant | Refusal:
        """Return what the caller of a call gets; for every call, so that what was verified is remembered.

        Raises:
            Unauthenticated: CREDENTIALS_MISSING or CREDENTIALS_INVALID, also where they have expired.
        """

    def explain(self, identity: Identity, /) -> Judgement:
        """Return what the rules in force say of an identity, for any thread; it takes as long as there are rules."""

    def subscribe(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have `told` called after each change, on any thread; returns what ends that."""


class OfThisMachine:
    """Identities where nothing of them is configured: whoever reaches the server is `local`, and may do all."""

    version: Final = 0

    def __init__(self, grant: Grant | None = None) -> None:
        """Judge once; a `grant` is what everybody gets instead."""
        self._access = access_of_this_machine()
        self._grant = grant or self._access.judge(LOCAL)

    def grant_of(self, _context: Context) -> Grant | Refusal:
        """Return the same for everybody."""
        return self._grant

    def explain(self, identity: Identity) -> Judgement:
        """Say that nobody is asked."""
        return Judgement(
            identity=identity,
            unproved=NOBODY_IS_ASKED,
            judged=self._access.judge(identity),
            rules=self._access.explain(identity),
        )

    def subscribe(self, _told: Callable[[], None]) -> Callable[[], None]:
        """Nothing ever changes."""
        return lambda: None


class Call:
    """What a handler may know of the call itself: who makes it, what they may see, and how much time is left.

    One is made for every call, so that it is no dataclass: frozen ones take four times as long.
    """

    __slots__ = ("_identities", "_need", "_version", "context", "grant")

    def __init__(self, context: Context, identities: Identities, need: Need) -> None:
        """Judge the caller of a context by what the call needs.

        Raises:
            Unauthenticated: CREDENTIALS_MISSING or CREDENTIALS_INVALID.
            Denied: ROLE_MISSING, also where no access rule is for the caller.
        """
        self.context = context
        self._identities = identities
        self._need = need
        self._version = identities.version
        self.grant: Grant = _NOBODY if need is _TO_EVERYBODY else _granted(identities.grant_of(context), need)
        """What the caller gets. Of whom nobody asks who they are, nothing."""

    @property
    def caller(self) -> Partition:
        """The caller's principal without a project."""
        return Partition(self.grant.principal, "")

    def viewer(self, project: str) -> Viewer:
        """Return who asks, of a project whose name is checked.

        Raises:
            Denied: PROJECT_NOT_ALLOWED, in the same words whether anybody has published to it or not (rules.md 7).
        """
        grant = self.grant
        if project and not grant.may_name(project):
            raise Denied(ErrorReason.PROJECT_NOT_ALLOWED, "the caller may not name this project")
        return Viewer(grant.principal, project, grant.partitions, grant.allow)

    def judge_again(self) -> bool:
        """Judge the caller anew where rules or credentials changed; return whether they did. Raises as at first."""
        version = self._identities.version
        if version == self._version:
            return False
        self.grant = _granted(self._identities.grant_of(self.context), self._need)
        self._version = version
        return True

    def time_left_s(self, at_most: float) -> float:
        """Return the seconds until the caller's deadline, at most so many; a caller need not have one."""
        left: object = self.context.time_remaining()  # None without a deadline, whatever the stubs say
        return max(0.0, min(left, at_most)) if isinstance(left, float) else at_most


_TO_EVERYBODY: Final = Open.TO_EVERYBODY
"""Looked up once: each call asks for it."""
_NOBODY: Final = Grant(principal="", rule="")
"""What callers get whom nobody asked who they are."""


def _granted(judged: Grant | Refusal, need: Need) -> Grant:
    """Return what a caller gets; one for whom there is no rule is told no more than one who lacks the role."""
    if isinstance(judged, Grant) and need in judged.roles:
        # What nearly every call comes to.
        return judged
    role = need if isinstance(need, Role) else Role.READER
    if isinstance(judged, Refusal) or need is role:
        caller, rule = (judged.caller, "") if isinstance(judged, Refusal) else (judged.principal, judged.rule)
        raise Denied(
            ErrorReason.ROLE_MISSING,
            f"the call needs the role {role}",
            metadata={"role": role.value},
            caller=caller,
            rule=rule,
        )
    return judged


def _who(error: SkillsvcError) -> tuple[str, str]:
    """Return who was not let in, and by which rule; "" for what nobody knows."""
    return (error.caller, error.rule) if isinstance(error, Denied) else ("", "")


class Requests(Generic[_Request, _Ask]):
    """Requests of one call into what they ask for, each checked once.

    Callers repeat themselves: what small requests ask for is remembered by their bytes. It depends on nothing else.
    """

    def __init__(self, request_type: type[_Request], parse: Callable[[_Request, Limits], _Ask], limits: Limits) -> None:
        """Read requests of a type by `parse`."""
        self._type = request_type
        self._parse = parse
        self._limits = limits
        self._remembered: dict[object, _Ask] = {}

    def read(self, raw: object) -> _Ask:
        """Return what a request asks for; one that did not come is no bytes.

        Raises:
            InvalidInput: REQUEST_MALFORMED, or what is wrong with one of its fields.
            NotImplementedYet: It sets a field whose behaviour is not built.
        """
        ask = self._remembered.get(raw)
        if ask is None:
            if not isinstance(raw, bytes):
                raise InvalidInput(ErrorReason.REQUEST_MALFORMED, "the call has no request")
            if len(raw) > self._limits.request_bytes:
                raise InvalidInput(
                    ErrorReason.ARGUMENT_OUT_OF_RANGE,
                    f"the request has {len(raw)} bytes; at most {self._limits.request_bytes} are allowed",
                    metadata={"field": "", "limit": str(self._limits.request_bytes)},
                )
            ask = self._parse(self._decode(raw), self._limits)
            if len(raw) <= _REMEMBERED_BYTES:
                if len(self._remembered) >= _REMEMBERED:
                    self._remembered.clear()
                self._remembered[raw] = ask
        return ask

    def _decode(self, raw: bytes) -> _Request:
        try:
            return self._type.FromString(raw)
        except DecodeError as error:
            raise InvalidInput(
                ErrorReason.REQUEST_MALFORMED, f"the request is no {self._type.DESCRIPTOR.full_name}"
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """What all handlers are composed with. `new_incident` makes the id by which the log tells of a fault.

    `fairness` is None where callers are not told apart: there is nobody to be fair to then.
    """

    limits: Limits
    new_incident: Callable[[], str]
    identities: Identities
    audit: Audit
    fairness: Fairness | None = None

    def unary(
        self,
        request_type: type[_Request],
        parse: Callable[[_Request, Limits], _Ask],
        handle: Callable[[_Ask, Call], Awaitable[bytes]],
    ) -> Handler:
        """Return the registered form of a unary call's handler; KeyError where nothing says what the call needs."""
        requests = Requests(request_type, parse, self.limits)
        identities, need = self.identities, need_of(request_type.DESCRIPTOR.full_name)
        entrance = self._entrance(request_type.DESCRIPTOR.full_name)
        turnstile = entrance.turnstile

        async def behaviour(raw: object, context: Context) -> bytes:
            call = None
            try:
                call = Call(context, identities, need)
                turn = None if turnstile is None else _turn(turnstile, call)
                if not isinstance(raw, bytes):
                    raw = await context.read()
                answer = await handle(requests.read(raw), call)
                if turn is not None:
                    turn.hold(len(answer))
                return answer  # noqa: TRY300 - what `hold` raises is for the caller, too
            except SkillsvcError as error:
                await self._refuse(error, context, call, entrance)
                # No client looks at it: the status is no success.
                return b""
            except grpc.aio.AbortError:
                raise
            except Exception:  # noqa: BLE001 - the boundary: what nobody expected ends here
                await self._fault(context, call, entrance)

        handler = _Unary(behaviour)
        if self.fairness is not None:
            self.fairness.tell(handler.judge_first)
        return handler

    def stream(
        self,
        request_type: type[_Request],
        parse: Callable[[_Request, Limits], _Ask],
        handle: Callable[[_Ask, Call], AsyncIterator[bytes]],
    ) -> Handler:
        """Return the registered form of a server stream's handler; as `unary`."""
        requests = Requests(request_type, parse, self.limits)
        need = need_of(request_type.DESCRIPTOR.full_name)
        entrance = self._entrance(request_type.DESCRIPTOR.full_name)

        def begin(raw: bytes, call: Call) -> AsyncIterator[bytes]:
            return handle(requests.read(raw), call)

        return grpc.unary_stream_rpc_method_handler(self._streaming(need, entrance, begin))

    def conversation(
        self, request_type: type[_Request], handle: Callable[[AsyncIterator[_Request], Call], AsyncIterator[bytes]]
    ) -> Handler:
        """Return the registered form of a handler that answers a stream of requests one by one; as `stream`.

        Each request counts as a read besides, and its caller is judged by the rules that are in force by then: one
        stream is no way around either.
        """
        requests = Requests(request_type, lambda request, _limits: request, self.limits)
        need = need_of(request_type.DESCRIPTOR.full_name)
        entrance = self._entrance(request_type.DESCRIPTOR.full_name)
        reads = None if self.fairness is None else self.fairness.turnstile(Group.READS)

        async def read(raws: AsyncIterator[bytes], call: Call) -> AsyncIterator[_Request]:
            async for raw in raws:
                call.judge_again()
                if reads is not None:
                    reads.enter(call.grant.principal).end()
                yield requests.read(raw)

        def begin(raws: AsyncIterator[bytes], call: Call) -> AsyncIterator[bytes]:
            return handle(read(raws, call), call)

        return grpc.stream_stream_rpc_method_handler(self._streaming(need, entrance, begin))

    def _streaming(
        self, need: Need, entrance: "_Entrance", begin: Callable[[_Raw, Call], AsyncIterator[bytes]]
    ) -> Callable[[_Raw, Context], AsyncIterator[bytes]]:
        """Return the behaviour of a stream, of which an event that is not sent yet counts as an answer that waits."""
        identities, turnstile = self.identities, entrance.turnstile

        async def behaviour(raw: _Raw, context: Context) -> AsyncIterator[bytes]:
            call = None
            try:
                call = Call(context, identities, need)
                turn = None if turnstile is None else _turn(turnstile, call)
                async for event in begin(raw, call):
                    if turn is not None:
                        turn.hold(len(event))
                    yield event
                    if turn is not None:
                        turn.release()
            except SkillsvcError as error:
                await self._refuse(error, context, call, entrance)
            except grpc.aio.AbortError:
                raise
            except Exception:  # noqa: BLE001 - the boundary: what nobody expected ends here
                await self._fault(context, call, entrance)

        return behaviour

    def _entrance(self, request: str) -> "_Entrance":
        group = group_of(request)
        turnstile = None if group is None or self.fairness is None else self.fairness.turnstile(group)
        return _Entrance(act=act_of(request), turnstile=turnstile, told={})

    async def _refuse(self, error: SkillsvcError, context: Context, call: Call | None, entrance: "_Entrance") -> None:
        """Answer an error; `call` is None where the caller was not let in. Where it returns, the status is set."""
        principal, rule = _who(error) if call is None else (call.grant.principal, call.grant.rule)
        if call is None and entrance.turnstile is not None and self.fairness is not None:
            # Whoever is not let in is counted all the same, lest asking be free for those who may not: by principal
            # where a rule says who it is. Others may hold as many names as they like, and are nobody.
            try:
                if rule:
                    entrance.turnstile.enter(principal).end()
                else:
                    self.fairness.turn_away(address_of(context.peer()))
            except Exhausted as exhausted:
                error = exhausted
        if error.reason in _AUDITED or entrance.act in CHANGES:
            peer = "" if principal else address_of(context.peer())
            self.audit.refused(
                Refused(act=entrance.act, reason=error.reason.value, principal=principal, peer=peer, rule=rule)
            )
        if error.reason in _FLOODING:
            _refuse_cheaply(context, error, entrance.told)
        else:
            await _abort(context, error)

    async def _fault(self, context: Context, call: Call | None, entrance: "_Entrance") -> NoReturn:
        """Answer an unexpected fault; called while it is handled."""
        incident = self.new_incident()
        _log.exception("incident %s", incident, extra={"incident_id": incident})
        if entrance.act in OPERATIONS:
            # How far it came is not known: what an operator began has to be looked after.
            grant = _NOBODY if call is None else call.grant
            self.audit.failed(
                entrance.act,
                ErrorReason.INTERNAL_FAULT.value,
                principal=grant.principal,
                rule=grant.rule,
                what=incident,
            )
        await _abort(
            context,
            InternalFault(
                ErrorReason.INTERNAL_FAULT,
                "a fault of the server; report the incident id",
                metadata={"incident_id": incident},
            ),
        )


class _Unary(grpc.RpcMethodHandler):  # type: ignore[type-arg] # it has arguments in its stub alone
    """The registered form of a unary call's handler, which may be changed between calls.

    gRPC brings a request before it asks the handler; but where it takes the call for one with a stream of requests, the
    handler asks for it. Then callers are judged first: a refusal costs a fifth less, and an answer a little more.
    """

    def __init__(self, behaviour: Callable[[object, Context], Awaitable[bytes]]) -> None:
        self.request_streaming = self.response_streaming = False
        self.request_deserializer = self.response_serializer = None
        # By the stub these are of a server of threads, which returns what is awaited here.
        self.unary_unary = self.stream_unary = behaviour  # type: ignore[assignment]
        self.unary_stream = self.stream_stream = None

    def judge_first(self, yes: bool) -> None:  # noqa: FBT001 - what is told is a state, not an option
        """Judge callers of later calls before their requests are brought, or after."""
        self.request_streaming = yes


class _Entrance(NamedTuple):
    """What all calls of one handler have in common where they begin.

    `told` are statuses that are told again and again, by their messages and when to try again, in milliseconds.
    """

    act: str
    turnstile: Turnstile | None
    told: dict[tuple[str, int], grpc.Status]


def _turn(turnstile: Turnstile, call: Call) -> Turn:
    """Let a call in. It is over when its task is, which lasts until its answer is sent."""
    turn = turnstile.enter(call.grant.principal)
    task = asyncio.current_task()
    assert task is not None, "a handler runs in the task of its call"
    task.add_done_callback(turn.end)
    return turn


async def _abort(context: Context, error: SkillsvcError) -> NoReturn:
    await context.abort_with_status(rpc_status.to_status(status_of(error)))
    raise AssertionError  # pragma: no cover - abort_with_status always raises


def _refuse_cheaply(context: Context, error: SkillsvcError, told: dict[tuple[str, int], grpc.Status]) -> None:
    """Set the status of a refusal of which many may come: a flood must not cost more than answers would.

    An abort would raise through all of gRPC, which takes longer than to answer. When to try again is told in whole
    milliseconds, so that there are few statuses.
    """
    after_ms = ceil((error.retry_after_s or 0.0) * 1000)
    status = told.get((error.message, after_ms))
    if status is None:
        if len(told) >= _TOLD:
            told.clear()
        if after_ms:
            error = Exhausted(error.reason, error.message, metadata=error.metadata, retry_after_s=after_ms / 1000)
        status = told[error.message, after_ms] = rpc_status.to_status(status_of(error))
    context.set_code(status.code)
    context.set_details(status.details)
    context.set_trailing_metadata(status.trailing_metadata)


def status_of(error: SkillsvcError) -> status_pb2.Status:
    """Return the status of an error: its code by the table, one ErrorInfo, and RetryInfo where a repetition may do."""
    status = status_pb2.Status(code=CODES[type(error)], message=_bounded(error.message))
    info = error_details_pb2.ErrorInfo(reason=error.reason.value, domain=DOMAIN, metadata=dict(error.metadata))
    status.details.append(_packed(info))
    if error.retry_after_s is not None:
        delay = Duration()
        delay.FromNanoseconds(round(error.retry_after_s * 1e9))
        status.details.append(_packed(error_details_pb2.RetryInfo(retry_delay=delay)))
    if isinstance(error, Exhausted) and error.subject:
        used_up = error_details_pb2.QuotaFailure.Violation(subject=error.subject, description=_bounded(error.message))
        status.details.append(_packed(error_details_pb2.QuotaFailure(violations=[used_up])))
    if "field" in error.metadata and isinstance(error, InvalidInput):
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=error.metadata["field"], description=_bounded(error.message)
        )
        status.details.append(_packed(error_details_pb2.BadRequest(field_violations=[violation])))
    return status


def _packed(detail: Message) -> Any:
    packed = Any()
    packed.Pack(detail)
    return packed


def _bounded(message: str) -> str:
    encoded = message.encode(errors="replace")
    return encoded[:_MESSAGE_MAX_BYTES].decode(errors="ignore")

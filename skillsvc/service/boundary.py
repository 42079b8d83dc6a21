"""The boundary: raw bytes in, raw bytes out, and the one place where errors end.

Composed around each handler at registration rather than as an interceptor, which costs a third of the throughput
(performance.md). A request that is no message is INVALID_ARGUMENT; an error of ours is mapped by one table and carries
one ErrorInfo; anything else reaches the log whole and the caller as an incident id.

Who calls is judged before anything of the request is looked at, once a call and once more where the rules changed
meanwhile. Of whom is known already, that costs no more than a look at the headers (`arrivals.py`).
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, NoReturn, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from skillsvc.domain.access import Grant
from skillsvc.domain.errors import Denied, ErrorReason, Exhausted, InternalFault, InvalidInput, SkillsvcError
from skillsvc.domain.limits import Limits
from skillsvc.domain.shares import Group
from skillsvc.service.acts import CHANGES, OPERATIONS, REFUSALS, act_of
from skillsvc.service.arrivals import Arrived, Behaviour, Handler, Headers
from skillsvc.service.audit import NOBODY, Actor, Audit, Refused
from skillsvc.service.call import Call, Context, Identities
from skillsvc.service.fairness import Fairness, Turn, Turnstile
from skillsvc.service.groups import group_of
from skillsvc.service.peers import address_of
from skillsvc.service.roles import Need, need_of
from skillsvc.service.statuses import Told, abort, refuse_cheaply

_FLOODING: Final = frozenset(
    {
        ErrorReason.CREDENTIALS_MISSING,
        ErrorReason.CREDENTIALS_INVALID,
        ErrorReason.ROLE_MISSING,
        ErrorReason.RATE_LIMITED,
    }
)
"""Refusals of which as many come as somebody likes to send."""
_REMEMBERED = 4096
_REQUEST_S: Final = 5.0
_REMEMBERED_BYTES = 256

_log = logging.getLogger(__name__)
_Request = TypeVar("_Request", bound=Message)
_Ask = TypeVar("_Ask")
_Raw = TypeVar("_Raw")


def _actor_of(error: SkillsvcError, peer: str) -> Actor:
    """Return who was not let in."""
    return Actor(error.caller, error.rule, error.identity, peer) if isinstance(error, Denied) else Actor(peer=peer)


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
        turnstile, bring = entrance.turnstile, entrance.bring

        async def behaviour(raw: object, context: Context, arrived: Arrived | None = None) -> bytes:
            call = None
            try:
                call = Call(context, identities, need, arrived)
                if arrived is not None:
                    turn: Turn | None = arrived.turn
                else:
                    turn = None if turnstile is None else _turn(turnstile, call.grant)
                if bring is not None:
                    raw = await bring(context)
                    # It may have been kept back until the caller had lost what it was let in by.
                    call.judge_again()
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

        if bring is None:
            return Handler(grpc.unary_unary_rpc_method_handler(behaviour))
        return Handler(
            grpc.stream_unary_rpc_method_handler(behaviour),
            None if turnstile is None else self._short_way(need, turnstile, behaviour),
        )

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

        def begin(raw: object, call: Call) -> AsyncIterator[bytes]:
            return handle(requests.read(raw), call)

        behaviour = self._streaming(need, entrance, begin)
        if entrance.bring is None:
            return Handler(grpc.unary_stream_rpc_method_handler(behaviour))
        return Handler(grpc.stream_stream_rpc_method_handler(behaviour))

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

        return Handler(
            grpc.stream_stream_rpc_method_handler(self._streaming(need, entrance._replace(bring=None), begin))
        )

    def _short_way(self, need: Need, turnstile: Turnstile, behaviour: Behaviour) -> Callable[[Headers], Arrived | None]:
        """Return what lets calls in whose callers are known by their headers; it refuses nobody."""
        identities = self.identities

        def let_in(headers: Headers) -> Arrived | None:
            try:
                version, grant = identities.version, identities.recall(headers)
                if grant is None or need not in grant.roles:
                    return None
                return Arrived(grant, version, _turn(turnstile, grant), behaviour)
            except Exception:  # noqa: BLE001 - what fails here does so again on the full way, where errors end
                return None

        return let_in

    def _streaming(
        self, need: Need, entrance: "_Entrance", begin: Callable[[_Raw, Call], AsyncIterator[bytes]]
    ) -> Callable[[_Raw, Context], AsyncIterator[bytes]]:
        """Return the behaviour of a stream, of which an event that is not sent yet counts as an answer that waits."""
        identities, turnstile, bring = self.identities, entrance.turnstile, entrance.bring

        async def behaviour(raw: _Raw, context: Context) -> AsyncIterator[bytes]:
            call = None
            try:
                call = Call(context, identities, need)
                turn = None if turnstile is None else _turn(turnstile, call.grant)
                if bring is not None:
                    raw = await bring(context)
                    # It may have been kept back until the caller had lost what it was let in by.
                    call.judge_again()
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
        act, group = act_of(request), group_of(request)
        if self.fairness is None:
            return _Entrance(act=act, turnstile=None, bring=None, told={})
        if group is None:
            return _Entrance(act=act, turnstile=None, bring=_brought_soon, told={})
        return _Entrance(act=act, turnstile=self.fairness.turnstile(group), bring=_brought, told={})

    async def _refuse(self, error: SkillsvcError, context: Context, call: Call | None, entrance: "_Entrance") -> None:
        """Answer an error; `call` is None where the caller was not let in. Where it returns, the status is set."""
        turned_away = _actor_of(error, address_of(context.peer())) if call is None else None
        if turned_away is not None and entrance.turnstile is not None and self.fairness is not None:
            # Whoever is not let in is counted all the same, lest asking be free for those who may not: by principal
            # where a rule says who it is. Others may hold as many names as they like, and are nobody.
            try:
                if turned_away.rule:
                    entrance.turnstile.enter(turned_away.principal).end()
                else:
                    self.fairness.turn_away(turned_away.peer)
            except Exhausted as exhausted:
                error = exhausted
        if error.reason in REFUSALS or entrance.act in CHANGES:
            actor = turned_away if call is None else call.actor
            self.audit.refused(Refused(act=entrance.act, reason=error.reason.value, by=actor or NOBODY))
        if error.reason in _FLOODING:
            refuse_cheaply(context, error, entrance.told)
        else:
            await abort(context, error)

    async def _fault(self, context: Context, call: Call | None, entrance: "_Entrance") -> NoReturn:
        """Answer an unexpected fault; called while it is handled."""
        incident = self.new_incident()
        _log.exception("incident %s", incident, extra={"incident_id": incident})
        if entrance.act in OPERATIONS:
            # How far it came is not known: what an operator began has to be looked after.
            actor = Actor(peer=address_of(context.peer())) if call is None else call.actor
            self.audit.failed(entrance.act, ErrorReason.INTERNAL_FAULT.value, actor, what=incident)
        await abort(
            context,
            InternalFault(
                ErrorReason.INTERNAL_FAULT,
                "a fault of the server; report the incident id",
                metadata={"incident_id": incident},
            ),
        )


class _Entrance(NamedTuple):
    """What all calls of one handler have in common where they begin.

    `bring` brings the request of a call whose caller is judged. gRPC would bring it before, and wait for it for as long
    as the connection lives: whoever shows nothing could begin a thousand calls a connection, of 21 KiB each, that
    nobody counts. It is None where callers are not told apart: what gRPC brings costs less.
    """

    act: str
    turnstile: Turnstile | None
    bring: Callable[[Context], Awaitable[Any]] | None
    told: Told


async def _brought(context: Context) -> object:
    """Return the request of a call that counts as under way while it is waited for."""
    return await context.read()


async def _brought_soon(context: Context) -> object:
    """Return the request of a call that nobody counts, None where it does not come in time."""
    try:
        async with asyncio.timeout(_REQUEST_S):
            return await context.read()
    except TimeoutError:
        return None


def _turn(turnstile: Turnstile, grant: Grant) -> Turn:
    """Let a call in. It is over when its task is, which lasts until its answer is sent."""
    turn = turnstile.enter(grant.principal)
    task = asyncio.current_task()
    assert task is not None, "a handler runs in the task of its call"
    task.add_done_callback(turn.end)
    return turn

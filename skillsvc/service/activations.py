"""Activate: the text of a skill ready for a model, under an id; a repeated request is the same activation."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import Self

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.activation.text import plain_text
from skillsvc.catalog.listing import Invoker, may_begin
from skillsvc.catalog.log import RequestKey, RequestLog, RequestRecord
from skillsvc.catalog.told import told_in
from skillsvc.domain.errors import Denied, ErrorReason, InvalidInput, NotFound, NotImplementedYet, StateMissing
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.readiness import Vouched
from skillsvc.domain.view import Viewer
from skillsvc.service import readiness_wire, wire
from skillsvc.service.answers import Answer, AnswerCache
from skillsvc.service.audit import Audit
from skillsvc.service.call import Call
from skillsvc.service.requests import ActivateAsk
from skillsvc.service.sights import Seen, Sights, row_of
from skillsvc.service.texts import Texts
from skillsvc.service.threads import Threads

_RPC = "Activate"
_UNASKED = "Activate without a request id"
"""In place of an RPC, so that no id that a caller chooses is one of ours."""
_WORDS = {Invoker.ANY: "anybody", Invoker.MODEL: "the model", Invoker.USER: "the user"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """An act on record: its id, the token of the generation that it answers from, which skill it is of and for what.

    `source` is "" where the skill was not asked for as that of one source. `name` is "" in what was recorded by a
    server that did not keep it.
    """

    id: str
    token: str
    source: str
    name: str
    task_pattern: str

    def encode(self) -> bytes:
        """Return it as a record holds it."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, encoded: bytes) -> Self:
        """Return what `encode` gave."""
        held = json.loads(encoded)
        return cls(**{field.name: held.get(field.name, "") for field in fields(cls)})


class Activations:
    """The handler of Activate."""

    def __init__(
        self,
        *,
        sights: Sights,
        texts: Texts,
        answers: AnswerCache,
        requests: RequestLog,
        threads: Threads,
        limits: Limits,
        audit: Audit,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        vouched: Callable[[], Vouched] = Vouched,
    ) -> None:
        """Answer from `sights` and `texts`, kept in `answers`; activations are recorded in `requests`, in `threads`."""
        self._sights = sights
        self._texts = texts
        self._answers = answers
        self._requests = requests
        self._threads = threads
        self._limits = limits
        self._audit = audit
        self._now = now
        self._new_id = new_id
        self._vouched = vouched

    async def activate(self, ask: ActivateAsk, call: Call) -> bytes:
        """Answer Activate."""
        seen = await self._sights.of(ask.scope, call)
        # What is in force now is checked first, also for a repetition: an id opens nothing that was closed meanwhile.
        row = row_of(seen, ask.reference, ask.scope.allow)
        _check(row, ask.invoker)
        activation = Activation(
            id=self._new_id(),
            token=seen.sight.token,
            source=ask.reference.source,
            name=ask.reference.name,
            task_pattern=ask.task_pattern,
        )
        activation, seen, row = await self._on_record(ask, call.viewer(ask.scope.project), activation, seen, row)
        told = told_in(seen.sight.view, row, self._vouched())
        begun = pb.ActivateResponse(
            activation_id=activation.id,
            readiness=readiness_wire.readiness(told.readiness),
            network=readiness_wire.network(told.network),
        ).SerializeToString()
        text = await self._text(seen, row)
        # Once more, of what was loaded: a repetition may be of an older bundle, and loading may take a while.
        self._sights.check_still(ask.scope, call, row)
        _check(row, ask.invoker)
        self._audit.allowed(
            _RPC,
            call.actor,
            partition=call.viewer(ask.scope.project).partition,
            generation=seen.sight.view.sequence,
            what=row.bundle.digest,
        )
        return seen.encoded + begun + text

    async def _on_record(
        self, ask: ActivateAsk, viewer: Viewer, activation: Activation, seen: Seen, row: Row
    ) -> tuple[Activation, Seen, Row]:
        """Return what the request id stands for, which is this activation if it has not been used.

        One without a request id is recorded under its own, so that a report can name it. Where the state it was
        answered from is gone, or the skill in it, it is answered as if new (rules.md 5).
        """
        now = self._now()
        key = RequestKey(
            caller=viewer.partition,
            rpc=_RPC if ask.request_id else _UNASKED,
            request_id=ask.request_id or activation.id,
        )
        record = RequestRecord(arguments=ask.arguments, answer=activation.encode(), at=now, issued=activation.id)
        oldest = now - timedelta(seconds=self._limits.request_id_age_s)
        held = await self._threads.run(
            lambda: self._requests.record(key, record, oldest=oldest, at_most=self._limits.request_ids)
        )
        if held.arguments != ask.arguments:
            raise InvalidInput(
                ErrorReason.REQUEST_ID_REUSED, "the request id was used with other arguments; choose another"
            )
        if held.answer == record.answer:
            return activation, seen, row
        before = Activation.decode(held.answer)
        try:
            seen_before = await self._sights.exactly(viewer, before.token)
            return before, seen_before, row_of(seen_before, ask.reference, ask.scope.allow)
        except (StateMissing, NotFound, InvalidInput):
            await self._threads.run(lambda: self._requests.replace(key, record))
            return activation, seen, row

    async def _text(self, seen: Seen, row: Row) -> bytes:
        """Encode what an activation says of a bundle, which depends on the bundle alone."""
        bundle = row.bundle
        assert bundle.body is not None  # see `_check`
        await self._texts.given(seen, row, (bundle.document or bundle.body).digest)
        key = ("activation", bundle.digest)
        answer = self._answers.get(key)
        if answer is None:
            body = (await self._texts.body(seen, row)).decode()
            text = plain_text(bundle, body, self._limits.activation_text_bytes)
            response = pb.ActivateResponse(
                name=bundle.skill.name,
                text=text.text,
                body_digest=bundle.body.digest,
                truncated=text.truncated,
                next_offset=text.next_offset,
                assets=wire.assets(bundle),
            )
            answer = self._answers.put(key, Answer(response.SerializeToString()))
        return answer.encoded


def _check(row: Row, invoker: Invoker) -> None:
    """Refuse what may not be begun, then what has no text, then what is not built."""
    # Whoever leaves open who begins may not begin what nobody may.
    invokers = (Invoker.MODEL, Invoker.USER) if invoker is Invoker.ANY else (invoker,)
    if not any(may_begin(row, each) for each in invokers):
        raise Denied(
            ErrorReason.INVOCATION_NOT_ALLOWED,
            f"the skill may not be begun by {_WORDS[invoker]}",
            metadata={"invocation": invoker.name},
        )
    if row.bundle.body is None:
        raise NotFound(ErrorReason.BODY_NOT_FOUND, "the skill has no body, only what is listed of it")
    if row.bundle.skill.tools:
        raise NotImplementedYet(
            ErrorReason.NOT_IMPLEMENTED,
            "the skill declares tools, which are not resolved yet: read its body instead",
            metadata={"field": "tools"},
        )

"""The admin call about callers: what an identity would get by the rules in force, and why."""

from typing import Protocol

from skillsource.v1 import admin_pb2 as pb

from skillsvc.domain.access import Identity, Judgement
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.service import access_wire
from skillsvc.service.access_requests import ExplainAsk
from skillsvc.service.admin_pages import Pages, joined
from skillsvc.service.admin_scope import AdminScope
from skillsvc.service.audit import Audit
from skillsvc.service.call import Call
from skillsvc.service.threads import Threads


class Judges(Protocol):
    """Whoever knows the rules in force."""

    def explain(self, identity: Identity, /) -> Judgement:
        """Return what the rules say of an identity, for any thread; it takes as long as there are rules."""


class AccessAdmin:
    """The handler of ExplainAccess. Lives on the event loop."""

    def __init__(self, *, scope: AdminScope, judges: Judges, pages: Pages, threads: Threads, audit: Audit) -> None:
        """Tell what `judges` says, in `threads`, with the layers of `scope`; tell `audit` who asked, and about whom."""
        self._scope = scope
        self._judges = judges
        self._pages = pages
        self._threads = threads
        self._audit = audit

    async def explain_access(self, ask: ExplainAsk, call: Call) -> bytes:
        """Answer ExplainAccess."""
        self._scope.check_phase()
        judgement = await self._threads.run(lambda: self._judges.explain(ask.identity))
        rules = judgement.rules
        start = 0
        if ask.page.token:
            last = self._pages.position(ask.page, call).last_name
            start = 1 + next((at for at, rule in enumerate(rules) if rule.rule == last), len(rules))
            if start > len(rules):
                raise InvalidInput(
                    ErrorReason.PAGE_TOKEN_MALFORMED, "the rule that the page goes on behind is gone; begin again"
                )
            rest = pb.ExplainAccessResponse(total_size=len(rules))
        else:
            rest = await self._outcome(judgement, ask.project)
            # Whoever asks learns what others may do: with a stolen certificate it is where one would begin.
            self._audit.allowed(
                "ExplainAccess",
                call.actor,
                what=judgement.identity.principal(),
            )
        page = self._pages.page(
            rules,
            start,
            ask.page.size,
            lambda rule: pb.ExplainAccessResponse(rules=[access_wire.explained_rule(rule)]),
            taken=rest.ByteSize(),
        )
        end = start + len(page)
        if end < len(rules):
            rest.next_page_token = self._pages.next_token(ask.page, call, rules[end - 1].rule)
        return joined(page, rest)

    async def _outcome(self, judgement: Judgement, project: str) -> pb.ExplainAccessResponse:
        told = access_wire.outcome(judgement, project)
        viewer = access_wire.viewer_of(judgement, project)
        if viewer is not None:
            layers = await self._scope.layers(viewer.partitions)
            told.layers.extend(
                access_wire.layer(each, None if each not in layers else layers[each].present)
                for each in viewer.partitions
            )
        return told

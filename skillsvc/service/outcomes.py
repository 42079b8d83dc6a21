"""The handlers of ReportOutcome and BestMatch: what a caller learns of skills, and is told of it again.

An outcome changes how skills are ordered for the partition that told it, and nothing else: no trust, no view, nothing
of any other partition.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.listing import Reference
from skillsvc.catalog.log import RequestKey, RequestLog, RequestRecord
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.experience.learning import Outcome, rate_of
from skillsvc.experience.log import Requested
from skillsvc.service.activations import Activation
from skillsvc.service.audit import Audit
from skillsvc.service.call import Call
from skillsvc.service.experience import Experience
from skillsvc.service.outcome_requests import BestMatchAsk, ReportAsk
from skillsvc.service.sights import Sights, row_of, unknown_skill
from skillsvc.service.threads import Threads

_RPC = "ReportOutcome"
_RECORDED = b"recorded"


class Outcomes:
    """The handlers of ReportOutcome and BestMatch."""

    def __init__(
        self,
        *,
        sights: Sights,
        experience: Experience,
        requests: RequestLog,
        threads: Threads,
        limits: Limits,
        audit: Audit,
        now: Callable[[], datetime],
    ) -> None:
        """Learn in `experience`; which activations there were is in `requests`, reached in `threads`."""
        self._sights = sights
        self._experience = experience
        self._requests = requests
        self._threads = threads
        self._limits = limits
        self._audit = audit
        self._now = now

    async def report_outcome(self, ask: ReportAsk, call: Call) -> bytes:
        """Answer ReportOutcome."""
        seen = await self._sights.of(ask.scope, call)
        caller = call.viewer(ask.scope.project).partition
        reference, pattern = await self._told_of(ask, caller)
        # What is in force now is checked first, also for a repetition.
        row = row_of(seen, reference, ask.scope.allow)
        # Priors are known by names: of a skill that a stronger one of its name hides nothing could be told apart.
        recorded = seen.sight.view.find(row.name) is row
        if recorded:
            outcome = Outcome(skill=row.name, task_pattern=pattern, success_rate=ask.success_rate)
            await self._learn(ask, caller, outcome)
            self._audit.allowed(
                _RPC, call.actor, partition=caller, generation=seen.sight.view.sequence, what=row.bundle.digest
            )
        return seen.encoded + pb.ReportOutcomeResponse(recorded=recorded).SerializeToString()

    async def best_match(self, ask: BestMatchAsk, call: Call) -> bytes:
        """Answer BestMatch: names only what the caller sees and allows now."""
        seen = await self._sights.of(ask.scope, call)
        view, allow = seen.sight.view, ask.scope.allow

        def may_be(name: str) -> bool:
            return (allow is None or name in allow) and view.find(name) is not None

        prior = await self._experience.best_match(call.viewer(ask.scope.project).partition, ask.task, may_be)
        if prior is None:
            return seen.encoded
        return (
            seen.encoded
            + pb.BestMatchResponse(
                found=True,
                skill=prior.skill,
                task_pattern=prior.task_pattern,
                success_rate=rate_of(prior, self._experience.rate),
            ).SerializeToString()
        )

    async def _told_of(self, ask: ReportAsk, caller: Partition) -> tuple[Reference, str]:
        """Return which skill is told of, at which task.

        An activation of another caller, and one too long ago, is none (rules.md 7). Where neither it nor the report
        says what it was for, the skill's own name stands for that, as in ARES.
        """
        if ask.reference is not None:
            return ask.reference, ask.task_pattern
        oldest = self._now() - timedelta(seconds=self._limits.request_id_age_s)
        record = await self._threads.run(lambda: self._requests.find_issued(caller, ask.activation_id, oldest=oldest))
        activation = None if record is None else Activation.decode(record.answer)
        if activation is None or not activation.name:
            raise unknown_skill()
        reference = Reference(source=activation.source, name=activation.name)
        return reference, ask.task_pattern or activation.task_pattern or activation.name

    async def _learn(self, ask: ReportAsk, caller: Partition, outcome: Outcome) -> None:
        if not ask.request_id:
            await self._experience.report(caller, outcome, None)
            return
        now = self._now()
        requested = Requested(
            key=RequestKey(caller=caller, rpc=_RPC, request_id=ask.request_id),
            record=RequestRecord(arguments=ask.arguments, answer=_RECORDED, at=now),
            oldest=now - timedelta(seconds=self._limits.request_id_age_s),
            at_most=self._limits.request_ids,
        )
        held = await self._experience.report(caller, outcome, requested)
        if held is not None and held.arguments != ask.arguments:
            raise InvalidInput(
                ErrorReason.REQUEST_ID_REUSED, "the request id was used with other arguments; choose another"
            )

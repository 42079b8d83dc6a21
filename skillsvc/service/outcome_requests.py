"""Requests about outcomes into values."""

from dataclasses import dataclass

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.listing import Reference
from skillsvc.domain import caps
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.limits import Limits
from skillsvc.experience.learning import pattern_of
from skillsvc.service.requests import Scope, hash_without, out_of_range, reference_of, scope_of, text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportAsk:
    """An outcome: of an activation, or where `activation_id` is "" of a skill at a task.

    `task_pattern` is "" where only the activation may know it. `arguments` is a hash of all fields but the request id.
    """

    scope: Scope
    activation_id: str
    reference: Reference | None
    task_pattern: str
    success_rate: float
    request_id: str
    arguments: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class BestMatchAsk:
    """What did best at a task."""

    scope: Scope
    task: str


def parse_report(request: pb.ReportOutcomeRequest, _limits: Limits) -> ReportAsk:
    """Return what a ReportOutcome request tells.

    Raises:
        InvalidInput: Also where there is no success rate, or none from 0 to 1: it is never brought into range.
    """
    scope = scope_of(request)
    texts = caps.CAPS
    activation_id = text_of(
        "activation_id", request.activation_id, texts["ReportOutcomeRequest.activation_id"].max_bytes
    )
    if bool(activation_id) == bool(request.skill):
        raise _malformed("skill", "name either an activation_id or a skill, with its task")
    task = text_of("task", request.task, texts["ReportOutcomeRequest.task"].max_bytes)
    pattern = pattern_of(task)
    if request.skill and not pattern:
        raise _malformed("task", "task is empty, or begins with nothing but blanks: say what the skill was used for")
    return ReportAsk(
        scope=scope,
        activation_id=activation_id,
        reference=reference_of("skill", request.skill) if request.skill else None,
        task_pattern=pattern,
        success_rate=_rate_of(request),
        request_id=text_of("request_id", request.request_id, texts["ReportOutcomeRequest.request_id"].max_bytes),
        arguments=hash_without(request, "request_id"),
    )


def parse_best_match(request: pb.BestMatchRequest, _limits: Limits) -> BestMatchAsk:
    """Return what a BestMatch request asks for."""
    return BestMatchAsk(
        scope=scope_of(request), task=text_of("task", request.task, caps.CAPS["BestMatchRequest.task"].max_bytes)
    )


def _rate_of(request: pb.ReportOutcomeRequest) -> float:
    if not request.HasField("success_rate"):
        raise _malformed("success_rate", "success_rate is not set: from 0 for failure to 1 for success")
    rate = request.success_rate
    # What is no number compares to nothing.
    if not 0 <= rate <= 1:
        raise out_of_range("success_rate", f"success_rate is {rate:g}; from 0 for failure to 1 for success")
    return abs(rate)


def _malformed(field: str, message: str) -> InvalidInput:
    return InvalidInput(ErrorReason.ARGUMENT_MALFORMED, message, metadata={"field": field})

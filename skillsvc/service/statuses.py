"""Statuses: what an error of ours is to a caller, by one table (architecture.md, rule 6)."""

from collections.abc import Mapping
from math import ceil
from types import MappingProxyType
from typing import Final, NoReturn, TypeAlias

import grpc
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from skillsvc.domain import errors
from skillsvc.domain.errors import Exhausted, InvalidInput, SkillsvcError
from skillsvc.service.call import Context

DOMAIN = "skillsource.v1"
CODES: Final[Mapping[type[SkillsvcError], int]] = MappingProxyType(
    {
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
)
_MESSAGE_MAX_BYTES = 1024
"""A whole status must stay below 4 KiB, or the transport loses it."""
Told: TypeAlias = dict[tuple[str, int, str], grpc.Status]
"""Statuses that are told again and again: by their messages, in how many milliseconds to try again, and to whom."""
_TOLD = 1024


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
        used_up = error_details_pb2.QuotaFailure.Violation(
            subject=_bounded(error.subject), description=_bounded(error.message)
        )
        status.details.append(_packed(error_details_pb2.QuotaFailure(violations=[used_up])))
    if "field" in error.metadata and isinstance(error, InvalidInput):
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=error.metadata["field"], description=_bounded(error.message)
        )
        status.details.append(_packed(error_details_pb2.BadRequest(field_violations=[violation])))
    return status


async def abort(context: Context, error: SkillsvcError) -> NoReturn:
    """End a call with the status of an error."""
    await context.abort_with_status(rpc_status.to_status(status_of(error)))
    raise AssertionError  # pragma: no cover - abort_with_status always raises


def refuse_cheaply(context: Context, error: SkillsvcError, told: Told) -> None:
    """Set the status of a refusal of which many may come: a flood must not cost more than answers would.

    An abort would raise through all of gRPC, which takes longer than to answer. When to try again is told in whole
    milliseconds, so that there are few statuses.
    """
    after_ms = ceil((error.retry_after_s or 0.0) * 1000)
    subject = error.subject if isinstance(error, Exhausted) else ""
    status = told.get((error.message, after_ms, subject))
    if status is None:
        if len(told) >= _TOLD:
            told.clear()
        if after_ms:
            error = Exhausted(
                error.reason, error.message, metadata=error.metadata, retry_after_s=after_ms / 1000, subject=subject
            )
        status = told[error.message, after_ms, subject] = rpc_status.to_status(status_of(error))
    context.set_code(status.code)
    context.set_details(status.details)
    context.set_trailing_metadata(status.trailing_metadata)


def _packed(detail: Message) -> Any:
    packed = Any()
    packed.Pack(detail)
    return packed


def _bounded(message: str) -> str:
    encoded = message.encode(errors="replace")
    return encoded[:_MESSAGE_MAX_BYTES].decode(errors="ignore")

"""Lies in statuses: what is no ErrorInfo, what is another's, what is too much, and what belongs to another code."""

# ruff: noqa: ANN401 - a table of answers of all kinds

from collections.abc import Iterator
from typing import Any

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2
from skillsource.v1 import errors_pb2, skill_pb2

from tests.hostile.lie import Lie, playing
from tests.hostile.playing import refuse

CODES = {
    grpc.StatusCode.CANCELLED: "Cancelled",
    grpc.StatusCode.UNKNOWN: "Internal",
    grpc.StatusCode.INVALID_ARGUMENT: "InvalidArgument",
    grpc.StatusCode.DEADLINE_EXCEEDED: "DeadlineExceeded",
    grpc.StatusCode.NOT_FOUND: "NotFound",
    grpc.StatusCode.ALREADY_EXISTS: "AlreadyExists",
    grpc.StatusCode.PERMISSION_DENIED: "PermissionDenied",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "Exhausted",
    grpc.StatusCode.FAILED_PRECONDITION: "PreconditionFailed",
    grpc.StatusCode.ABORTED: "Conflict",
    grpc.StatusCode.OUT_OF_RANGE: "InvalidArgument",
    grpc.StatusCode.UNIMPLEMENTED: "Unimplemented",
    grpc.StatusCode.INTERNAL: "Internal",
    grpc.StatusCode.UNAVAILABLE: "Unavailable",
    grpc.StatusCode.DATA_LOSS: "DataLoss",
    grpc.StatusCode.UNAUTHENTICATED: "Unauthenticated",
}
ESCAPES = "\x1b[2J\r\nall is well\u2028"


def of_error(
    name: str, code: grpc.StatusCode, *, error: str, message: str = "no", trailers: Any = (), call: str = "skill_body"
) -> Lie:
    """Return a lie told in the status of a call, word for word."""

    def play(request: bytes, context: grpc.ServicerContext) -> bytes:
        del request
        context.set_trailing_metadata(trailers)
        context.abort(code, message)
        raise AssertionError("abort raises")

    methods = {"skill_body": "SkillBody", "activate": "Activate"}
    return Lie(
        name=f"error-{name}",
        script=lambda: playing(methods[call], play),
        call=call,
        arguments={"name": "first"},
        error=error,
    )


def of_details(name: str, code: grpc.StatusCode, reason: str, *details: Any, error: str, **rest: Any) -> Lie:
    """Return a lie told in the details of a status."""

    def play(request: bytes, context: grpc.ServicerContext) -> bytes:
        del request
        return refuse(context, code, reason, *details, **rest)

    return Lie(
        name=f"error-{name}",
        script=lambda: playing("SkillBody", play),
        call="skill_body",
        arguments={"name": "first"},
        error=error,
    )


def details(*values: bytes) -> tuple[tuple[str, bytes], ...]:
    """Return trailers with this as the encoded status."""
    return tuple(("grpc-status-details-bin", value) for value in values)


def _status(type_url: str, value: bytes, times: int = 1) -> bytes:
    detail = any_pb2.Any(type_url=type_url, value=value)
    return status_pb2.Status(code=5, details=[detail] * times).SerializeToString()


def _lies() -> Iterator[Lie]:
    not_found = grpc.StatusCode.NOT_FOUND
    for code, error in CODES.items():
        yield of_error(f"bare-{code.name.lower()}", code, error=error)
    yield of_error("message-of-escapes", not_found, error="NotFound", message=ESCAPES)
    yield of_error("long-message", not_found, error="NotFound", message="x" * 5_000)
    yield of_error("details-of-garbage", not_found, error="NotFound", trailers=details(b"\xff" * 500))
    yield of_error("details-twice", not_found, error="NotFound", trailers=details(b"", b"\x00"))
    yield of_error("details-empty", not_found, error="NotFound", trailers=details(b""))
    info = "type.googleapis.com/google.rpc.ErrorInfo"
    yield of_error("info-of-garbage", not_found, error="NotFound", trailers=details(_status(info, b"\xff\xff")))
    yield of_error("many-details", not_found, error="NotFound", trailers=details(_status(info, b"", 100)))
    yield of_error("other-details", not_found, error="NotFound", trailers=details(_status("x/y", b"\xff")))
    yield of_error(
        "pushback-of-garbage",
        grpc.StatusCode.UNAVAILABLE,
        error="Unavailable",
        trailers=(("grpc-retry-pushback-ms", "soon"),),
        call="activate",
    )
    yield of_error(
        "pushback-for-ever",
        grpc.StatusCode.UNAVAILABLE,
        error="Unavailable",
        trailers=(("grpc-retry-pushback-ms", "9" * 10),),
        call="activate",
    )
    yield of_error(
        "many-trailers", not_found, error="NotFound", trailers=tuple((f"x-{number}", "y" * 20) for number in range(100))
    )

    yield of_details("honest", not_found, "SKILL_NOT_FOUND", error="SkillNotFound")
    yield of_details("other-domain", not_found, "SKILL_NOT_FOUND", error="NotFound", domain="evil.example")
    yield of_details("reason-of-another-code", grpc.StatusCode.INTERNAL, "SKILL_NOT_FOUND", error="Internal")
    yield of_details("unknown-reason", not_found, "PLANET_NOT_FOUND", error="NotFound")
    yield of_details("reason-of-escapes", not_found, ESCAPES, error="NotFound")
    yield of_details(
        "metadata-of-escapes",
        grpc.StatusCode.FAILED_PRECONDITION,
        "GENERATION_EXPIRED",
        error="GenerationExpired",
        metadata={"current_token": ESCAPES * 100, "\x1b": "x"},
    )
    yield of_details(
        "much-metadata",
        not_found,
        "SKILL_NOT_FOUND",
        error="SkillNotFound",
        metadata={f"k{n}": "v" for n in range(200)},
    )
    yield of_details(
        "negative-delay",
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "RATE_LIMITED",
        error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=-(10**11))),
        error="Exhausted",
    )
    refusal = errors_pb2.ActivationRefusal(refused=[skill_pb2.Tool(id="t", asset="../x")], refused_total=2**32 - 1)
    yield of_details("refusal-outside", grpc.StatusCode.PERMISSION_DENIED, "TOOL_REFUSED", refusal, error="ToolRefused")


LIES = tuple(_lies())

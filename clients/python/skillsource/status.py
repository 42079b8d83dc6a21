"""From the status of a call to a typed error. Nothing that a server puts into a status can do harm.

A status of the contract is at most 4 KiB and carries one ErrorInfo (contract.md, "Errors"). Statuses made by the
transport carry none, and another server's may carry anything: their text is another library's, so that it is kept as
the cause of the error, and the error says in words of its own what it means.
"""

import re
from collections.abc import Iterable, Mapping

from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from skillsource import caps, wire
from skillsource.decoding import decode
from skillsource.errors import (
    CLASSES_BY_CODE,
    CLASSES_BY_REASON,
    Internal,
    ProtocolError,
    SkillsourceError,
    ToolRefused,
)
from skillsource.v1 import errors_pb2
from skillsource.values import Tool

DOMAIN = "skillsource.v1"

MAX_STATUS_BYTES = 8_192
MAX_MESSAGE_BYTES = 1_024
_MAX_DETAILS = 16
_MAX_METADATA = 16
_MAX_VALUE_BYTES = 2_048
_MAX_PUSHBACK_MS = 3_600_000

_WITHOUT_REASON: Mapping[str, str] = {
    "UNAVAILABLE": "no connection to {}: nothing answers there, or the connection broke",
    "DEADLINE_EXCEEDED": "no answer from {} in the time given",
    "CANCELLED": "the call to {} was broken off",
    "RESOURCE_EXHAUSTED": "the call to {} takes more than is allowed, such as too large a message",
    "UNIMPLEMENTED": "{} does not know this call",
}
"""What a status means that says no reason, by its code."""
_REASON = re.compile(r"[A-Z][A-Z0-9_]{1,62}")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,62}")


class ForeignStatus(Exception):
    """What a status says that is not of the contract, on one line and cut: the cause of the error that it means."""


def error_of(
    code: str, details: str | None, trailers: Iterable[tuple[str, str | bytes]], *, target: str = "the server"
) -> SkillsourceError:
    """Return the error that a status means, to be raised `from` its `__cause__`.

    Args:
        code: The name of the status code.
        details: The status message.
        trailers: The trailing metadata.
        target: Who was asked, for the message of an error that does not come from there.
    """
    encoded = b""
    pushback_ms: int | None = None
    for key, value in trailers:
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            encoded = value
        elif key == "grpc-retry-pushback-ms":
            pushback_ms = _pushback_ms(value)
    info, retry_after_s, refusal = _details(encoded)
    by_code = CLASSES_BY_CODE.get(code, Internal)
    by_reason = CLASSES_BY_REASON.get(info.reason, by_code)
    known = by_reason.default_code == by_code.default_code
    told = known or info.reason not in CLASSES_BY_REASON
    said = caps.cut_text(caps.flatten(details or ""), MAX_MESSAGE_BYTES)
    error = (by_reason if known else by_code)(
        (said if info.reason else "") or _WITHOUT_REASON.get(code, "the call to {} failed").format(target),
        # A reason that belongs to another code is a lie; one that is new to this release is passed on.
        reason=info.reason if told and _REASON.fullmatch(info.reason) else "",
        code=code,
        metadata=_metadata(info) if told else None,
        retry_after_s=retry_after_s,
        pushback_ms=pushback_ms,
    )
    if said and not info.reason:
        error.__cause__ = ForeignStatus(said)
    if isinstance(error, ToolRefused):
        error.refused, error.refused_total = _refused(refusal)
    return error


def _details(encoded: bytes) -> tuple[error_details_pb2.ErrorInfo, float | None, bytes]:
    """Return what a status carries, as far as it can be read: ErrorInfo, the wait in seconds, the refusal's bytes."""
    info = error_details_pb2.ErrorInfo()
    retry_after_s: float | None = None
    refusal = b""
    if not encoded or len(encoded) > MAX_STATUS_BYTES:
        return info, None, b""
    try:
        status = status_pb2.Status.FromString(encoded)
        for detail in status.details[:_MAX_DETAILS]:
            kind = detail.type_url.rpartition("/")[2]
            if kind == error_details_pb2.ErrorInfo.DESCRIPTOR.full_name:
                found = error_details_pb2.ErrorInfo.FromString(detail.value)
                if found.domain == DOMAIN:
                    info = found
            elif kind == error_details_pb2.RetryInfo.DESCRIPTOR.full_name:
                delay = error_details_pb2.RetryInfo.FromString(detail.value).retry_delay
                retry_after_s = max(delay.seconds + delay.nanos / 1e9, 0.0)
            elif kind == errors_pb2.ActivationRefusal.DESCRIPTOR.full_name:
                refusal = detail.value
    except DecodeError:
        return error_details_pb2.ErrorInfo(), None, b""
    return info, retry_after_s, refusal


def _metadata(info: error_details_pb2.ErrorInfo) -> dict[str, str]:
    pairs = sorted(info.metadata.items())[:_MAX_METADATA]
    return {key: caps.cut_text(caps.flatten(value), _MAX_VALUE_BYTES) for key, value in pairs if _KEY.fullmatch(key)}


def _refused(encoded: bytes) -> tuple[tuple[Tool, ...], int]:
    try:
        clamped = caps.clamp_activation_refusal(decode(errors_pb2.ActivationRefusal, encoded))
        return wire.each(clamped.values.get("refused", ()), wire.tool), clamped.values.get("refused_total", 0)
    except ProtocolError:
        # What was refused is told for a person to read; that it was refused stands without it.
        return (), 0


def _pushback_ms(value: str | bytes) -> int | None:
    """Return how long to wait, where anything that is no such number means never (gRFC A6)."""
    text = value.decode("ascii", "replace") if isinstance(value, bytes) else value
    if not re.fullmatch(r"[0-9]{1,10}", text):
        return -1
    return min(int(text), _MAX_PUSHBACK_MS)

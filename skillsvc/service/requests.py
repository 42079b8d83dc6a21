"""Requests into values: every field is checked once, here; one whose behaviour is not built is never ignored."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from skillsource.v1 import skill_source_pb2

from skillsvc.catalog.listing import Invoker, Reference
from skillsvc.domain import caps
from skillsvc.domain.errors import ErrorReason, InvalidInput, NotImplementedYet
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import LOCAL_PRINCIPAL, Partition

_SMALLEST_RANGE = 4
"""A range of a body must hold any one character, which has up to 4 bytes."""

_INVOKERS: dict[int, Invoker] = {
    skill_source_pb2.INVOCATION_FILTER_ANY: Invoker.ANY,
    skill_source_pb2.INVOCATION_FILTER_MODEL: Invoker.MODEL,
    skill_source_pb2.INVOCATION_FILTER_USER: Invoker.USER,
}


class Scoped(Protocol):
    """What every request but GetServerInfo's has."""

    project: str
    session: str

    @property
    def allow(self) -> skill_source_pb2.AllowList:
        """The names to narrow to."""

    @property
    def consistency(self) -> skill_source_pb2.Consistency:
        """The state to answer from."""

    def HasField(self, field_name: str) -> bool:  # noqa: N802 - the message's own name
        """Tell whether a message field is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Who asks, and for which names: `allow` is None for all."""

    caller: Partition
    allow: frozenset[str] | None = None


_LOCAL_SCOPE = Scope(caller=Partition(principal=LOCAL_PRINCIPAL, project=""))


def scope_of(request: Scoped) -> Scope:
    """Return who asks and for what. Until identities exist, everybody is `local`."""
    not_built("session", given=bool(request.session))
    allow = _names_of(request.allow) if request.HasField("allow") else None
    if not request.project and allow is None:
        return _LOCAL_SCOPE
    return Scope(caller=Partition.parse(principal=LOCAL_PRINCIPAL, project=request.project), allow=allow)


def reference_of(field: str, text: str) -> Reference:
    """Return the skill that a request names; NAME_MALFORMED where it is no name and no `source/name`."""
    if not caps.fits_skill_reference(text):
        raise InvalidInput(
            ErrorReason.NAME_MALFORMED,
            f"{field} is no skill name: a lower-case letter or digit, then up to 63 of those, `_` or `-`; "
            "or two such, a source's and a skill's, joined by `/`",
            metadata={"field": field},
        )
    source, _slash, name = text.rpartition("/")
    return Reference(source=source, name=name)


def asset_name_of(text: str) -> str:
    """Return an asset's name; ASSET_NAME_MALFORMED where it does not fit the grammar."""
    if not caps.fits_asset_name(text) or len(text.encode()) > caps.CAPS["Asset.name"].max_bytes:
        raise InvalidInput(
            ErrorReason.ASSET_NAME_MALFORMED,
            "asset is no asset name: segments joined by `/`, none of them empty, `.` or `..`, without backslash and "
            f"control characters, {caps.CAPS['Asset.name'].max_bytes} bytes at most",
            metadata={"field": "asset"},
        )
    return text


def digest_of(field: str, text: str) -> str:
    """Return a digest, or "" where none is given; ARGUMENT_MALFORMED where it is no SHA-256 in lower-case hex."""
    if text and not caps.fits_digest(text):
        raise InvalidInput(
            ErrorReason.ARGUMENT_MALFORMED,
            f"{field} is no digest: 64 lower-case hexadecimal digits",
            metadata={"field": field},
        )
    return text


def range_bytes_of(max_bytes: int, limits: Limits) -> int:
    """Return how many bytes a range may have: 0 asks for as many as there may be, more is lowered to that."""
    if 0 < max_bytes < _SMALLEST_RANGE:
        raise out_of_range("max_bytes", f"max_bytes is {max_bytes}; ask for at least {_SMALLEST_RANGE} bytes")
    return min(max_bytes or limits.range_bytes, limits.range_bytes)


def invoker_of(number: int, default: Invoker) -> Invoker:
    """Return who would begin the use of a skill."""
    if number == skill_source_pb2.INVOCATION_FILTER_UNSPECIFIED:
        return default
    if number not in _INVOKERS:
        raise unknown_number("invocation", number)
    return _INVOKERS[number]


def text_of(field: str, text: str, max_bytes: int) -> str:
    """Return a text of a request; ARGUMENT_OUT_OF_RANGE where it is longer than its cap."""
    if len(text.encode()) > max_bytes:
        raise out_of_range(field, f"{field} has more than {max_bytes} bytes", limit=max_bytes)
    return text


def known_number(field: str, number: int, known: Iterable[int]) -> int:
    """Return the number of an enum's value; ARGUMENT_OUT_OF_RANGE where this server does not know it."""
    if number not in known:
        raise unknown_number(field, number)
    return number


def unknown_number(field: str, number: int) -> InvalidInput:
    """Return the error of a number that the enum of a field does not have."""
    return out_of_range(field, f"{field} is {number}, which this server does not know")


def out_of_range(field: str, message: str, *, limit: int | None = None) -> InvalidInput:
    """Return the error of a value beyond its bounds."""
    metadata = {"field": field} if limit is None else {"field": field, "limit": str(limit)}
    return InvalidInput(ErrorReason.ARGUMENT_OUT_OF_RANGE, message, metadata=metadata)


def not_built(field: str, *, given: bool) -> None:
    """Refuse a field that is set and whose behaviour is not built: NOT_IMPLEMENTED, never ignored."""
    if given:
        raise NotImplementedYet(
            ErrorReason.NOT_IMPLEMENTED, f"{field} is not implemented yet; leave it out", metadata={"field": field}
        )


def _names_of(allow: skill_source_pb2.AllowList) -> frozenset[str]:
    most = caps.CAPS["AllowList.names"].max_items
    if len(allow.names) > most:
        raise out_of_range("allow.names", f"allow has {len(allow.names)} names; at most {most}", limit=most)
    for name in allow.names:
        if not caps.fits_skill_name(name):
            raise InvalidInput(
                ErrorReason.NAME_MALFORMED, "allow holds what is no skill name", metadata={"field": "allow.names"}
            )
    return frozenset(allow.names)

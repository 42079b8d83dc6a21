"""Requests into values: every field is checked once, here; one whose behaviour is not built is never ignored."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from google.protobuf.message import Message
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.listing import Invoker, Reference, Selection
from skillsvc.domain import caps
from skillsvc.domain.errors import ErrorReason, InvalidInput, NotImplementedYet
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import parse_project, parse_session
from skillsvc.experience.learning import pattern_of

_SMALLEST_RANGE = 4
"""A range of a body must hold any one character, which has up to 4 bytes."""
_HITS = 5
"""Of a search that asks for no number of them."""

_VIEWS = (pb.SKILL_VIEW_UNSPECIFIED, pb.SKILL_VIEW_BASIC, pb.SKILL_VIEW_FULL)
_BODY_FORMS = (pb.BODY_FORM_UNSPECIFIED, pb.BODY_FORM_BODY, pb.BODY_FORM_DOCUMENT)
_MCP_MODES = (pb.MCP_MODE_UNSPECIFIED, pb.MCP_MODE_CONNECT, pb.MCP_MODE_DESCRIBE_ONLY)
_TEXT_FORMS = (pb.TEXT_FORM_UNSPECIFIED, pb.TEXT_FORM_PLAIN, pb.TEXT_FORM_SKILL_CONTENT, pb.TEXT_FORM_COMMAND)
_INVOKERS: dict[int, Invoker] = {
    pb.INVOCATION_FILTER_ANY: Invoker.ANY,
    pb.INVOCATION_FILTER_MODEL: Invoker.MODEL,
    pb.INVOCATION_FILTER_USER: Invoker.USER,
}


class Scoped(Protocol):
    """What every request but GetServerInfo's has."""

    project: str
    session: str

    @property
    def allow(self) -> pb.AllowList:
        """The names to narrow to."""

    @property
    def consistency(self) -> pb.Consistency:
        """The state to answer from."""

    def HasField(self, field_name: str) -> bool:  # noqa: N802 - the message's own name
        """Tell whether a message field is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which project is asked, for which names and which state: the last two None where the request leaves them open.

    `session` is a label that the caller gives itself, "" for none. Who asks is not in the scope: a request never says
    that, the call does (P5).
    """

    project: str
    session: str = ""
    allow: frozenset[str] | None = None
    at_least: str | None = None
    at_exactly: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAsk:
    """A page of the catalog. `fields` is a hash of all that must be the same for each page of one listing."""

    scope: Scope
    selection: Selection
    full: bool
    size: int
    held: str
    page_token: str
    fields: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyAsk:
    """A range of a body, or of SKILL.md itself where `document` says so."""

    scope: Scope
    reference: Reference
    document: bool
    offset: int
    length: int
    held: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InventoryAsk:
    """The inventory of a skill."""

    scope: Scope
    reference: Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetAsk:
    """A range of an asset."""

    scope: Scope
    reference: Reference
    name: str
    offset: int
    length: int
    held: str
    as_text: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivateAsk:
    """An activation. `arguments` is a hash of all fields but the request id."""

    scope: Scope
    reference: Reference
    invoker: Invoker
    task_pattern: str
    request_id: str
    arguments: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAsk:
    """A search: `limit` hits at most, with bodies of `body_bytes` in all; what is known at a `task` counts."""

    scope: Scope
    query: str
    limit: int
    invoker: Invoker
    body_bytes: int
    task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchAsk:
    """A watch, from the state of a token on; "" where the watcher holds none."""

    scope: Scope
    selection: Selection
    since: str


def parse_list(request: pb.ListSkillsRequest, limits: Limits) -> ListAsk:
    """Return what a ListSkills request asks for."""
    scope = scope_of(request)
    not_built("builtin_tools", given=bool(request.builtin_tools))
    collection = text_of("collection", request.collection, caps.CAPS["ListSkillsRequest.collection"].max_bytes)
    return ListAsk(
        scope=scope,
        selection=Selection(
            allow=scope.allow, invoker=invoker_of(request.invocation, Invoker.ANY), collection=collection
        ),
        full=known_number("view", request.view, _VIEWS) == pb.SKILL_VIEW_FULL,
        size=min(request.page_size or limits.page_skills, limits.page_skills),
        held=digest_of("if_none_match", request.if_none_match),
        page_token=text_of("page_token", request.page_token, caps.CAPS["ListSkillsRequest.page_token"].max_bytes),
        fields=hash_without(request, "page_size", "page_token", "consistency"),
    )


def parse_body(request: pb.SkillBodyRequest, limits: Limits) -> BodyAsk:
    """Return what a SkillBody request asks for."""
    return BodyAsk(
        scope=scope_of(request),
        reference=reference_of("name", request.name),
        document=known_number("form", request.form, _BODY_FORMS) == pb.BODY_FORM_DOCUMENT,
        offset=request.offset,
        length=range_bytes_of(request.max_bytes, limits),
        held=digest_of("if_none_match", request.if_none_match),
    )


def parse_inventory(request: pb.ListAssetsRequest, _limits: Limits) -> InventoryAsk:
    """Return what a ListAssets request asks for."""
    return InventoryAsk(scope=scope_of(request), reference=reference_of("name", request.name))


def parse_asset(request: pb.ReadAssetRequest, limits: Limits) -> AssetAsk:
    """Return what a ReadAsset request asks for."""
    return AssetAsk(
        scope=scope_of(request),
        reference=reference_of("skill", request.skill),
        name=asset_name_of(request.asset),
        offset=request.offset,
        length=range_bytes_of(request.max_bytes, limits),
        held=digest_of("if_none_match", request.if_none_match),
        as_text=request.as_text,
    )


def parse_activation(request: pb.ActivateRequest, _limits: Limits) -> ActivateAsk:
    """Return what an Activate request asks for."""
    scope = scope_of(request)
    known_number("mcp", request.mcp, _MCP_MODES)
    known_number("text_form", request.text_form, _TEXT_FORMS)
    not_built("builtin_tools", given=bool(request.builtin_tools))
    not_built("mcp", given=request.mcp == pb.MCP_MODE_CONNECT)
    not_built("allow_partial", given=request.allow_partial)
    not_built("text_form", given=request.text_form in {pb.TEXT_FORM_SKILL_CONTENT, pb.TEXT_FORM_COMMAND})
    not_built("arguments", given=bool(request.arguments))
    return ActivateAsk(
        scope=scope,
        reference=reference_of("name", request.name),
        invoker=invoker_of(request.invocation, Invoker.MODEL),
        task_pattern=pattern_of(text_of("task", request.task, caps.CAPS["ActivateRequest.task"].max_bytes)),
        request_id=text_of("request_id", request.request_id, caps.CAPS["ActivateRequest.request_id"].max_bytes),
        arguments=hash_without(request, "request_id"),
    )


def parse_search(request: pb.SearchSkillsRequest, limits: Limits) -> SearchAsk:
    """Return what a SearchSkills request asks for; more hits or bytes than there may be are lowered to that."""
    scope = scope_of(request)
    not_built("builtin_tools", given=bool(request.builtin_tools))
    return SearchAsk(
        scope=scope,
        query=text_of("query", request.query, caps.CAPS["SearchSkillsRequest.query"].max_bytes),
        limit=min(request.limit or _HITS, caps.CAPS["SearchSkillsResponse.hits"].max_items),
        invoker=invoker_of(request.invocation, Invoker.ANY),
        task=text_of("task", request.task, caps.CAPS["SearchSkillsRequest.task"].max_bytes),
        body_bytes=min(request.body_bytes, limits.range_bytes),
    )


def parse_watch(request: pb.WatchCatalogRequest, _limits: Limits) -> WatchAsk:
    """Return what a WatchCatalog request asks for; its `consistency` is ignored (contract.md)."""
    scope = scope_of(request)
    return WatchAsk(
        scope=scope,
        selection=Selection(allow=scope.allow),
        since=text_of("since", request.since, caps.CAPS["WatchCatalogRequest.since"].max_bytes),
    )


def scope_of(request: Scoped) -> Scope:
    """Return what a request is about."""
    consistency = request.consistency
    return Scope(
        project=parse_project(request.project),
        session=parse_session(request.session),
        allow=_names_of(request.allow) if request.HasField("allow") else None,
        at_least=_token_of(consistency, "at_least"),
        at_exactly=_token_of(consistency, "at_exactly"),
    )


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
    if number == pb.INVOCATION_FILTER_UNSPECIFIED:
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


def _token_of(consistency: pb.Consistency, field: Literal["at_least", "at_exactly"]) -> str | None:
    if not consistency.HasField(field):
        return None
    return text_of(field, getattr(consistency, field), caps.CAPS[f"Consistency.{field}"].max_bytes)


def hash_without(request: Message, *fields: str) -> bytes:
    """Hash a request without some of its fields; equal requests have equal hashes."""
    rest = type(request)()
    rest.CopyFrom(request)
    for field in fields:
        rest.ClearField(field)
    return hashlib.sha256(rest.SerializeToString(deterministic=True)).digest()


def _names_of(allow: pb.AllowList) -> frozenset[str]:
    most = caps.CAPS["AllowList.names"].max_items
    if len(allow.names) > most:
        raise out_of_range("allow.names", f"allow has {len(allow.names)} names; at most {most}", limit=most)
    names = tuple(allow.names)
    if not all(map(caps.fits_skill_name, names)):
        raise InvalidInput(
            ErrorReason.NAME_MALFORMED, "allow holds what is no skill name", metadata={"field": "allow.names"}
        )
    return frozenset(names)

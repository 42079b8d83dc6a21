"""The RPCs as values, and the steps of which every operation is made.

An operation is a generator: it yields what has to be done, is sent what came of it, and returns its value. It does no
I/O and reads no clock, so that the blocking client and the asyncio client drive the very same operations.
"""

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from google.protobuf.message import Message

from skillsource import caps
from skillsource.decoding import decode
from skillsource.drops import Drops
from skillsource.errors import InvalidArgument, ProtocolError
from skillsource.v1 import skill_source_pb2 as pb

SERVICE = "skillsource.v1.SkillSourceService"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """Call an RPC, and send back the bytes of its answer or throw its error."""

    path: str
    request: bytes


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds, or throw DeadlineExceeded at once where there are not as many left."""

    seconds: float


Operation: TypeAlias = Generator[Call | Pause, bytes, T]


class _Clamp(Protocol):
    def __call__(self, values: Mapping[str, object]) -> caps.Clamped: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that obeys every cap, and what was dropped from it for that."""

    values: Mapping[str, Any]
    drops: Drops
    size: int
    """Bytes on the wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One RPC: its messages, and the caps of both."""

    name: str
    request: type[Message]
    response: type[Message]
    check: _Clamp | None
    clamp: _Clamp

    @property
    def path(self) -> str:
        """The path that gRPC calls."""
        return f"/{SERVICE}/{self.name}"

    def encode(self, fields: Mapping[str, object]) -> bytes:
        """Return the bytes of a request with these fields.

        Raises:
            InvalidArgument: One does not obey its cap. The server would say the same, with the same reason.
        """
        if self.check is not None:
            refusals = self.check(fields).refusals
            if refusals:
                raise _invalid(self.name, refusals[0])
        try:
            return self.request(**fields).SerializeToString()
        except ValueError:  # a number or a label that no field of its type can hold
            raise InvalidArgument(f"{self.name}: a value is out of range", reason="ARGUMENT_OUT_OF_RANGE") from None

    def decode(self, data: bytes) -> Answer:
        """Return what the caps leave of an answer.

        Raises:
            ProtocolError: It is none, or must be refused.
        """
        sent = decode(self.response, data)
        clamped = self.clamp(sent)
        if clamped.refusals:
            refusal = clamped.refusals[0]
            raise ProtocolError(f"{self.name}: {refusal.path} {_why(refusal)}")
        drops = Drops()
        for change in clamped.changes:
            drops.add(change.path, _name_at(sent, change.path), _why(change))
        return Answer(clamped.values, drops, len(data))

    def ask(self, fields: Mapping[str, object]) -> Operation[Answer]:
        """Call once."""
        return self.decode((yield Call(self.path, self.encode(fields))))


SERVER_INFO = Method(
    name="GetServerInfo",
    request=pb.GetServerInfoRequest,
    response=pb.GetServerInfoResponse,
    check=None,
    clamp=caps.clamp_get_server_info_response,
)
LIST_SKILLS = Method(
    name="ListSkills",
    request=pb.ListSkillsRequest,
    response=pb.ListSkillsResponse,
    check=caps.clamp_list_skills_request,
    clamp=caps.clamp_list_skills_response,
)
SKILL_BODY = Method(
    name="SkillBody",
    request=pb.SkillBodyRequest,
    response=pb.SkillBodyResponse,
    check=caps.clamp_skill_body_request,
    clamp=caps.clamp_skill_body_response,
)
LIST_ASSETS = Method(
    name="ListAssets",
    request=pb.ListAssetsRequest,
    response=pb.ListAssetsResponse,
    check=caps.clamp_list_assets_request,
    clamp=caps.clamp_list_assets_response,
)
READ_ASSET = Method(
    name="ReadAsset",
    request=pb.ReadAssetRequest,
    response=pb.ReadAssetResponse,
    check=caps.clamp_read_asset_request,
    clamp=caps.clamp_read_asset_response,
)
ACTIVATE = Method(
    name="Activate",
    request=pb.ActivateRequest,
    response=pb.ActivateResponse,
    check=caps.clamp_activate_request,
    clamp=caps.clamp_activate_response,
)
SEARCH_SKILLS = Method(
    name="SearchSkills",
    request=pb.SearchSkillsRequest,
    response=pb.SearchSkillsResponse,
    check=caps.clamp_search_skills_request,
    clamp=caps.clamp_search_skills_response,
)
RENDER_CATALOG = Method(
    name="RenderCatalog",
    request=pb.RenderCatalogRequest,
    response=pb.RenderCatalogResponse,
    check=caps.clamp_render_catalog_request,
    clamp=caps.clamp_render_catalog_response,
)
WATCH_CATALOG = Method(
    name="WatchCatalog",
    request=pb.WatchCatalogRequest,
    response=pb.WatchCatalogResponse,
    check=caps.clamp_watch_catalog_request,
    clamp=caps.clamp_watch_catalog_response,
)
REPORT_OUTCOME = Method(
    name="ReportOutcome",
    request=pb.ReportOutcomeRequest,
    response=pb.ReportOutcomeResponse,
    check=caps.clamp_report_outcome_request,
    clamp=caps.clamp_report_outcome_response,
)
BEST_MATCH = Method(
    name="BestMatch",
    request=pb.BestMatchRequest,
    response=pb.BestMatchResponse,
    check=caps.clamp_best_match_request,
    clamp=caps.clamp_best_match_response,
)
SEARCH_CAPABILITIES = Method(
    name="SearchCapabilities",
    request=pb.SearchCapabilitiesRequest,
    response=pb.SearchCapabilitiesResponse,
    check=caps.clamp_search_capabilities_request,
    clamp=caps.clamp_search_capabilities_response,
)

READS = (
    SERVER_INFO,
    LIST_SKILLS,
    SKILL_BODY,
    LIST_ASSETS,
    READ_ASSET,
    SEARCH_SKILLS,
    RENDER_CATALOG,
    BEST_MATCH,
    SEARCH_CAPABILITIES,
)
"""The RPCs that change nothing, so that the channel itself may repeat them."""

_REASONS_BY_FIELD = {
    "asset": "ASSET_NAME_MALFORMED",
    "name": "NAME_MALFORMED",
    "skill": "NAME_MALFORMED",
}
_WHYS = {
    caps.What.CUT: "was cut from {0.size:,} to {0.limit:,} bytes",
    caps.What.FLATTENED: "had {0.size:,} control characters, which are spaces now",
    caps.What.DROPPED: "was dropped: {0.size:,} of at most {0.limit:,}",
    caps.What.ITEMS_DROPPED: "lost its end: {0.size:,} of at most {0.limit:,}",
    caps.What.TOO_LARGE: "is too large: {0.size:,} of at most {0.limit:,}",
    caps.What.UNFIT: "does not fit its grammar",
    caps.What.MALFORMED: "is not what its field holds",
}
_ITEM = re.compile(r"([a-z_]+)\[(\d+)\]")


def _invalid(method: str, refusal: caps.Change) -> InvalidArgument:
    field = re.split(r"[.\[]", refusal.path)[0]
    reason = _REASONS_BY_FIELD.get(field)
    if reason is None:
        if refusal.what is caps.What.TOO_LARGE:
            reason = "ARGUMENT_OUT_OF_RANGE"
        else:
            reason = "NAME_MALFORMED" if field == "allow" else "ARGUMENT_MALFORMED"
    metadata = {"field": field}
    if refusal.limit:
        metadata["limit"] = str(refusal.limit)
    return InvalidArgument(f"{method}: {refusal.path} {_why(refusal)}", reason=reason, metadata=metadata)


def _why(change: caps.Change) -> str:
    return _WHYS[change.what].format(change)


def _name_at(sent: Mapping[str, Any], path: str) -> str:
    """Return the name of the item that a path leads into, where it has one that may be repeated."""
    item = _ITEM.match(path)
    if item is None:
        return ""
    entry = sent[item[1]][int(item[2])]
    name = entry.get("name", "") if isinstance(entry, Mapping) else ""
    return name if caps.fits_asset_name(name) and len(name) <= caps.ASSET_NAME_MAX_BYTES else ""

"""SkillSourceService: which handler answers which call."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import NoReturn

from google.protobuf.message import Message
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.errors import ErrorReason, NotImplementedYet
from skillsvc.domain.limits import Limits
from skillsvc.service import wire
from skillsvc.service.activations import Activations
from skillsvc.service.boundary import Boundary, Call, Handler
from skillsvc.service.reads import Reads
from skillsvc.service.watch import Watch

SERVICE = pb.DESCRIPTOR.services_by_name["SkillSourceService"].full_name
CONTRACT = 1
"""Grows with each field that is added to the contract."""

FEATURES = ("Activate", "ListAssets", "ListSkills", "ReadAsset", "SkillBody", "WatchCatalog")
"""What is built: the names of calls, sorted."""


class ServerInfo:
    """The handler of GetServerInfo: answered in every phase."""

    def __init__(self, *, version: str, limits: Limits, now: Callable[[], datetime]) -> None:
        """Tell of this version and these limits."""
        self._now = now
        self._constant = pb.GetServerInfoResponse(
            version=version,
            contract=CONTRACT,
            features=FEATURES,
            limits=wire.server_limits(limits),
            retention=pb.Retention(
                generations=limits.retained_generations,
                max_age_seconds=round(limits.retained_age_s),
                max_generations=limits.retained_at_most,
            ),
        ).SerializeToString()

    async def get_server_info(self, _request: pb.GetServerInfoRequest, _call: Call) -> bytes:
        """Answer GetServerInfo."""
        return self._constant + pb.GetServerInfoResponse(now=wire.timestamp(self._now())).SerializeToString()


def skill_source_handlers(
    boundary: Boundary, *, info: ServerInfo, reads: Reads, activations: Activations, watch: Watch
) -> dict[str, Handler]:
    """Return the handlers of all calls, by their names."""
    return {
        "GetServerInfo": boundary.unary(pb.GetServerInfoRequest, info.get_server_info),
        "ListSkills": boundary.unary(pb.ListSkillsRequest, reads.list_skills),
        "SkillBody": boundary.unary(pb.SkillBodyRequest, reads.skill_body),
        "ListAssets": boundary.unary(pb.ListAssetsRequest, reads.list_assets),
        "ReadAsset": boundary.unary(pb.ReadAssetRequest, reads.read_asset),
        "Activate": boundary.unary(pb.ActivateRequest, activations.activate),
        "WatchCatalog": boundary.stream(pb.WatchCatalogRequest, watch.watch_catalog),
        "SearchSkills": boundary.unary(pb.SearchSkillsRequest, _not_built("SearchSkills")),
        "RenderCatalog": boundary.unary(pb.RenderCatalogRequest, _not_built("RenderCatalog")),
        "ReportOutcome": boundary.unary(pb.ReportOutcomeRequest, _not_built("ReportOutcome")),
        "BestMatch": boundary.unary(pb.BestMatchRequest, _not_built("BestMatch")),
        "SearchCapabilities": boundary.unary(pb.SearchCapabilitiesRequest, _not_built("SearchCapabilities")),
    }


def _not_built(rpc: str) -> Callable[[Message, Call], Awaitable[bytes]]:
    async def refuse(_request: Message, _call: Call) -> NoReturn:
        raise NotImplementedYet(ErrorReason.NOT_IMPLEMENTED, f"{rpc} is not implemented yet", metadata={"field": ""})

    return refuse

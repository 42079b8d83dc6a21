"""SkillSourceService: which handler answers which call."""

from collections.abc import Callable
from datetime import datetime

from google.protobuf.message import Message
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.limits import Limits
from skillsvc.service import wire
from skillsvc.service.activations import Activations
from skillsvc.service.arrivals import Handler
from skillsvc.service.boundary import Boundary
from skillsvc.service.call import Call
from skillsvc.service.capabilities import Capabilities
from skillsvc.service.capability_requests import parse_capabilities
from skillsvc.service.outcome_requests import parse_best_match, parse_report
from skillsvc.service.outcomes import Outcomes
from skillsvc.service.reads import Reads
from skillsvc.service.render_requests import parse_render
from skillsvc.service.renders import Renders
from skillsvc.service.requests import (
    parse_activation,
    parse_asset,
    parse_body,
    parse_inventory,
    parse_list,
    parse_search,
    parse_watch,
)
from skillsvc.service.roles import AGENTS
from skillsvc.service.searches import Searches
from skillsvc.service.watch import Watch

SERVICE = AGENTS.full_name
CONTRACT = 4
"""Grows with each field that is added to the contract."""

FEATURES = (
    "Activate",
    "BestMatch",
    "ListAssets",
    "ListSkills",
    "ReadAsset",
    "RenderCatalog",
    "ReportOutcome",
    "SearchCapabilities",
    "SearchSkills",
    "SkillBody",
    "WatchCatalog",
)
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

    async def get_server_info(self, _ask: None, _call: Call) -> bytes:
        """Answer GetServerInfo: in every phase, to any caller that an access rule knows."""
        return self._constant + pb.GetServerInfoResponse(now=wire.timestamp(self._now())).SerializeToString()


def skill_source_handlers(
    boundary: Boundary,
    *,
    info: ServerInfo,
    reads: Reads,
    searches: Searches,
    renders: Renders,
    capabilities: Capabilities,
    activations: Activations,
    outcomes: Outcomes,
    watch: Watch,
) -> dict[str, Handler]:
    """Return the handlers of all calls, by their names."""
    return {
        "GetServerInfo": boundary.unary(pb.GetServerInfoRequest, _nothing, info.get_server_info),
        "ListSkills": boundary.unary(pb.ListSkillsRequest, parse_list, reads.list_skills),
        "SkillBody": boundary.unary(pb.SkillBodyRequest, parse_body, reads.skill_body),
        "ListAssets": boundary.unary(pb.ListAssetsRequest, parse_inventory, reads.list_assets),
        "ReadAsset": boundary.unary(pb.ReadAssetRequest, parse_asset, reads.read_asset),
        "Activate": boundary.unary(pb.ActivateRequest, parse_activation, activations.activate),
        "WatchCatalog": boundary.stream(pb.WatchCatalogRequest, parse_watch, watch.watch_catalog),
        "SearchSkills": boundary.unary(pb.SearchSkillsRequest, parse_search, searches.search_skills),
        "RenderCatalog": boundary.unary(pb.RenderCatalogRequest, parse_render, renders.render_catalog),
        "ReportOutcome": boundary.unary(pb.ReportOutcomeRequest, parse_report, outcomes.report_outcome),
        "BestMatch": boundary.unary(pb.BestMatchRequest, parse_best_match, outcomes.best_match),
        "SearchCapabilities": boundary.unary(
            pb.SearchCapabilitiesRequest, parse_capabilities, capabilities.search_capabilities
        ),
    }


def _nothing(_request: Message, _limits: Limits) -> None:
    """Return what a request asks for that is answered whatever it says."""

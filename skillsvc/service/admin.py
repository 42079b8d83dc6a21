"""CatalogAdminService: which handler answers which call.

It is served by a front of its own, to callers of the role `admin`: where no identity is configured these are all who
reach that front.
"""

from skillsource.v1 import admin_pb2 as pb

from skillsvc.service.access_requests import parse_explain
from skillsvc.service.admin_access import AccessAdmin
from skillsvc.service.admin_enablement import EnablementAdmin
from skillsvc.service.admin_generations import GenerationAdmin
from skillsvc.service.admin_partitions import PartitionAdmin
from skillsvc.service.admin_requests import (
    parse_clear_partitions,
    parse_diagnostics,
    parse_diff,
    parse_generation,
    parse_lift,
    parse_partitions,
    parse_refresh,
    parse_refresh_partitions,
    parse_revoke,
    parse_sources,
)
from skillsvc.service.admin_sources import SourceAdmin
from skillsvc.service.arrivals import Handler
from skillsvc.service.boundary import Boundary
from skillsvc.service.enablement_requests import parse_list_enablement, parse_set_enablement

SERVICE = pb.DESCRIPTOR.services_by_name["CatalogAdminService"].full_name


def admin_handlers(
    boundary: Boundary,
    *,
    sources: SourceAdmin,
    generations: GenerationAdmin,
    partitions: PartitionAdmin,
    enablement: EnablementAdmin,
    access: AccessAdmin,
) -> dict[str, Handler]:
    """Return the handlers of all calls, by their names."""
    return {
        "ListSources": boundary.unary(pb.ListSourcesRequest, parse_sources, sources.list_sources),
        "Refresh": boundary.unary(pb.RefreshRequest, parse_refresh, sources.refresh),
        "ListDiagnostics": boundary.unary(pb.ListDiagnosticsRequest, parse_diagnostics, sources.list_diagnostics),
        "ListPartitions": boundary.unary(pb.ListPartitionsRequest, parse_partitions, generations.list_partitions),
        "GetGeneration": boundary.unary(pb.GetGenerationRequest, parse_generation, generations.get_generation),
        "DiffGenerations": boundary.unary(pb.DiffGenerationsRequest, parse_diff, generations.diff_generations),
        "RefreshPartitions": boundary.unary(
            pb.RefreshPartitionsRequest, parse_refresh_partitions, partitions.refresh_partitions
        ),
        "ClearPartitions": boundary.unary(
            pb.ClearPartitionsRequest, parse_clear_partitions, partitions.clear_partitions
        ),
        "RevokeSkill": boundary.unary(pb.RevokeSkillRequest, parse_revoke, partitions.revoke_skill),
        "LiftRevoke": boundary.unary(pb.LiftRevokeRequest, parse_lift, partitions.lift_revoke),
        "SetEnablement": boundary.unary(pb.SetEnablementRequest, parse_set_enablement, enablement.set_enablement),
        "ListEnablement": boundary.unary(pb.ListEnablementRequest, parse_list_enablement, enablement.list_enablement),
        "ExplainAccess": boundary.unary(pb.ExplainAccessRequest, parse_explain, access.explain_access),
    }

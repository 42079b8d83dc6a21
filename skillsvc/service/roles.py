"""What a caller must be for each call: the one table of it, by the message that asks.

A call that is not in it cannot be registered, so that none is ever open because somebody forgot it.
"""

from collections.abc import Mapping
from enum import Enum, unique
from types import MappingProxyType
from typing import Final, TypeAlias

from grpc_channelz.v1 import channelz_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from skillsource.v1 import admin_pb2, skill_source_pb2

from skillsvc.domain.access import Role


@unique
class Open(Enum):
    """What needs no role."""

    TO_CALLERS = "callers"
    """Whoever has credentials that an access rule is for."""
    TO_EVERYBODY = "everybody"
    """Nobody is asked who they are: a probe has no credentials."""


Need: TypeAlias = Role | Open

AGENTS: Final = skill_source_pb2.DESCRIPTOR.services_by_name["SkillSourceService"]
OPERATORS: Final = admin_pb2.DESCRIPTOR.services_by_name["CatalogAdminService"]
CHANNELZ: Final = channelz_pb2.DESCRIPTOR.services_by_name["Channelz"]
REFLECTION: Final = reflection_pb2.DESCRIPTOR.services_by_name["ServerReflection"]

NEEDS: Final[Mapping[str, Mapping[str, Need]]] = MappingProxyType(
    {
        AGENTS.full_name: {
            "GetServerInfo": Open.TO_CALLERS,
            "ListSkills": Role.READER,
            "SkillBody": Role.READER,
            "ListAssets": Role.READER,
            "ReadAsset": Role.READER,
            "Activate": Role.READER,
            "SearchSkills": Role.READER,
            "RenderCatalog": Role.READER,
            "WatchCatalog": Role.READER,
            "ReportOutcome": Role.REPORTER,
            "BestMatch": Role.READER,
            "SearchCapabilities": Role.READER,
        },
        # Whatever operators call, also what is added: "role `admin` only" (contract.md).
        OPERATORS.full_name: {method.name: Role.ADMIN for method in OPERATORS.methods},
        CHANNELZ.full_name: {method.name: Role.ADMIN for method in CHANNELZ.methods},
        # What it tells is public; a stream that is open for as long as somebody likes is for nobody unknown.
        REFLECTION.full_name: {method.name: Open.TO_CALLERS for method in REFLECTION.methods},
    }
)
"""By the full name of a service and the name of a call."""

_PROBES = health_pb2.HealthCheckRequest.DESCRIPTOR.full_name
_NEEDS_BY_REQUEST: Final[Mapping[str, Need]] = MappingProxyType(
    {
        _PROBES: Open.TO_EVERYBODY,
        **{
            method.input_type.full_name: NEEDS[service.full_name][method.name]
            for service in (AGENTS, OPERATORS, CHANNELZ, REFLECTION)
            for method in service.methods
        },
    }
)


def need_of(request: str) -> Need:
    """Return what a caller must be to send a message of a full name, which one call alone asks with; else KeyError."""
    return _NEEDS_BY_REQUEST[request]

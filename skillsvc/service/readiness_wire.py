"""Readiness and the network of skills to messages."""

from skillsource.v1 import skill_pb2

from skillsvc.domain.readiness import (
    NetworkDeclaration,
    NetworkSource,
    Readiness,
    ReadinessState,
    SidecarState,
    ToldNetwork,
)
from skillsvc.domain.skill import NetworkMode

_STATES = {
    ReadinessState.READY: skill_pb2.READINESS_STATE_READY,
    ReadinessState.NEEDS_SETUP: skill_pb2.READINESS_STATE_NEEDS_SETUP,
    ReadinessState.UNKNOWN: skill_pb2.READINESS_STATE_UNKNOWN,
}
_SIDECARS = {
    SidecarState.ABSENT: skill_pb2.SIDECAR_STATE_UNSPECIFIED,
    SidecarState.COMPILES: skill_pb2.SIDECAR_STATE_COMPILES,
    SidecarState.BROKEN: skill_pb2.SIDECAR_STATE_BROKEN,
    SidecarState.UNCHECKED: skill_pb2.SIDECAR_STATE_UNCHECKED,
}
_MODES = {
    NetworkMode.UNKNOWN: skill_pb2.NETWORK_MODE_UNSPECIFIED,
    NetworkMode.NONE: skill_pb2.NETWORK_MODE_NONE,
    NetworkMode.HOST_ONLY: skill_pb2.NETWORK_MODE_HOST_ONLY,
    NetworkMode.RAW_REQUIRED: skill_pb2.NETWORK_MODE_RAW_REQUIRED,
}
_DECLARATIONS = {
    NetworkDeclaration.DECLARED: skill_pb2.NETWORK_DECLARATION_DECLARED,
    NetworkDeclaration.LEGACY: skill_pb2.NETWORK_DECLARATION_LEGACY,
    NetworkDeclaration.UNKNOWN: skill_pb2.NETWORK_DECLARATION_UNKNOWN,
}
_SOURCES = {
    NetworkSource.FRONTMATTER: skill_pb2.NETWORK_SOURCE_FRONTMATTER,
    NetworkSource.INVENTORY: skill_pb2.NETWORK_SOURCE_INVENTORY,
    NetworkSource.COLLECTION_DEFAULT: skill_pb2.NETWORK_SOURCE_COLLECTION_DEFAULT,
}


def readiness(value: Readiness) -> skill_pb2.Readiness:
    """Return a verdict."""
    return skill_pb2.Readiness(
        state=_STATES[value.state],
        missing=value.missing,
        unverifiable=value.unverifiable,
        blocked_on=value.blocked_on,
        sidecar=_SIDECARS[value.sidecar],
    )


def network(told: ToldNetwork | None) -> skill_pb2.Network | None:
    """Return what is told of a network, None where nothing is."""
    if told is None:
        return None
    return skill_pb2.Network(
        mode=_MODES[told.network.mode],
        domains=told.network.domains,
        declared=told.source is NetworkSource.FRONTMATTER,
        digest=told.network.digest,
        declaration=_DECLARATIONS[told.declaration],
        source=_SOURCES[told.source],
    )

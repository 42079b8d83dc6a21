"""What is told of a skill's declarations beside its row: readiness, and its network, whoever speaks of it. Pure.

Neither is in any digest, so that whoever keeps an answer that holds them names them beside the digests.
"""

from bisect import bisect_left
from dataclasses import dataclass
from operator import attrgetter

from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.generation import Row
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.readiness import SIDECAR, Readiness, SidecarState, ToldNetwork, Vouched, readiness_of, told_network
from skillsvc.domain.skill import NetworkMode
from skillsvc.domain.view import View
from skillsvc.parsing.network import UNKNOWN_NETWORK


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is told of one skill; `network` is None where nobody says anything of it."""

    readiness: Readiness
    network: ToldNetwork | None


def told_in(view: View, row: Row, vouched: Vouched) -> Told:
    """Return what is told of a row of a view: an operator's inventory speaks of the deployment's skills alone."""
    return told_of(
        row,
        vouched,
        of_deployment=any(
            layer.partition == DEPLOYMENT and layer.find_qualified(row.source, row.name) is row
            for layer in view.layers[:1]
        ),
    )


def told_of(row: Row, vouched: Vouched, *, of_deployment: bool) -> Told:
    """Return what is told of a row, which may be of the deployment layer."""
    skill, found = row.bundle.skill, row.found
    network = told_network(
        skill.network,
        collection=found.collection,
        names=(row.name, found.place.rpartition("/")[2]),
        inventory=vouched.inventory if of_deployment else None,
        unknown=UNKNOWN_NETWORK,
    )
    return Told(
        readiness=readiness_of(
            skill.requirements,
            NetworkMode.UNKNOWN if network is None else network.network.mode,
            vouched,
            sidecar=_sidecar(row),
        ),
        network=network,
    )


def _sidecar(row: Row) -> SidecarState:
    """Return what the look that took a skill in came to; it said nothing of a sidecar that compiles."""
    # A page has a thousand skills, each of a thousand assets perhaps; these are sorted.
    assets = row.bundle.assets
    at = bisect_left(assets, SIDECAR, key=attrgetter("name"))
    if at == len(assets) or assets[at].name != SIDECAR:
        return SidecarState.ABSENT
    said = {diagnostic.code for diagnostic in row.found.diagnostics}
    if DiagnosticCode.SIDECAR_BROKEN in said:
        return SidecarState.BROKEN
    return SidecarState.UNCHECKED if DiagnosticCode.SIDECAR_UNCHECKED in said else SidecarState.COMPILES

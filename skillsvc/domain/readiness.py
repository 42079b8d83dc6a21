"""Readiness: what a skill declares to need, held against what the deployment vouches for (rules.md 2). Pure.

Nothing here grants anything: a declaration is what its author wrote, and readiness is told of it. No process is
started, no package imported and no network asked for it, so that what nobody vouches for is unknown. Readiness is
independent of whether a skill is enabled, and part of no digest (rules.md 5).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, unique
from types import MappingProxyType

from skillsvc.domain.folding import folded
from skillsvc.domain.skill import Network, NetworkMode

SIDECAR = "kernel.py"
"""The asset of a bundle that is its sidecar: Python that a host may import. Nothing here ever does."""
RAW_NETWORK = "raw_network"
SANDBOX_OFF = "sandbox_not_enforced"
RAW_NETWORK_OPEN = "raw_network_allowed"


@unique
class ReadinessState(Enum):
    """Whether what a skill requires is at hand."""

    READY = 1
    NEEDS_SETUP = 2
    UNKNOWN = 3


@unique
class SidecarState(Enum):
    """What the compile check of a sidecar came to."""

    ABSENT = 0
    COMPILES = 1
    BROKEN = 2
    UNCHECKED = 3
    """Too large, too slow, not here yet, or no process could be started for it."""


@unique
class NetworkDeclaration(Enum):
    """How far a declaration of the network is to be believed to have been meant."""

    DECLARED = 1
    LEGACY = 2
    """Of a collection's member, whose own word counts for nothing."""
    UNKNOWN = 3


@unique
class NetworkSource(Enum):
    """Where a declaration comes from."""

    FRONTMATTER = 1
    INVENTORY = 2
    COLLECTION_DEFAULT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldNetwork:
    """What is told of a skill's use of the network."""

    network: Network
    declaration: NetworkDeclaration
    source: NetworkSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """The verdict, and what it comes from: each list sorted, each text once."""

    state: ReadinessState
    missing: tuple[str, ...] = ()
    unverifiable: tuple[str, ...] = ()
    blocked_on: tuple[str, ...] = ()
    sidecar: SidecarState = SidecarState.ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkInventory:
    """What an operator says of the network use of pinned collections, and of skills that say nothing themselves.

    `collections` are their ids, compared as one identity; `skills` are declarations by name or by folder.
    """

    collections: frozenset[str] = frozenset()
    skills: Mapping[str, Network] = field(default_factory=lambda: MappingProxyType({}), hash=False)

    def has_collection(self, id_: str) -> bool:
        """Tell whether a collection is pinned."""
        return folded(id_) in self.collections


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """What a deployment vouches for where its agents run. What it says nothing of is not known.

    `present` and `missing` are requirements, in lower case; none is in both. `sandbox_off` says that hosts enforce no
    sandbox, `raw_network` that they give raw network to whatever asks.
    """

    present: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    sandbox_off: bool = False
    raw_network: bool = False
    inventory: NetworkInventory = NetworkInventory()


def readiness_of(
    requirements: tuple[str, ...],
    mode: NetworkMode,
    vouched: Vouched,
    *,
    sidecar: SidecarState = SidecarState.ABSENT,
) -> Readiness:
    """Return how ready a skill is: a missing requirement or a block needs setup, one that is not known is unknown.

    Raw network always blocks, whatever a deployment allows: a declaration is no way to it. A sidecar is told beside the
    verdict and changes nothing of it.
    """
    wanted = frozenset(requirements)
    missing = wanted & vouched.missing
    unverifiable = wanted - missing - vouched.present
    blocked_on = _blocks(mode, vouched)
    if missing or blocked_on:
        state = ReadinessState.NEEDS_SETUP
    else:
        state = ReadinessState.UNKNOWN if unverifiable else ReadinessState.READY
    return Readiness(
        state=state,
        missing=tuple(sorted(missing)),
        unverifiable=tuple(sorted(unverifiable)),
        blocked_on=blocked_on,
        sidecar=sidecar,
    )


def _blocks(mode: NetworkMode, vouched: Vouched) -> tuple[str, ...]:
    if mode is NetworkMode.RAW_REQUIRED:
        return (RAW_NETWORK,)
    if mode is not NetworkMode.HOST_ONLY:
        return ()
    blocks = {RAW_NETWORK_OPEN: vouched.raw_network, SANDBOX_OFF: vouched.sandbox_off}
    return tuple(sorted(block for block, is_so in blocks.items() if is_so))


def told_network(
    declared: Network | None,
    *,
    collection: str,
    names: tuple[str, ...],
    inventory: NetworkInventory | None,
    unknown: Network,
) -> ToldNetwork | None:
    """Return what is told of a skill's network, None where nobody says anything.

    Args:
        declared: What its own files say; of a mode that could not be read, an unknown one.
        collection: The collection it is a member of, "" for none. What members say of themselves counts for nothing,
            and so does what an inventory names for their collection: both are told as unknown.
        names: What an inventory may call it, its name first.
        inventory: The operator's; None for skills that are none of the deployment's, of which it says nothing.
        unknown: The declaration of an unknown mode.
    """
    if collection:
        is_pinned = inventory is not None and inventory.has_collection(collection)
        return ToldNetwork(
            network=unknown,
            declaration=NetworkDeclaration.LEGACY,
            source=NetworkSource.INVENTORY if is_pinned else NetworkSource.COLLECTION_DEFAULT,
        )
    if declared is not None and declared.mode is not NetworkMode.UNKNOWN:
        return ToldNetwork(network=declared, declaration=NetworkDeclaration.DECLARED, source=NetworkSource.FRONTMATTER)
    for name in names:
        if inventory is not None and (said := inventory.skills.get(name)) is not None:
            return ToldNetwork(network=said, declaration=NetworkDeclaration.DECLARED, source=NetworkSource.INVENTORY)
    if declared is None:
        return None
    return ToldNetwork(network=declared, declaration=NetworkDeclaration.UNKNOWN, source=NetworkSource.FRONTMATTER)

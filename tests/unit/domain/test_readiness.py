"""How ready a skill is, and what is told of its network, as OpenAI4S decides it (`rules.md` 2)."""

from types import MappingProxyType

import pytest

from skillsvc.domain.readiness import (
    NetworkDeclaration,
    NetworkInventory,
    NetworkSource,
    Readiness,
    ReadinessState,
    SidecarState,
    ToldNetwork,
    Vouched,
    readiness_of,
    told_network,
)
from skillsvc.domain.skill import Network, NetworkMode
from skillsvc.parsing.network import UNKNOWN_NETWORK, make_network

NOTHING = Vouched()
GPU_MISSING = Vouched(missing=frozenset({"gpu"}))
NONE = make_network(NetworkMode.NONE, ())
RAW = make_network(NetworkMode.RAW_REQUIRED, ("a.example",))
HOST = make_network(NetworkMode.HOST_ONLY, ("b.example",))
READY, SETUP, UNKNOWN = ReadinessState.READY, ReadinessState.NEEDS_SETUP, ReadinessState.UNKNOWN


@pytest.mark.parametrize(
    ("requirements", "vouched", "state", "missing", "unverifiable"),
    [
        ((), NOTHING, READY, (), ()),
        (("gpu",), NOTHING, UNKNOWN, (), ("gpu",)),
        (("gpu",), GPU_MISSING, SETUP, ("gpu",), ()),
        (("gpu",), Vouched(present=frozenset({"gpu"})), READY, (), ()),
        (("odd word",), GPU_MISSING, UNKNOWN, (), ("odd word",)),
        (("gpu", "b", "a"), GPU_MISSING, SETUP, ("gpu",), ("a", "b")),
    ],
)
def test_a_missing_requirement_needs_setup_and_one_nobody_vouches_for_is_unknown(
    requirements: tuple[str, ...],
    vouched: Vouched,
    state: ReadinessState,
    missing: tuple[str, ...],
    unverifiable: tuple[str, ...],
) -> None:
    assert readiness_of(requirements, NetworkMode.UNKNOWN, vouched) == Readiness(
        state=state, missing=missing, unverifiable=unverifiable
    )


@pytest.mark.parametrize("raw_network", [True, False])
@pytest.mark.parametrize("sandbox_off", [True, False])
def test_raw_network_is_blocked_whatever_the_deployment_allows(*, raw_network: bool, sandbox_off: bool) -> None:
    vouched = Vouched(raw_network=raw_network, sandbox_off=sandbox_off)
    told = readiness_of((), NetworkMode.RAW_REQUIRED, vouched)
    assert (told.state, told.blocked_on) == (SETUP, ("raw_network",))


@pytest.mark.parametrize(
    ("raw_network", "sandbox_off", "blocked_on"),
    [
        (False, False, ()),
        (False, True, ("sandbox_not_enforced",)),
        (True, False, ("raw_network_allowed",)),
        (True, True, ("raw_network_allowed", "sandbox_not_enforced")),
    ],
)
def test_a_host_that_holds_nothing_back_blocks_what_is_of_the_host_alone(
    *, raw_network: bool, sandbox_off: bool, blocked_on: tuple[str, ...]
) -> None:
    told = readiness_of((), NetworkMode.HOST_ONLY, Vouched(raw_network=raw_network, sandbox_off=sandbox_off))
    assert (told.state, told.blocked_on) == (SETUP if blocked_on else READY, blocked_on)
    for mode in (NetworkMode.NONE, NetworkMode.UNKNOWN):
        other = readiness_of((), mode, Vouched(raw_network=raw_network, sandbox_off=sandbox_off))
        assert other == Readiness(state=READY)


def test_a_block_needs_setup_also_where_a_requirement_is_unknown() -> None:
    told = readiness_of(("odd",), NetworkMode.RAW_REQUIRED, NOTHING)
    assert told == Readiness(state=SETUP, unverifiable=("odd",), blocked_on=("raw_network",))


def test_a_broken_sidecar_is_told_and_changes_no_verdict() -> None:
    told = readiness_of((), NetworkMode.NONE, NOTHING, sidecar=SidecarState.BROKEN)
    assert told == Readiness(state=READY, sidecar=SidecarState.BROKEN)


def told(
    declared: Network | None, collection: str = "", inventory: NetworkInventory | None = None
) -> ToldNetwork | None:
    return told_network(
        declared, collection=collection, names=("a-skill", "folder"), inventory=inventory, unknown=UNKNOWN_NETWORK
    )


INVENTORY = NetworkInventory(
    collections=frozenset({"recipes"}), skills=MappingProxyType({"a-skill": HOST, "folder": RAW})
)
BY_FOLDER = NetworkInventory(skills=MappingProxyType({"folder": RAW}))
D, S = NetworkDeclaration, NetworkSource


@pytest.mark.parametrize(
    ("declared", "inventory", "expected"),
    [
        (None, None, None),
        (None, NetworkInventory(), None),
        (NONE, INVENTORY, (NONE, D.DECLARED, S.FRONTMATTER)),
        (RAW, None, (RAW, D.DECLARED, S.FRONTMATTER)),
        (None, INVENTORY, (HOST, D.DECLARED, S.INVENTORY)),
        (None, BY_FOLDER, (RAW, D.DECLARED, S.INVENTORY)),
        (UNKNOWN_NETWORK, INVENTORY, (HOST, D.DECLARED, S.INVENTORY)),
        (UNKNOWN_NETWORK, None, (UNKNOWN_NETWORK, D.UNKNOWN, S.FRONTMATTER)),
    ],
)
def test_what_files_declare_comes_first_then_the_inventory_then_what_could_not_be_read(
    declared: Network | None,
    inventory: NetworkInventory | None,
    expected: tuple[Network, NetworkDeclaration, NetworkSource] | None,
) -> None:
    found = told(declared, inventory=inventory)
    assert (None if found is None else (found.network, found.declaration, found.source)) == expected


@pytest.mark.parametrize("declared", [None, NONE, RAW, UNKNOWN_NETWORK])
@pytest.mark.parametrize(
    ("collection", "source"), [("recipes", S.INVENTORY), ("Recipes", S.INVENTORY), ("other", S.COLLECTION_DEFAULT)]
)
def test_a_member_of_a_collection_is_legacy_and_unknown_whatever_anybody_says(
    declared: Network | None, collection: str, source: NetworkSource
) -> None:
    assert told(declared, collection, INVENTORY) == ToldNetwork(
        network=UNKNOWN_NETWORK, declaration=D.LEGACY, source=source
    )
    assert told(declared, collection) == ToldNetwork(
        network=UNKNOWN_NETWORK, declaration=D.LEGACY, source=S.COLLECTION_DEFAULT
    )

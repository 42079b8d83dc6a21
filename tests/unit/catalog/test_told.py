"""What is told of a row's declarations: of its sidecar by what its look said, of its network by whose it is."""

from types import MappingProxyType

import pytest

from skillsvc.catalog.told import told_of
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Row, make_row
from skillsvc.domain.readiness import NetworkInventory, NetworkSource, SidecarState, Vouched
from skillsvc.domain.skill import Asset, Found, NetworkMode, Skill, make_bundle
from skillsvc.domain.trust import Tier, Trust
from skillsvc.parsing.network import make_network

BROKEN, UNCHECKED = DiagnosticCode.SIDECAR_BROKEN, DiagnosticCode.SIDECAR_UNCHECKED


def row_with(*assets: str, said: tuple[DiagnosticCode, ...] = (), place: str = "fold") -> Row:
    bundle = make_bundle(
        Skill(name="fold", description="Folds.", description_bytes=6),
        document=None,
        body=None,
        assets=tuple(Asset(name=name, size=1, digest="0" * 64) for name in assets),
    )
    found = Found(
        bundle=bundle,
        place=place,
        diagnostics=tuple(Diagnostic(severity=Severity.NOTE, code=code, message="m") for code in said),
    )
    return make_row(source="s", shadowed=False, found=found, tier=Tier.USER, trust=Trust.ALLOWED)


@pytest.mark.parametrize(
    ("assets", "said", "state"),
    [
        ((), (), SidecarState.ABSENT),
        (("a.txt", "kernel.pyc", "z.txt"), (), SidecarState.ABSENT),
        (("a.txt", "scripts/kernel.py"), (BROKEN,), SidecarState.ABSENT),
        (("kernel.py",), (), SidecarState.COMPILES),
        (("a.txt", "kernel.py", "kernel.pyc", "\u00e9.txt"), (), SidecarState.COMPILES),
        (("a.txt", "kernel.py"), (DiagnosticCode.NAME_DIFFERS, BROKEN), SidecarState.BROKEN),
        (("kernel.py", "z.txt"), (UNCHECKED,), SidecarState.UNCHECKED),
    ],
)
def test_a_sidecar_is_told_as_the_look_at_it_came_out(
    assets: tuple[str, ...], said: tuple[DiagnosticCode, ...], state: SidecarState
) -> None:
    assert told_of(row_with(*assets, said=said), Vouched(), of_deployment=True).readiness.sidecar is state


def test_an_inventory_knows_a_skill_by_its_folder_and_none_that_is_not_of_the_deployment() -> None:
    said = make_network(NetworkMode.RAW_REQUIRED, ())
    vouched = Vouched(inventory=NetworkInventory(skills=MappingProxyType({"deep-fold": said})))
    row = row_with(place="group/deep-fold")
    told = told_of(row, vouched, of_deployment=True)
    assert told.network is not None
    assert (told.network.network, told.network.source) == (said, NetworkSource.INVENTORY)
    # What an inventory says blocks as what a skill says.
    assert told.readiness.blocked_on == ("raw_network",)
    elsewhere = told_of(row, vouched, of_deployment=False)
    assert (elsewhere.network, elsewhere.readiness.blocked_on) == (None, ())

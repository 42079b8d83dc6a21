"""What the table [readiness] comes to on this machine: files, commands and variables are looked for, nothing is run."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from skillsvc.content.faults import symbol_of
from skillsvc.domain.readiness import NetworkInventory, Vouched
from skillsvc.parsing.inventory import INVENTORY_BYTES, InventoryMalformed, read_inventory
from skillsvc.settings.readiness import ReadinessTable
from skillsvc.settings.refusal import SettingsRefused


class InventoryUnusable(Exception):
    """The file cannot be read, or is no inventory; the message says why, and not which file."""


def vouched_by(table: ReadinessTable, environment: Mapping[str, str]) -> Vouched:
    """Return what a table comes to now; the environment has the `PATH` that commands are looked for on.

    Raises:
        SettingsRefused: The inventory cannot be used.
    """
    inventory = NetworkInventory()
    if table.network_inventory is not None:
        try:
            inventory = inventory_in(table.network_inventory)
        except InventoryUnusable as error:
            raise SettingsRefused([f"[readiness] network_inventory cannot be used: {error}"]) from error
    path = environment.get("PATH", "")
    return table.vouched(
        has_command=lambda name: shutil.which(name, path=path) is not None,
        environment=environment,
        inventory=inventory,
    )


def inventory_in(path: Path) -> NetworkInventory:
    """Return the inventory in a file; raises InventoryUnusable."""
    try:
        with path.open("rb") as file:
            data = file.read(INVENTORY_BYTES + 1)
        return read_inventory(data)
    except OSError as error:
        raise InventoryUnusable(f"it cannot be read ({symbol_of(error)})") from error
    except InventoryMalformed as error:
        raise InventoryUnusable(f"it is no inventory: {error}") from error

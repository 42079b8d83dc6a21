"""Vouching: what holds of the table [readiness], from one reload to the next."""

import os

from skillsvc.domain.readiness import Vouched
from skillsvc.settings.readiness import ReadinessTable
from skillsvc.settings.vouching import vouched_by


class Vouching:
    """What the deployment vouches for. For any thread: it is taken whole, by one assignment."""

    def __init__(self, table: ReadinessTable) -> None:
        """Begin with what a table says; raises SettingsRefused."""
        self._vouched = self.prepare(table)

    def now(self) -> Vouched:
        """Return what holds now."""
        return self._vouched

    def prepare(self, table: ReadinessTable) -> Vouched:
        """Return what would hold by a table; raises SettingsRefused."""
        return vouched_by(table, os.environ)

    def take(self, vouched: Vouched) -> None:
        """Have it hold from now on."""
        self._vouched = vouched

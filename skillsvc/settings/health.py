"""The table [health]: where probes ask, and how many watch."""

from pydantic import Field

from skillsvc.service.health_watches import HealthWatches
from skillsvc.settings.table import Count, HostPort, Table

_WATCHES = HealthWatches()


class HealthTable(Table):
    """Where probes ask that have no certificate: health alone, in plaintext, told to everybody.

    A change of this table is taken in at the next start.
    """

    listen: HostPort | None = Field(
        default=None, description="`HOST:PORT`, port 0 for any; may be beyond this machine."
    )
    watches: Count = Field(
        default=_WATCHES.in_all, description="Streams of Watch that each listener has open; a Check is always answered."
    )
    watches_per_address: Count = Field(
        default=_WATCHES.of_an_address, description="The same of callers at one address, such as a balancer's."
    )

    def health_watches(self) -> HealthWatches:
        """Return how many streams there may be."""
        return HealthWatches(in_all=self.watches, of_an_address=self.watches_per_address)

"""The table [connections]: how long connections live."""

from pydantic import Field

from skillsvc.service.connections import Connections
from skillsvc.settings.table import Seconds, Table

_TIMES = Connections()


class ConnectionsTable(Table):
    """How long connections live, and how those are found that are gone. A change is taken in at the next start."""

    age_s: Seconds = Field(
        default=_TIMES.age_s,
        description="Seconds that a connection takes new calls, a tenth more or less by chance.",
    )
    age_grace_s: Seconds = Field(
        default=_TIMES.age_grace_s, description="Seconds that calls under way, and watches, go on after that."
    )
    idle_s: Seconds = Field(default=_TIMES.idle_s, description="Seconds that a connection without calls is kept.")
    keepalive_s: Seconds = Field(
        default=_TIMES.keepalive_s, description="Seconds after which a silent peer is asked whether it is there."
    )
    keepalive_timeout_s: Seconds = Field(
        default=_TIMES.keepalive_timeout_s, description="Seconds that it has to answer."
    )
    least_ping_s: Seconds = Field(
        default=_TIMES.least_ping_s,
        description="Seconds between two pings of a client; one that sends more is sent away.",
    )
    handshake_s: Seconds = Field(
        default=_TIMES.handshake_s, description="Seconds that a peer has to connect wholly, its handshake included."
    )

    def connections(self) -> Connections:
        """Return the times in force."""
        return Connections(**self.model_dump())

"""How long connections live, and how those are found that are gone: the same for all listeners of a server."""

from dataclasses import dataclass
from typing import Final

_MOST_MS: Final = 2**31 - 1
"""What grpc takes for a time without end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connections:
    """Times in seconds, and how many there are.

    Attributes:
        age_s: How long a connection takes new calls, a tenth more or less by chance. Its client then makes another,
            wherever a balancer sends it, and proves anew who it is.
        age_grace_s: How long calls under way go on after that. A watch is ended then, and its client goes on with
            another; a call without a deadline has ended of itself before.
        idle_s: How long a connection without calls is kept.
        keepalive_s: After how long a silent peer is asked whether it is there.
        keepalive_timeout_s: How long it has to answer.
        least_ping_s: Who asks the server more often than this is sent away.
        handshake_s: How long a peer has from its connection to the end of its handshake; gRPC's own two minutes would
            let one that says nothing hold a descriptor for as long.
        at_most: How many there are at once on a listener, whether they have said anything or not; None for as many as
            come. One more is closed at once.
    """

    age_s: float = 900.0
    age_grace_s: float = 150.0
    idle_s: float = 600.0
    keepalive_s: float = 60.0
    keepalive_timeout_s: float = 20.0
    least_ping_s: float = 20.0
    handshake_s: float = 20.0
    at_most: int | None = None

    def options(self) -> tuple[tuple[str, int], ...]:
        """Return the options of a server of grpc."""
        return (
            ("grpc.max_connection_age_ms", _ms(self.age_s)),
            ("grpc.max_connection_age_grace_ms", _ms(self.age_grace_s)),
            ("grpc.max_connection_idle_ms", _ms(self.idle_s)),
            # A peer that is gone holds what waits to be sent to it.
            ("grpc.keepalive_time_ms", _ms(self.keepalive_s)),
            ("grpc.keepalive_timeout_ms", _ms(self.keepalive_timeout_s)),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_recv_ping_interval_without_data_ms", _ms(self.least_ping_s)),
            ("grpc.server_handshake_timeout_ms", _ms(self.handshake_s)),
            *(() if self.at_most is None else (("grpc.max_allowed_incoming_connections", self.at_most),)),
        )


def _ms(seconds: float) -> int:
    return min(max(1, round(seconds * 1000)), _MOST_MS)

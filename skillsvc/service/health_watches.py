"""Watches of health: how many there may be, since nobody who watches says who they are."""

from collections.abc import Callable
from dataclasses import dataclass

from skillsvc.domain.errors import ErrorReason, Exhausted
from skillsvc.service.peers import address_of


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthWatches:
    """How many streams of Watch one listener has open: nobody who watches says who they are."""

    in_all: int = 1_000
    of_an_address: int = 100


class Watchers:
    """The streams of Watch that are open, counted by the addresses they come from."""

    def __init__(self, most: HealthWatches) -> None:
        """Begin with none."""
        self._most = most
        self._open: dict[str, int] = {}
        self._in_all = 0

    def enter(self, peer: str) -> Callable[[object], None]:
        """Count one more; return what counts it no more.

        Raises:
            Exhausted: QUOTA_EXCEEDED where there are too many.
        """
        address = address_of(peer)
        held = self._open.get(address, 0)
        for taken, most, where in (
            (held, self._most.of_an_address, " from one address"),
            (self._in_all, self._most.in_all, ""),
        ):
            if taken >= most:
                raise Exhausted(
                    ErrorReason.QUOTA_EXCEEDED,
                    f"at most {most} watches of health{where} are open at once",
                    metadata={"quota": "health_watches", "limit": str(most)},
                )
        self._open[address] = held + 1
        self._in_all += 1

        def leave(_task: object) -> None:
            self._in_all -= 1
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

        return leave

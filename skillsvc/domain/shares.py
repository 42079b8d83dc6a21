"""Shares: how much of a server one caller may take, counted by principal, and the arithmetic of a rate.

A rate is kept as one number, the time at which a caller's burst is whole again (the generic cell rate algorithm): it
holds what a bucket of tokens holds, and needs nobody to fill it.
"""

from dataclasses import dataclass, fields
from enum import Enum, unique
from typing import Final

MIB: Final = 1024 * 1024


@unique
class Group(Enum):
    """What is counted together: calls of about the same price. The value is what operators and callers are told."""

    READS = "reads"
    LISTS = "lists"
    ACTIVATIONS = "activations"
    WATCHES = "watches"


class Rate:
    """So many a second, after a burst of so many at once."""

    __slots__ = ("a_second", "interval_s", "tolerance_s")

    def __init__(self, a_second: float, burst: int) -> None:
        """Take a rate that is more than 0, and a burst of 1 at least."""
        self.a_second = a_second
        self.interval_s = 1 / a_second
        self.tolerance_s = (burst - 1) / a_second

    def wait_s(self, whole_at: float, now: float) -> float:
        """Return the seconds until the next one fits, 0 or less where it does, for a burst that is whole at a time."""
        return whole_at - now - self.tolerance_s

    def taken(self, whole_at: float, now: float) -> float:
        """Return when the burst is whole again, with one more taken now."""
        return max(now, whole_at) + self.interval_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """What one principal may take, and one address whose callers are nobody. Rates are of calls a second."""

    reads_a_second: float = 500.0
    reads_burst: int = 1_000
    lists_a_second: float = 100.0
    lists_burst: int = 200
    activations_a_second: float = 100.0
    activations_burst: int = 200
    watches_a_second: float = 10.0
    watches_burst: int = 256
    """As many as may be open: after a restart of the server all of them come back at once."""
    calls: int = 128
    """Calls under way, until their answers are sent; watches are counted by themselves."""
    watches: int = 256
    waiting_bytes: int = 64 * MIB
    """Of answers that are not sent yet; one alone always may be."""
    strangers_a_second: float = 5.0
    strangers_burst: int = 50
    """Calls without a valid identity, by the address they come from."""

    def __post_init__(self) -> None:
        """Refuse what would let nobody call at all."""
        for field in fields(self):
            if getattr(self, field.name) <= 0:
                msg = f"{field.name} is {getattr(self, field.name)}; it must be more than 0"
                raise ValueError(msg)

    def rate(self, group: Group) -> Rate:
        """Return the rate of a group."""
        return Rate(getattr(self, f"{group.value}_a_second"), getattr(self, f"{group.value}_burst"))

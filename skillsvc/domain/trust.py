"""How a skill was admitted, and what may be done with it (rules.md 6)."""

from dataclasses import dataclass
from enum import Enum, unique


@unique
class Tier(Enum):
    """How a skill was admitted."""

    EXPLICIT = 1
    PROJECT = 2
    USER = 3
    REGISTERED = 4
    LEARNED = 5


@unique
class Trust(Enum):
    """What may be done with a skill."""

    ALLOWED = 1
    ASK = 2
    UNTRUSTED = 3


def trust_of(tier: Tier) -> Trust:
    """Return the trust that a tier gives; a source may be configured lower, never higher."""
    if tier in {Tier.EXPLICIT, Tier.PROJECT, Tier.USER}:
        return Trust.ALLOWED
    return Trust.ASK if tier is Tier.REGISTERED else Trust.UNTRUSTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """How the skills of a source are admitted, and what may be done with them."""

    tier: Tier
    trust: Trust

    def lowered_to(self, other: "Admission") -> "Admission":
        """Return the lower tier and the lower trust of both."""
        return Admission(
            tier=max(self.tier, other.tier, key=lambda tier: tier.value),
            trust=max(self.trust, other.trust, key=lambda trust: trust.value),
        )

"""How a skill was admitted, and what may be done with it (rules.md 6)."""

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

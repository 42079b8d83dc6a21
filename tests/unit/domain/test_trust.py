"""What a tier is trusted with (rules.md 6)."""

import pytest
from skillsource.v1 import skill_pb2

from skillsvc.domain.trust import Admission, Tier, Trust, trust_of


@pytest.mark.parametrize(
    ("tier", "trust"),
    [
        (Tier.EXPLICIT, Trust.ALLOWED),
        (Tier.PROJECT, Trust.ALLOWED),
        (Tier.USER, Trust.ALLOWED),
        (Tier.REGISTERED, Trust.ASK),
        (Tier.LEARNED, Trust.UNTRUSTED),
    ],
)
def test_a_tier_gives_a_trust(tier: Tier, trust: Trust) -> None:
    assert trust_of(tier) is trust


def test_tiers_and_trusts_are_those_of_the_wire() -> None:
    assert {f"TIER_{tier.name}" for tier in Tier} == set(skill_pb2.Tier.keys()) - {"TIER_UNSPECIFIED"}
    assert {f"TRUST_{trust.name}" for trust in Trust} == set(skill_pb2.Trust.keys()) - {"TRUST_UNSPECIFIED"}


def test_lowered_to_another_is_the_lower_of_each() -> None:
    user = Admission(tier=Tier.USER, trust=Trust.UNTRUSTED)
    registered = Admission(tier=Tier.REGISTERED, trust=Trust.ASK)
    both = Admission(tier=Tier.REGISTERED, trust=Trust.UNTRUSTED)
    assert (user.lowered_to(registered), registered.lowered_to(user)) == (both, both)

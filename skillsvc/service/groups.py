"""Which calls are counted together: the one table of it, by the message that asks.

A call of agents that is in no group cannot be registered, and reflection counts as a watch. What operators call, and
health, is in none on purpose: whoever looks after a server must reach it while others flood it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from skillsvc.domain.shares import Group
from skillsvc.service.roles import AGENTS, REFLECTION

GROUPS: Final[Mapping[str, Group]] = MappingProxyType(
    {
        "GetServerInfo": Group.READS,
        "SkillBody": Group.READS,
        "ListAssets": Group.READS,
        "ReadAsset": Group.READS,
        "ListSkills": Group.LISTS,
        "SearchSkills": Group.LISTS,
        "SearchCapabilities": Group.LISTS,
        "RenderCatalog": Group.LISTS,
        "BestMatch": Group.LISTS,
        "Activate": Group.ACTIVATIONS,
        "ReportOutcome": Group.ACTIVATIONS,
        "WatchCatalog": Group.WATCHES,
    }
)
"""By the name of a call."""

_BY_REQUEST: Final[Mapping[str, Group]] = MappingProxyType(
    {
        **{method.input_type.full_name: GROUPS[method.name] for method in AGENTS.methods},
        # Each is a stream that may be open for as long as its caller likes, whichever listener it came by.
        **{method.input_type.full_name: Group.WATCHES for method in REFLECTION.methods},
    }
)


def group_of(request: str) -> Group | None:
    """Return the group of the call that asks with a message of a full name; None where it is not counted."""
    return _BY_REQUEST.get(request)

"""Which calls are counted together, and which acts are written down: the one table of each, by the message that asks.

A call of agents that is in no group cannot be registered, and reflection counts as a watch. What operators call, and
health, is in none on purpose: whoever looks after a server must reach it while others flood it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from skillsvc.domain.shares import Group
from skillsvc.service.roles import AGENTS, OPERATORS, REFLECTION

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

CHANGES: Final = frozenset({"Activate", "Refresh", "RefreshPartitions", "ClearPartitions", "RevokeSkill", "LiftRevoke"})
"""Calls of which the audit is told whatever comes of them; those that succeed tell of themselves."""

OPERATIONS: Final = frozenset(method.name for method in OPERATORS.methods)
"""Calls of operators: of a fault in one of them the audit is told, too."""

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


def act_of(request: str) -> str:
    """Return what a call is called that asks with a message of a full name."""
    return request.rpartition(".")[2].removesuffix("Request")

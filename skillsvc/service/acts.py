"""Acts: which refusals and faults the audit is told of. What succeeds tells of itself, by what came of it."""

from typing import Final

from skillsvc.domain.errors import ErrorReason
from skillsvc.service.roles import OPERATORS

REFUSALS: Final = frozenset(
    {
        ErrorReason.CREDENTIALS_MISSING,
        ErrorReason.CREDENTIALS_INVALID,
        ErrorReason.ROLE_MISSING,
        ErrorReason.PROJECT_NOT_ALLOWED,
        ErrorReason.QUOTA_EXCEEDED,
        ErrorReason.RATE_LIMITED,
    }
)
"""Refusals that the audit is told of, whatever the call."""

CHANGES: Final = frozenset(
    {
        "Activate",
        "ReportOutcome",
        "Refresh",
        "RefreshPartitions",
        "ClearPartitions",
        "RevokeSkill",
        "LiftRevoke",
        "SetEnablement",
    }
)
"""Calls whose refusals the audit is told of, whatever the reason."""

OPERATIONS: Final = frozenset(method.name for method in OPERATORS.methods)
"""Calls of operators: of a fault in one of them the audit is told, too."""


def act_of(request: str) -> str:
    """Return what a call is called that asks with a message of a full name."""
    return request.rpartition(".")[2].removesuffix("Request")

"""Errors: one class a gRPC code, by what the caller should do, plus a reason that says what happened.

An error means that a caller cannot get what was promised; an expected refusal is a value instead. Messages name the
thing and the limit. They reach callers as they are, so none may hold a server path, a query, or another library's text
(contract.md, "Errors").
"""

from collections.abc import Mapping
from enum import StrEnum, unique
from types import MappingProxyType
from typing import ClassVar


@unique
class ErrorReason(StrEnum):
    """The reasons of the proto's enum `ErrorReason`, without its prefix; a test compares the two."""

    REQUEST_MALFORMED = "REQUEST_MALFORMED"
    NAME_MALFORMED = "NAME_MALFORMED"
    ASSET_NAME_MALFORMED = "ASSET_NAME_MALFORMED"
    ARGUMENT_MALFORMED = "ARGUMENT_MALFORMED"
    ARGUMENT_OUT_OF_RANGE = "ARGUMENT_OUT_OF_RANGE"
    PAGE_TOKEN_MALFORMED = "PAGE_TOKEN_MALFORMED"  # noqa: S105 - a reason, not a secret
    TOKEN_MALFORMED = "TOKEN_MALFORMED"  # noqa: S105 - a reason, not a secret
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    SKILL_NOT_FOUND = "SKILL_NOT_FOUND"
    ASSET_NOT_FOUND = "ASSET_NOT_FOUND"
    BODY_NOT_FOUND = "BODY_NOT_FOUND"
    COLLECTION_NOT_FOUND = "COLLECTION_NOT_FOUND"
    PARTITION_NOT_FOUND = "PARTITION_NOT_FOUND"
    SOURCE_NOT_FOUND = "SOURCE_NOT_FOUND"
    GENERATION_EXPIRED = "GENERATION_EXPIRED"
    TRANSITION_NOT_ALLOWED = "TRANSITION_NOT_ALLOWED"
    GENERATION_NOT_YET = "GENERATION_NOT_YET"
    NOT_READY = "NOT_READY"
    DRAINING = "DRAINING"
    SOURCE_UNREACHABLE = "SOURCE_UNREACHABLE"
    STORE_UNREACHABLE = "STORE_UNREACHABLE"
    MCP_SERVER_UNREACHABLE = "MCP_SERVER_UNREACHABLE"
    CREDENTIALS_MISSING = "CREDENTIALS_MISSING"
    CREDENTIALS_INVALID = "CREDENTIALS_INVALID"
    ROLE_MISSING = "ROLE_MISSING"
    PROJECT_NOT_ALLOWED = "PROJECT_NOT_ALLOWED"
    TOOL_REFUSED = "TOOL_REFUSED"
    INVOCATION_NOT_ALLOWED = "INVOCATION_NOT_ALLOWED"
    REVISION_CONFLICT = "REVISION_CONFLICT"
    NAME_TAKEN = "NAME_TAKEN"
    QUOTA_EXCEEDED = "QUOTA_EXCEEDED"
    RATE_LIMITED = "RATE_LIMITED"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    DIGEST_MISMATCH = "DIGEST_MISMATCH"
    NOT_IMPLEMENTED = "NOT_IMPLEMENTED"
    INTERNAL_FAULT = "INTERNAL_FAULT"


class SkillsvcError(Exception):
    """What every error of ours is; only its subclasses are raised."""

    reasons: ClassVar[frozenset[ErrorReason]] = frozenset()

    def __init__(
        self,
        reason: ErrorReason,
        message: str,
        *,
        metadata: Mapping[str, str] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        """Make an error.

        Args:
            reason: One of this class's `reasons`.
            message: One sentence for the caller: the thing, the limit, the way out.
            metadata: The keys that the proto documents with the reason.
            retry_after_s: When a repetition may do better, in seconds.
        """
        if reason not in self.reasons:
            msg = f"{reason} is no reason of {type(self).__name__}"
            raise ValueError(msg)
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.metadata: Mapping[str, str] = MappingProxyType(dict(metadata or {}))
        self.retry_after_s = retry_after_s


class InvalidInput(SkillsvcError):
    """Change the request (INVALID_ARGUMENT)."""

    reasons = frozenset(
        {
            ErrorReason.REQUEST_MALFORMED,
            ErrorReason.NAME_MALFORMED,
            ErrorReason.ASSET_NAME_MALFORMED,
            ErrorReason.ARGUMENT_MALFORMED,
            ErrorReason.ARGUMENT_OUT_OF_RANGE,
            ErrorReason.PAGE_TOKEN_MALFORMED,
            ErrorReason.TOKEN_MALFORMED,
            ErrorReason.REQUEST_ID_REUSED,
        }
    )


class NotFound(SkillsvcError):
    """Stop asking for it (NOT_FOUND). Hidden looks exactly like absent (rules.md 7)."""

    reasons = frozenset(
        {
            ErrorReason.SKILL_NOT_FOUND,
            ErrorReason.ASSET_NOT_FOUND,
            ErrorReason.BODY_NOT_FOUND,
            ErrorReason.COLLECTION_NOT_FOUND,
            ErrorReason.PARTITION_NOT_FOUND,
            ErrorReason.SOURCE_NOT_FOUND,
        }
    )


class StateMissing(SkillsvcError):
    """Mend the state first (FAILED_PRECONDITION)."""

    reasons = frozenset({ErrorReason.GENERATION_EXPIRED, ErrorReason.TRANSITION_NOT_ALLOWED})


class Unavailable(SkillsvcError):
    """Back off and repeat (UNAVAILABLE)."""

    reasons = frozenset(
        {
            ErrorReason.GENERATION_NOT_YET,
            ErrorReason.NOT_READY,
            ErrorReason.DRAINING,
            ErrorReason.SOURCE_UNREACHABLE,
            ErrorReason.STORE_UNREACHABLE,
            ErrorReason.MCP_SERVER_UNREACHABLE,
        }
    )


class Unauthenticated(SkillsvcError):
    """Log in (UNAUTHENTICATED)."""

    reasons = frozenset({ErrorReason.CREDENTIALS_MISSING, ErrorReason.CREDENTIALS_INVALID})


class Denied(SkillsvcError):
    """Ask for rights or trust (PERMISSION_DENIED)."""

    reasons = frozenset(
        {
            ErrorReason.ROLE_MISSING,
            ErrorReason.PROJECT_NOT_ALLOWED,
            ErrorReason.TOOL_REFUSED,
            ErrorReason.INVOCATION_NOT_ALLOWED,
        }
    )

    def __init__(
        self,
        reason: ErrorReason,
        message: str,
        *,
        metadata: Mapping[str, str] | None = None,
        retry_after_s: float | None = None,
        caller: str = "",
        rule: str = "",
        identity: str = "",
    ) -> None:
        """Make an error; `caller` is who was not let in and `rule` by which rule, for the audit and told to nobody.

        `identity` is what the credential proves, where that is another.
        """
        super().__init__(reason, message, metadata=metadata, retry_after_s=retry_after_s)
        self.caller = caller
        self.rule = rule
        self.identity = identity


class Conflict(SkillsvcError):
    """Read again, then repeat (ABORTED)."""

    reasons = frozenset({ErrorReason.REVISION_CONFLICT})


class AlreadyExists(SkillsvcError):
    """Choose another name (ALREADY_EXISTS)."""

    reasons = frozenset({ErrorReason.NAME_TAKEN})


class Exhausted(SkillsvcError):
    """Ask for less, or less often (RESOURCE_EXHAUSTED)."""

    reasons = frozenset({ErrorReason.QUOTA_EXCEEDED, ErrorReason.RATE_LIMITED, ErrorReason.LIMIT_EXCEEDED})

    def __init__(
        self,
        reason: ErrorReason,
        message: str,
        *,
        metadata: Mapping[str, str] | None = None,
        retry_after_s: float | None = None,
        subject: str = "",
    ) -> None:
        """Make an error; `subject` is whose quota or rate is used up, which is told to itself alone."""
        super().__init__(reason, message, metadata=metadata, retry_after_s=retry_after_s)
        self.subject = subject


class DataLoss(SkillsvcError):
    """Report it (DATA_LOSS)."""

    reasons = frozenset({ErrorReason.DIGEST_MISMATCH})


class NotImplementedYet(SkillsvcError):
    """Do without it (UNIMPLEMENTED)."""

    reasons = frozenset({ErrorReason.NOT_IMPLEMENTED})


class InternalFault(SkillsvcError):
    """Report the incident id (INTERNAL). Made by the boundary alone, from errors that nobody expected."""

    reasons = frozenset({ErrorReason.INTERNAL_FAULT})

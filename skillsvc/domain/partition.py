"""Partitions: whose catalog it is.

A partition is `(principal, project)`, compared as exact bytes. A principal begins with its kind, so that no two kinds
meet; an empty project is the principal's own. The deployment layer belongs to no principal (product.md, "Words").
"""

import unicodedata
from typing import NamedTuple, Self

from skillsvc.domain import canonical, caps
from skillsvc.domain.errors import ErrorReason, InvalidInput

PRINCIPAL_MAX_BYTES = 256
PROJECT_MAX_BYTES = 256
SESSION_MAX_BYTES = 128
LOCAL_PRINCIPAL = "local"
ANONYMOUS_PRINCIPAL = "anonymous"
_OF_EVERYBODY = frozenset({LOCAL_PRINCIPAL, ANONYMOUS_PRINCIPAL})
"""Principals of a server that asks nobody who they are."""
_PRINCIPAL_KINDS = ("spiffe:", "oidc:", "token:", "cert:")


class Partition(NamedTuple):
    """The unit of isolation: made by `parse`, or `DEPLOYMENT`. A tuple, since every call looks something up by it."""

    principal: str
    project: str

    @classmethod
    def parse(cls, *, principal: str, project: str) -> Self:
        """Return the partition that a principal and a project name.

        Raises:
            InvalidInput: ARGUMENT_MALFORMED for text that is not NFC, holds control characters or is no principal;
                ARGUMENT_OUT_OF_RANGE for one that is too long.
        """
        if principal not in _OF_EVERYBODY and not principal.startswith(_PRINCIPAL_KINDS):
            raise InvalidInput(ErrorReason.ARGUMENT_MALFORMED, "a principal begins with its kind, or is `local`")
        _check_text("principal", principal, PRINCIPAL_MAX_BYTES)
        return cls(principal=principal, project=parse_project(project))


DEPLOYMENT = Partition(principal="", project="")
"""The layer shared by all callers; no caller is this partition, since a principal is never empty."""


def parse_project(project: str) -> str:
    """Return a project's name as it came, once it is known to be one; raises as `Partition.parse` does."""
    _check_text("project", project, PROJECT_MAX_BYTES)
    return project


def parse_session(session: str) -> str:
    """Return the label of a session as it came, once it is known to be one; raises as `Partition.parse` does."""
    _check_text("session", session, SESSION_MAX_BYTES)
    return session


def layer_id(partition: Partition) -> bytes:
    """Return the 8 bytes by which tokens and the store name a partition's layer."""
    digest = canonical.digest_of(
        "skillsource.layer-id.v1", canonical.encode_text(partition.principal), canonical.encode_text(partition.project)
    )
    return bytes.fromhex(digest[:16])


def _check_text(field: str, text: str, max_bytes: int) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InvalidInput(
            ErrorReason.ARGUMENT_MALFORMED, f"{field} is not valid UTF-8", metadata={"field": field}
        ) from None
    if size > max_bytes:
        raise InvalidInput(
            ErrorReason.ARGUMENT_OUT_OF_RANGE,
            f"{field} has {size} bytes; at most {max_bytes} are allowed",
            metadata={"field": field, "limit": str(max_bytes)},
        )
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        raise InvalidInput(ErrorReason.ARGUMENT_MALFORMED, f"{field} is not in NFC", metadata={"field": field})
    if caps.flatten(text) != text:
        raise InvalidInput(
            ErrorReason.ARGUMENT_MALFORMED, f"{field} holds a control character", metadata={"field": field}
        )

"""The page of all errors, from the comments of the enum `ErrorReason`.

Such a comment reads: the gRPC code, with what comes beside ErrorInfo; what happened; `Metadata:` and the keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from google.protobuf.descriptor_pb2 import EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet

FILE = "skillsource/v1/errors.proto"
ENUM = "ErrorReason"
PREFIX = "ERROR_REASON_"

_COMMENT = re.compile(
    r"(?P<code>[A-Z_]+)(?:, with (?P<detail>\w+(?: and \w+)*))?\. (?P<meaning>.+) Metadata: (?P<metadata>.+)\."
)

_PAGE = """\
<!-- Generated from proto/skillsource/v1/errors.proto by clients/codegen/generate.py. -->

# Errors

Every error that the server makes carries one `google.rpc.ErrorInfo` with the domain `skillsource.v1`. The status code
says what the caller should do; the reason says what happened. Errors made by the transport itself (an unknown method, a
message over the limit, a call cancelled or out of time) carry no `ErrorInfo`.

| Reason | Code | Beside it | Metadata | What happened |
|---|---|---|---|---|
"""


class CommentFault(Exception):
    """A reason whose comment does not read as it must."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason: `detail` is the message sent beside ErrorInfo, or empty; `metadata` is prose in markdown."""

    name: str
    code: str
    detail: str
    metadata: str
    meaning: str


def read_reasons(descriptors: FileDescriptorSet) -> tuple[Reason, ...]:
    """Return the reasons in the order of the proto, without the one that is never sent.

    Args:
        descriptors: The contract with its source information.

    Raises:
        CommentFault: A comment does not read as it must.
    """
    file = next(file for file in descriptors.file if file.name == FILE)
    index, enum = next((index, enum) for index, enum in enumerate(file.enum_type) if enum.name == ENUM)
    return tuple(
        _reason(enum.value[position].name, comment)
        for position, comment in _comments(file, enum, index)
        if enum.value[position].number != 0
    )


def render_error_page(descriptors: FileDescriptorSet) -> str:
    """Return the page in markdown."""
    rows = (
        f"| `{reason.name}` | {reason.code} | {reason.detail} | {reason.metadata} | {reason.meaning} |\n"
        for reason in read_reasons(descriptors)
    )
    return _PAGE + "".join(rows)


def _comments(file: FileDescriptorProto, enum: EnumDescriptorProto, index: int) -> Iterator[tuple[int, str]]:
    """Give each value's position with its comment as one line."""
    enum_type = FileDescriptorProto.ENUM_TYPE_FIELD_NUMBER
    value = EnumDescriptorProto.VALUE_FIELD_NUMBER
    comments = {tuple(location.path): location.leading_comments for location in file.source_code_info.location}
    for position in range(len(enum.value)):
        yield position, " ".join(comments.get((enum_type, index, value, position), "").split())


def _reason(name: str, comment: str) -> Reason:
    parts = _COMMENT.fullmatch(comment)
    if parts is None:
        raise CommentFault(f"{name}: its comment is no code, sentence and metadata: {comment!r}")
    metadata = parts["metadata"]
    return Reason(
        name=name.removeprefix(PREFIX),
        code=parts["code"],
        detail=parts["detail"] or "",
        metadata="" if metadata == "none" else metadata,
        meaning=parts["meaning"],
    )

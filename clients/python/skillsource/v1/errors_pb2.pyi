from skillsource.v1 import caps_pb2 as _caps_pb2
from skillsource.v1 import skill_pb2 as _skill_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_REQUEST_MALFORMED: _ClassVar[ErrorReason]
    ERROR_REASON_NAME_MALFORMED: _ClassVar[ErrorReason]
    ERROR_REASON_ASSET_NAME_MALFORMED: _ClassVar[ErrorReason]
    ERROR_REASON_ARGUMENT_MALFORMED: _ClassVar[ErrorReason]
    ERROR_REASON_ARGUMENT_OUT_OF_RANGE: _ClassVar[ErrorReason]
    ERROR_REASON_PAGE_TOKEN_MALFORMED: _ClassVar[ErrorReason]
    ERROR_REASON_TOKEN_MALFORMED: _ClassVar[ErrorReason]
    ERROR_REASON_REQUEST_ID_REUSED: _ClassVar[ErrorReason]
    ERROR_REASON_SKILL_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_ASSET_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_BODY_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_COLLECTION_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_PARTITION_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_SOURCE_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_GENERATION_EXPIRED: _ClassVar[ErrorReason]
    ERROR_REASON_TRANSITION_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_GENERATION_NOT_YET: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_READY: _ClassVar[ErrorReason]
    ERROR_REASON_DRAINING: _ClassVar[ErrorReason]
    ERROR_REASON_SOURCE_UNREACHABLE: _ClassVar[ErrorReason]
    ERROR_REASON_STORE_UNREACHABLE: _ClassVar[ErrorReason]
    ERROR_REASON_MCP_SERVER_UNREACHABLE: _ClassVar[ErrorReason]
    ERROR_REASON_CREDENTIALS_MISSING: _ClassVar[ErrorReason]
    ERROR_REASON_CREDENTIALS_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_ROLE_MISSING: _ClassVar[ErrorReason]
    ERROR_REASON_PROJECT_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_TOOL_REFUSED: _ClassVar[ErrorReason]
    ERROR_REASON_INVOCATION_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_REVISION_CONFLICT: _ClassVar[ErrorReason]
    ERROR_REASON_NAME_TAKEN: _ClassVar[ErrorReason]
    ERROR_REASON_QUOTA_EXCEEDED: _ClassVar[ErrorReason]
    ERROR_REASON_RATE_LIMITED: _ClassVar[ErrorReason]
    ERROR_REASON_LIMIT_EXCEEDED: _ClassVar[ErrorReason]
    ERROR_REASON_DIGEST_MISMATCH: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_IMPLEMENTED: _ClassVar[ErrorReason]
    ERROR_REASON_INTERNAL_FAULT: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_REQUEST_MALFORMED: ErrorReason
ERROR_REASON_NAME_MALFORMED: ErrorReason
ERROR_REASON_ASSET_NAME_MALFORMED: ErrorReason
ERROR_REASON_ARGUMENT_MALFORMED: ErrorReason
ERROR_REASON_ARGUMENT_OUT_OF_RANGE: ErrorReason
ERROR_REASON_PAGE_TOKEN_MALFORMED: ErrorReason
ERROR_REASON_TOKEN_MALFORMED: ErrorReason
ERROR_REASON_REQUEST_ID_REUSED: ErrorReason
ERROR_REASON_SKILL_NOT_FOUND: ErrorReason
ERROR_REASON_ASSET_NOT_FOUND: ErrorReason
ERROR_REASON_BODY_NOT_FOUND: ErrorReason
ERROR_REASON_COLLECTION_NOT_FOUND: ErrorReason
ERROR_REASON_PARTITION_NOT_FOUND: ErrorReason
ERROR_REASON_SOURCE_NOT_FOUND: ErrorReason
ERROR_REASON_GENERATION_EXPIRED: ErrorReason
ERROR_REASON_TRANSITION_NOT_ALLOWED: ErrorReason
ERROR_REASON_GENERATION_NOT_YET: ErrorReason
ERROR_REASON_NOT_READY: ErrorReason
ERROR_REASON_DRAINING: ErrorReason
ERROR_REASON_SOURCE_UNREACHABLE: ErrorReason
ERROR_REASON_STORE_UNREACHABLE: ErrorReason
ERROR_REASON_MCP_SERVER_UNREACHABLE: ErrorReason
ERROR_REASON_CREDENTIALS_MISSING: ErrorReason
ERROR_REASON_CREDENTIALS_INVALID: ErrorReason
ERROR_REASON_ROLE_MISSING: ErrorReason
ERROR_REASON_PROJECT_NOT_ALLOWED: ErrorReason
ERROR_REASON_TOOL_REFUSED: ErrorReason
ERROR_REASON_INVOCATION_NOT_ALLOWED: ErrorReason
ERROR_REASON_REVISION_CONFLICT: ErrorReason
ERROR_REASON_NAME_TAKEN: ErrorReason
ERROR_REASON_QUOTA_EXCEEDED: ErrorReason
ERROR_REASON_RATE_LIMITED: ErrorReason
ERROR_REASON_LIMIT_EXCEEDED: ErrorReason
ERROR_REASON_DIGEST_MISMATCH: ErrorReason
ERROR_REASON_NOT_IMPLEMENTED: ErrorReason
ERROR_REASON_INTERNAL_FAULT: ErrorReason

class ActivationRefusal(_message.Message):
    __slots__ = ("refused", "refused_total")
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_TOTAL_FIELD_NUMBER: _ClassVar[int]
    refused: _containers.RepeatedCompositeFieldContainer[_skill_pb2.Tool]
    refused_total: int
    def __init__(self, refused: _Optional[_Iterable[_Union[_skill_pb2.Tool, _Mapping]]] = ..., refused_total: _Optional[int] = ...) -> None: ...

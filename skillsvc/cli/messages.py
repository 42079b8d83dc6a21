"""The JSON of answers: the proto's mapping with proto field names (contract.md, "Sizes and ranges").

The client hands out checked values, not messages. A value's attributes have the names of the message's fields, so the
message is made again by its descriptor, and protobuf itself writes the JSON.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import TypeAlias, cast

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from skillsource import (
    Activation,
    AssetContent,
    BestMatch,
    Body,
    Capabilities,
    CatalogEvent,
    CollectionListing,
    Inventory,
    Listing,
    RenderedCatalog,
    SearchResult,
    ServerInfo,
    Skill,
)
from skillsource.v1 import skill_pb2, skill_source_pb2

Answer: TypeAlias = (
    Activation
    | AssetContent
    | BestMatch
    | Body
    | Capabilities
    | CatalogEvent
    | CollectionListing
    | Inventory
    | Listing
    | RenderedCatalog
    | SearchResult
    | ServerInfo
    | Skill
)

_MESSAGES: Mapping[type[Answer], type[Message]] = {
    Activation: skill_source_pb2.ActivateResponse,
    AssetContent: skill_source_pb2.ReadAssetResponse,
    BestMatch: skill_source_pb2.BestMatchResponse,
    Body: skill_source_pb2.SkillBodyResponse,
    Capabilities: skill_source_pb2.SearchCapabilitiesResponse,
    CatalogEvent: skill_source_pb2.WatchCatalogResponse,
    CollectionListing: skill_source_pb2.ListSkillsResponse,
    Inventory: skill_source_pb2.ListAssetsResponse,
    Listing: skill_source_pb2.ListSkillsResponse,
    RenderedCatalog: skill_source_pb2.RenderCatalogResponse,
    SearchResult: skill_source_pb2.SearchSkillsResponse,
    ServerInfo: skill_source_pb2.GetServerInfoResponse,
    Skill: skill_pb2.Skill,
}


def to_json(answer: Answer, *, one_line: bool = False) -> str:
    """Return an answer's message as JSON, in ASCII: fields that are unset or have their default are left out."""
    return message_to_json(message_of(answer), one_line=one_line)


def message_to_json(message: Message, *, one_line: bool = False) -> str:
    """Return a message as JSON, as `to_json` does."""
    return MessageToJson(message, preserving_proto_field_name=True, indent=None if one_line else 2)


def message_of(answer: Answer) -> Message:
    """Return the message that an answer stands for; what came in pages or ranges is put together in one."""
    kind = next(message for value, message in _MESSAGES.items() if isinstance(answer, value))
    # The stubs tell of two implementations of descriptors, which are one at run time.
    fields = _fields(cast("Iterable[FieldDescriptor]", kind.DESCRIPTOR.fields), answer)
    if isinstance(answer, Body):
        fields |= {"body": answer.text, "total_bytes": len(answer.text.encode())}
    elif isinstance(answer, AssetContent):
        fields |= {"total_bytes": len(answer.data)}
    return kind(**fields)


def _fields(fields: Iterable[FieldDescriptor], value: object) -> dict[str, object]:
    """Return a message's fields as its constructor takes them; None and what a value does not have are unset."""
    return {
        field.name: _field(field, given) for field in fields if (given := getattr(value, field.name, None)) is not None
    }


def _field(field: FieldDescriptor, given: object) -> object:
    match given:
        case Enum():
            assert field.enum_type is not None, "the client's enums are the proto's"
            return _name(field.enum_type, given)
        case datetime():
            timestamp = Timestamp()
            timestamp.FromDatetime(given)
            return timestamp
        case str() | bytes() | int() | float() | Mapping():
            return given
        case Sequence():
            return [_field(field, item) for item in given]
        case _:
            assert field.message_type is not None, "the client's values are the proto's messages"
            return _fields(field.message_type.fields, given)


def _name(kind: EnumDescriptor, member: Enum) -> str:
    """Return the full name of an enum's value; the client's word for what a server did not say is the unset one."""
    unset = kind.values_by_number[0].name
    name = unset.removesuffix("UNSPECIFIED") + member.name
    return name if name in kind.values_by_name else unset

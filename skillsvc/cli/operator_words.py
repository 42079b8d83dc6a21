"""What the commands of operators tell in words: generations, trust, moments, changes."""

from collections.abc import Iterable
from datetime import UTC
from typing import TYPE_CHECKING

from skillsvc.cli.asking import DIGEST_SHOWN

if TYPE_CHECKING:
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
    from google.protobuf.message import Message
    from google.protobuf.timestamp_pb2 import Timestamp
    from skillsource.v1 import admin_pb2 as pb


class MomentsUnreal(Exception):
    """An answer holds a time that is none."""


def check_moments(message: "Message") -> None:
    """Go through an answer for its times, which a server may set to any number.

    Raises:
        MomentsUnreal: One is none of the years 1 to 9999.
    """
    from google.protobuf.timestamp_pb2 import Timestamp  # noqa: PLC0415 - takes long to come in

    for field, value in message.ListFields():
        if field.message_type is None or field.message_type.GetOptions().map_entry:
            continue
        for each in value if field.is_repeated else (value,):
            if isinstance(each, Timestamp):
                try:
                    each.ToDatetime(UTC)
                    each.ToJsonString()
                except (ValueError, OverflowError) as error:
                    raise MomentsUnreal from error
            else:
                check_moments(each)


def word_of(names: "EnumTypeWrapper", number: int) -> str:
    """Return the name of a value without that of its enum; the number of one that is not known here."""
    known = names.DESCRIPTOR.values_by_number.get(number)
    if known is None:
        return str(number)
    return known.name.removeprefix(names.DESCRIPTOR.values_by_number[0].name.removesuffix("UNSPECIFIED"))


def by_name(changes: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return changes, whose second column is a name, in order of the names."""
    return sorted(changes, key=lambda change: change[1])


def generation_of(generation: "pb.LayerGeneration") -> str:
    """Return what names a generation of a layer."""
    return f"layer generation {generation.sequence} {generation.digest[:DIGEST_SHOWN]}"


def step_of(before: "pb.LayerGeneration", after: "pb.LayerGeneration") -> str:
    """Return what names the step from one generation to another."""
    return f"layer generation {before.sequence} -> {after.sequence} {after.digest[:DIGEST_SHOWN]}"


def trust_of(number: int) -> str:
    """Return what may be done with skills; "" where nothing is known, and what is not known here is `untrusted`."""
    from skillsource.v1 import skill_pb2  # noqa: PLC0415 - takes long to come in

    match number:
        case skill_pb2.TRUST_UNSPECIFIED:
            return ""
        case skill_pb2.TRUST_ALLOWED:
            return "allowed"
        case skill_pb2.TRUST_ASK:
            return "ask"
        case _:
            return "untrusted"


def moment_of(moment: "Timestamp") -> str:
    """Return a moment in UTC, to the second; "" where it is not set."""
    if not moment.ByteSize():
        return ""
    return moment.ToDatetime(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

"""From the bytes of a message to plain values by field name, as the caps take them.

What a server sends is counted before it is parsed: two bytes on the wire can stand for an embedded message of three
hundred bytes in memory, so that an answer of 4 MiB could fill 600 MiB.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from skillsource.errors import ProtocolError

MAX_EMBEDDED_MESSAGES = 65_536
"""Most embedded messages of one answer. A page of 1,000 skills within 512 KiB holds fewer."""

_TOO_SMALL_TO_HARM = 65_536
"""Bytes up to which nothing is counted: parsed, they fill at most some 10 MiB."""

_ALWAYS_TOLD: Mapping[str, tuple[str, ...]] = {
    "skillsource.v1.Skill": ("name", "digest"),
    "skillsource.v1.Asset": ("name", "digest"),
    "skillsource.v1.OmittedSkill": ("name",),
    "skillsource.v1.Generation": ("digest",),
    "skillsource.v1.SkillBodyResponse": ("digest",),
    "skillsource.v1.ReadAssetResponse": ("digest",),
    "skillsource.v1.ActivateResponse": ("name", "body_digest"),
}
"""Texts with a grammar that a server always sets: unset, they are the empty text, and the caps refuse that."""


def decode(message: type[Message], data: bytes) -> dict[str, object]:
    """Return the fields that are set, embedded messages as such mappings too.

    Raises:
        ProtocolError: The bytes are no such message, or one that would fill the memory.
    """
    if len(data) > _TOO_SMALL_TO_HARM:
        _check_embedded_messages(data, _shape(message.DESCRIPTOR))
    try:
        parsed = message.FromString(data)
    except DecodeError:
        raise ProtocolError(f"the answer is no {message.DESCRIPTOR.name}") from None
    return _plain(parsed)


def _plain(message: Message) -> dict[str, object]:
    values: dict[str, object] = dict.fromkeys(_ALWAYS_TOLD.get(message.DESCRIPTOR.full_name, ()), "")
    for field, value in message.ListFields():
        if isinstance(value, str | int | float | bytes):
            values[field.name] = value
        elif isinstance(value, Message):
            values[field.name] = _plain(value)
        elif isinstance(value, Mapping):
            values[field.name] = dict(value)
        elif field.message_type is not None:
            values[field.name] = [_plain(item) for item in value]
        else:
            values[field.name] = list(value)
    return values


@dataclass(frozen=True, slots=True)
class _Shape:
    """The fields of a message that are messages themselves, by number."""

    embedded: Mapping[int, "_Shape"]


@cache  # pure: the shapes of the contract never change
def _shape(message: Descriptor) -> _Shape:
    return _Shape(
        {
            field.number: _shape(field.message_type)
            for field in message.fields
            if field.type == FieldDescriptor.TYPE_MESSAGE
        }
    )


def _check_embedded_messages(data: bytes, shape: _Shape) -> None:
    """Walk the wire format and count.

    Raises:
        ProtocolError: There are too many, or the bytes are no message. What is wrong is refused here rather than left
            to the parser, which would by then have filled the memory with what stands before the fault.
    """
    found = 0
    unread = [(0, len(data), shape)]
    while unread:
        at, end, outer = unread.pop()
        for number, begin, size in _length_delimited(data, at, end):
            inner = outer.embedded.get(number)
            if inner is None:
                continue
            found += 1
            if found > MAX_EMBEDDED_MESSAGES:
                raise ProtocolError(f"the answer holds over {MAX_EMBEDDED_MESSAGES:,} messages")
            if size > 0:
                unread.append((begin, begin + size, inner))


def _length_delimited(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the number, the begin and the size of each field of one message that has a length."""
    try:
        while at < end:
            tag, at = _varint(data, at)
            match tag & 7:
                case 0:
                    _, at = _varint(data, at)
                case 1:
                    at += 8
                case 2:
                    size, at = _varint(data, at)
                    yield tag >> 3, at, size
                    at += size
                case 5:
                    at += 4
                case _:
                    raise ProtocolError("the answer is no message of proto3")
    except IndexError:
        raise ProtocolError("the answer is cut off") from None
    if at != end:
        raise ProtocolError("the answer is cut off")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins there, and where it ends."""
    byte = data[at]
    at += 1
    if byte < 0x80:
        return byte, at
    number = byte & 0x7F
    # The parser takes ten bytes at most; each further one could only make this loop, and the number, longer.
    for shift in range(7, 70, 7):
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise ProtocolError("the answer is no message of proto3")

"""From descriptors to the model: which fields the contract bounds, and whether each cap makes sense."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto

from protoc_gen_caps.model import Cap, Field, Grammar, Kind, Message, Model, Over, Shape

OPTION = "skillsource.v1.cap"
BOUNDS = ("max_bytes", "max_items", "max_item_bytes", "max_key_bytes", "max_total_bytes", "max_value")

# An option `cap` as plain numbers by the names of its fields; what is not set is absent.
_Option: TypeAlias = Mapping[str, int]

_KINDS = {
    FieldDescriptorProto.TYPE_STRING: Kind.TEXT,
    FieldDescriptorProto.TYPE_BYTES: Kind.DATA,
    FieldDescriptorProto.TYPE_UINT32: Kind.NUMBER,
    FieldDescriptorProto.TYPE_UINT64: Kind.NUMBER,
}


class CapFault(Exception):
    """A field whose cap is missing or makes no sense. The message names both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sense:
    """What a cap of one kind of field needs, may have, and may do."""

    needs: frozenset[str]
    may_have: frozenset[str] = frozenset()
    over: frozenset[Over]
    item_over: frozenset[Over] = frozenset()


_LINES = frozenset({"single_line", "grammar"})
_WHOLE = frozenset({Over.DROP, Over.REFUSE})
_FIRST = frozenset({Over.DROP, Over.REFUSE, Over.KEEP_FIRST})
_SENSE: Mapping[tuple[Kind, Shape], _Sense] = {
    (Kind.TEXT, Shape.ONE): _Sense(needs=frozenset({"max_bytes"}), may_have=_LINES, over=_WHOLE | {Over.CUT}),
    (Kind.DATA, Shape.ONE): _Sense(needs=frozenset({"max_bytes"}), over=_WHOLE),
    (Kind.NUMBER, Shape.ONE): _Sense(needs=frozenset({"max_value"}), over=_WHOLE),
    (Kind.TEXT, Shape.LIST): _Sense(
        needs=frozenset({"max_items", "max_item_bytes"}), may_have=_LINES, over=_FIRST, item_over=_FIRST | {Over.CUT}
    ),
    # A map has no first pairs: its order on the wire means nothing.
    (Kind.TEXT, Shape.MAP): _Sense(
        needs=frozenset({"max_items", "max_item_bytes", "max_key_bytes"}), over=_WHOLE, item_over=_WHOLE
    ),
    (Kind.MESSAGE, Shape.LIST): _Sense(
        needs=frozenset({"max_items"}), may_have=frozenset({"max_total_bytes"}), over=_FIRST
    ),
}


def read_model(files: Sequence[FileDescriptorProto], package: str) -> Model:
    """Return the caps of all messages of a package.

    Args:
        files: The package's files and all that they import, imports first.
        package: The name of the proto package.

    Raises:
        CapFault: A field's cap is missing or makes no sense.
    """
    own = sorted((file for file in files if file.package == package), key=lambda file: file.name)
    messages = {f".{package}.{message.name}": message for file in own for message in file.message_type}
    options = _options(files, messages.values())
    bounded = _bounded(messages, options)
    # Each message is read, for a text that nothing bounds is a fault also where the message has no cap at all.
    fields = {name: tuple(_fields(message, bounded, options)) for name, message in messages.items()}
    return Model(
        package=package,
        messages=tuple(Message(name=message.name, fields=fields[name]) for name, message in bounded.items()),
    )


def _options(files: Sequence[FileDescriptorProto], messages: Iterable[DescriptorProto]) -> Mapping[str, _Option]:
    """Return the caps by the names of their fields, such as `Skill.name`.

    The option is understood from the very files that define it, so that nothing generated from them is needed.
    """
    pool = descriptor_pool.DescriptorPool()
    for file in files:
        pool.Add(file)
    options_class = message_factory.GetMessageClass(pool.FindMessageTypeByName("google.protobuf.FieldOptions"))

    def option_of(field: FieldDescriptorProto) -> _Option | None:
        options = options_class.FromString(field.options.SerializeToString())
        for descriptor, value in options.ListFields():
            if descriptor.full_name == OPTION:
                return {part.name: number for part, number in value.ListFields()}
        return None

    found: dict[str, _Option] = {}
    for message in messages:
        for inner in message.nested_type:
            if any(option_of(field) is not None for field in inner.field):
                raise CapFault(f"{message.name}.{inner.name}: only messages at the top of a file can hold caps")
        for field in message.field:
            if (option := option_of(field)) is not None:
                found[f"{message.name}.{field.name}"] = option
    return found


def _bounded(messages: Mapping[str, DescriptorProto], options: Mapping[str, _Option]) -> Mapping[str, DescriptorProto]:
    """Return the messages in which, or below which, something is bounded."""
    found: dict[str, DescriptorProto] = {}
    while True:
        more = {
            name: message
            for name, message in messages.items()
            if any(f"{message.name}.{field.name}" in options or field.type_name in found for field in message.field)
        }
        if more.keys() == found.keys():
            return found
        found = more


def _fields(
    message: DescriptorProto, bounded: Mapping[str, DescriptorProto], options: Mapping[str, _Option]
) -> Iterator[Field]:
    for field in sorted(message.field, key=lambda it: it.number):
        name = f"{message.name}.{field.name}"
        nested = bounded.get(field.type_name)
        kind, shape = _kind_and_shape(message, field, nested)
        if name in options:
            cap = _cap(name, kind, shape, options[name])
            if cap.has("max_total_bytes") and nested and f"{nested.name}.name" not in options:
                raise CapFault(f"{name}: max_total_bytes counts names, and {nested.name}.name is not bounded")
        elif (kind, shape) in _SENSE and kind is not Kind.NUMBER:
            raise CapFault(f"{name}: it needs a cap; text, bytes, lists and maps are never unbounded")
        else:
            cap = None
        if cap or nested or shape is not Shape.ONE:
            yield Field(name=field.name, kind=kind, shape=shape, message=nested.name if nested else "", cap=cap)


def _kind_and_shape(
    message: DescriptorProto, field: FieldDescriptorProto, nested: DescriptorProto | None
) -> tuple[Kind, Shape]:
    for inner in message.nested_type:
        if inner.options.map_entry and field.type_name.endswith(f".{message.name}.{inner.name}"):
            is_texts = all(part.type == FieldDescriptorProto.TYPE_STRING for part in inner.field)
            return (Kind.TEXT if is_texts else Kind.OTHER), Shape.MAP
    kind = Kind.MESSAGE if nested else _KINDS.get(field.type, Kind.OTHER)
    return kind, Shape.LIST if field.label == FieldDescriptorProto.LABEL_REPEATED else Shape.ONE


def _cap(name: str, kind: Kind, shape: Shape, option: _Option) -> Cap:
    """Return the cap, once it makes sense for its kind of field."""
    sense = _SENSE.get((kind, shape))
    if sense is None:
        raise CapFault(f"{name}: no cap bounds a field of this kind")
    if lacking := sense.needs - option.keys():
        raise CapFault(f"{name}: the cap lacks {', '.join(sorted(lacking))}")
    if senseless := option.keys() - sense.needs - sense.may_have - {"over", "item_over"}:
        raise CapFault(f"{name}: the cap has {', '.join(sorted(senseless))}, which means nothing here")
    over = _over(name, option.get("over", 0), sense.over)
    if "item_over" in option and not sense.item_over:
        raise CapFault(f"{name}: the cap has item_over, and bounds no items")
    # The items of a field without `item_over` go the way of the field.
    item_over = _over(name, option["item_over"], sense.item_over) if "item_over" in option else over
    if "grammar" in option and Over.CUT in {over, item_over}:
        raise CapFault(f"{name}: what is cut does not fit its grammar any more")
    return Cap(
        bounds=tuple((bound, option[bound]) for bound in BOUNDS if bound in option),
        over=over,
        item_over=item_over,
        single_line=bool(option.get("single_line", 0)),
        grammar=Grammar(option["grammar"]) if "grammar" in option else None,
    )


def _over(name: str, number: int, possible: frozenset[Over]) -> Over:
    for over in possible:
        if over.value == number:
            return over
    names = ", ".join(sorted(over.name for over in possible))
    raise CapFault(f"{name}: what happens over the cap is not one of {names}")

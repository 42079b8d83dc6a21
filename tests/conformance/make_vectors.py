"""Write the matrix of cases: every cap of the contract below, at and over its bound, and at every byte of its edge.

Run by `python -m tests.conformance.make_vectors` when a cap changed; what it writes is checked in, and read by the
clients of all languages. The expected values come from `reference.py`. Cases that say more are written by hand, in
`caps.yaml`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from skillsource.v1 import caps_pb2

from tests.conformance import reference
from tests.conformance.loading import VECTORS, Change, plain
from tests.conformance.proto.conformance.v1 import vectors_pb2 as schema

PATH = VECTORS / "caps_matrix.json"

# Characters of 2, 3 and 4 bytes.
WIDE = ("é", "世", "😀")
CONTROLS = "\x00\t\r\n\x1f\x7f\x80\x9f\u2028\u2029"


def matrix() -> str:
    """Return the text of the file: protobuf's JSON form, one case a line."""
    alike: dict[object, list[FieldDescriptor]] = {}
    for message in reference.MESSAGES.values():
        for field in message.fields:
            if (cap := reference.cap_of(field)) is not None:
                alike.setdefault((field.type, field.message_type, cap.SerializeToString()), []).append(field)
    return '{"fields":[\n' + ",\n".join(map(_group, alike.values())) + "\n]}\n"


def _group(fields: Sequence[FieldDescriptor]) -> str:
    names = ",".join(f'"{reference.message_of(field)}.{field.name}"' for field in fields)
    cases = ",\n".join(_line(_case(fields[0], value)) for value in _values(fields[0]))
    return f'{{"fields":[{names}],"cases":[\n{cases}\n]}}'


def _line(case: schema.FieldCase) -> str:
    tree = json_format.MessageToDict(case, preserving_proto_field_name=True)
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))


def _case(field: FieldDescriptor, given: schema.Value) -> schema.FieldCase:
    """Return a case with what the rule says becomes of the value."""
    value = plain(given)
    outcome = reference.clamp(reference.message_of(field), {field.name: value}, {})
    case = schema.FieldCase(
        given=given,
        changes=[_change(change, below=field.name) for change in outcome.changes],
        refusals=[_change(change, below=field.name) for change in outcome.refusals],
    )
    if outcome.kept is None:
        return case
    if field.name not in outcome.kept:
        case.dropped = True
    elif outcome.kept[field.name] != value:
        case.kept.CopyFrom(_written(outcome.kept[field.name]))
    return case


def _change(change: Change, *, below: str) -> schema.Change:
    return schema.Change(
        path=change.path.removeprefix(below),
        what=f"WHAT_{change.what}",
        size=change.size,
        limit=change.limit,
    )


def _values(field: FieldDescriptor) -> Iterator[schema.Value]:
    cap = reference.cap_of(field)
    assert cap is not None
    if reference.is_map(field):
        yield from _maps(cap)
    elif field.is_repeated and field.message_type is not None:
        yield from _message_lists(field, cap)
    elif field.is_repeated:
        yield from _text_lists(cap)
    elif cap.max_value:
        yield from (schema.Value(number=number) for number in (0, cap.max_value - 1, cap.max_value, cap.max_value + 1))
    else:
        is_data = field.type == FieldDescriptor.TYPE_BYTES
        for text in _texts(cap, cap.max_bytes, cap.over):
            yield schema.Value(data=text) if is_data else schema.Value(text=text)


def _texts(cap: caps_pb2.Cap, limit: int, over: int) -> Iterator[schema.Text]:
    """Give texts around one bound of bytes."""
    yield schema.Text()
    yield from (schema.Text(before=size) for size in (limit - 1, limit, limit + 1))
    yield from _edges(limit)
    if over == caps_pb2.OVER_CUT:
        # A cut text ends where its ellipsis begins: that is an edge too.
        yield from (_longer(text, by=4) for text in _edges(limit - 3))
    if cap.grammar == caps_pb2.GRAMMAR_SKILL_REFERENCE:
        yield schema.Text(before=64, text="/", after=64)
    if cap.grammar:
        yield schema.Text(before=1, text="\n")
        yield schema.Text(before=63, text="\n")
    if cap.single_line:
        yield schema.Text(before=1, text=CONTROLS, after=1)
        # A separator of three bytes is a space of one byte before anything is measured.
        yield schema.Text(before=limit - 1, text="\u2028")
        yield schema.Text(before=limit, text="\u2029")


def _edges(edge: int) -> Iterator[schema.Text]:
    """Give each wide character with each of its bytes as the first one beyond the edge, and just within it."""
    for character in WIDE:
        yield from (schema.Text(before=edge - within, text=character) for within in range(len(character.encode()) + 1))


def _longer(text: schema.Text, *, by: int) -> schema.Text:
    return schema.Text(before=text.before, text=text.text, after=by)


def _text_lists(cap: caps_pb2.Cap) -> Iterator[schema.Value]:
    yield _list((schema.Value(text=schema.Text(before=1)), cap.max_items - 1))
    yield _list((schema.Value(text=schema.Text(before=1)), cap.max_items))
    yield _list(
        (_short("first"), 1), (schema.Value(text=schema.Text(before=1)), cap.max_items - 1), (_short("last"), 1)
    )
    for text in _texts(cap, cap.max_item_bytes, cap.item_over or cap.over):
        yield _list((schema.Value(text=text), 1))


def _maps(cap: caps_pb2.Cap) -> Iterator[schema.Value]:
    for count in (cap.max_items - 1, cap.max_items, cap.max_items + 1):
        yield _pairs([schema.Pair(key=schema.Text(text=str(number))) for number in range(count)])
    for key in _texts(cap, cap.max_key_bytes, cap.over):
        yield _pairs([schema.Pair(key=key, value=schema.Text(text="value"))])
    for value in _texts(cap, cap.max_item_bytes, cap.item_over or cap.over):
        yield _pairs([schema.Pair(key=schema.Text(text="key"), value=value)])


def _message_lists(field: FieldDescriptor, cap: caps_pb2.Cap) -> Iterator[schema.Value]:
    assert field.message_type is not None
    items = {it.name: option for it in field.message_type.fields if (option := reference.cap_of(it)) is not None}
    empty = _message({})
    yield _list((empty, cap.max_items - 1))
    yield _list((empty, cap.max_items))
    told_apart = next((name for name, option in items.items() if option.max_bytes and not option.grammar), None)
    if told_apart is None:
        # Nothing in an item is free text by which one could be told from another: their number alone is bounded.
        yield _list((empty, cap.max_items + 1))
        return
    first, last = (_message({told_apart: _short(text)}) for text in ("first", "last"))
    yield _list((first, 1), (empty, cap.max_items - 1), (last, 1))
    for name, option in items.items():
        if option.max_bytes and option.over == caps_pb2.OVER_REFUSE:
            refused = _message({name: schema.Value(text=schema.Text(before=option.max_bytes + 1))})
            yield _list((first, 1), (refused, 1), (last, 1))
    if cap.max_total_bytes:
        length = items["name"].max_bytes
        named = _message({"name": schema.Value(text=schema.Text(before=length))})
        whole = cap.max_total_bytes // length
        yield _list((named, whole - 1), (_message({"name": schema.Value(text=schema.Text(before=length - 1))}), 1))
        yield _list((named, whole))
        yield _list((named, whole), (_message({"name": _short("a")}), 1))


def _list(*items: tuple[schema.Value, int]) -> schema.Value:
    """Return a list of values, each so many times."""
    return schema.Value(list=schema.List(items=[_item(value, times) for value, times in items]))


def _item(value: schema.Value, times: int) -> schema.Item:
    return schema.Item(value=value, times=times if times > 1 else 0)


def _pairs(pairs: Sequence[schema.Pair]) -> schema.Value:
    return schema.Value(pairs=schema.Pairs(pairs=pairs))


def _message(values: Mapping[str, schema.Value]) -> schema.Value:
    return schema.Value(fields=schema.Fields(values=values))


def _short(text: str) -> schema.Value:
    return schema.Value(text=schema.Text(text=text))


def _written(value: object) -> schema.Value:
    """Return a plain value as the schema writes it."""
    match value:
        case str():
            inner = value.lstrip("a")
            text = inner.rstrip("a")
            return schema.Value(
                text=schema.Text(before=len(value) - len(inner), text=text, after=len(inner) - len(text))
            )
        case tuple():
            runs: list[tuple[schema.Value, int]] = []
            for item in map(_written, value):
                times = 1
                if runs and runs[-1][0] == item:
                    times += runs.pop()[1]
                runs.append((item, times))
            return _list(*runs)
        case dict():
            return _message({name: _written(item) for name, item in value.items()})
        case _:
            raise TypeError(f"no expected value is a {type(value).__name__}")


if __name__ == "__main__":
    PATH.write_text(matrix(), encoding="utf-8")

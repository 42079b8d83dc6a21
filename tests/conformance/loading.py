"""From files of vectors to cases with plain values, the same for every file and every kind of case."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from google.protobuf import json_format

from tests.conformance.proto.conformance.v1 import vectors_pb2 as schema

VECTORS = Path(__file__).with_name("vectors")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change or refusal: `what` is the name of its kind without the schema's prefix."""

    path: str
    what: str
    size: int
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClampCase:
    """One message and what must become of it; `kept` is None where it is refused."""

    name: str
    message: str
    given: Mapping[str, object]
    lowered: Mapping[str, int]
    kept: Mapping[str, object] | None
    changes: tuple[Change, ...]
    refusals: tuple[Change, ...]


def load(path: Path) -> schema.CapVectors:
    """Return a file of vectors.

    Raises:
        json_format.ParseError: The file holds a key that the schema does not know.
    """
    text = path.read_text(encoding="utf-8")
    tree = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    return json_format.ParseDict(tree, schema.CapVectors())


def clamp_cases(vectors: schema.CapVectors) -> Iterator[ClampCase]:
    """Give the cases of single fields, then those of whole messages."""
    for group in vectors.fields:
        yield from _field_cases(group)
    for whole in vectors.messages:
        yield ClampCase(
            name=whole.name,
            message=whole.message,
            given=plain_fields(whole.given),
            lowered=dict(whole.lowered),
            kept=plain_fields(whole.kept) if not whole.refusals else None,
            changes=tuple(_change(change) for change in whole.changes),
            refusals=tuple(_change(change) for change in whole.refusals),
        )


def plain_text(text: schema.Text) -> str:
    """Return a text written out."""
    return "a" * text.before + text.text + "a" * text.after


def plain_fields(fields: schema.Fields) -> dict[str, object]:
    """Return the set fields of a message as plain values."""
    return {name: plain(value) for name, value in fields.values.items()}


def plain(value: schema.Value) -> object:
    """Return a plain value: lists are tuples, maps and messages are dicts."""
    kind = value.WhichOneof("kind")
    assert kind is not None
    return _PLAIN[kind](value)


_PLAIN: Mapping[str, Callable[[schema.Value], object]] = {
    "text": lambda value: plain_text(value.text),
    "data": lambda value: plain_text(value.data).encode(),
    "number": lambda value: value.number,
    "flag": lambda value: value.flag,
    "list": lambda value: tuple(plain(item.value) for item in value.list.items for _ in range(item.times or 1)),
    "pairs": lambda value: {plain_text(pair.key): plain_text(pair.value) for pair in value.pairs.pairs},
    "fields": lambda value: plain_fields(value.fields),
}


def snake(message: str) -> str:
    """Return a message's name as it stands in the name of a Python function."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", message).lower()


def _field_cases(group: schema.FieldCases) -> Iterator[ClampCase]:
    for name in group.fields:
        message, _, field = name.partition(".")
        for number, case in enumerate(group.cases):
            given = {field: plain(case.given)}
            kept = {field: plain(case.kept)} if case.HasField("kept") else {} if case.dropped else given
            yield ClampCase(
                name=f"{name}/{number}",
                message=message,
                given=given,
                lowered={},
                kept=kept if not case.refusals else None,
                changes=tuple(_change(change, below=field) for change in case.changes),
                refusals=tuple(_change(change, below=field) for change in case.refusals),
            )


def _change(change: schema.Change, *, below: str = "") -> Change:
    return Change(
        path=f"{below}{change.path}",
        what=schema.What.Name(change.what).removeprefix("WHAT_"),
        size=change.size,
        limit=change.limit,
    )

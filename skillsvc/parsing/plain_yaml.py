"""YAML as a source of plain text: mappings and lists of texts, each as its author spelt it (rules.md 2).

Nothing is constructed: `version: 1.10` is "1.10" and `yes` is "yes". Read from libyaml's events, so that neither a type
nor an alias is ever resolved, and in one pass, so that a file costs little more than the parse itself.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from typing_extensions import override
from yaml import MarkedYAMLError, YAMLError
from yaml.cyaml import CParser  # type: ignore[attr-defined] # the stubs re-export it, but do not say so
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from skillsvc.domain.diagnostics import DiagnosticCode

Plain: TypeAlias = "str | list[Plain] | dict[str, Plain] | None"
"""A value: text, nothing (null, `~`, or no value), or a list or mapping of values."""

NULLS = frozenset({"", "~", "null", "Null", "NULL"})
# YAML 1.1 ends a line at these; here, as in YAML 1.2 and in every editor, they do not.
_SEPARATORS = re.compile("[\x85\u2028\u2029]")
# Everything else that no YAML may hold as it is.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in a file: line and column, counted from 1."""

    line: int
    column: int

    @override
    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainMapping:
    """A whole file or frontmatter: its values by key, the line of each key, and the keys that stand twice anywhere."""

    values: Mapping[str, Plain]
    lines: Mapping[str, int]
    doubled: tuple[tuple[str, Place], ...] = ()


class YamlFault(Exception):
    """Why a text is no plain YAML, and where. Never leaves this package, and never holds content of the file."""

    def __init__(self, code: DiagnosticCode, fault: str, place: Place) -> None:
        super().__init__(f"{place}: {fault}")
        self.code = code
        self.fault = fault
        self.place = place


def read_mapping(text: str, *, first_line: int, max_depth: int) -> PlainMapping:
    """Read a text that holds one mapping of texts.

    Args:
        text: YAML as `document.decode` returns it; nothing at all is an empty mapping.
        first_line: The line of the file at which the text begins, for places.
        max_depth: How deep values may be nested; the mapping itself is 1.

    Raises:
        YamlFault: The text is no YAML, or more than plain YAML: an anchor, alias, tag or second document, a key that is
            no text, a value nested too deeply.
    """
    if not text.isascii():
        text = _SEPARATORS.sub(" ", text)
    try:
        return _Reading(text, first_line, max_depth).whole()
    except YAMLError as error:
        raise _fault_of(error, text, first_line) from None


def without_controls(text: str) -> str:
    """Return a text with a space for each control character, none of which YAML allows."""
    return _CONTROLS.sub(" ", text)


def reuses_nodes(text: str) -> bool:
    """Tell whether an alias stands for a node with an anchor, as far as the text can be read."""
    anchors = set()
    try:
        next_event = CParser(text).get_event
        while event := next_event():
            if isinstance(event, AliasEvent):
                if event.anchor in anchors:
                    return True
            elif isinstance(event, NodeEvent):
                anchors.add(event.anchor)
    except YAMLError:
        return False
    return False


class _Reading:
    """One pass over the events of one text."""

    __slots__ = ("_doubled", "_first_line", "_max_depth", "_next")

    def __init__(self, text: str, first_line: int, max_depth: int) -> None:
        self._next: Callable[[], Event] = CParser(text).get_event  # type: ignore[assignment] # None only after the end
        self._first_line = first_line
        self._max_depth = max_depth
        self._doubled: list[tuple[str, Place]] = []

    def whole(self) -> PlainMapping:
        self._next()
        if isinstance(self._next(), StreamEndEvent):
            return PlainMapping(values={}, lines={})
        root = self._next()
        lines: dict[str, int] = {}
        values: dict[str, Plain] = {}
        if isinstance(root, MappingStartEvent):
            values = self._mapping(root, 1, lines)
        elif not (isinstance(root, ScalarEvent) and self._text(root) in NULLS and not root.style):
            raise self._fault(root, DiagnosticCode.NOT_A_MAPPING, "the text is not a mapping of keys to values")
        self._next()
        more = self._next()
        if not isinstance(more, StreamEndEvent):
            raise self._fault(more, DiagnosticCode.YAML_MALFORMED, "a second YAML document is not allowed")
        return PlainMapping(values=values, lines=lines, doubled=tuple(self._doubled))

    def _mapping(self, start: MappingStartEvent, depth: int, lines: dict[str, int] | None = None) -> dict[str, Plain]:
        self._check_start(start, depth)
        values: dict[str, Plain] = {}
        next_event = self._next
        while True:
            event = next_event()
            if not isinstance(event, ScalarEvent):
                if isinstance(event, MappingEndEvent):
                    return values
                raise self._fault(event, DiagnosticCode.YAML_MALFORMED, "a key must be text")
            key = self._text(event)
            if key in values:
                self._doubled.append((key, self._place(event)))
            if lines is not None:
                lines[key] = event.start_mark.line + self._first_line  # type: ignore[union-attr] # as in _place
            event = next_event()
            if isinstance(event, ScalarEvent):
                text = self._text(event)
                values[key] = None if text in NULLS and not event.style else text
            else:
                values[key] = self._collection(event, depth + 1)

    def _collection(self, event: Event, depth: int) -> Plain:
        if isinstance(event, MappingStartEvent):
            return self._mapping(event, depth)
        if not isinstance(event, SequenceStartEvent):
            raise self._fault(
                event, DiagnosticCode.YAML_ALIAS, "an alias is not allowed; write the value out, or quote it"
            )
        self._check_start(event, depth)
        items: list[Plain] = []
        while not isinstance(event := self._next(), CollectionEndEvent):
            if isinstance(event, ScalarEvent):
                text = self._text(event)
                items.append(None if text in NULLS and not event.style else text)
            else:
                items.append(self._collection(event, depth + 1))
        return items

    def _check_start(self, start: MappingStartEvent | SequenceStartEvent, depth: int) -> None:
        if depth > self._max_depth:
            raise self._fault(
                start, DiagnosticCode.YAML_TOO_DEEP, f"values are nested more than {self._max_depth} deep"
            )
        if start.anchor is not None or start.tag is not None:
            raise self._extra(start)

    def _text(self, event: ScalarEvent) -> str:
        if event.anchor is not None or event.tag is not None:
            raise self._extra(event)
        text = event.value
        if event.style == '"' and "\0" in text:
            raise self._fault(event, DiagnosticCode.NUL_BYTE, "an escaped NUL character is not allowed")
        return text

    def _extra(self, event: ScalarEvent | MappingStartEvent | SequenceStartEvent) -> YamlFault:
        if event.anchor is not None:
            return self._fault(
                event, DiagnosticCode.YAML_ALIAS, "an anchor is not allowed; leave it out, or quote the value"
            )
        return self._fault(event, DiagnosticCode.YAML_TAG, "a tag is not allowed; leave it out, or quote the value")

    def _fault(self, event: Event, code: DiagnosticCode, fault: str) -> YamlFault:
        return YamlFault(code, fault, self._place(event))

    def _place(self, event: Event) -> Place:
        mark = event.start_mark
        assert mark is not None, "every event of a parser has its place"
        return Place(line=mark.line + self._first_line, column=mark.column + 1)


def _fault_of(error: YAMLError, text: str, first_line: int) -> YamlFault:
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        # What is never closed is noticed at the end; its beginning is the place to look at.
        if error.context_mark is not None and mark.index >= len(text.rstrip()):
            mark = error.context_mark
        place = Place(line=mark.line + first_line, column=mark.column + 1)
        return YamlFault(DiagnosticCode.YAML_MALFORMED, "the text is not valid YAML", place)
    # The parser does not take the text at all.
    control = _CONTROLS.search(text)
    before = text[: control.start() if control else 0]
    place = Place(line=before.count("\n") + first_line, column=len(before) - before.rfind("\n"))
    return YamlFault(DiagnosticCode.CONTROL_CHARACTER, "a control character is not allowed; remove it", place)

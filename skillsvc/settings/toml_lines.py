"""On which line of a TOML file each thing stands.

A statement of TOML (a header, or a key and its value) is TOML by itself, and no proper part of its lines is. So the
lines are gathered until the parser takes them: whatever a value may hold, the parser alone decides where it ends.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from skillsvc.settings.refusal import Place


class _Statement(NamedTuple):
    line: int
    lines: Sequence[str]
    tables: Mapping[str, object]

    @property
    def is_header(self) -> bool:
        return self.lines[0].lstrip().startswith("[")


def lines_of(text: str) -> Mapping[Place, int]:
    """Return the line, counted from 1, on which each table, key and element of a whole TOML file begins."""
    found: dict[Place, int] = {(): 1}
    counts: dict[Place, int] = {}
    table: Place = ()
    for statement in _statements(text):
        if statement.is_header:
            table = _enter(statement, found, counts)
        else:
            _note(statement.tables, table, statement, found)
    return found


def _statements(text: str) -> Iterator[_Statement]:
    lines = text.replace("\r\n", "\n").split("\n")
    begin = 0
    for end in range(1, len(lines) + 1):
        try:
            tables = tomllib.loads("\n".join(lines[begin:end]))
        except tomllib.TOMLDecodeError:
            continue
        if tables:
            yield _Statement(begin + 1, lines[begin:end], tables)
        begin = end


def _enter(header: _Statement, found: dict[Place, int], counts: dict[Place, int]) -> Place:
    """Return the place of the table that a header begins; a part of its name that is an array means its last table."""
    place: Place = ()
    value: object = header.tables
    while isinstance(value, Mapping) and value:
        ((name, value),) = value.items()
        place = (*place, name)
        found.setdefault(place, header.line)
        if isinstance(value, list):
            counts[place] = counts.get(place, 0) + 1
            value = None
        if place in counts:
            place = (*place, counts[place] - 1)
            found.setdefault(place, header.line)
    return place


def _note(value: object, place: Place, statement: _Statement, found: dict[Place, int]) -> None:
    """Note a value that a statement gives, and all that it holds."""
    found.setdefault(place, statement.line)
    if isinstance(value, Mapping):
        for name, held in value.items():
            _note(held, (*place, name), statement, found)
    elif isinstance(value, list):
        begins = _begins_of_elements(statement, len(value))
        for index, (held, line) in enumerate(zip(value, begins, strict=True)):
            _note(held, (*place, index), statement._replace(line=line, lines=()), found)


def _begins_of_elements(statement: _Statement, count: int) -> Sequence[int]:
    """Return the line of each element of an array: the one after the lines that, closed, hold those before it."""
    begins: list[int] = []
    next_line = statement.line
    for end in range(1, len(statement.lines)):
        try:
            value: object = tomllib.loads("\n".join([*statement.lines[:end], "]"]))
        except tomllib.TOMLDecodeError:
            continue
        while isinstance(value, Mapping):
            value = next(iter(value.values()))
        if isinstance(value, list):
            begins.extend([next_line] * (len(value) - len(begins)))
            next_line = statement.line + end
    return [*begins, *([next_line] * (count - len(begins)))]

"""Repair of the commonest fault of frontmatter: a value that people read as text and YAML does not (rules.md 2)."""

import re
from dataclasses import dataclass

# A plain key on its line, after any number of dashes of list items, and all that follows its colon.
_KEY = re.compile(r"(?P<before> *(?:-[ ]+)*)(?P<key>[^\s\"'\[\]{},#&*!|>%@`?:-][^\n]*?):(?:[ \t]+(?P<value>[^\n]*))?")
_ITEM = re.compile(r"(?P<before> *(?:-[ ]+)+)(?P<value>[^\n]*)")
_COMMENT = re.compile(r"[ \t]#[^\n]*")
_MAPPING_COLON = re.compile(r":(?:[ \t]|$)", re.MULTILINE)
# What YAML gives a meaning, or keeps for itself, where a person begins a text with it.
_NO_TEXT = tuple("@%*&!`")
_NO_PLAIN_TEXT = tuple("\"'[{|>#")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """A text with as many lines as before, and the numbers of the lines, from 0, on which a value was quoted."""

    text: str
    lines: tuple[int, ...]


def repair(text: str) -> Repaired:
    """Quote each plain value that holds a colon and a space, or begins with `@ % * & !` or a backquote.

    Such a value is the literal text to the end of its line and of its continuation lines, which are joined by spaces.
    Nothing else is touched: no quoted value, block of text, flow list or mapping.
    """
    lines = text.split("\n")
    repaired: list[int] = []
    number = 0
    while number < len(lines):
        value = _value_of(lines[number])
        if value is None:
            number += 1
            continue
        column, owner = value
        end = _end_of_value(lines, number, owner)
        if _is_misread(lines[number][column:], lines[number + 1 : end]):
            literal = " ".join(
                part for line in (lines[number][column:], *lines[number + 1 : end]) if (part := line.strip(" \t"))
            )
            quoted = literal.replace("'", "''")
            lines[number:end] = [f"{lines[number][:column]}'{quoted}'"] + [""] * (end - number - 1)
            repaired.append(number)
        number = end
    return Repaired(text="\n".join(lines), lines=tuple(repaired))


def _value_of(line: str) -> tuple[int, int] | None:
    """Return where on a line a value begins, and the indentation of the key or item that it belongs to."""
    key = _KEY.fullmatch(line)
    if key:
        return (key.start("value"), key.end("before")) if key["value"] else None
    item = _ITEM.fullmatch(line)
    if item and item["value"]:
        return item.start("value"), line.rindex("-", 0, item.end("before"))
    return None


def _end_of_value(lines: list[str], number: int, owner: int) -> int:
    """Return the line after a value and its continuation lines, which are indented more than their owner."""
    end = number + 1
    for at in range(number + 1, len(lines)):
        line = lines[at]
        if line.strip():
            if len(line) - len(line.lstrip(" ")) <= owner:
                break
            end = at + 1
    return end


def _is_misread(first: str, continuation: list[str]) -> bool:
    if first.startswith(_NO_TEXT):
        return True
    if first.startswith(_NO_PLAIN_TEXT):
        return False
    return _MAPPING_COLON.search(_COMMENT.sub("", "\n".join([first, *continuation]))) is not None

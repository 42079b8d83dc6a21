"""Texts as they are served and shown: on one line, in part, in quotes."""

import re
from collections.abc import Iterable

from skillsvc.domain import caps

_UNDERLINE = re.compile(r"=+|-+")
# A blank line, a heading, a fence of code, a comment, a rule.
_NO_PARAGRAPH = re.compile(r"$|#|```|~~~|<!--|[-=*_ ]+$")
_SHOWN_BYTES = 64
_LISTED = 5


def one_line(text: str) -> str:
    """Return a text on one line: control characters are spaces, runs of spaces one, none at the ends (rules.md 2)."""
    if text.isprintable() and "  " not in text:
        return text.strip(" ")
    return " ".join(filter(None, caps.flatten(text).split(" ")))


def shown(text: str) -> str:
    """Return a key or a name of a file's author as a message shows it: quoted, on one line, at most 64 bytes of it."""
    return f'"{caps.cut_text(caps.flatten(text), _SHOWN_BYTES)}"'


def listed(keys: Iterable[str]) -> str:
    """Return keys of a file's author, sorted, as a message shows them: the first five, and how many more there are."""
    ordered = sorted(keys)
    first = ", ".join(map(shown, ordered[:_LISTED]))
    return first if len(ordered) <= _LISTED else f"{first} and {len(ordered) - _LISTED} more"


def first_paragraph(body: str) -> str:
    """Return the first paragraph of a body, its first heading where it holds none, "" where it holds neither.

    Headings, rules, comments and blocks of code are no paragraphs.
    """
    heading = ""
    paragraph: list[str] = []
    block_end = ""
    for line in body.split("\n"):
        text = line.strip()
        if block_end:
            block_end = "" if block_end in text else block_end
        elif paragraph and _UNDERLINE.fullmatch(text):
            heading = heading or " ".join(paragraph)
            paragraph = []
        elif _NO_PARAGRAPH.match(text):
            if paragraph:
                break
            heading = heading or (text.lstrip("# ") if text.startswith("#") else "")
            block_end = _block_end(text)
        else:
            paragraph.append(text)
    return " ".join(paragraph) or heading


def _block_end(text: str) -> str:
    """Return what ends the block of code, or the comment, that a line begins, "" where it begins none."""
    if text.startswith(("```", "~~~")):
        return text[:3]
    return "-->" if text.startswith("<!--") and "-->" not in text else ""

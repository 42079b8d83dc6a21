"""Texts as they are served and shown: on one line, in part, in quotes."""

from collections.abc import Iterable

from skillsvc.domain import caps

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
    block = ""
    for line in body.split("\n"):
        text = line.strip()
        if block:
            block = "" if block in text else block
        elif not text or text.startswith(("#", "```", "~~~", "<!--")) or not text.strip("-=*_ "):
            if paragraph:
                break
            if text.startswith("#"):
                heading = heading or text.lstrip("#")
            elif text.startswith(("```", "~~~")):
                block = text[:3]
            elif text.startswith("<!--") and "-->" not in text:
                block = "-->"
        else:
            paragraph.append(text)
    return " ".join(paragraph) or heading.strip()

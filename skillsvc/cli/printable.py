"""Text of strangers, made fit for a terminal: what it holds is shown, never obeyed. Pure.

A terminal takes orders from the text it shows: escape sequences move its cursor, change its title, or make it answer as
if somebody had typed. Controls of direction make a text read as another one, and invisible characters hide a part of it
from whoever reviews it.
"""

import unicodedata

_BREAKS = frozenset("\n\r\t\v\f\x85\u2028\u2029")
_JOINERS = frozenset("\u200c\u200d")
"""Invisible, and needed to spell words and emoji."""
_OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories: controls, formats, lone surrogates, breaks of lines and of paragraphs."""


def line(text: str) -> str:
    """Return a text as one line: breaks and tabs are spaces, what a terminal would obey or hide is spelt out."""
    return _shown(text, dict.fromkeys(_BREAKS, " "))


def block(text: str) -> str:
    """Return a text with its lines and tabs, and all else that a terminal would obey or hide spelt out."""
    return _shown(text.replace("\r\n", "\n"), {"\n": "\n", "\t": "\t"})


def readable(data: bytes) -> str | None:
    """Return bytes as text, or None where they are not UTF-8 or hold controls that text has no use for."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    controls = {character for character in text.replace("\r\n", "\n") if unicodedata.category(character) == "Cc"}
    return text if controls <= {"\n", "\t"} else None


def _shown(text: str, kept: dict[str, str]) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(kept.get(character) or _spelt(character) for character in text)


def _spelt(character: str) -> str:
    if character in _JOINERS or unicodedata.category(character) not in _OBEYED:
        return character
    number = ord(character)
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"

#!/usr/bin/env python3
"""Show the characters of a text that deserve a look, with code point and name; the text is only read."""

import argparse
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
_ENDINGS = ("\n", "\r")
_FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")


def inspect(text: str, *, everything: bool) -> Iterator[str]:
    """Yield one line a character, `LINE:COLUMN U+XXXX NAME`, then the summary."""
    line, column = 1, 0
    for character in text:
        column += 1
        if everything or _deserves_a_look(character):
            name = unicodedata.name(character, f"<{unicodedata.category(character)}>")
            yield f"{line}:{column} U+{ord(character):04X} {name}"
        if character == "\n":
            line, column = line + 1, 0
    crlf = text.count("\r\n")
    endings = {"CRLF": crlf, "CR": text.count("\r") - crlf, "LF": text.count("\n") - crlf}
    yield "line endings: " + (", ".join(f"{count} {name}" for name, count in endings.items() if count) or "none")
    yield f"ends with a line ending: {_yes(said=text.endswith(_ENDINGS))}"
    yield f"byte order mark: {_yes(said=text.startswith(_BYTE_ORDER_MARK))}"
    yield "normal forms: " + (", ".join(form for form in _FORMS if unicodedata.is_normalized(form, text)) or "none")


def _deserves_a_look(character: str) -> bool:
    return character not in "\t\n\r" and not (character.isascii() and character.isprintable())


def _yes(*, said: bool) -> str:
    return "yes" if said else "no"


def main(arguments: Sequence[str]) -> int:
    """Inspect the file that the arguments name; the result is the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="standard input where none is given")
    parser.add_argument("--all", action="store_true", help="show every character")
    options = parser.parse_args(arguments)
    raw = sys.stdin.buffer.read() if options.file is None else options.file.read_bytes()
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        sys.stdout.write(f"not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start}\n")
        return 1
    sys.stdout.writelines(f"{line}\n" for line in inspect(text, everything=options.all))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Report the faults of a delimited text file, one a line; the file is only read."""

import argparse
import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z")
_SPREADSHEET_DATE = re.compile(r"\d{1,2}-(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\Z")


def check(text: str, delimiter: str) -> Iterator[str]:
    """Yield the faults of a table, each as `LINE: KIND: what was found`."""
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    header = next(reader, None)
    if header is None:
        yield "1: header: the file is empty"
        return
    for name, count in Counter(header).items():
        if not name.strip():
            yield f"1: header: {count} column(s) without a name"
        elif count > 1:
            yield f"1: header: {count} columns are called {name!r}"
    columns: list[list[tuple[int, str]]] = [[] for _ in header]
    for row in reader:
        if not any(cell.strip() for cell in row):
            yield f"{reader.line_num}: blank: an empty row"
        elif len(row) != len(header):
            yield f"{reader.line_num}: ragged: {len(row)} cells where the header has {len(header)}"
        else:
            for column, cell in zip(columns, row, strict=True):
                column.append((reader.line_num, cell.strip()))
    for name, column in zip(header, columns, strict=True):
        yield from _check_column(name, [(line, cell) for line, cell in column if cell])


def _check_column(name: str, cells: Sequence[tuple[int, str]]) -> Iterator[str]:
    odd = [(line, cell) for line, cell in cells if not _NUMBER.match(cell)]
    # A column that is nearly all numbers is meant to be one.
    if odd and len(odd) * 10 <= len(cells):
        for line, cell in odd:
            yield f"{line}: type: {cell!r} among the numbers of {name!r}"
    for line, cell in cells:
        if _SPREADSHEET_DATE.match(cell):
            yield f"{line}: date: {cell!r} in {name!r} looks like a code that a spreadsheet turned into a date"


def main(arguments: Sequence[str]) -> int:
    """Check the file that the arguments name; the result is the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--delimiter", default=",", help="one character (default: a comma)")
    parser.add_argument("--encoding", default="utf-8", help="default: utf-8")
    options = parser.parse_args(arguments)
    raw = options.file.read_bytes()
    try:
        text = raw.decode(options.encoding).removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        sys.stdout.write(f"{line}: encoding: byte 0x{raw[error.start]:02x} is no {options.encoding}\n")
        return 1
    faults = list(check(text, options.delimiter))
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

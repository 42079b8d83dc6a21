"""What commands print: tables and colours for people at a terminal, plain lines of columns for scripts.

Everything printed here is made printable first; nothing in it is read as markup.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn

import typer

from skillsvc.cli.printable import block, line

if TYPE_CHECKING:
    from google.protobuf.message import Message
    from rich.table import Table

    from skillsvc.cli.messages import Answer

FAILED = 1
"""Exit status: the answer is no, such as a skill that is not there, or an error found."""
USAGE = 2
"""Exit status: the command itself is not right."""
NO_ANSWER = 3
"""Exit status: no server answered; a later try may do."""

_LAST_COLUMN = 24
"""Characters that the last column of a table keeps where a terminal is narrow."""


def fail(message: str, status: int = FAILED) -> NoReturn:
    """Say in one line on standard error why, and end with a status."""
    complain(message)
    raise typer.Exit(status)


def complain(message: str) -> None:
    """Say something in one line on standard error."""
    print(f"skillsvc: {line(message)}", file=sys.stderr)


def is_terminal() -> bool:
    """Tell whether a person reads what is printed."""
    return sys.stdout.isatty()


def count_of(number: int, thing: str) -> str:
    """Return a number of things in words: `1 skill`, `2 skills`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def print_line(text: str) -> None:
    """Print one line."""
    _write(f"{line(text)}\n".encode())


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, wrapped: bool = False) -> None:
    """Print rows: a table at a terminal, else a line a row with a tab between columns and no headings.

    At a terminal the last column is cut where the line is full, and ends with an ellipsis; `wrapped`, it goes on below.
    """
    if not is_terminal():
        _write_columns(rows)
        return
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - takes long to come in, and is for terminals alone
    from rich.table import Table  # noqa: PLC0415 - as above

    table = Table(box=SIMPLE_HEAD, pad_edge=False, expand=True)
    for heading in headings[:-1]:
        table.add_column(heading, no_wrap=True)
    table.add_column(
        headings[-1], no_wrap=not wrapped, overflow="fold" if wrapped else "ellipsis", ratio=1, min_width=_LAST_COLUMN
    )
    _write_table(table, rows)


def print_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Print a line for each pair: what it is, a tab, the value; at a terminal two columns, of which none is cut."""
    if not is_terminal():
        _write_columns(pairs)
        return
    from rich.table import Table  # noqa: PLC0415 - takes long to come in, and is for terminals alone

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    _write_table(table, pairs)


def print_json(answer: "Answer", *, one_line: bool = False) -> None:
    """Print an answer's message as JSON."""
    from skillsvc.cli.messages import to_json  # noqa: PLC0415 - protobuf takes long to come in

    _write(f"{to_json(answer, one_line=one_line)}\n".encode())


def print_message(message: "Message") -> None:
    """Print a message as JSON."""
    from skillsvc.cli.messages import message_to_json  # noqa: PLC0415 - protobuf takes long to come in

    _write(f"{message_to_json(message)}\n".encode())


def print_text(text: str) -> None:
    """Print a text as it is; at a terminal printable, and with its last line ended."""
    if is_terminal():
        text = block(text)
        text = text if text.endswith("\n") else f"{text}\n"
    _write(text.encode())


def print_bytes(data: bytes) -> None:
    """Print bytes as they are."""
    _write(data)


def _write_columns(rows: Iterable[Sequence[str]]) -> None:
    _write("".join("\t".join(map(line, row)) + "\n" for row in rows).encode())


def _write_table(table: "Table", rows: Iterable[Sequence[str]]) -> None:
    from rich.console import Console  # noqa: PLC0415 - takes long to come in, and is for terminals alone
    from rich.text import Text  # noqa: PLC0415 - as above

    for row in rows:
        # As `Text`, brackets are brackets and no markup.
        table.add_row(*(Text(line(cell)) for cell in row))
    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(table)
    _write(captured.get().encode())


def _write(data: bytes) -> None:
    """Write at once, whatever the encoding of the terminal, so that a failure is told where it is known."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except OSError as error:
        # What could not be written would be tried again at the end, and fail there with a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        fail(f"the output cannot be written: {error.strerror}")

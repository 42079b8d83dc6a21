"""What commands print: tables and colours for people at a terminal, plain lines of columns for scripts.

Everything printed here is made printable first; nothing in it is read as markup.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn

import typer

from skillsvc.cli.printable import block, line

if TYPE_CHECKING:
    from skillsvc.cli.messages import Answer

FAILED = 1
"""Exit status: the answer is no, such as a skill that is not there, or an error found."""
USAGE = 2
"""Exit status: the command itself is not right."""
NO_ANSWER = 3
"""Exit status: no server answered; a later try may do."""


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


def print_line(text: str) -> None:
    """Print one line, at once."""
    print(line(text), flush=True)


def count_of(number: int, thing: str) -> str:
    """Return a number of things in words: `1 skill`, `2 skills`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, cut_last: bool = False) -> None:
    """Print rows: a table at a terminal, else a line a row with a tab between columns and no headings.

    At a terminal a cell goes on in the next line where it is long; with `cut_last` the last column is cut instead, and
    ends with an ellipsis.
    """
    if not is_terminal():
        for row in rows:
            print("\t".join(map(line, row)))
        return
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - takes long to come in, and is for terminals alone
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    table = Table(box=SIMPLE_HEAD, pad_edge=False, expand=cut_last)
    for heading in headings[:-1]:
        table.add_column(heading, overflow="fold", no_wrap=cut_last)
    if cut_last:
        table.add_column(headings[-1], overflow="ellipsis", no_wrap=True, ratio=1)
    else:
        table.add_column(headings[-1], overflow="fold")
    for row in rows:
        table.add_row(*(Text(line(cell)) for cell in row))
    Console(highlight=False).print(table)


def print_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Print a line for each pair: what it is, a tab, the value; at a terminal in two columns."""
    if not is_terminal():
        print_table((), pairs)
        return
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in pairs:
        table.add_row(Text(line(key)), Text(line(value)))
    Console(highlight=False).print(table)


def print_json(answer: "Answer", *, one_line: bool = False) -> None:
    """Print an answer's message as JSON, at once."""
    from skillsvc.cli.messages import to_json  # noqa: PLC0415 - protobuf takes long to come in

    print(to_json(answer, one_line=one_line), flush=True)


def print_text(text: str) -> None:
    """Print a text as it is; at a terminal printable, and with its last line ended."""
    if is_terminal():
        shown = block(text)
        sys.stdout.write(shown if shown.endswith("\n") else f"{shown}\n")
    else:
        print_bytes(text.encode())


def print_bytes(data: bytes) -> None:
    """Print bytes as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()

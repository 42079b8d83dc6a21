"""What is printed at a terminal: tables for people, and nothing of a skill that the terminal would obey."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.integration.commands import SKILLSVC, environment
from tests.integration.conftest import RunningServer, Serve
from tests.patience import PATIENCE_S
from tests.unit.sources.trees import Tree, grow, skill

ORDERS = "\x1b]0;owned\x07 \x1b[2J \x9b31m \rhidden\b"
DESCRIPTION = "[red]loud[/] :smile: abc\u202edcba [link=file:///etc/passwd]x[/link]"
TREE: Tree = {
    "evil/SKILL.md": skill("evil", f'"{DESCRIPTION}"', f"Before {ORDERS} after"),
    "evil/orders.txt": ORDERS,
    "evil/plain.txt": "plain\r\ntext",
    "evil/picture.png": b"\x89PNG\r\n\x1a\n\0",
    "long/SKILL.md": skill("long", "word " * 100),
}
# A terminal without colours: whatever escape sequence still comes is not ours.
PLAIN = {"TERM": "dumb", "NO_COLOR": "1"}


@pytest.fixture
def server(serve: Serve, tmp_path: Path) -> RunningServer:
    return serve(grow(tmp_path / "skills", TREE))


def at_terminal(server: RunningServer, *arguments: str) -> tuple[int, str]:
    """Run a command at a terminal of its own; return how it ended and all that came there."""
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [*SKILLSVC, *arguments],
        stdin=its,
        stdout=its,
        stderr=its,
        env=environment(SKILLSVC_ADDRESS=server.address, **PLAIN),
    )
    os.close(its)
    came = b""
    with open(ours, "rb", buffering=0) as terminal:  # noqa: PTH123 - a descriptor, no path
        try:
            while chunk := terminal.read(65_536):
                came += chunk
        except OSError:
            # How Linux tells that nobody holds the other end any more.
            pass
    return process.wait(PATIENCE_S), came.decode(errors="surrogateescape").replace("\r\n", "\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["list", "--full"],
        ["list", "--json"],
        ["show", "evil"],
        ["show", "evil", "--json"],
        ["body", "evil"],
        ["body", "evil", "--document"],
        ["body", "evil", "--json"],
        ["assets", "evil"],
        ["read", "evil", "orders.txt"],
        ["read", "evil", "orders.txt", "--json"],
        ["read", "evil", "picture.png"],
        ["activate", "evil"],
        ["info"],
        ["body", "\x1b[2J"],
    ],
    ids=ascii,
)
def test_nothing_of_a_skill_is_obeyed(server: RunningServer, arguments: list[str]) -> None:
    _status, came = at_terminal(server, *arguments)
    assert came
    assert not {character for character in came if character != "\n" and not character.isprintable()}


def test_list_is_a_table_whose_last_column_is_cut(server: RunningServer) -> None:
    status, came = at_terminal(server, "list")
    heading, _rule, evil, long, *_rest, last = came.strip().splitlines()
    assert status == 0
    assert heading.split() == ["Name", "For", "Trust", "Description"]
    assert "[red]loud[/] :smile: abc\\u202edcba [link" in evil
    assert long.rstrip().endswith("…")
    assert last.startswith("2 skills; generation ")


def test_text_is_printable_and_its_last_line_ended(server: RunningServer) -> None:
    status, came = at_terminal(server, "body", "evil")
    assert (status, came) == (0, "Before \\x1b]0;owned\\x07 \\x1b[2J \\x9b31m \nhidden\\x08 after\n")
    assert at_terminal(server, "read", "evil", "plain.txt") == (0, "plain\ntext\n")


@pytest.mark.parametrize("asset", ["picture.png", "orders.txt"])
def test_what_is_no_text_is_refused_at_a_terminal_unless_forced(server: RunningServer, asset: str) -> None:
    status, came = at_terminal(server, "read", "evil", asset)
    assert status == 2
    assert came == "skillsvc: this asset is no text: --output FILE keeps it, --force prints it nevertheless\n"
    status, came = at_terminal(server, "read", "evil", asset, "--force")
    assert status == 0
    assert not came.isprintable()


def test_what_an_operator_should_know_is_not_cut(serve: Serve, tmp_path: Path) -> None:
    folder = grow(tmp_path / "skills", {"unfit/SKILL.md": skill("An Unfit Name " * 10)})
    server = serve(folder)
    folder.rename(tmp_path / "away")
    folder.touch()
    of_it = ("--data-dir", os.fspath(server.data_dir))
    assert at_terminal(server, "refresh", *of_it)[0] == 1
    status, came = at_terminal(server, "sources", *of_it)
    *_table, error, last = came.splitlines()
    assert (status, last.partition(" of ")[0]) == (0, "1 source")
    assert error == "dir-1 is STALE: cannot be read (ENOTDIR); make it a directory that the server may read"
    status, came = at_terminal(server, "diagnostics", *of_it)
    assert status == 0
    # A sentence goes on below its beginning.
    assert "1 to 64 of a-z, 0-9, - and _, a letter or digit first; the folder's is used" in " ".join(came.split())

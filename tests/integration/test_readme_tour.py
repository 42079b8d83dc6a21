"""The tour of the README, run as typed and in order against the server of `make serve`.

Only two things differ from what a reader does: the port is a free one, and the checkout is a folder with a copy of the
examples, since the tour adds a skill and takes it away.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
ADDRESS = "127.0.0.1:50051"
SERVE = ["serve", "--skills-dir", "examples/skills", "--data-dir", ".skillsvc-data", "--listen"]
BLOCK = re.compile(r"^<!-- (?P<kind>[a-z: ]+) -->\n```\w+\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Terminal:
    """A command that goes on running, with what it printed so far."""

    def __init__(self, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.printed = ""
        self._ended = False
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Return the match once it was printed; fail where the command ends or takes too long before."""
        end = time.monotonic() + PATIENCE_S
        with self._news:
            while (match := re.search(pattern, self.printed, re.MULTILINE)) is None:
                if self._ended or not self._news.wait(end - time.monotonic()):
                    pytest.fail(f"{pattern!r} never came:\n{self.printed}")
        return match

    def close(self) -> None:
        """Press Ctrl-C; kill what does not end by that."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGINT)
        try:
            self._process.wait(PATIENCE_S)
        finally:
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)
            self._reader.join()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._news:
                self.printed += line
                self._news.notify_all()
        self._process.stdout.close()
        with self._news:
            self._ended = True
            self._news.notify_all()


@contextmanager
def terminal(command: list[str], folder: Path, environment: Mapping[str, str]) -> Iterator[Terminal]:
    opened = Terminal(command, folder, environment)
    try:
        yield opened
    finally:
        opened.close()


def run(command: list[str], folder: Path, address: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "SKILLSVC_ADDRESS": address},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder in which the commands of the README find what they name."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


def test_make_serve_does_what_the_tour_is_run_against() -> None:
    recipe = re.search(r"^serve:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    assert recipe[1].split() == ["$(BIN)/skillsvc", *SERVE, ADDRESS, "$(ARGS)"]


@pytest.fixture
def server(checkout: Path) -> Iterator[str]:
    """The address of the server that the tour asks."""
    with terminal([".venv/bin/skillsvc", *SERVE, "127.0.0.1:0"], checkout, {}) as serving:
        yield serving.wait_for(r"^listening on (\S+)\n")[1]


def test_the_tour_of_the_readme_works_as_typed(checkout: Path, server: str) -> None:
    kinds = []
    printed = ""
    with ExitStack() as opened:
        watcher: Terminal | None = None
        for kind, text in blocks(ROOT / "README.md", server):
            kinds.append(kind)
            match kind:
                case "tour":
                    printed = run(["bash", "-e", "-c", text], checkout, server)
                case "tour: python":
                    printed = run([".venv/bin/python", "-c", text], checkout, server)
                case "tour: watch":
                    watcher = opened.enter_context(terminal(text.split(), checkout, {"SKILLSVC_ADDRESS": server}))
                    watcher.wait_for(r"\n")
                case "tour: serve":
                    opened.enter_context(terminal(text.split(), checkout, {})).wait_for(r"^listening on ")
                case "prints":
                    for line in text.splitlines():
                        assert re.search(pattern_of(line), printed, re.MULTILINE), printed
                case "watched":
                    assert watcher is not None
                    for line in text.splitlines():
                        watcher.wait_for(pattern_of(line))
                case _:
                    pytest.fail(f"the README has a block of an unknown kind, {kind!r}")
    assert kinds.count("tour") >= 5
    assert {"tour: watch", "watched", "tour: python", "tour: serve", "prints"} <= set(kinds)


def blocks(page: Path, address: str) -> Iterator[tuple[str, str]]:
    """Yield what a page marks: the kind of each block and its text, with the address of the server."""
    for block in BLOCK.finditer(page.read_text()):
        yield block["kind"], block["text"].replace(ADDRESS, address)


def pattern_of(line: str) -> str:
    """Return the pattern of a line of the README, in which `…` stands for anything."""
    return "^" + ".*".join(map(re.escape, line.split("…"))) + "$"

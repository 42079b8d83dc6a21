"""docs/tenants.md, run as typed and in order; only the ports are free ones."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.commands import environment
from tests.integration.test_readme_tour import ADDRESS, ROOT, blocks, pattern_of, terminal
from tests.patience import PATIENCE_S

SERVING = r'"message": "serving", "address": "[^"]*:([0-9]+)".*"remote_admin": "[^"]*:([0-9]+)"'


class Typing:
    """Somebody who types what the page says: in `folder`, where the page has not gone into the one that it makes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printed = ""
        self.ports = ("50051", "50052")
        self._variables = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

    def run(self, text: str) -> None:
        """Run a block, which must come to a good end."""
        for written, free in zip(("50051", "50052"), self.ports, strict=True):
            text = text.replace(f"localhost:{written}", f"localhost:{free}")
        done = subprocess.run(
            ["bash", "-e", "-c", text],  # noqa: S607 - the one that a reader has
            cwd=self.folder,
            env=environment(**self._variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=2 * PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        self.printed = done.stdout

    def serve(self, text: str, opened: ExitStack) -> None:
        """Start a server in a terminal of its own."""
        serving = opened.enter_context(terminal(text.split(), self.folder, environment(**self._variables)))
        serving.wait_for(r"^listening on ")
        found = serving.wait_for(SERVING)
        self.ports = (found[1], found[2])


@pytest.fixture
def typing(tmp_path: Path) -> Typing:
    return Typing(tmp_path)


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_the_page_of_several_tenants_works_as_typed(typing: Typing, opened: ExitStack) -> None:
    kinds = []
    for kind, text in blocks(ROOT / "docs" / "tenants.md", ADDRESS):
        kinds.append(kind)
        match kind:
            case "tenants":
                typing.run(text)
                if "cd tenants" in text:
                    typing.folder /= "tenants"
            case "tenants: toml":
                assert "0.0.0.0:50051" in text
                free = text.replace("0.0.0.0:50051", "127.0.0.1:0").replace("0.0.0.0:50052", "127.0.0.1:0")
                (typing.folder / "skillsvc.toml").write_text(free)
            case "tenants: serve":
                typing.serve(text, opened)
            case "prints":
                for line in text.splitlines():
                    assert re.search(pattern_of(line), typing.printed, re.MULTILINE), typing.printed
            case _:
                pytest.fail(f"the page has a block of an unknown kind, {kind!r}")
    assert kinds.count("prints") == 3
    assert {"tenants: toml", "tenants: serve"} <= set(kinds)

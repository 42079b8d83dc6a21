"""The client's README: its five minutes run as they stand, against the examples."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.conftest import Serve

ROOT = Path(__file__).parents[2]
README = ROOT / "clients" / "python" / "README.md"
TLS = ROOT / "tests" / "hostile" / "tls"


def examples(heading: str) -> list[str]:
    """Return the Python of a section of the page."""
    section = re.search(rf"## {heading}\n(.*?)\n## ", README.read_text(encoding="utf-8"), re.DOTALL)
    return re.findall(r"```python\n(.*?)```", section[1], re.DOTALL) if section else []


def run(example: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", example],
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONWARNINGS": "error"},
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("example", examples("Five minutes"), ids=["blocking", "asyncio"])
def test_the_five_minutes_run_as_they_stand(serve: Serve, example: str) -> None:
    server = serve(ROOT / "examples" / "skills", layout="nested")
    ran = run(example.replace("127.0.0.1:50051", server.address))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout


def test_following_is_what_the_asyncio_example_shows(serve: Serve) -> None:
    server = serve(ROOT / "examples" / "skills", layout="nested")
    ran = run(examples("Five minutes")[1].replace("127.0.0.1:50051", server.address))
    assert re.match(r"[0-9]+ True True\n", ran.stdout), ran.stdout


def test_the_example_of_tls_makes_a_client(tmp_path: Path) -> None:
    for name, pem in (("ca", "authority"), ("client", "agent")):
        shutil.copy(TLS / f"{pem}.pem", tmp_path / f"{name}.pem")
    shutil.copy(TLS / "agent-key.pem", tmp_path / "client.key")
    (tmp_path / "token").write_text("opens-nothing\n")
    (example,) = examples("Security")
    ran = run(f"{example}\nprint(client.following)\nclient.close()\n", tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "False\n"), ran.stderr

"""The client's README: its five minutes run as they stand, against the examples."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.conftest import Serve

ROOT = Path(__file__).parents[2]
README = ROOT / "clients" / "python" / "README.md"
SECTION = re.search(r"## Five minutes\n(.*?)\n## ", README.read_text(encoding="utf-8"), re.DOTALL)
EXAMPLES = re.findall(r"```python\n(.*?)```", SECTION[1], re.DOTALL) if SECTION else []


@pytest.mark.parametrize("example", EXAMPLES, ids=["blocking", "asyncio"])
def test_the_five_minutes_run_as_they_stand(serve: Serve, example: str) -> None:
    server = serve(ROOT / "examples" / "skills", layout="nested")
    ran = subprocess.run(
        [sys.executable, "-c", example.replace("127.0.0.1:50051", server.address)],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONWARNINGS": "error"},
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout

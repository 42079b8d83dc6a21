"""Commands of `skillsvc`, each run to its end in a process of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.patience import PATIENCE_S

SKILLSVC = (sys.executable, "-m", "skillsvc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a command ended; `printed` is what it wrote on standard output."""

    status: int
    printed: bytes
    complained: str

    @property
    def lines(self) -> list[str]:
        return self.printed.decode().splitlines()


def environment(**variables: str) -> dict[str, str]:
    """Return the environment of a command: this one's, in which every warning is an error."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SKILLSVC_")}
    return {**inherited, "PYTHONWARNINGS": "error", **variables}


def skillsvc(*arguments: str | Path, **variables: str) -> Done:
    """Run a command, with further variables of its environment."""
    done = subprocess.run(
        [*SKILLSVC, *arguments],
        capture_output=True,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_S,
        check=False,
    )
    return Done(status=done.returncode, printed=done.stdout, complained=done.stderr.decode())

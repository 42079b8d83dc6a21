"""What the README says of the command line is what the command line says."""

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parents[3] / "README.md").read_text()


def help_of(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "skillsvc", *command, "--help"], capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout


def test_the_table_of_commands_names_every_command_and_no_other() -> None:
    listed = re.findall(r"^  ([a-z-]+)  ", help_of().split("Commands:")[1], re.MULTILINE)
    table = README.split("## Commands")[1].split("\n\n")[1]
    rows = [row.split(" | ")[0] for row in table.splitlines()[2:]]
    assert sorted(name for row in rows for name in re.findall(r"`([a-z-]+)", row)) == sorted(listed)


def test_every_option_of_serve_that_the_readme_uses_is_one() -> None:
    used = {option for line in re.findall(r"skillsvc serve (.*)", README) for option in re.findall(r"--[a-z-]+", line)}
    known = set(re.findall(r"--[a-z-]+", help_of("serve")))
    assert used
    assert used <= known

"""The example of docs/identity.md is one, and is explained as the page says."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs" / "identity.md").read_text()


def test_the_example_is_explained_as_the_page_says(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    explained = re.search(r"```\n\$ skillsvc (access explain skillsvc\.toml .*)\n((?:.*\n)+?)```", PAGE)
    assert example is not None
    assert explained is not None
    (tmp_path / "skillsvc.toml").write_text(example[1])
    done = subprocess.run(
        [sys.executable, "-m", "skillsvc", *explained[1].split()],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert [line.rstrip() for line in done.stdout.splitlines()] == explained[2].splitlines()

"""The page on providers: its code is the example's, to the byte."""

import re
import tomllib
from pathlib import Path

from skillsvc.sources.provider import GROUP

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/writing-a-provider.md").read_text()
EXAMPLE = ROOT / "examples/provider"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_modules_are_those_of_the_example() -> None:
    assert blocks("python") == [
        (EXAMPLE / path).read_text() for path in ("skillsvc_cards/provider.py", "tests/test_cards.py")
    ]


def test_the_entry_point_is_that_of_the_example() -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    assert tomllib.loads(blocks("toml")[0])["project"]["entry-points"] == project["entry-points"]
    assert list(project["entry-points"]) == [GROUP]

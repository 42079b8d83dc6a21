"""docs/rows.md: each row has a test, and each test its row, with what decides otherwise in the test's own words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[3]
ROWS = {*range(1, 43), *range(45, 49), *range(50, 53), *range(54, 65), *range(72, 83)}


class Line(NamedTuple):
    """A line of the table."""

    row: int
    test: str
    decided: str


def found_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the names of the tests of a file, each with what its docstring says."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node.name, " ".join((ast.get_docstring(node) or "").split())


def of_the_tests() -> Iterator[Line]:
    for path in sorted((ROOT / "tests/integration").glob("test_rows_*.py")):
        for name, decided in found_in(path):
            number = re.match(r"test_row_(\d\d)_", name)
            assert number, f"{name} names no row"
            yield Line(int(number[1]), f"{path.stem}.py::{name}", decided)


def written() -> Iterator[Line]:
    page = (ROOT / "docs/rows.md").read_text()
    for row, test, decided in re.findall(r"^\| (\d+) \| `([^`]+)` \| (.*?) ?\|$", page, re.MULTILINE):
        yield Line(int(row), test, decided)


def test_the_table_is_that_of_the_tests() -> None:
    assert list(written()) == sorted(of_the_tests())


@pytest.mark.parametrize("row", sorted(ROWS))
def test_each_row_has_a_test(row: int) -> None:
    assert [line for line in of_the_tests() if line.row == row]


def test_no_test_is_of_another_row() -> None:
    assert {line.row for line in of_the_tests()} == ROWS


def test_each_scenario_of_tenants_views_has_its_line() -> None:
    page = (ROOT / "docs/rows.md").read_text()
    lines = re.findall(r"^\| \D[^|]* \| `test_tenants_views\.py::(\w+)` \| (.*?) ?\|$", page, re.MULTILINE)
    assert lines == list(found_in(ROOT / "tests/integration/test_tenants_views.py"))

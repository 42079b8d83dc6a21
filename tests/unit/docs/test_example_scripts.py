"""The scripts of the examples do what their skills say of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_the_scripts_are_executable_and_nothing_else_is() -> None:
    files = [path for path in EXAMPLES.rglob("*") if path.is_file()]
    assert {path.parent.name for path in files if os.access(path, os.X_OK)} == {"scripts"}
    assert all(os.access(path, os.X_OK) for path in files if path.parent.name == "scripts")


def run(script: str, *arguments: str, text: str = "") -> tuple[int, str]:
    path = EXAMPLES / "skills" / script
    command = [sys.executable] if path.suffix == ".py" else ["sh"]
    done = subprocess.run([*command, path, *arguments], input=text, capture_output=True, encoding="utf-8", check=False)
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,2\n", []),
        ("a,a\n1,2\n", ["1: header: 2 columns are called 'a'"]),
        ("a,\n1,2\n", ["1: header: 1 column(s) without a name"]),
        ("a,b\n1,2,3\n", ["2: ragged: 3 cells where the header has 2"]),
        ("a,b\n,\n1,2\n", ["2: blank: an empty row"]),
        ("n\n" + "1\n" * 9 + "1 kg\n", ["11: type: '1 kg' among the numbers of 'n'"]),
        ("gene\n1-Mar\n", ["2: date: '1-Mar' in 'gene' looks like a code that a spreadsheet turned into a date"]),
        ("", ["1: header: the file is empty"]),
    ],
)
def test_csv_check_reports_each_fault_with_its_line(tmp_path: Path, content: str, expected: list[str]) -> None:
    table = tmp_path / "table.csv"
    table.write_text(content)
    status, output = run("csv-check/scripts/check_csv.py", str(table))
    assert (status, output.splitlines()) == (1 if expected else 0, expected)


def test_csv_check_reports_bytes_of_another_encoding(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes("a\nb\nü\n".encode("cp1252"))
    assert run("csv-check/scripts/check_csv.py", str(table)) == (1, "3: encoding: byte 0xfc is no utf-8\n")


@pytest.mark.parametrize(
    ("text", "background", "expected"),
    [
        # The extremes of WCAG, and the lightest and the first too light grey of its level AA on white.
        ("#000", "#fff", "21.00 AA AA-large UI AAA AAA-large\n"),
        ("#fff", "#fff", "1.00\n"),
        ("#767676", "#ffffff", "4.54 AA AA-large UI AAA-large\n"),
        ("#777777", "#ffffff", "4.47 AA-large UI\n"),
    ],
)
def test_contrast_prints_the_ratio_and_the_levels_of_wcag(text: str, background: str, expected: str) -> None:
    assert run("contrast-check/scripts/contrast.py", text, background) == (0, expected)


def test_contrast_finds_the_nearest_colour_that_reaches_a_ratio() -> None:
    status, output = run("contrast-check/scripts/contrast.py", "#777777", "#ffffff", "--reach", "4.5")
    assert (status, output.splitlines()[1]) == (0, "#767676")


def test_text_inspect_names_what_cannot_be_seen() -> None:
    status, output = run(
        "text-inspect/scripts/inspect_text.py", text="a\N{ZERO WIDTH SPACE}b\n\N{CYRILLIC SMALL LETTER ES}"
    )
    assert status == 0
    assert output.splitlines()[:2] == ["1:2 U+200B ZERO WIDTH SPACE", "2:1 U+0441 CYRILLIC SMALL LETTER ES"]


def test_log_triage_counts_the_shapes_of_lines_rarest_first(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text('INFO request 7 done in 3 ms\nERROR pool "main" refused 1 of 20\nINFO request 8 done in 12 ms\n')
    status, output = run("log-triage/scripts/shapes.sh", str(log))
    assert status == 0
    assert output.splitlines() == [
        '      1 first at 2: ERROR pool "<text>" refused <n> of <n>',
        "      2 first at 1: INFO request <n> done in <n> ms",
    ]

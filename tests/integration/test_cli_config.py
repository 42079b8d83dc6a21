"""`skillsvc config`: what each command prints and how it ends."""

import json
import tomllib
from pathlib import Path

import pytest

from skillsvc.settings.schema import schema
from tests.integration.commands import skillsvc

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "skillsvc.toml"
VARIABLES = {"TOOLS_PASSWORD": "hush", "MANIFEST_TOKEN": "hush"}


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_the_example_has_no_mistakes() -> None:
    done = skillsvc("config", "check", EXAMPLE, **VARIABLES)
    assert (done.status, done.complained) == (0, "")
    assert done.lines == ["5 sources: 0 mistakes, 0 warnings"]


def test_every_mistake_is_a_line_with_its_place() -> None:
    done = skillsvc("config", "check", EXAMPLE)
    assert done.status == 1
    *lines, last = done.lines
    text = EXAMPLE.read_text().splitlines()
    for line, variable in zip(lines, VARIABLES, strict=True):
        error, path, number, about = line.split(":", 3)
        assert (error, path) == ("error", f" {EXAMPLE}")
        assert variable in text[int(number) - 1]
        assert about.endswith(f"names {variable}, which is not set in this environment")
    assert last == "5 sources: 2 mistakes, 0 warnings"


def test_mistakes_of_the_file_are_all_told_and_its_surroundings_are_not_looked_at(tmp_path: Path) -> None:
    config = write(tmp_path / "skillsvc.toml", '[[source]]\nname = "a"\n\nlayout = "deep"\npth = "none"\n')
    done = skillsvc("config", "check", config)
    assert done.status == 1
    assert done.lines == [
        f"error: {config}:1: [[source]] 1 a: path is missing",
        f"error: {config}:4: [[source]] 1 a: layout must be 'flat' or 'nested'",
        f"error: {config}:5: [[source]] 1 a: pth is not known; is path meant?",
        "3 mistakes",
    ]


def test_warnings_alone_are_no_mistake(tmp_path: Path) -> None:
    config = write(tmp_path / "skillsvc.toml", '[[source]]\nname = "a"\npath = "none"\n')
    done = skillsvc("config", "check", config)
    assert done.status == 0
    assert done.lines == [
        f"warning: {config}:3: [[source]] 1 a: path is not there; it counts as empty until it comes",
        "1 source: 0 mistakes, 1 warning",
    ]


@pytest.mark.parametrize("command", ["check", "show"])
def test_a_file_that_is_no_configuration_ends_with_status_1(tmp_path: Path, command: str) -> None:
    for config in (tmp_path / "none.toml", write(tmp_path / "bad.toml", "[a\n")):
        done = skillsvc("config", command, config)
        assert done.status == 1
        assert str(config) in done.complained + done.printed.decode()


def test_what_is_shown_is_what_is_in_force_without_secrets() -> None:
    done = skillsvc("config", "show", EXAMPLE, **VARIABLES)
    assert (done.status, done.complained) == (0, "")
    assert b"hush" not in done.printed
    shown = tomllib.loads(done.printed.decode())
    assert [source["name"] for source in shown["source"]] == ["house", "tools", "manifest", "vendor", "release"]
    assert shown["server"]["data_dir"] == str(EXAMPLE.parent / "data")


def test_the_schema_is_the_shipped_one() -> None:
    done = skillsvc("config", "schema")
    assert (done.status, done.printed.decode()) == (0, schema())
    assert json.loads(done.printed)["title"] == "skillsvc.toml"


def test_what_is_imported_is_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    foreign = write(
        tmp_path / "config.toml",
        '[[skill_sources]]\npath = "~/skills"\n[[skill_sources]]\ntype = "s3"\n'
        '[[skill_sources]]\ntype = "oci"\nmanifest_url = "https://example.org/skills.json"\n',
    )
    done = skillsvc("config", "import", foreign, HOME=str(tmp_path))
    assert done.status == 0
    assert done.complained == "skillsvc: [[skill_sources]] 2 is left out: its type is not known\n"
    config = write(tmp_path / "skillsvc.toml", done.printed.decode())
    assert skillsvc("config", "check", config).lines == ["2 sources: 0 mistakes, 0 warnings"]


def test_an_import_of_nothing_is_empty_and_of_what_is_no_toml_an_error(tmp_path: Path) -> None:
    done = skillsvc("config", "import", tmp_path / "none.toml")
    told = f"skillsvc: {tmp_path}/none.toml is not there, so nothing is imported\n"
    assert (done.status, done.printed, done.complained) == (0, b"", told)
    done = skillsvc("config", "import", write(tmp_path / "bad.toml", "a = \n"))
    assert (done.status, done.printed) == (1, b"")
    assert done.complained.startswith(f"skillsvc: {tmp_path}/bad.toml:1: is no TOML: ")


def test_nothing_is_written(tmp_path: Path) -> None:
    config = write(tmp_path / "skillsvc.toml", '[server]\ndata_dir = "data"\n[[source]]\nname = "a"\npath = "a"\n')
    for command in ("check", "show", "import"):
        assert skillsvc("config", command, config).status == 0
    assert list(tmp_path.iterdir()) == [config]

"""`skillsvc check`: what it prints and how it ends, and that a server does what it says."""

import json
import os
from pathlib import Path

import pytest

from tests.integration.commands import skillsvc
from tests.integration.conftest import Serve
from tests.unit.sources.trees import grow, skill

ROOT = Path(__file__).parents[2]
BROKEN = ROOT / "examples" / "broken"
CORPUS = Path(os.environ.get("SKILLSVC_CORPUS") or ROOT.parent / "shared" / "corpus")


def test_the_broken_examples_are_errors_each_in_a_line() -> None:
    done = skillsvc("check", BROKEN)
    assert (done.status, done.complained) == (1, "")
    *said, last = done.lines
    folders = sorted(path.name for path in BROKEN.iterdir() if path.is_dir())
    assert [line.split(": ")[:2] for line in said] == [["error", folder] for folder in folders]
    assert all(line.endswith("]") for line in said)
    assert last == "0 skills listed, 4 refused, 0 shadowed: 4 errors, 0 warnings, 0 notes"


def test_the_examples_have_no_errors() -> None:
    done = skillsvc("check", ROOT / "examples" / "skills")
    assert (done.status, done.complained) == (0, "")
    assert done.lines[-1].startswith("12 skills listed, 0 refused, 0 shadowed: 0 errors, ")


def test_json_is_one_object_with_every_diagnostic(tmp_path: Path) -> None:
    grow(tmp_path, {"a/deep/SKILL.md": skill("deep"), "b/SKILL.md": "---\nname: b\n"})
    done = skillsvc("check", tmp_path, "--layout", "nested", "--profile", "strict", "--json")
    assert done.status == 1
    report = json.loads(done.printed)
    (listed,) = report.pop("listed")
    assert (listed["name"], listed["place"], len(listed["digest"])) == ("deep", "a/deep", 64)
    (fault,) = report.pop("diagnostics")
    assert fault.pop("message")
    assert fault == {
        "severity": "SEVERITY_ERROR",
        "code": "frontmatter-unclosed",
        "skill": "b",
        "source": "dir-1",
        "place": "b",
    }
    totals = {"listed": 1, "refused": 1, "shadowed": 0, "errors": 1, "warnings": 0, "notes": 0}
    assert report == {"refused": [{"source": "dir-1", "place": "b"}], "shadowed": [], "totals": totals}


def test_every_fault_of_a_collection_is_told_with_its_place(tmp_path: Path) -> None:
    marks = {
        "a": '{"id": "lab", "prompt_line": "' + "x" * 801 + '"}',
        "b": '{"id": "LAB"}',
        "c": '{\n  "id": "art",\n}',
    }
    grow(tmp_path, {f"{place}/COLLECTION.json": mark for place, mark in marks.items()})
    grow(tmp_path, {f"{place}/of-{place}/SKILL.md": skill(f"of-{place}") for place in marks})
    done = skillsvc("check", tmp_path)
    assert (done.status, done.complained) == (0, "")
    *said, last = done.lines
    assert [line.split(": ")[:2] for line in said] == [["warning", place] for place in marks]
    for line, words in zip(
        said, ("cut to 800 [field-cut]", "at a; its skills", "at line 3, column 1 [collection-malformed]"), strict=True
    ):
        assert words in line
    assert last == "3 skills listed, 0 refused, 0 shadowed: 0 errors, 3 warnings, 0 notes"


def test_options_are_those_of_serve(tmp_path: Path) -> None:
    grow(tmp_path, {"a/deep/SKILL.md": skill("deep"), "single.md": skill("single"), "b/SKILL.md": skill("b")})
    options: dict[tuple[str, ...], list[str]] = {
        (): ["b"],
        ("--layout", "nested"): ["b", "deep"],
        ("--single-files",): ["b", "single"],
    }
    for given, names in options.items():
        report = json.loads(skillsvc("check", tmp_path, *given, "--json").printed)
        assert [listed["name"] for listed in report["listed"]] == names


def test_several_directories_and_a_file_are_looked_at_as_served_together(tmp_path: Path) -> None:
    grow(tmp_path, {"one/a/SKILL.md": skill("a"), "two/a/SKILL.md": skill("a", body="Another")})
    config = tmp_path / "skillsvc.toml"
    config.write_text('[[source]]\nname = "house"\npath = "one"\n')
    for given, winner, loser in (
        ((tmp_path / "one", tmp_path / "two"), "dir-1", "dir-2"),
        ((tmp_path / "two", "--config", config), "house", "dir-1"),
    ):
        report = json.loads(skillsvc("check", *given, "--json").printed)
        assert [listed["source"] for listed in report["listed"]] == [winner]
        assert report["shadowed"] == [{"name": "a", "source": loser, "place": "a"}]
        assert [fault["code"] for fault in report["diagnostics"]] == ["shadowed"]


@pytest.mark.parametrize("given", [[], ["--layout", "flat"], ["--config", "none.toml"]], ids=str)
def test_what_names_nothing_to_look_at_is_a_mistake(given: list[str]) -> None:
    done = skillsvc("check", *given)
    assert (done.status, done.printed) == (2, b"")
    assert done.complained.startswith("skillsvc: ")


def test_nothing_is_written(tmp_path: Path) -> None:
    temporary, home = tmp_path / "tmp", tmp_path / "home"
    skills = grow(tmp_path / "skills", {"a/SKILL.md": skill("a"), "a/large.bin": bytes(2_000_000)})
    for folder in (temporary, home):
        folder.mkdir()
    before = {path: path.stat().st_mtime_ns for path in skills.rglob("*")}
    skills.chmod(0o500)
    done = skillsvc("check", skills, TMPDIR=str(temporary), HOME=str(home))
    skills.chmod(0o700)
    assert done.status == 0
    assert [*temporary.iterdir(), *home.iterdir()] == []
    assert {path: path.stat().st_mtime_ns for path in skills.rglob("*")} == before


@pytest.mark.parametrize("target", ["nothing", "file"])
def test_what_is_no_directory_is_a_mistake(tmp_path: Path, target: str) -> None:
    (tmp_path / "file").touch()
    done = skillsvc("check", tmp_path / target)
    assert (done.status, done.printed) == (2, b"")


def test_a_server_lists_what_check_lists(serve: Serve) -> None:
    folder = CORPUS if CORPUS.is_dir() else ROOT / "examples"
    server = serve(folder, layout="nested")
    listed = json.loads(skillsvc("list", "--json", SKILLSVC_ADDRESS=server.address).printed)["skills"]
    report = json.loads(skillsvc("check", folder, "--layout", "nested", "--json").printed)
    assert [(one["name"], one["digest"]) for one in report["listed"]] == [
        (one["name"], one["digest"]) for one in listed
    ]

"""`check` says of a directory what a server would make of it."""

from pathlib import Path

import pytest

from skillsvc.cli.checking import CheckReport, check, make_settings
from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.sources.directory import DirectorySource
from skillsvc.sources.merge import merge
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.trees import Link, Tree, grow, skill

BROKEN = "---\nname: x\n"


def report_of(
    root: Path, tree: Tree, *, layout: str = "nested", profile: str = "lenient", single_files: bool = False
) -> CheckReport:
    grow(root, tree)
    return check(make_settings(root, layout=layout, profile=profile, single_files=single_files), Limits())


def places(report: CheckReport) -> list[tuple[str, str]]:
    return [(listed.name, listed.place) for listed in report.listed]


def test_a_sound_directory_has_its_skills_listed_in_the_order_of_their_names(tmp_path: Path) -> None:
    report = report_of(tmp_path, {"b/SKILL.md": skill("b"), "a/deep/SKILL.md": skill("deep"), "c.txt": "no skill"})
    assert places(report) == [("b", "b"), ("deep", "a/deep")]
    assert (report.refused, report.shadowed, report.diagnostics) == (0, 0, ())
    assert not report.has_errors


def test_what_is_refused_is_counted_by_its_place(tmp_path: Path) -> None:
    tree: Tree = {"a/same/SKILL.md": BROKEN, "b/same/SKILL.md": BROKEN, "b/out": Link("/"), "ok/SKILL.md": skill("ok")}
    report = report_of(tmp_path, tree)
    assert places(report) == [("ok", "ok")]
    assert report.refused == 3
    assert report.has_errors
    assert report.count(Severity.ERROR) == 3
    assert {(fault.code, fault.skill) for fault in report.diagnostics} == {
        (DiagnosticCode.FRONTMATTER_UNCLOSED, "a/same"),
        (DiagnosticCode.FRONTMATTER_UNCLOSED, "b/same"),
        (DiagnosticCode.LINK_ESCAPES, "b/out"),
    }


def test_a_second_skill_of_a_name_is_shadowed_and_a_copy_folded(tmp_path: Path) -> None:
    tree = {
        "a/SKILL.md": skill("same"),
        "b/copy/SKILL.md": skill("same"),
        "b/other/SKILL.md": skill("same", body="Another"),
    }
    report = report_of(tmp_path, tree)
    assert places(report) == [("same", "a")]
    assert report.shadowed == 2
    assert not report.has_errors
    assert {DiagnosticCode.FOLDED, DiagnosticCode.SHADOWED} <= {fault.code for fault in report.diagnostics}


@pytest.mark.parametrize(("layout", "listed"), [("flat", [("b", "b")]), ("nested", [("b", "b"), ("deep", "a/deep")])])
def test_the_layout_decides_how_deep_is_looked(tmp_path: Path, layout: str, listed: list[tuple[str, str]]) -> None:
    report = report_of(tmp_path, {"b/SKILL.md": skill("b"), "a/deep/SKILL.md": skill("deep")}, layout=layout)
    assert places(report) == listed


def test_the_profile_decides_what_a_breach_does(tmp_path: Path) -> None:
    tree = {"folder/SKILL.md": skill("another-name")}
    assert places(report_of(tmp_path, tree)) == [("another-name", "folder")]
    strict = report_of(tmp_path, tree, profile="strict")
    assert (places(strict), strict.refused, strict.has_errors) == ([], 1, True)


def test_single_files_are_skills_if_asked_for(tmp_path: Path) -> None:
    tree = {"single.md": skill("single")}
    assert places(report_of(tmp_path, tree)) == []
    assert places(report_of(tmp_path, tree, single_files=True)) == [("single", "single.md")]


def test_diagnostics_of_the_directory_come_first_and_those_of_a_skill_together(tmp_path: Path) -> None:
    tree = {
        "z/SKILL.md": "---\nname: z\ndescription: D.\nfoo: 1\nname_2: x\n---\nB\n",
        "a/SKILL.md": "---\nname: a\ndescription: D.\ndisable-model-invocation: perhaps\nfoo: 1\n---\nB\n",
    }
    said = [fault.skill for fault in report_of(tmp_path, tree).diagnostics]
    assert said == sorted(said)
    assert set(said) == {"a", "z"}


def test_more_skills_than_a_server_takes_in_are_an_error(tmp_path: Path) -> None:
    grow(tmp_path, {f"{name}/SKILL.md": skill(name) for name in "abc"})
    settings = make_settings(tmp_path, layout="flat", profile="lenient", single_files=False)
    assert not check(settings, Limits(layer_skills=3)).has_errors
    report = check(settings, Limits(layer_skills=2))
    assert report.has_errors
    assert [fault.code for fault in report.diagnostics] == [DiagnosticCode.TOO_MANY_SKILLS]


def test_a_directory_that_is_not_there_is_empty_and_said_to_be_missing(tmp_path: Path) -> None:
    settings = make_settings(tmp_path / "none", layout="flat", profile="lenient", single_files=False)
    report = check(settings, Limits())
    assert (report.listed, report.has_errors) == ((), False)
    assert [(fault.severity, fault.code) for fault in report.diagnostics] == [
        (Severity.NOTE, DiagnosticCode.SOURCE_MISSING)
    ]


def test_nothing_differs_from_a_look_that_keeps_what_it_reads(tmp_path: Path) -> None:
    tree: Tree = {
        "a/SKILL.md": skill("a"),
        "a/assets/large.bin": bytes(range(256)) * 1024,
        "a/assets/small.txt": "small",
        "b/SKILL.md": BROKEN,
        "c/skill.yaml": "name: c\ndescription: D.\n",
    }
    report = report_of(tmp_path, tree)
    settings = make_settings(tmp_path, layout="nested", profile="lenient", single_files=False)
    merged = merge([DirectorySource(settings, limits=Limits(), blobs=MemoryBlobStore()).observe()])
    assert [(listed.name, listed.digest) for listed in report.listed] == [
        (row.name, row.bundle.digest) for row in merged.rows
    ]
    assert sorted(map(repr, report.diagnostics)) == sorted(map(repr, merged.diagnostics))

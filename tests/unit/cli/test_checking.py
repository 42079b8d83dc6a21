"""`check` says of a directory what a server would make of it."""

from json import loads
from pathlib import Path

import pytest

from skillsvc.cli.checking import CheckReport, check, print_report, settle_sources
from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settling import Options
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.merge import merge
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.trees import Link, Tree, grow, skill

BROKEN = "---\nname: x\n"


def report_of(
    root: Path, tree: Tree, *, layout: str = "nested", profile: str = "lenient", single_files: bool = False
) -> CheckReport:
    grow(root, tree)
    return check(sources_of(root, layout=layout, profile=profile, single_files=single_files), Limits())


def sources_of(
    *directories: Path, layout: str = "nested", profile: str = "lenient", single_files: bool = False
) -> tuple[DirectorySettings, ...]:
    options = Options(skills_dirs=directories, layout=layout, profile=profile)
    return settle_sources(None, options, {}, single_files=single_files).sources


def places(report: CheckReport) -> list[tuple[str, str]]:
    return [(listed.name, listed.place) for listed in report.listed]


def test_a_sound_directory_has_its_skills_listed_in_the_order_of_their_names(tmp_path: Path) -> None:
    report = report_of(tmp_path, {"b/SKILL.md": skill("b"), "a/deep/SKILL.md": skill("deep"), "c.txt": "no skill"})
    assert places(report) == [("b", "b"), ("deep", "a/deep")]
    assert (report.refused, report.shadowed, report.told) == ((), (), ())
    assert not report.has_errors


def test_what_is_refused_is_counted_by_its_place(tmp_path: Path) -> None:
    tree: Tree = {"a/same/SKILL.md": BROKEN, "b/same/SKILL.md": BROKEN, "b/out": Link("/"), "ok/SKILL.md": skill("ok")}
    report = report_of(tmp_path, tree)
    assert places(report) == [("ok", "ok")]
    assert [refused.place for refused in report.refused] == ["b/out", "a/same", "b/same"]
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
    assert [(lost.name, lost.place) for lost in report.shadowed] == [("same", "b/copy"), ("same", "b/other")]
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
    assert (places(strict), len(strict.refused), strict.has_errors) == ([], 1, True)


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


def test_skills_that_are_shown_alike_are_told_at_the_place_of_one(tmp_path: Path) -> None:
    report = report_of(tmp_path, {"a/SKILL.md": skill("Chart Maker"), "chart-maker-2/SKILL.md": skill("CHART maker")})
    told = [(each.diagnostic.skill, each.place) for each in report.told if each.diagnostic.code == "display-name-clash"]
    assert told == [("chart-maker-2", "chart-maker-2")]


def test_more_skills_than_a_server_takes_in_are_an_error(tmp_path: Path) -> None:
    grow(tmp_path, {f"{name}/SKILL.md": skill(name) for name in "abc"})
    settings = sources_of(tmp_path, layout="flat")
    assert not check(settings, Limits(layer_skills=3)).has_errors
    report = check(settings, Limits(layer_skills=2))
    assert report.has_errors
    assert [fault.code for fault in report.diagnostics] == [DiagnosticCode.TOO_MANY_SKILLS]


def test_a_directory_that_is_not_there_is_empty_and_said_to_be_missing(tmp_path: Path) -> None:
    settings = sources_of(tmp_path / "none")
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
    (settings,) = sources_of(tmp_path)
    merged = merge([DirectorySource(settings, limits=Limits(), blobs=MemoryBlobStore()).observe()])
    assert [(listed.name, listed.digest) for listed in report.listed] == [
        (row.name, row.bundle.digest) for row in merged.rows
    ]
    assert sorted(map(repr, report.diagnostics)) == sorted(map(repr, merged.diagnostics))


def test_sources_are_looked_at_in_order_and_each_loss_has_its_place(tmp_path: Path) -> None:
    grow(tmp_path / "strong", {"same/SKILL.md": skill("same"), "broken/SKILL.md": BROKEN})
    grow(
        tmp_path / "weak",
        {
            "a/same/SKILL.md": skill("same", body="Another"),
            "broken/SKILL.md": skill("broken"),
            "b/same/SKILL.md": skill("same", body="A third"),
        },
    )
    report = check(sources_of(tmp_path / "strong", tmp_path / "weak"), Limits())
    # What is refused holds no name.
    assert [(one.name, one.source, one.place) for one in report.listed] == [
        ("broken", "dir-2", "broken"),
        ("same", "dir-1", "same"),
    ]
    assert [(one.source, one.place) for one in report.refused] == [("dir-1", "broken")]
    assert {(one.name, one.source, one.place) for one in report.shadowed} == {
        ("same", "dir-2", "a/same"),
        ("same", "dir-2", "b/same"),
    }
    assert {told.place: told.diagnostic.message.split()[0] for told in report.told if told.place != "broken"} == {
        "a/same": "the",
        "b/same": "another",
    }


def test_every_line_says_where(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    grow(tmp_path / "one", {"deep/folder/SKILL.md": skill("named"), "deep/broken/SKILL.md": BROKEN})
    grow(tmp_path / "two", {"named/SKILL.md": skill("named", body="Another")})
    said = lines(check(sources_of(tmp_path / "one"), Limits()), capfd)
    assert [line.split(": ")[:2] for line in said[:-1]] == [
        ["error", "deep/broken"],
        ["warning", "named (deep/folder)"],
    ]
    said = lines(check(sources_of(tmp_path / "one", tmp_path / "two"), Limits()), capfd)
    assert [line.split(": ")[:3] for line in said[:-1]] == [
        ["error", "dir-1", "deep/broken"],
        ["warning", "dir-1", "named (deep/folder)"],
        ["warning", "dir-2", "named"],
    ]


def lines(report: CheckReport, capfd: pytest.CaptureFixture[str], least: str = "note") -> list[str]:
    print_report(report, least=least, json=False)
    return capfd.readouterr().out.splitlines()


def test_what_is_less_grave_is_counted_and_not_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tree: Tree = {"a/SKILL.md": BROKEN, "b/SKILL.md": skill("another"), "c/SKILL.md": skill("c"), ".d/x": ""}
    report = report_of(tmp_path, tree)
    for least, printed in (("note", 3), ("warning", 2), ("error", 1)):
        *said, last = lines(report, capfd, least)
        assert len(said) == printed
        assert last == "2 skills listed, 1 refused, 0 shadowed: 1 error, 1 warning, 1 note"


def test_a_directory_that_is_a_skill_is_one_in_a_folder_of_its_name(tmp_path: Path) -> None:
    grow(tmp_path, {"own/SKILL.md": skill("own"), "Own/SKILL.md": skill("own"), "other/own/SKILL.md": skill("own")})
    sound = check(sources_of(tmp_path / "own", profile="strict"), Limits())
    assert (sound.sources, places(sound), sound.told) == (("own",), [("own", "")], ())
    # A name that is no label stands aside, and so does one that two have.
    assert [source.label for source in sources_of(tmp_path / "Own")] == ["dir-1"]
    twice = sources_of(tmp_path / "own", tmp_path, tmp_path / "other" / "own")
    assert [source.label for source in twice] == ["dir-1", "dir-2", "dir-3"]


def test_a_refused_skill_at_the_root_is_counted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    grow(tmp_path, {"own/SKILL.md": BROKEN})
    report = check(sources_of(tmp_path / "own"), Limits())
    assert [(refused.source, refused.place) for refused in report.refused] == [("own", "")]
    assert lines(report, capfd)[0].startswith("error: own (.): ")


def test_where_nothing_is_listed_the_deeper_layout_is_told_of(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    grow(tmp_path, {"a/deep/SKILL.md": skill("deep")})
    assert "--layout nested" in lines(check(sources_of(tmp_path, layout="flat"), Limits()), capfd)[-1]
    assert "--layout nested" not in lines(check(sources_of(tmp_path), Limits()), capfd)[-1]


def test_the_sources_of_a_file_stand_before_the_directories(tmp_path: Path) -> None:
    config = tmp_path / "skillsvc.toml"
    config.write_text('[limits]\nlayer_skills = 7\n[[source]]\nname = "house"\npath = "skills"\nlayout = "nested"\n')
    options = Options(skills_dirs=(tmp_path / "more",), layout="flat")
    found = settle_sources(config, options, {}, single_files=True)
    read = [source.reading for source in found.sources]
    assert [(each.label, each.layout.value, each.single_files) for each in read] == [
        ("house", "nested", False),
        ("dir-1", "flat", True),
    ]
    assert found.limits.layer_skills == 7
    assert found.passed_over == ()


def test_what_a_server_alone_looks_at_is_passed_over_and_told(tmp_path: Path) -> None:
    config = tmp_path / "skillsvc.toml"
    grow(tmp_path, {"skills/a/SKILL.md": skill("a"), ".agents/skills/b/SKILL.md": skill("b")})
    config.write_text(
        """
        [conventional]
        project = true
        user = true
        [[source]]
        name = "tools"
        kind = "git"
        url = "https://example.org/a"
        [[source]]
        name = "house"
        path = "skills"
        [[source]]
        name = "again"
        path = "skills"
        [[source]]
        name = "tenants"
        path = "tenants/{principal}"
        """
    )
    found = settle_sources(config, Options(), {"HOME": str(tmp_path)}, single_files=False)
    assert found.passed_over == (
        "tools is passed over: only a server looks at sources of the kind git",
        "tenants is passed over: only a server looks at the folders of a template, for who asks",
        "project-skillsvc is withheld: its workspace is not trusted",
        "project-agents is withheld: its workspace is not trusted",
        "project-claude is withheld: its workspace is not trusted",
        "again is left out: it is the same directory as house",
    )
    report = check(found.sources, found.limits, found.tables)
    assert report.sources == ("house", "user-skillsvc", "user-agents", "user-claude")
    assert places(report) == [("a", "a"), ("b", "b")]


def test_limits_and_layers_of_a_source_count(tmp_path: Path) -> None:
    config = tmp_path / "skillsvc.toml"
    for name in "abc":
        grow(tmp_path / name, {"one/SKILL.md": skill("one"), f"{name}/SKILL.md": skill(name, body="x" * 100)})
    config.write_text(
        """
        [[source]]
        name = "a"
        path = "a"
        limits = { body_bytes = 50 }
        [[source]]
        name = "b"
        path = "b"
        partition = { project = "p" }
        [[source]]
        name = "c"
        path = "c"
        """
    )
    found = settle_sources(config, Options(), {}, single_files=False)
    report = check(found.sources, found.limits, found.tables)
    assert [(skill.source, skill.place) for skill in report.refused] == [("a", "a")]
    assert [(skill.name, skill.source) for skill in report.listed] == [
        ("c", "c"),
        ("one", "a"),
        ("b", "b"),
        ("one", "b"),
    ]
    assert [(skill.name, skill.source) for skill in report.shadowed] == [("one", "c")]


def test_something_has_to_be_looked_at() -> None:
    with pytest.raises(SettingsRefused) as refused:
        settle_sources(None, Options(layout="flat"), {}, single_files=True)
    assert refused.value.faults == (
        "nothing to look at: name a DIR, or a file with --config",
        "--layout is for each DIR; a [[source]] has its own",
        "--single-files is for each DIR; a [[source]] has its own",
    )


def test_of_each_skill_that_is_not_ready_a_line_says_why(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    declared = "---\nname: {}\ndescription: Folds.\n{}\n---\nBody\n"
    grow(
        tmp_path / "skills",
        {
            "a/SKILL.md": declared.format("a", "requirements: gpu, odd"),
            "b/SKILL.md": declared.format("b", "requirements: odd"),
            "c/SKILL.md": declared.format("c", "capabilities: {network: {mode: raw_required}}"),
            "d/SKILL.md": skill("d"),
        },
    )
    config = tmp_path / "skillsvc.toml"
    config.write_text('[readiness]\nmissing = ["gpu"]\n[[source]]\nname = "s"\npath = "skills"\n')
    found = settle_sources(config, Options(), {}, single_files=False)
    report = check(found.sources, found.limits, found.tables, found.vouched)
    assert lines(report, capfd)[:-1] == [
        "a: needs setup; missing: gpu; cannot be checked: odd",
        "b: readiness unknown; cannot be checked: odd",
        "c: needs setup; blocked on: raw_network",
    ]
    assert lines(report, capfd, "warning")[:-1] == []
    print_report(report, least="note", json=True)
    told = {each["name"]: each for each in loads(capfd.readouterr().out)["listed"]}
    assert told["b"]["readiness"] == {"state": "READINESS_STATE_UNKNOWN", "unverifiable": ["odd"]}
    assert told["c"]["network"]["mode"] == "NETWORK_MODE_RAW_REQUIRED"
    assert told["d"]["readiness"] == {"state": "READINESS_STATE_READY"}
    assert "network" not in told["d"]


def test_an_inventory_that_cannot_be_used_is_told_as_a_fault_of_the_file(tmp_path: Path) -> None:
    config = tmp_path / "skillsvc.toml"
    config.write_text('[readiness]\nnetwork_inventory = "nowhere.json"\n[[source]]\nname = "s"\npath = "skills"\n')
    with pytest.raises(SettingsRefused, match="network_inventory cannot be used"):
        settle_sources(config, Options(), {}, single_files=False)

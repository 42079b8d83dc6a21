"""skill.yaml (`rules.md` 2): what it overrides, its tools, and that a malformed one refuses its skill."""

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import ToolDeclaration, ToolKind
from skillsvc.parsing.findings import Profile
from tests.unit.parsing.reading import codes, described, errors, kept, read, refused_for, strictly, warnings


def test_what_skill_yaml_sets_overrides_the_frontmatter() -> None:
    skill = kept(
        read(
            described("license: MIT\nversion: 1.0\nkeywords: [a]\nmetadata: {a: b}\nallowed-tools: Read"),
            manifest="description: Of the team.\nversion: 1.10\nkeywords: b, c\nmetadata: {c: d}\n",
        )
    )
    assert skill.description == "Of the team."
    assert skill.version == "1.10"
    assert skill.keywords == ("b", "c")
    assert skill.metadata == (("c", "d"),)
    assert skill.license == "MIT"
    assert skill.allowed_tools == ("Read",)


@pytest.mark.parametrize("empty", ["", "~", "''", "' '"])
def test_what_skill_yaml_leaves_empty_overrides_nothing(empty: str) -> None:
    keys = ["id", "name", "description", "license", "version", "keywords", "metadata", "tools"]
    manifest = "".join(f"{key}: {'' if key in {'keywords', 'metadata', 'tools'} else empty}\n" for key in keys)
    assert read(described("license: MIT"), manifest=manifest) == read(described("license: MIT"))
    assert read(described("keywords: a"), manifest="keywords: []\nmetadata: {}\n") == read(described("keywords: a"))


@pytest.mark.parametrize("manifest", ["", "# nothing\n", "---\n", "{}\n", "\ufeff"])
def test_an_empty_skill_yaml_changes_nothing(manifest: str) -> None:
    assert read(described(), manifest=manifest) == read(described())


def test_the_id_of_skill_yaml_is_the_name_and_its_name_is_how_people_write_it() -> None:
    reading = read(described(name="frontmatter-name"), manifest="id: harbor-map\nname: Harbor Map\n")
    assert kept(reading).name == "harbor-map"
    assert kept(reading).display_name == "Harbor Map"
    assert codes(reading) == []


def test_without_an_id_the_name_of_skill_yaml_is_the_name() -> None:
    assert kept(read(described(name="other"), manifest="name: harbor-map\n")).name == "harbor-map"


def test_an_id_in_the_frontmatter_names_nothing() -> None:
    assert kept(read(described("id: other"))).name == "harbor-map"


def test_an_unfit_id_gives_way_like_an_unfit_name() -> None:
    reading = read(described(), manifest="id: Harbor Map\n")
    assert kept(reading).name == "harbor-map"
    assert warnings(reading) == [DiagnosticCode.NAME_UNFIT]


def test_a_skill_of_skill_yaml_alone_has_no_body() -> None:
    manifest = "description: Draws maps.\nversion: 2\n"
    reading = read(None, manifest=manifest)
    assert kept(reading).name == "harbor-map"
    assert kept(reading).version == "2"
    assert reading.body is None
    assert kept(strictly(None, manifest=f"name: harbor-map\n{manifest}")).name == "harbor-map"
    assert refused_for(read(None, manifest="name: harbor-map\n"), DiagnosticCode.DESCRIPTION_MISSING)


@pytest.mark.parametrize(
    "manifest",
    [
        "a: [b",
        "- a",
        "text",
        "description: a: b",
        "description: *a",
        "a: &a b",
        "a: !x b",
        "a: b\n---\nc: d\n",
        "version: [1]",
        "description: {a: b}",
        "keywords: {a: b}",
        "metadata: [a]",
        "tools: {a: b}",
        "tools: read",
        "x: " + "[" * 20,
        "a: '\x01'",
        'a: "\\0"',
    ],
)
def test_a_malformed_skill_yaml_refuses_its_skill_under_both_profiles(manifest: str | bytes) -> None:
    assert refused_for(read(described(), manifest=manifest), DiagnosticCode.MANIFEST_MALFORMED)
    assert "skill.yaml" in read(described(), manifest=manifest).diagnostics[0].message


def test_a_skill_yaml_that_is_not_utf_8_is_read_as_it_can_be_or_refuses() -> None:
    manifest = b"version: caf\xe9"
    lenient = read(described(), manifest=manifest)
    assert kept(lenient).version == "caf\ufffd"
    assert warnings(lenient) == [DiagnosticCode.NOT_UTF8]
    assert lenient.diagnostics[0].message.startswith('"skill.yaml" is not UTF-8 at byte 12')
    assert refused_for(read(described(), manifest=manifest, profile=Profile.STRICT), DiagnosticCode.NOT_UTF8)


def test_a_skill_yaml_of_nul_bytes_or_more_than_64_kib_refuses_its_skill() -> None:
    assert refused_for(read(described(), manifest="a: \0"), DiagnosticCode.NUL_BYTE)
    assert read(described(), manifest="#" * 65_536).skill is not None
    assert refused_for(read(described(), manifest="#" * 65_537), DiagnosticCode.FILE_TOO_LARGE)


def test_unknown_keys_of_skill_yaml_are_left_out_with_a_note_under_both_profiles() -> None:
    for reading in (read(described(), manifest="author: us\n"), strictly(described(), manifest="author: us\n")):
        (note,) = reading.diagnostics
        assert (note.severity, note.code) == (Severity.NOTE, DiagnosticCode.FIELD_UNKNOWN)


TOOLS = """
tools:
  - {id: read, type: builtin, name: read_file}
  - id: issues
    type: MCP
    server: tracker
    name: list_issues
  - id: check
    type: Executable
    command: scripts/check.py
    args: [--strict, 1.10, yes, '']
"""


def test_tools_are_read_in_their_order_with_types_in_any_case() -> None:
    reading = read(described(), manifest=TOOLS)
    assert codes(reading) == []
    assert kept(reading).tools == (
        ToolDeclaration(id="read", kind=ToolKind.BUILTIN, name="read_file"),
        ToolDeclaration(id="issues", kind=ToolKind.MCP, server="tracker", name="list_issues"),
        ToolDeclaration(
            id="check", kind=ToolKind.EXECUTABLE, command="scripts/check.py", args=("--strict", "1.10", "yes", "")
        ),
    )
    assert strictly(described(), manifest=TOOLS).diagnostics == ()


@pytest.mark.parametrize(
    "tool",
    [
        "read",
        "[a]",
        "",
        "{type: builtin, name: a}",
        "{id: '', type: builtin, name: a}",
        "{id: ' ', type: builtin, name: a}",
        "{id: [a], type: builtin, name: a}",
        "{id: a}",
        "{id: a, type: }",
        "{id: a, type: shell}",
        "{id: a, type: [builtin]}",
        "{id: a, type: builtin, name: {b: c}}",
        "{id: a, type: mcp, server: [b]}",
        "{id: a, type: executable, command: [b]}",
        "{id: a, type: executable, command: b, args: c}",
        "{id: a, type: executable, command: b, args: {c: d}}",
        "{id: a, type: executable, command: b, args: [[c]]}",
        "{id: a, type: executable, command: b, args: [~]}",
        f"{{id: {'a' * 129}, type: builtin, name: b}}",
        f"{{id: a, type: builtin, name: {'b' * 257}}}",
        f"{{id: a, type: mcp, server: {'b' * 129}}}",
        f"{{id: a, type: executable, command: {'b' * 513}}}",
    ],
)
def test_a_malformed_tool_refuses_its_skill(tool: str) -> None:
    manifest = f"tools:\n  - {{id: ok, type: builtin, name: ok}}\n  - {tool}\n"
    reading = read(described(), manifest=manifest)
    assert refused_for(reading, DiagnosticCode.TOOL_MALFORMED)
    assert "tool 2 of skill.yaml" in reading.diagnostics[0].message


def test_two_tools_of_one_id_refuse_their_skill() -> None:
    manifest = "tools:\n  - {id: a, type: builtin, name: b}\n  - {id: a, type: mcp, server: c}\n"
    assert refused_for(read(described(), manifest=manifest), DiagnosticCode.TOOL_MALFORMED)


@pytest.mark.parametrize("tool", ["{id: a, type: builtin}", "{id: a, type: mcp, name: b}", "{id: a, type: executable}"])
def test_a_tool_without_what_it_is_found_by_is_kept_for_its_gate_to_refuse_with_a_warning(tool: str) -> None:
    reading = read(described(), manifest=f"tools: [{tool}]\n")
    assert [declared.id for declared in kept(reading).tools] == ["a"]
    assert warnings(reading) == [DiagnosticCode.TOOL_MALFORMED]


def test_unknown_keys_of_a_tool_are_left_out_with_a_note() -> None:
    reading = read(described(), manifest="tools: [{id: a, type: builtin, name: b, description: c}]\n")
    assert codes(reading) == [DiagnosticCode.FIELD_UNKNOWN]


def test_a_skill_may_have_64_tools_and_no_more() -> None:
    def manifest(count: int) -> str:
        return "tools:\n" + "".join(f"- {{id: t{number}, type: builtin, name: x}}\n" for number in range(count))

    assert len(kept(read(described(), manifest=manifest(64))).tools) == 64
    assert refused_for(read(described(), manifest=manifest(65)), DiagnosticCode.TOO_MANY_TOOLS)
    lowered = read(described(), manifest=manifest(3), limits=Limits(tools=2))
    assert refused_for(lowered, DiagnosticCode.TOO_MANY_TOOLS)


def test_faults_of_both_files_are_said_together() -> None:
    reading = read(described("disable-model-invocation: maybe"), manifest="version: [1]\n")
    assert set(errors(reading)) == {DiagnosticCode.FLAG_MALFORMED, DiagnosticCode.MANIFEST_MALFORMED}

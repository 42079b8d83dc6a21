"""Keys, shapes and flags (`rules.md` 2)."""

from collections.abc import Mapping

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.skill import Skill
from tests.unit.parsing.reading import codes, described, errors, kept, read, refused_for, strictly, warnings

DISABLE = "disable-model-invocation"
INVOCABLE = "user-invocable"
TRUE = ["true", "True", "TRUE", "yes", "YES", "on", "On", "1", "'true'", '"1"', "'yes '"]
FALSE = ["false", "False", "no", "NO", "off", "OFF", "0", "'false'", '"0"']
UNREADABLE = [
    "maybe",
    "y",
    "n",
    "t",
    "2",
    "10",
    "1.0",
    "0x1",
    "",
    "~",
    "''",
    "null",
    "[true]",
    "{a: true}",
    "true false",
    "wahr",
]


@pytest.mark.parametrize("spelling", TRUE)
def test_every_spelling_of_true_is_read(spelling: str) -> None:
    skill = kept(read(described(f"{DISABLE}: {spelling}\n{INVOCABLE}: {spelling}")))
    assert (skill.model_invocable, skill.user_invocable) == (False, True)


@pytest.mark.parametrize("spelling", FALSE)
def test_every_spelling_of_false_is_read(spelling: str) -> None:
    skill = kept(read(described(f"{DISABLE}: {spelling}\n{INVOCABLE}: {spelling}")))
    assert (skill.model_invocable, skill.user_invocable) == (True, False)


def test_without_flags_both_may_begin_a_skill() -> None:
    skill = kept(read(described()))
    assert (skill.model_invocable, skill.user_invocable) == (True, True)


@pytest.mark.parametrize("spelling", UNREADABLE)
@pytest.mark.parametrize("key", [DISABLE, INVOCABLE])
def test_a_flag_that_cannot_be_read_refuses_the_skill_wherever_it_stands(key: str, spelling: str) -> None:
    in_document = read(described(f"{key}: {spelling}"))
    in_manifest = read(described(f"{key}: true"), manifest=f"{key}: {spelling}\n")
    overridden = read(described(f"{key}: {spelling}"), manifest=f"{key}: true\n")
    for reading in (in_document, in_manifest, overridden):
        assert reading.skill is None
        assert DiagnosticCode.FLAG_MALFORMED in errors(reading)


@pytest.mark.parametrize(
    "twin",
    [
        "disableModelInvocation",
        "modelInvocable",
        "userInvocable",
        "disable_model_invocation",
        "user_invocable",
        "model-invocable",
        "User-Invocable",
        "DISABLE-MODEL-INVOCATION",
        "disable model invocation",
        "'user-invocable '",
    ],
)
def test_a_twin_of_a_flag_refuses_the_skill_whatever_it_says(twin: str) -> None:
    for said in ("true", "false", ""):
        assert refused_for(read(described(f"{twin}: {said}")), DiagnosticCode.FLAG_TWIN)
        assert refused_for(read(described(), manifest=f"{twin}: {said}\n"), DiagnosticCode.FLAG_TWIN)
    assert DiagnosticCode.FLAG_TWIN in errors(strictly(described(f"{twin}: true")))


def test_a_flag_that_cannot_be_read_is_told_with_its_place() -> None:
    assert read(described(f"{DISABLE}: maybe")).diagnostics[0].message.startswith("line 4: ")
    assert read(described(), manifest=f"\n{DISABLE}: maybe").diagnostics[0].message.startswith("skill.yaml, line 2: ")


def test_a_flag_that_stands_twice_refuses_the_skill() -> None:
    text = described(f"{DISABLE}: true\n{DISABLE}: false")
    assert refused_for(read(text), DiagnosticCode.FLAG_MALFORMED)


def test_a_key_of_a_flags_name_inside_another_value_is_no_flag() -> None:
    assert kept(read(described(f"metadata:\n  {INVOCABLE}: maybe\n  userInvocable: x"))).user_invocable


def test_a_readable_flag_of_skill_yaml_overrides_the_frontmatter() -> None:
    skill = kept(read(described(f"{DISABLE}: true"), manifest=f"{DISABLE}: off\n{INVOCABLE}: no\n"))
    assert (skill.model_invocable, skill.user_invocable) == (True, False)


def test_unknown_keys_are_left_out_with_one_note() -> None:
    reading = read(described("author: us\ntags: [a]\nallowed_tools: Read\ntools: [x]\nid: other\nzoo: 1\nyak: 2"))
    assert kept(reading).name == "harbor-map"
    assert kept(reading).allowed_tools == ()
    (note,) = reading.diagnostics
    assert (note.severity, note.code) == (Severity.NOTE, DiagnosticCode.FIELD_UNKNOWN)
    assert '"allowed_tools", "author", "id", "tags", "tools" and 2 more' in note.message


@pytest.mark.parametrize(
    "field",
    [
        "author: us",
        "version: 1",
        "keywords: [a]",
        "when_to_use: x",
        "requirements: gpu",
        "capabilities: [a]",
        f"{INVOCABLE}: true",
    ],
)
def test_strict_knows_the_six_fields_of_agentskills_io_alone(field: str) -> None:
    assert refused_for(strictly(described(field)), DiagnosticCode.FIELD_UNKNOWN)


def test_strict_takes_all_six_fields_and_ours_from_skill_yaml() -> None:
    reading = strictly(
        described("license: MIT\ncompatibility: any\nmetadata:\n  a: b\nallowed-tools: Read"),
        manifest=f"version: 1.10\nkeywords: [a]\nwhen_to_use: x\nrequirements: gpu\n{DISABLE}: true\n",
    )
    assert reading.diagnostics == ()
    assert kept(reading).version == "1.10"
    assert not kept(reading).model_invocable


@pytest.mark.parametrize(
    ("field", "empty"),
    [
        ("license: [a]", {"license": ""}),
        ("license:\n  a: b", {"license": ""}),
        ("compatibility: [a]", {"compatibility": ""}),
        ("metadata: text", {"metadata": ()}),
        ("metadata: [a]", {"metadata": ()}),
        ("allowed-tools: {a: b}", {"allowed_tools": ()}),
        ("version: [1]", {"version": ""}),
        ("keywords: {a: b}", {"keywords": ()}),
        ("when_to_use: [a]", {"when_to_use": ""}),
        ("requirements: {a: b}", {"requirements": ()}),
    ],
)
def test_a_value_of_the_wrong_shape_is_left_out_with_a_warning_or_refuses(
    field: str, empty: Mapping[str, object]
) -> None:
    lenient = read(described(field))
    skill: Skill = kept(lenient)
    assert {key: getattr(skill, key) for key in empty} == empty
    assert warnings(lenient) == [DiagnosticCode.FIELD_TYPE]
    assert lenient.diagnostics[0].message.startswith("line 4: ")
    assert DiagnosticCode.FIELD_TYPE in errors(strictly(described(field)))


def test_a_name_or_description_of_the_wrong_shape_counts_as_missing() -> None:
    reading = read("---\nname: [a]\ndescription: {b: c}\n---\nDraws maps.")
    assert kept(reading).name == "harbor-map"
    assert kept(reading).description == "Draws maps."
    assert warnings(reading) == [
        DiagnosticCode.FIELD_TYPE,
        DiagnosticCode.FIELD_TYPE,
        DiagnosticCode.NAME_MISSING,
        DiagnosticCode.DESCRIPTION_FROM_BODY,
    ]


def test_items_that_are_no_text_are_left_out_with_a_warning_or_refuse() -> None:
    text = described("allowed-tools:\n  - Read\n  - [Grep]\n  - name: Bash\n  - ")
    assert kept(read(text)).allowed_tools == ("Read",)
    assert warnings(read(text)) == [DiagnosticCode.FIELD_TYPE]
    assert refused_for(strictly(text), DiagnosticCode.FIELD_TYPE)


@pytest.mark.parametrize("key", ["when_to_use", "when-to-use", "whenToUse"])
def test_when_to_use_has_three_spellings(key: str) -> None:
    reading = read(described(f"{key}: After a storm."))
    assert kept(reading).when_to_use == "After a storm."
    assert codes(reading) == []
    overridden = read(described(f"{key}: After a storm."), manifest="whenToUse: Before it.\n")
    assert kept(overridden).when_to_use == "Before it."


def test_of_two_spellings_of_when_to_use_one_is_left_out_with_a_warning() -> None:
    reading = read(described("whenToUse: a\nwhen_to_use: b"))
    assert kept(reading).when_to_use == "b"
    assert warnings(reading) == [DiagnosticCode.FIELD_DROPPED]


def test_metadata_is_text_by_text_sorted_as_spelt() -> None:
    reading = strictly(
        described("metadata:\n  version: 1.10\n  stable: true\n  empty: ''\n  none:\n  a b: '  x '\n  1: 2\n  é: ü")
    )
    assert kept(reading).metadata == (
        ("1", "2"),
        ("a b", "  x "),
        ("empty", ""),
        ("stable", "true"),
        ("version", "1.10"),
        ("é", "ü"),
    )
    (note,) = reading.diagnostics
    assert (note.severity, note.code) == (Severity.NOTE, DiagnosticCode.FIELD_DROPPED)
    assert note.message == 'line 4: "none" in metadata is empty and is left out; give it a text, or none'


@pytest.mark.parametrize("key", ["keywords", "capabilities", "allowed-tools", "requirements"])
def test_an_empty_item_of_a_list_is_left_out_with_a_note(key: str) -> None:
    reading = read(described(f"{key}: [a, ~]"))
    assert reading.skill is not None
    assert [said.message for said in reading.diagnostics if said.severity is Severity.NOTE] == [
        f"line 4: an item of {key} is empty and is left out; give it a text, or none"
    ]


def test_a_nested_value_of_metadata_is_dropped_with_a_warning_or_refuses() -> None:
    text = described("metadata:\n  globs: ['*.py']\n  by: us\n  more: {a: b}")
    lenient = read(text)
    assert kept(lenient).metadata == (("by", "us"),)
    assert warnings(lenient) == [DiagnosticCode.METADATA_NESTED] * 2
    assert '"globs"' in lenient.diagnostics[0].message
    assert errors(strictly(text)) == [DiagnosticCode.METADATA_NESTED] * 2

"""YAML as plain text (`rules.md` 2): spellings, what is not plain, places."""

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.parsing.plain_yaml import Place, PlainMapping, YamlFault, read_mapping
from tests.unit.parsing.reading import codes, described, document, errors, kept, read, refused_for, strictly, warnings


def mapping(text: str) -> PlainMapping:
    return read_mapping(text, first_line=1, max_depth=16)


@pytest.mark.parametrize(
    "spelling",
    [
        "1.10",
        "0x10",
        "0o17",
        "1e3",
        "1_000",
        ".inf",
        "12:30:45",
        "2024-01-02",
        "yes",
        "No",
        "TRUE",
        "off",
        "nUll",
        "none",
        "=",
        "<<",
        "--- x",
        "a#b",
        "http://x.example/?a=b#c",
        "std::vector",
        "été",
    ],
)
def test_a_scalar_keeps_its_spelling(spelling: str) -> None:
    assert mapping(f"version: {spelling}\n").values == {"version": spelling}
    assert mapping(f"versions: [1, '{spelling}']\n").values == {"versions": ["1", spelling]}


@pytest.mark.parametrize("spelling", ["", "~", "null", "Null", "NULL", " # a comment"])
def test_null_and_nothing_are_unset(spelling: str) -> None:
    assert mapping(f"license: {spelling}\nmetadata:\n  a: {spelling}\n").values == {
        "license": None,
        "metadata": {"a": None},
    }


@pytest.mark.parametrize("quoted", ["''", '""', "'~'", "'null'", '"null"'])
def test_what_is_quoted_is_text(quoted: str) -> None:
    assert mapping(f"license: {quoted}\n").values == {"license": quoted[1:-1]}


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ("|\n  a\n  b", "a\nb\n"),
        ("|-\n  a\n  b", "a\nb"),
        ("|+\n  a\n", "a\n\n"),
        (">\n  a\n  b", "a b\n"),
        (">-\n  a\n  b", "a b"),
        (">2\n    a\n  b", "  a\nb\n"),
        (">+\n  a\n", "a\n\n"),
        ("a\n  b\n\n  c", "a b\nc"),
        ("'a\n\n  b'", "a\nb"),
        ('"a\\\n  b"', "ab"),
        ('"\\u2026 \\x41 \\t"', "\u2026 A \t"),
    ],
)
def test_every_way_to_write_text_is_read_as_yaml_says(block: str, text: str) -> None:
    assert mapping(f"description: {block}\nlicense: MIT\n").values == {"description": text, "license": "MIT"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("- a\n- b\n", DiagnosticCode.NOT_A_MAPPING),
        ("just text\n", DiagnosticCode.NOT_A_MAPPING),
        ("[a, b]\n", DiagnosticCode.NOT_A_MAPPING),
        ("[a: b]\n", DiagnosticCode.NOT_A_MAPPING),
        ("a: b\n--- c\n", DiagnosticCode.YAML_MALFORMED),
        ("a: b\n...\n---\nc: d\n", DiagnosticCode.YAML_MALFORMED),
        ("a: [b\n", DiagnosticCode.YAML_MALFORMED),
        ("a: {b\n", DiagnosticCode.YAML_MALFORMED),
        ("a: 'b\n", DiagnosticCode.YAML_MALFORMED),
        ('a: "\\q"\n', DiagnosticCode.YAML_MALFORMED),
        ('a: "\\ud800"\n', DiagnosticCode.YAML_MALFORMED),
        ("a: b\nc\nd: e\n", DiagnosticCode.YAML_MALFORMED),
        ("a:\n\tb: c\n", DiagnosticCode.YAML_MALFORMED),
        ("a: - b\n", DiagnosticCode.YAML_MALFORMED),
        ("a: |x\n  b\n", DiagnosticCode.YAML_MALFORMED),
        ("? [a]\n: b\n", DiagnosticCode.YAML_MALFORMED),
        ("{{a}}: b\n", DiagnosticCode.YAML_MALFORMED),
        ("a: {{b}}\n", DiagnosticCode.YAML_MALFORMED),
        ("a: [&x b]\n", DiagnosticCode.YAML_ALIAS),
        ("a: [*x]\n", DiagnosticCode.YAML_ALIAS),
        ("a: [!x b]\n", DiagnosticCode.YAML_TAG),
        ("a: [!!str b]\n", DiagnosticCode.YAML_TAG),
        ("!!map\na: b\n", DiagnosticCode.YAML_TAG),
        ("&x\na: b\n", DiagnosticCode.YAML_ALIAS),
        ("{*x : b}\n", DiagnosticCode.YAML_MALFORMED),
        ('a: "\\0"\n', DiagnosticCode.NUL_BYTE),
    ],
)
def test_what_is_no_plain_mapping_refuses_under_both_profiles(text: str, code: DiagnosticCode) -> None:
    with pytest.raises(YamlFault) as caught:
        mapping(text)
    assert caught.value.code is code
    fenced = f"---\n{text}---\nBody"
    if "\n---\n" not in text:  # which closes the frontmatter of a SKILL.md
        assert refused_for(strictly(fenced), code)
        assert refused_for(read(fenced), code)


def test_values_are_nested_sixteen_deep_and_no_deeper() -> None:
    def nested(depth: int) -> str:
        return described(f"x: {'[' * depth}{']' * depth}")

    assert read(nested(15)).skill is not None
    assert refused_for(read(nested(16)), DiagnosticCode.YAML_TOO_DEEP)
    assert read(nested(5000)).skill is None
    blocks = "\n".join("  " * depth + "a:" for depth in range(17))
    assert refused_for(read(document(blocks)), DiagnosticCode.YAML_TOO_DEEP)


@pytest.mark.parametrize(
    "bomb",
    [
        "a: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]",
        "a: &a b\nc: *a",
        "&a a: *a",
        "a: &a\n  b: *a",
    ],
)
def test_nodes_that_are_used_again_refuse_under_both_profiles(bomb: str) -> None:
    assert refused_for(read(described(bomb)), DiagnosticCode.YAML_ALIAS)
    assert refused_for(strictly(described(bomb)), DiagnosticCode.YAML_ALIAS)


@pytest.mark.parametrize(
    "flood",
    [
        "x: " + "[" * 60_000,
        "x: " + "{a: " * 15_000,
        "? " * 30_000,
        "- " * 30_000,
        "x: '" + "a\n" * 30_000,
        "&a " * 20_000,
    ],
    ids=["lists", "mappings", "keys", "items", "quote", "anchors"],
)
def test_a_flood_of_yaml_is_refused(flood: str) -> None:
    assert read(described(flood)).skill is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("name: a\ndescription: b: c\n", "line 3, column 15"),
        ("name: a\nlicense: [x\n", "line 3, column 10"),
        ("name: a\n\n\nlicense: 'x\nmore\n", "line 5, column 10"),
        ("name: a\nlicense: \x01\n", "line 3, column 10"),
        ("name: é: a\n", "line 2, column 8"),
        ("name: a\nx:\n  y: [&z b]\n", "line 4, column 7"),
        ("- a\n", "line 2, column 1"),
    ],
)
def test_a_fault_names_line_and_column_of_skill_md_and_shows_no_content(text: str, place: str) -> None:
    (diagnostic,) = strictly(f"---\n{text}---\n").diagnostics
    assert diagnostic.message.startswith(f"{place}: ")
    assert "b: c" not in diagnostic.message


def test_places_count_from_the_first_line_of_the_file() -> None:
    with pytest.raises(YamlFault) as caught:
        read_mapping("a: b\nc: [d", first_line=5, max_depth=16)
    assert caught.value.place == Place(line=6, column=4)


@pytest.mark.parametrize("separator", ["\x85", "\u2028", "\u2029"])
def test_no_separator_but_a_newline_begins_a_line_of_yaml(separator: str) -> None:
    skill = kept(strictly(document(f"name: harbor-map\ndescription: Draws maps.{separator}{separator}Of harbors.")))
    assert skill.description == "Draws maps. Of harbors."


@pytest.mark.parametrize("character", ["\x01", "\x0b", "\x1b", "\x7f", "\x80", "\x9f", "\uffff"])
def test_a_control_character_in_frontmatter_is_a_space_with_a_warning_or_a_refusal(character: str) -> None:
    text = document(f"name: harbor-map\ndescription: Draws{character}maps.")
    lenient = read(text)
    assert kept(lenient).description == "Draws maps."
    assert warnings(lenient) == [DiagnosticCode.CONTROL_CHARACTER]
    assert refused_for(strictly(text), DiagnosticCode.CONTROL_CHARACTER)


def test_the_last_of_two_equal_keys_counts_with_a_warning_or_the_skill_is_refused() -> None:
    text = described("license: MIT\nlicense: Apache-2.0\nmetadata:\n  a: 1\n  a: 2")
    lenient = read(text)
    assert kept(lenient).license == "Apache-2.0"
    assert kept(lenient).metadata == (("a", "2"),)
    assert warnings(lenient) == [DiagnosticCode.YAML_DUPLICATE_KEY] * 2
    assert "line 5, column 1" in lenient.diagnostics[0].message
    assert errors(strictly(text)) == [DiagnosticCode.YAML_DUPLICATE_KEY] * 2


def test_frontmatter_may_have_64_kib_and_no_byte_more() -> None:
    fixed = len("name: harbor-map\ndescription: Draws maps of harbors.\n# \n")
    fits = described("# " + "é" * ((64 * 1024 - fixed) // 2) + "x" * ((64 * 1024 - fixed) % 2))
    assert codes(read(fits)) == []
    assert refused_for(read(fits.replace("# é", "# éx", 1)), DiagnosticCode.FRONTMATTER_TOO_LARGE)
    assert refused_for(strictly(fits.replace("# é", "# éx", 1)), DiagnosticCode.FRONTMATTER_TOO_LARGE)

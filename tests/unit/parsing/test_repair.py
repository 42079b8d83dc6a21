"""The lenient repair (`rules.md` 2): values that people read as text and YAML does not."""

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.parsing.repair import repair
from tests.unit.parsing.reading import described, document, kept, read, refused_for, strictly, warnings


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Reads levels: high water, low water.", "Reads levels: high water, low water."),
        ("Use when: a: b: c", "Use when: a: b: c"),
        ("Use when:", "Use when:"),
        ("tab:\tafter", "tab: after"),
        ("it's: 'quoted' and \"so\"", "it's: 'quoted' and \"so\""),
        ("a \\ b: c", "a \\ b: c"),
        ("a: b # not a comment", "a: b # not a comment"),
        ("@scope/package helps", "@scope/package helps"),
        ("%d maps", "%d maps"),
        ("*Important* maps", "*Important* maps"),
        ("*important", "*important"),
        ("& more maps", "& more maps"),
        ("&anchor maps", "&anchor maps"),
        ("!important maps", "!important maps"),
        ("!!python/object/apply:os.system [ls]", "!!python/object/apply:os.system [ls]"),
        ("`code` first", "`code` first"),
        ("Use when\n  asked: for maps", "Use when asked: for maps"),
        ("Use when:\n  asked for maps\n\n  or charts", "Use when: asked for maps or charts"),
        ("Use when:\n  - asked", "Use when: - asked"),
        ("*Use* when\n    asked", "*Use* when asked"),
        ("Fähre: “slow” → 渡船", "Fähre: “slow” → 渡船"),
    ],
)
def test_a_misread_value_is_the_literal_text_to_the_end_of_its_lines(value: str, text: str) -> None:
    source = document(f"name: harbor-map\ndescription: {value}\nlicense: MIT")
    lenient = read(source)
    assert kept(lenient).description == text
    assert kept(lenient).license == "MIT"
    assert warnings(lenient) == [DiagnosticCode.YAML_REPAIRED]
    assert "line 3" in lenient.diagnostics[0].message
    assert "quotes" in lenient.diagnostics[0].message
    assert strictly(source).skill is None


@pytest.mark.parametrize(
    "value",
    [
        "Draws maps # note: of harbors",
        "Draws maps\n  # note: of harbors\n",
        "'Draws maps: of harbors'",
        '"Draws maps: of harbors"',
        "|\n  Draws maps: of harbors\n  name: not this: one",
        ">-\n  Draws: maps: x\n\n  *of* harbors",
        '"Draws\n  maps: of harbors"',
        "http://maps.example/",
        "12:30 maps",
        "maps (*all* & %)",
    ],
)
def test_a_sound_value_is_never_touched(value: str) -> None:
    sound = f"name: harbor-map\ndescription: {value}"
    assert repair(sound).text == sound
    assert strictly(document(sound)).skill is not None


@pytest.mark.parametrize(
    "neighbour",
    [
        "license: 'MIT: or so'",
        "license: |\n  a: b: c\n  *x*",
        'license: "x\n  y: z: w"',
        "metadata:\n  a: b\n  c: 'd: e'",
        "metadata: {a: b, c: d}",
        "metadata:\n  - a: b\n    c: d",
        "# a comment: with: colons",
        "keywords: [a, b]",
        "license: MIT # or: so",
    ],
)
def test_sound_values_beside_a_repaired_one_stay_as_they_are(neighbour: str) -> None:
    repaired = repair(f"description: a: b\n{neighbour}\nx: *y*")
    assert repaired.text == f"description: 'a: b'\n{neighbour}\nx: '*y*'"
    assert repaired.lines == (0, 1 + len(neighbour.split("\n")))


def test_nested_values_and_items_are_repaired_too() -> None:
    reading = read(
        described(
            "metadata:\n  note: see: this\n  by: '@us'\n"
            "keywords:\n  - *all*\n  - `code`\n  - plain\n  - '@ok'\n"
            "x:\n- name: a: b\n  value: c\n- - @d"
        )
    )
    assert kept(reading).metadata == (("by", "@us"), ("note", "see: this"))
    assert kept(reading).keywords == ("*all*", "`code`", "plain", "@ok")
    assert warnings(reading) == [DiagnosticCode.YAML_REPAIRED] * 5


def test_a_word_after_an_asterisk_is_no_alias_however_often_it_stands() -> None:
    reading = read(described("license: *none\nversion: *none\ncompatibility: *none"))
    assert kept(reading).license == kept(reading).version == kept(reading).compatibility == "*none"


def test_a_repair_keeps_the_number_of_lines_so_that_later_faults_keep_their_places() -> None:
    reading = read(document("name: harbor-map\ndescription: Draws: maps\n  of harbors\n\nlicense: [x"))
    assert refused_for(reading, DiagnosticCode.YAML_MALFORMED)
    assert "line 6, column 10" in reading.diagnostics[0].message


@pytest.mark.parametrize(
    "frontmatter",
    [
        "name: [a\ndescription: b: c",
        "description: - a",
        "description: |x\n  a",
        "a: b\nc",
        "{{name}}: b",
        "a: {{name}}",
    ],
)
def test_what_repair_does_not_mend_is_refused(frontmatter: str) -> None:
    assert refused_for(read(document(frontmatter)), DiagnosticCode.YAML_MALFORMED)


def test_repair_is_tried_only_after_a_strict_parse_has_failed() -> None:
    sound = 'name: harbor-map\ndescription: "Draws\nmaps: of: harbors"'
    assert repair(sound).lines == (2,), "which is a line of a key to a reader of lines alone"
    assert read(document(sound)).diagnostics == ()
    assert kept(read(document(sound))).description == "Draws maps: of: harbors"


def test_under_the_strict_profile_the_refusal_says_which_value_to_quote() -> None:
    reading = strictly(document("name: harbor-map\ndescription: Draws: maps"))
    assert refused_for(reading, DiagnosticCode.YAML_MALFORMED)
    assert "put the value on line 3 in quotes" in reading.diagnostics[0].message


def test_a_value_of_many_colons_and_dashes_is_repaired_at_once() -> None:
    assert repair("a: " + ": " * 30_000).lines == (0,)
    assert repair("- " * 30_000 + "x").lines == ()
    assert repair(" " * 60_000 + "x").lines == ()
    assert repair("a:" * 30_000).lines == ()

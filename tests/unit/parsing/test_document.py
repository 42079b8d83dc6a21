"""Fences and bodies (`rules.md` 2)."""

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.parsing.document import body_of, decode, split
from tests.unit.parsing.reading import errors, kept, read, refused_for, strictly, warnings

FRONTMATTER = "name: harbor-map\ndescription: Draws maps.\n"
FENCED = f"---\n{FRONTMATTER}---\n"


@pytest.mark.parametrize(
    ("after", "body"),
    [
        ("Body\n", "Body"),
        ("Body", "Body"),
        ("", ""),
        ("\n\n", ""),
        (" \t\n \n", ""),
        ("\n\n\nBody\n\n\n", "Body"),
        ("\n \n\t\nBody", "Body"),
        ("    code, indented\n", "    code, indented"),
        ("\n\n    code, indented\n", "    code, indented"),
        ("\tBody \t\n \n", "\tBody"),
        ("a\n---\nb\n---\nc", "a\n---\nb\n---\nc"),
        ("---\nb", "---\nb"),
        ("a\n\n\n\nb", "a\n\n\n\nb"),
        ("Body\u00a0\n", "Body\u00a0"),
        ("\u3000Body", "\u3000Body"),
        ("\x0b\nBody\x0c", "\x0b\nBody\x0c"),
        ("a\r\nb\r\n", "a\nb"),
        ("a\rb\r", "a\nb"),
        ("a\r\r\nb\n\rc", "a\n\nb\n\nc"),
        ("\r\n\r\nBody", "Body"),
        ("a\u2028b\x85c", "a\u2028b\x85c"),
        ("\ufeffBody", "\ufeffBody"),
    ],
)
def test_the_body_is_all_after_the_fence_without_blank_lines_before_and_white_space_after(
    after: str, body: str
) -> None:
    assert read(FENCED + after).body == body
    assert body_of((FENCED + after).encode()) == body


@pytest.mark.parametrize(
    "text",
    [
        FENCED + "Body",
        "\ufeff" + FENCED + "Body",
        FENCED.replace("\n", "\r\n") + "Body",
        FENCED.replace("\n", "\r") + "Body",
        f"---\r\n{FRONTMATTER}---\nBody",
        f"---\n# a comment\n{FRONTMATTER}---\nBody",
    ],
    ids=["plain", "BOM", "CRLF", "CR", "mixed", "comment"],
)
def test_both_profiles_take_a_bom_any_line_end_and_comments(text: str) -> None:
    for reading in (read(text), strictly(text)):
        assert kept(reading).description == "Draws maps."
        assert reading.body == "Body"
        assert reading.diagnostics == ()


def test_a_closing_fence_may_be_the_last_line_without_a_newline() -> None:
    reading = strictly(f"---\n{FRONTMATTER}---")
    assert kept(reading).name == "harbor-map"
    assert reading.body == ""


@pytest.mark.parametrize(
    "text",
    [
        "\n" + FENCED,
        " \n\t\n\n" + FENCED,
        f"--- \n{FRONTMATTER}---\n",
        f"---\t\n{FRONTMATTER}---\n",
        f"---\n{FRONTMATTER}--- \t\n",
        f"---\n{FRONTMATTER}---\t",
    ],
)
def test_a_fence_that_is_not_exact_is_a_warning_or_a_refusal(text: str) -> None:
    lenient = read(text + "Body" if text.endswith("\n") else text)
    assert warnings(lenient) == [DiagnosticCode.FRONTMATTER_FENCE]
    assert kept(lenient).description == "Draws maps."
    assert refused_for(strictly(text), DiagnosticCode.FRONTMATTER_FENCE)


@pytest.mark.parametrize("line", ["----", "---a", "--- a", " ---", "-- -", "- --", "...", "--"])
def test_only_a_line_of_three_hyphens_closes_the_frontmatter(line: str) -> None:
    parts = split(f"---\n{line}\n---\nBody")
    assert parts.frontmatter == f"{line}\n"
    assert parts.body == "Body"


@pytest.mark.parametrize(
    "text", ["", "Body", " ---\nname: x\n---\n", "--\nname: x\n--\n", "text\n---\nname: x\n---\n", "----\n", "\n\n"]
)
def test_a_text_that_does_not_begin_with_a_fence_has_no_frontmatter(text: str) -> None:
    parts = split(text)
    assert parts.frontmatter is None
    assert parts.body == text.strip("\n")


@pytest.mark.parametrize(
    "text", ["---", "---\n", "---\nname: x", "---\nname: x\n----\nBody", "\n---\nname: x\n ---\n", "--- \nname: x\n"]
)
def test_frontmatter_that_is_never_closed_refuses_under_both_profiles(text: str) -> None:
    for reading in (read(text), strictly(text)):
        assert reading.skill is None
        assert DiagnosticCode.FRONTMATTER_UNCLOSED in errors(reading)
    assert body_of(text.encode()) is None


def test_a_refusal_for_want_of_a_closing_fence_names_the_line_of_the_opening_one() -> None:
    (diagnostic,) = read("\n\n---\nname: x\n").diagnostics
    assert "line 3" in diagnostic.message


def test_a_file_without_frontmatter_is_a_skill_of_its_folders_name_or_refused() -> None:
    text = "# Harbor maps\n\nDraws maps.\n"
    reading = read(text)
    assert warnings(reading)[0] is DiagnosticCode.FRONTMATTER_MISSING
    assert kept(reading).name == "harbor-map"
    assert kept(reading).description == "Draws maps."
    assert reading.body == "# Harbor maps\n\nDraws maps."
    assert DiagnosticCode.FRONTMATTER_MISSING in errors(strictly(text))


def test_a_single_file_without_frontmatter_is_no_skill() -> None:
    assert refused_for(read("# Notes\n\nOf a folder.", file_name="README.md"), DiagnosticCode.FRONTMATTER_MISSING)
    assert read("# Notes\n\nOf a folder.", file_name="skill.md").skill is not None


def test_a_single_file_with_frontmatter_is_a_skill_named_by_its_stem() -> None:
    reading = read(FENCED, file_name="harbor-map.md")
    assert kept(reading).name == "harbor-map"
    assert reading.diagnostics == ()


@pytest.mark.parametrize("target", ["../../../engineering/status/SKILL.md", "../README.md\n", "agents/persona.md"])
def test_a_link_that_was_checked_out_as_text_is_no_skill(target: str) -> None:
    for reading in (read(target), strictly(target), read(target, file_name="status.md")):
        assert refused_for(reading, DiagnosticCode.LINK_AS_TEXT)


@pytest.mark.parametrize("text", ["See ../README.md", "../README.md\n../LICENSE.md", "README.md", "docs/a b.md", "a/b"])
def test_a_text_that_is_more_than_a_path_is_a_body(text: str) -> None:
    assert kept(read(text)).description


def test_empty_frontmatter_declares_nothing() -> None:
    reading = read("---\n---\nDraws maps.")
    assert kept(reading).name == "harbor-map"
    assert kept(reading).description == "Draws maps."
    assert errors(strictly("---\n---\nDraws maps.")) == [
        DiagnosticCode.NAME_MISSING,
        DiagnosticCode.DESCRIPTION_MISSING,
    ]


def test_an_empty_body_is_a_body() -> None:
    assert read(FENCED).body == ""
    assert strictly(FENCED).body == ""


def test_one_bom_is_dropped_and_a_second_is_text() -> None:
    assert decode(b"\xef\xbb\xbf\xef\xbb\xbfx") == "\ufeffx"


def test_bytes_that_are_not_utf8_are_replaced_and_warned_of_or_refused() -> None:
    data = FENCED.encode() + b"caf\xe9 and \xff"
    lenient = read(data)
    assert warnings(lenient) == [DiagnosticCode.NOT_UTF8]
    assert lenient.body == "caf\ufffd and \ufffd"
    assert f"byte {data.index(0xE9)}" in lenient.diagnostics[0].message
    assert refused_for(strictly(data), DiagnosticCode.NOT_UTF8)


def test_a_replacement_character_of_the_author_is_no_fault() -> None:
    assert strictly(FENCED + "\ufffd").diagnostics == ()


@pytest.mark.parametrize("data", [FENCED.encode() + b"a\0b", FENCED.encode("utf-16"), b"\0"])
def test_a_nul_byte_refuses_under_both_profiles(data: bytes) -> None:
    assert refused_for(read(data), DiagnosticCode.NUL_BYTE)
    assert refused_for(strictly(data), DiagnosticCode.NUL_BYTE)

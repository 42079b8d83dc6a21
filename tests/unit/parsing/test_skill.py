"""Whole skills (`rules.md` 2 and 3): descriptions, caps, limits, what a reading holds."""

from collections.abc import Callable

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Skill
from tests.unit.parsing.reading import (
    codes,
    described,
    document,
    errors,
    kept,
    read,
    refused_for,
    strictly,
    warnings,
)


def describing(description: str) -> str:
    return document(f"name: harbor-map\ndescription: {description}")


@pytest.mark.parametrize(
    ("spelt", "description"),
    [
        ("Draws maps.", "Draws maps."),
        ("'  Draws   maps.  '", "Draws maps."),
        ("|\n  Draws\n\n  maps.\n", "Draws maps."),
        ('"Draws\\tmaps.\\r\\n"', "Draws maps."),
        ('"Draws \\u2028\\u0085 \\e maps."', "Draws maps."),
        ('"Draws\\u00a0 \\u3000maps."', "Draws\u00a0 \u3000maps."),
        ("</description> & <b>", "</description> & <b>"),
        ("渡船", "渡船"),
        ("0", "0"),
        ("no", "no"),
    ],
)
def test_a_description_is_one_line_and_otherwise_as_written(spelt: str, description: str) -> None:
    reading = strictly(describing(spelt))
    assert kept(reading).description == description
    assert kept(reading).description_bytes == len(description.encode())
    assert not kept(reading).description_truncated


@pytest.mark.parametrize(
    ("body", "paragraph"),
    [
        ("Draws maps.", "Draws maps."),
        ("# Harbor\n\nDraws\nmaps.\n\nMore.", "Draws maps."),
        ("# Harbor\nDraws maps.\n## More", "Draws maps."),
        ("Harbor\n======\nDraws maps.", "Draws maps."),
        ("Harbor\n------\n", "Harbor"),
        ("---\n\n***\n\nDraws maps.", "Draws maps."),
        ("```\ncode\n\nmore\n```\nDraws maps.", "Draws maps."),
        ("~~~ yaml\ncode\n~~~\n\nDraws maps.", "Draws maps."),
        ("<!-- a\n\ncomment -->\nDraws maps.", "Draws maps."),
        ("<!-- a comment -->\nDraws maps.", "Draws maps."),
        ("- Draws\n- maps.", "- Draws - maps."),
        ("\n\n  Draws \t maps.  \n", "Draws maps."),
        ("# Harbor\n\n## Map", "Harbor"),
        ("```\ncode\n", None),
        ("#\n\n---", None),
        ("", None),
        (" \n\t", None),
    ],
)
def test_without_a_description_the_first_paragraph_is_taken_or_the_skill_refused(
    body: str, paragraph: str | None
) -> None:
    text = document("name: harbor-map", body)
    if paragraph is None:
        assert refused_for(read(text), DiagnosticCode.DESCRIPTION_MISSING)
    else:
        assert kept(read(text)).description == paragraph
        assert warnings(read(text)) == [DiagnosticCode.DESCRIPTION_FROM_BODY]
    assert refused_for(strictly(text), DiagnosticCode.DESCRIPTION_MISSING)


@pytest.mark.parametrize("blank", ["", "''", "' '", '"\\n\\t\\u2028"', "~", "|\n\n"])
def test_a_blank_description_is_a_missing_one(blank: str) -> None:
    assert warnings(read(describing(blank))) == [DiagnosticCode.DESCRIPTION_FROM_BODY]
    assert refused_for(strictly(describing(blank)), DiagnosticCode.DESCRIPTION_MISSING)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("x" * 800, "x" * 800),
        ("x" * 801, "x" * 797 + "…"),
        ("x" * 796 + "éé" + "x", "x" * 796 + "…"),
        ("x" * 795 + "éé" + "xx", "x" * 795 + "é…"),
        ("港" * 266 + "xx", "港" * 266 + "xx"),
        ("港" * 267, "港" * 265 + "…"),
        ("🚢" * 200, "🚢" * 200),
        ("🚢" * 201, "🚢" * 199 + "…"),
    ],
)
def test_a_long_description_is_cut_on_a_rune_boundary_the_ellipsis_counted(text: str, cut: str) -> None:
    for reading in (read(describing(text)), strictly(describing(text))):
        skill = kept(reading)
        assert skill.description == cut
        assert len(cut.encode()) <= 800
        assert skill.description_bytes == len(text.encode())
        assert skill.description_truncated == (text != cut)
        assert warnings(reading) == [DiagnosticCode.DESCRIPTION_CUT] * (text != cut)
    if text != cut:
        assert f"has {len(text.encode())} bytes and is cut to 800" in reading.diagnostics[0].message


def test_white_space_is_made_one_line_before_a_description_is_measured() -> None:
    assert codes(read(describing("'" + "x " + " " * 900 + "y'"))) == []


def test_a_lowered_limit_cuts_earlier() -> None:
    reading = read(describing("Draws maps of harbors."), limits=Limits(description_bytes=10))
    assert kept(reading).description == "Draws m…"
    assert kept(reading).description_bytes == 22


def test_strict_counts_the_characters_that_agentskills_io_allows() -> None:
    assert codes(strictly(describing("x" * 1024))) == [DiagnosticCode.DESCRIPTION_CUT]
    assert DiagnosticCode.FIELD_TOO_LONG in errors(strictly(describing("x" * 1025)))
    assert read(describing("x" * 1025)).skill is not None
    assert codes(strictly(described(f"compatibility: {'é' * 500}"))) == []
    assert refused_for(strictly(described(f"compatibility: {'x' * 501}")), DiagnosticCode.FIELD_TOO_LONG)


@pytest.mark.parametrize(
    ("key", "cap"), [("license", 1024), ("compatibility", 1024), ("when_to_use", 1024), ("version", 256)]
)
def test_a_long_line_is_cut_at_its_cap_with_a_warning(key: str, cap: int) -> None:
    assert codes(read(described(f"{key}: {'x' * cap}"))) == []
    reading = read(described(f"{key}: {'x' * (cap + 1)}"))
    assert getattr(kept(reading), key) == "x" * (cap - 3) + "…"
    assert warnings(reading) == [DiagnosticCode.FIELD_CUT]
    assert f"{key} has {cap + 1} bytes and is cut to {cap}" in reading.diagnostics[0].message


def metadata(pairs: int = 1, key: str = "k", value: str = "v") -> str:
    return "metadata:\n" + "".join(f"  {key}{number}: {value}\n" for number in range(pairs))


@pytest.mark.parametrize(
    ("fits", "exceeds"),
    [
        (metadata(pairs=32), metadata(pairs=33)),
        (metadata(value="é" * 2048), metadata(value="é" * 2048 + "x")),
        (metadata(key="k" * 255), metadata(key="k" * 256)),
    ],
    ids=["entries", "value", "key"],
)
def test_metadata_over_a_cap_is_dropped_whole_with_a_warning(fits: str, exceeds: str) -> None:
    assert codes(read(described(fits))) == []
    assert kept(read(described(fits))).metadata
    assert kept(read(described(exceeds))).metadata == ()
    assert warnings(read(described(exceeds))) == [DiagnosticCode.FIELD_DROPPED]
    assert kept(strictly(described(exceeds))).metadata == ()


def tools(skill: Skill) -> tuple[str, ...]:
    return skill.allowed_tools


def keywords(skill: Skill) -> tuple[str, ...]:
    return skill.keywords


def capabilities(skill: Skill) -> tuple[str, ...]:
    return skill.capabilities


@pytest.mark.parametrize(
    ("key", "field"), [("allowed-tools", tools), ("keywords", keywords), ("capabilities", capabilities)]
)
def test_of_a_long_list_the_first_64_are_kept_and_a_long_item_is_cut(
    key: str, field: Callable[[Skill], tuple[str, ...]]
) -> None:
    items = [f"t{number}" for number in range(65)]
    assert codes(read(described(f"{key}: [{', '.join(items[:64])}]"))) == []
    reading = read(described(f"{key}: [{', '.join(items)}]"))
    assert field(kept(reading)) == tuple(items[:64])
    assert warnings(reading) == [DiagnosticCode.ITEMS_DROPPED]
    long = read(described(f"{key}: [{'x' * 64}, {'y' * 65}]"))
    assert field(kept(long)) == ("x" * 64, "y" * 61 + "…")
    assert warnings(long) == [DiagnosticCode.FIELD_CUT]


def test_a_body_of_one_mib_is_served_whole_and_a_larger_one_refused() -> None:
    fits = "é" * (512 * 1024)
    assert read(described()[: -len("Body\n")] + fits).body == fits
    too_large = read(described()[: -len("Body\n")] + "x" + fits)
    assert refused_for(too_large, DiagnosticCode.BODY_TOO_LARGE)
    assert "1048577 bytes; at most 1048576" in too_large.diagnostics[0].message


def test_a_body_is_measured_as_it_is_served() -> None:
    limits = Limits(body_bytes=4)
    assert read(described()[:-1] + "\n" * 100, limits=limits).body == "Body"
    invalid = described().encode().replace(b"Body", b"\xff\xff")
    # Each of the two becomes U+FFFD, which has three bytes.
    assert refused_for(read(invalid, limits=limits), DiagnosticCode.BODY_TOO_LARGE)


def test_a_file_larger_than_body_and_frontmatter_is_refused_before_it_is_read() -> None:
    limits = Limits()
    assert limits.document_bytes == 1024 * 1024 + 64 * 1024
    reading = read(b"\0" * (limits.document_bytes + 1))
    assert refused_for(reading, DiagnosticCode.FILE_TOO_LARGE)
    assert refused_for(read(b"\0" * limits.document_bytes), DiagnosticCode.NUL_BYTE)


def test_a_reading_names_the_skill_or_the_folder_and_no_source() -> None:
    kept_reading = read(described("license: [a]", name="sea-map"), folder="map")
    assert {diagnostic.skill for diagnostic in kept_reading.diagnostics} == {"sea-map"}
    refused = read("---\n", folder="map")
    assert [diagnostic.skill for diagnostic in refused.diagnostics] == ["map"]
    assert {diagnostic.source for diagnostic in (*kept_reading.diagnostics, *refused.diagnostics)} == {""}


def test_a_skill_of_no_file_at_all_is_refused() -> None:
    assert refused_for(read(None), DiagnosticCode.DESCRIPTION_MISSING)


def test_strict_says_all_breaches_at_once() -> None:
    reading = strictly("\n---\nname: Harbor\ndescription: x\nauthor: us\nlicense: [a]\n---\n")
    assert errors(reading) == [
        DiagnosticCode.FRONTMATTER_FENCE,
        DiagnosticCode.FIELD_TYPE,
        DiagnosticCode.FIELD_UNKNOWN,
        DiagnosticCode.NAME_UNFIT,
    ]


def test_what_lenient_warns_of_strict_refuses_and_a_sound_skill_is_read_alike() -> None:
    text = described("license: MIT\ncompatibility: any\nmetadata: {a: b}\nallowed-tools: Read")
    assert read(text) == strictly(text)
    assert all(it.severity is not Severity.ERROR for it in read(text).diagnostics)


def test_messages_have_at_most_512_bytes_whatever_they_name() -> None:
    long = "é" * 300
    reading = read(
        described("".join(f"'{long}{number}': x\n" for number in range(9)) + f"metadata: {{'{long}': [x]}}"),
        folder=long,
        file_name=f"{long}.md",
        manifest=f"tools: [{{id: x, type: builtin, name: y, '{long}': z, '{long}2': z}}]",
    )
    assert len(reading.diagnostics) > 3
    assert all(len(diagnostic.message.encode()) <= 512 for diagnostic in reading.diagnostics)

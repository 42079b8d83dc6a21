"""Reading of skills from any bytes (`rules.md` 2 and 3): nothing raises, all caps hold, bodies can be had again."""

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from skillsvc.domain import caps
from skillsvc.domain.diagnostics import Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Skill
from skillsvc.parsing.collection import read_collection
from skillsvc.parsing.document import body_of
from skillsvc.parsing.findings import Profile
from skillsvc.parsing.names import make_name
from skillsvc.parsing.repair import repair
from skillsvc.parsing.skill import Reading, read_skill

LIMITS = Limits()
SMALL = Limits(description_bytes=5, body_bytes=16, frontmatter_bytes=64, yaml_depth=3, tools=1)
FIT = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
KEYS = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "when_to_use",
    "whenToUse",
    "version",
    "keywords",
    "capabilities",
    "requirements",
    "disable-model-invocation",
    "user-invocable",
    "userInvocable",
    "id",
    "tools",
    "other",
]
# What means something to YAML, to the fences or to a rule, mixed with any text.
PIECES = st.sampled_from(
    ["---", "--- ", "...", "\n", "\r\n", "\r", "\t", "  ", ": ", ":", "- ", "? ", "#", " # ", "'", '"', "|\n", ">-\n"]
    + [
        "[",
        "]",
        "{",
        "}",
        ",",
        "&a ",
        "*a",
        "!t ",
        "!!",
        "%",
        "@",
        "`",
        "\\",
        "\\0",
        "(",
        ")",
        "\0",
        "\ufeff",
        "\u2028",
    ]
    + ["\x85", "\x01", "é", "潮", "🚢", "null", "~", "true", "mode", "network", "domains", "none", "http://", "type"]
    + [f"{key}: " for key in KEYS]
)
MESSES = st.lists(PIECES | st.text(max_size=8), max_size=30).map("".join)
VALUES = MESSES | st.sampled_from(
    ["[a, b]", "{a: b}", "{a: [b]}", "yes", "x" * 900, "é" * 5000, "[" + "a, " * 70 + "]"]
)
MAPPINGS = st.lists(st.tuples(st.sampled_from(KEYS), VALUES), max_size=8).map(
    lambda pairs: "".join(f"{key}: {value}\n" for key, value in pairs)
)
DOCUMENTS = (
    st.binary(max_size=200)
    | MESSES.map(str.encode)
    | st.builds(lambda fields, body: f"---\n{fields}---\n{body}".encode(), MAPPINGS | MESSES, MESSES)
    | st.builds(lambda fields, junk: b"---\n" + fields.encode() + b"---\n" + junk, MAPPINGS, st.binary(max_size=50))
)
MANIFESTS = st.none() | st.binary(max_size=100) | (MAPPINGS | MESSES).map(str.encode)
FOLDERS = st.sampled_from(["harbor-map", "Harbor Map", ""]) | st.text(st.characters(), max_size=300)
SURROGATES = st.text(st.characters(categories=["Cs", "L"]), max_size=10)


def both(document: bytes | None, manifest: bytes | None, folder: str, limits: Limits = LIMITS) -> list[Reading]:
    return [
        read_skill(document=document, manifest=manifest, folder=folder, profile=profile, limits=limits)
        for profile in Profile
    ]


def is_line(text: str, most: int) -> bool:
    return len(text.encode()) <= most and not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029]", text)


def are_lines(texts: tuple[str, ...], count: int, most: int) -> bool:
    return len(texts) <= count and all(is_line(text, most) for text in texts)


def obeys_all_caps(skill: Skill, limits: Limits) -> bool:
    """Tell whether a skill fits the table of `rules.md` 3, written down here a second time."""
    domains = skill.network.domains if skill.network else ()
    return (
        FIT.fullmatch(skill.name) is not None
        and is_line(skill.description, limits.description_bytes)
        and skill.description.strip(" ") != ""
        and skill.description_truncated == (skill.description_bytes > limits.description_bytes)
        and all(is_line(text, 256) for text in (skill.display_name, skill.version))
        and all(is_line(text, 1024) for text in (skill.license, skill.compatibility, skill.when_to_use))
        and len(skill.metadata) <= 32
        and all(len(key.encode()) <= 256 and len(value.encode()) <= 4096 for key, value in skill.metadata)
        and list(skill.metadata) == sorted(skill.metadata, key=lambda pair: pair[0].encode())
        and are_lines(skill.allowed_tools, 64, 64)
        and are_lines(skill.keywords, 64, 64)
        and are_lines(skill.capabilities, 64, 64)
        and are_lines(skill.requirements, 64, 64)
        and are_lines(domains, 64, 253)
        and len(skill.tools) <= limits.tools
        and all(is_line(tool.id, 128) and tool.id for tool in skill.tools)
    )


@given(document=DOCUMENTS | st.none(), manifest=MANIFESTS, folder=FOLDERS | SURROGATES)
def test_a_reading_of_any_bytes_is_a_skill_that_obeys_every_cap_or_an_error_that_says_why(
    document: bytes | None, manifest: bytes | None, folder: str
) -> None:
    for limits in (LIMITS, SMALL):
        for reading in both(document, manifest, folder, limits):
            refused = any(diagnostic.severity is Severity.ERROR for diagnostic in reading.diagnostics)
            assert (reading.skill is None) == refused
            assert all(is_line(diagnostic.message, 512) for diagnostic in reading.diagnostics)
            assert all(diagnostic.skill.encode().decode() == diagnostic.skill for diagnostic in reading.diagnostics)
            if reading.skill is None:
                assert reading.body is None
            else:
                assert obeys_all_caps(reading.skill, limits)
                assert (reading.body is None) == (document is None)
                assert len((reading.body or "").encode()) <= limits.body_bytes


@given(document=DOCUMENTS, manifest=MANIFESTS, folder=FOLDERS)
def test_equal_files_give_equal_readings(document: bytes, manifest: bytes | None, folder: str) -> None:
    copy = bytes(bytearray(document))
    assert both(document, manifest, folder) == both(copy, manifest, folder)


@given(document=DOCUMENTS, folder=FOLDERS)
def test_the_body_of_a_kept_skill_can_be_had_again_from_its_document(document: bytes, folder: str) -> None:
    again = body_of(document)
    for reading in both(document, None, folder):
        assert reading.skill is None or reading.body == again


@given(document=DOCUMENTS, folder=FOLDERS)
def test_what_strict_keeps_lenient_reads_alike(document: bytes, folder: str) -> None:
    lenient, strict = both(document, None, folder)
    assert strict.skill is None or strict == lenient


@given(text=MESSES | MAPPINGS)
def test_a_repair_keeps_the_lines_and_is_done_once(text: str) -> None:
    repaired = repair(text)
    assert repaired.text.count("\n") == text.count("\n")
    assert (repaired.lines == ()) == (repaired.text == text)
    again = repair(repaired.text)
    assert again.text == repaired.text


@given(data=DOCUMENTS | st.text().map(lambda text: f'{{"id": "{text}"}}'.encode()))
def test_any_bytes_are_a_collection_or_a_diagnostic(data: bytes) -> None:
    reading = read_collection(data)
    if reading.label is not None:
        assert is_line(reading.label.id, 256)


LOSSY = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=90).filter(
    lambda text: (
        re.search(r"[^a-z0-9_-]", unicodedata.normalize("NFC", text).lower()) is not None
        and any(
            not character.isascii() and character.isalnum() for character in unicodedata.normalize("NFC", text).lower()
        )
    )
)


@given(first=LOSSY, second=LOSSY)
def test_made_names_of_what_loses_letters_fit_the_grammar_and_never_meet(first: str, second: str) -> None:
    made = make_name(first)
    assert FIT.fullmatch(made)
    assert caps.fits_skill_name(made)
    if unicodedata.normalize("NFC", first) != unicodedata.normalize("NFC", second):
        assert made != make_name(second)


@given(original=st.text(max_size=200))
def test_any_text_makes_a_fit_name_that_stays_as_it_is_when_made_again(original: str) -> None:
    made = make_name(original)
    assert FIT.fullmatch(made)
    assert make_name(made) == made

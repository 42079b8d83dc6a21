"""Names, given and made (`rules.md` 2)."""

import hashlib
import unicodedata

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.parsing.names import make_name
from tests.unit.parsing.reading import codes, document, errors, kept, read, refused_for, strictly, warnings


def named(name: str) -> str:
    return document(f"name: {name}\ndescription: Draws maps.")


def eight(text: str) -> str:
    return hashlib.sha256(unicodedata.normalize("NFC", text).encode()).hexdigest()[:8]


@pytest.mark.parametrize("name", ["a", "1", "a1-b2", "harbor-map", "a" * 64, "1-2-3", "0a"])
def test_a_portable_name_that_is_its_folders_name_is_taken_by_both_profiles(name: str) -> None:
    for reading in (read(named(name), folder=name), strictly(named(name), folder=name)):
        assert kept(reading).name == name
        assert kept(reading).display_name == ""
        assert codes(reading) == []


@pytest.mark.parametrize("name", ["harbor--map", "harbor_map", "a-", "a_", "a--", "api_v2"])
def test_a_fit_name_that_is_not_portable_is_a_warning_or_a_refusal(name: str) -> None:
    lenient = read(named(name), folder=name)
    assert kept(lenient).name == name
    assert warnings(lenient) == [DiagnosticCode.NAME_NOT_PORTABLE]
    assert refused_for(strictly(named(name), folder=name), DiagnosticCode.NAME_UNFIT)


@pytest.mark.parametrize(
    "name",
    ["Harbor", "harbor map", "-harbor", "_harbor", "har.bor", "har/bor", "a" * 65, "潮位", "../up", "'har\\bor'"],
)
def test_an_unfit_name_gives_way_to_the_folders_name(name: str) -> None:
    lenient = read(named(name))
    assert kept(lenient).name == "harbor-map"
    assert kept(lenient).display_name == name.strip("'")
    assert warnings(lenient) == [DiagnosticCode.NAME_UNFIT]
    assert refused_for(strictly(named(name)), DiagnosticCode.NAME_UNFIT)


def test_a_name_is_fit_up_to_its_true_end() -> None:
    assert kept(read(document('name: "harbor\\nmap"\ndescription: x'))).display_name == "harbor map"
    assert kept(strictly(document('name: "harbor-map\\n"\ndescription: x'))).name == "harbor-map"


def test_a_name_that_differs_from_its_folder_is_a_warning_or_a_refusal() -> None:
    lenient = read(named("harbor-map"), folder="map")
    assert kept(lenient).name == "harbor-map"
    assert warnings(lenient) == [DiagnosticCode.NAME_DIFFERS]
    assert {diagnostic.skill for diagnostic in lenient.diagnostics} == {"harbor-map"}
    assert refused_for(strictly(named("harbor-map"), folder="map"), DiagnosticCode.NAME_DIFFERS)


@pytest.mark.parametrize(
    "frontmatter", ["description: x", "name:\ndescription: x", "name: ''\ndescription: x", "name: ' '\ndescription: x"]
)
def test_a_missing_name_gives_way_to_the_folders_name_or_refuses(frontmatter: str) -> None:
    lenient = read(document(frontmatter))
    assert kept(lenient).name == "harbor-map"
    assert kept(lenient).display_name == ""
    assert warnings(lenient) == [DiagnosticCode.NAME_MISSING]
    assert refused_for(strictly(document(frontmatter)), DiagnosticCode.NAME_MISSING)


def test_where_the_folders_name_is_unfit_too_one_is_made_of_the_authors() -> None:
    lenient = read(named("Harbor Map"), folder="Harbor Maps")
    assert kept(lenient).name == "harbor-map"
    assert kept(lenient).display_name == "Harbor Map"
    assert warnings(lenient) == [DiagnosticCode.NAME_UNFIT, DiagnosticCode.NAME_MADE]
    assert DiagnosticCode.NAME_UNFIT in errors(strictly(named("Harbor Map"), folder="Harbor Maps"))


def test_where_there_is_no_name_one_is_made_of_the_folders() -> None:
    lenient = read(document("description: x"), folder="Harbor Maps")
    assert kept(lenient).name == "harbor-maps"
    assert kept(lenient).display_name == "Harbor Maps"


@pytest.mark.parametrize(
    ("original", "made"),
    [
        ("Harbor Map", "harbor-map"),
        ("  Harbor   Map!  ", "harbor-map"),
        ("harbor.map", "harbor-map"),
        ("harbor/../map", "harbor-map"),
        ("-_harbor_-", "harbor"),
        ("har--bor", "har--bor"),
        ("har_bor.", "har_bor"),
        ("🚀 Deploy", "deploy"),
        ("🚀\ufe0f Deploy", "deploy"),
        ("\u212aelvin", "kelvin"),  # NFC makes the Kelvin sign a K
        ("a" * 64, "a" * 64),
        ("A" * 64, "a" * 64),
        ("Fähre", f"f-hre-{eight('Fähre')}"),
        ("Fa\u0308hre", f"f-hre-{eight('Fähre')}"),
        ("x²", f"x-{eight('x²')}"),
        ("潮位 a", f"a-{eight('潮位 a')}"),
        ("潮位", f"skill-{eight('潮位')}"),
        ("港図", f"skill-{eight('港図')}"),
        ("!!!", f"skill-{eight('!!!')}"),
        ("", f"skill-{eight('')}"),
        ("a" * 65, "a" * 55 + "-" + eight("a" * 65)),
        ("a" * 54 + "-" + "b" * 20, "a" * 54 + "-" + eight("a" * 54 + "-" + "b" * 20)),
        ("a" * 54 + "é" + "b" * 20, "a" * 54 + "-" + eight("a" * 54 + "é" + "b" * 20)),
        ("é" + "a" * 80, "a" * 55 + "-" + eight("é" + "a" * 80)),
    ],
)
def test_a_made_name_keeps_what_is_fit_and_a_digest_of_what_is_lost(original: str, made: str) -> None:
    assert make_name(original) == made
    assert len(made) <= 64


def test_two_names_of_other_letters_never_meet() -> None:
    tide, chart = read(named("潮位"), folder="潮位"), read(named("港図"), folder="港図")
    assert kept(tide).name != kept(chart).name
    assert kept(tide).display_name == "潮位"


def test_a_name_as_long_as_a_file_is_no_name_to_make_one_of() -> None:
    # Normalising it would take seconds: marks are sorted in a time that grows with the square of their number.
    long = "a" + "\u0315\u0300" * 14_000
    reading = read(document(f"name: {long}\ndescription: x"), folder="Harbor")
    assert kept(reading).name == "harbor"
    assert kept(reading).display_name.startswith("a")


@pytest.mark.parametrize(
    "folder", ["caf\udce9", chr(0xD800), chr(0xDFFF), "a\nb", "a\x00b", "", "\u202eabc", "x" * 300]
)
def test_any_folder_name_gives_a_name_and_diagnostics_that_are_text(folder: str) -> None:
    reading = read(document("description: x"), folder=folder)
    assert kept(reading).name
    for text in (kept(reading).display_name, *(f"{it.skill}{it.message}" for it in reading.diagnostics)):
        assert text.encode().decode() == text
    (refusal,) = read("\0", folder=folder, file_name=f"{folder}.md").diagnostics
    assert refusal.message.encode().decode() == refusal.message
    assert refusal.skill.encode().decode() == refusal.skill


def test_a_display_name_is_one_line_and_cut_at_its_cap() -> None:
    reading = read(document(f'name: "Harbor\\n\\tMap {"é" * 200}"\ndescription: x'))
    assert kept(reading).display_name.startswith("Harbor Map éé")
    assert kept(reading).display_name.endswith("…")
    assert len(kept(reading).display_name.encode()) <= 256
    assert DiagnosticCode.FIELD_CUT in warnings(reading)

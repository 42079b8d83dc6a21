"""Directories that lie with the folders of others: what is refused, and where that is told."""

from pathlib import Path

import pytest

from skillsvc.settings.mingling import mingled
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import make_settings
from skillsvc.settings.settling import settings_of
from skillsvc.settings.sought import seek
from skillsvc.settings.toml_file import TomlFile

TENANTS = "tenants/{principal}/{project}"
ALICE = {"partition": {"principal": "token:alice"}}
BOB = {"partition": {"principal": "token:bob"}}
RULES = {
    "identity": {"tokens": {"file": "tokens"}},
    "access": [{"name": "all", "kind": "token"}],
}


def told(*sources: dict[str, object] | str) -> list[int]:
    """Return which sources are refused, each a path or a table, called a, b, c…"""
    tables = [
        {"name": "abc"[index], **({"path": each} if isinstance(each, str) else each)}
        for index, each in enumerate(sources)
    ]
    return [index for index, _sentence in mingled(make_settings({**RULES, "source": tables}).source)]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "path", [".", "tenants", "tenants/../tenants", "tenants/house", "tenants/token%3Aalice/%", "tenants/x/../.."]
)
def test_a_directory_that_is_holds_or_lies_in_the_folder_of_tenants_is_refused(path: str) -> None:
    assert told(path, TENANTS) == [0]
    assert told(TENANTS, path) == [1]
    assert told({"path": path, **ALICE}, TENANTS) == [0]


@pytest.mark.parametrize("path", ["house", "tenants2", "tenant", "../tenants"])
def test_a_directory_beside_them_is_not(path: str) -> None:
    assert told(path, TENANTS) == []


def test_links_are_followed_to_where_they_lead() -> None:
    Path("tenants").mkdir()
    Path("link").symlink_to("tenants")
    Path("deep").mkdir()
    Path("deep/link").symlink_to("../tenants/token%3Aalice")
    assert told("link", TENANTS) == [0]
    assert told("deep/link", TENANTS) == [0]
    assert told("tenants", "link/{principal}") == [0]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("tenants/{principal}", []),
        ("tenants/{principal}/own", []),
        ("tenants/{project}/{principal}", [1]),
        ("tenants/token%3Aalice/{principal}", [1]),
        (".hidden/../tenants/{project}/{principal}", [1]),
        ("beside/{project}/{principal}", []),
        ("{principal}", [1]),
    ],
)
def test_two_templates_share_a_folder_only_where_it_is_of_one_principal(other: str, expected: list[int]) -> None:
    assert told(TENANTS, other) == expected


def test_names_between_places_lead_apart() -> None:
    assert told("tenants/{project}/a/{principal}", "tenants/{project}/b/{principal}") == []
    assert told("tenants/{project}/a/{principal}", "tenants/{project}/{principal}") == [1]


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ({}, ALICE, [0]),
        (BOB, ALICE, [0]),
        (ALICE, ALICE, []),
        # Everybody may see it anyway.
        (ALICE, {}, []),
        ({}, {}, []),
    ],
)
def test_a_directory_does_not_hold_one_of_another_partition(
    outer: dict[str, object], inner: dict[str, object], expected: list[int]
) -> None:
    assert told({"path": "a", **outer}, {"path": "a/b", **inner}) == expected


def test_one_directory_may_be_said_to_be_of_two_partitions() -> None:
    assert told({"path": "a", **ALICE}, {"path": "a", **BOB}) == []


def test_it_is_told_with_its_line_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "skillsvc.toml"
    file.write_text('[[source]]\nname = "house"\npath = "."\n[[source]]\nname = "t"\npath = "skills/{principal}"\n')
    with pytest.raises(SettingsRefused) as refused:
        settings_of(TomlFile.read(file))
    sentence = "path holds the folder of the source t, in which tenants have theirs; move it beside that"
    assert refused.value.faults == (f"{file}:3: [[source]] 1 house: {sentence}",)


def test_a_conventional_place_is_refused_as_well(tmp_path: Path) -> None:
    tables: dict[str, object] = {
        "conventional": {"user": True},
        "source": [{"name": "t", "path": str(tmp_path / ".claude" / "skills" / "{principal}")}],
    }
    with pytest.raises(SettingsRefused, match=r"^the path of user-claude is the folder of the source t"):
        seek(make_settings(tables), {"HOME": str(tmp_path)})


def test_what_is_withheld_mingles_with_nothing(tmp_path: Path) -> None:
    tables: dict[str, object] = {
        "conventional": {"project": True, "workspace": tmp_path},
        "source": [{"name": "t", "path": str(tmp_path / ".claude" / "skills" / "{principal}")}],
    }
    assert "project-claude" in seek(make_settings(tables), {}).withheld

"""Importing: what ARES calls `[[skill_sources]]`, as sources of ours that are valid by themselves."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from skillsvc.settings.importing import Imported, import_ares
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settling import settings_of
from skillsvc.settings.toml_file import TomlFile

Import = Callable[[str], Imported]


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    def of(text: str) -> Imported:
        path = tmp_path / "config.toml"
        path.write_text(text, encoding="utf-8")
        made = import_ares(path, "/home/me")
        # Whatever comes out is taken in.
        written = tmp_path / "skillsvc.toml"
        written.write_text(made.text, encoding="utf-8")
        settings_of(TomlFile.read(written))
        return made

    return of


def sources_of(imported: Imported) -> list[dict[str, str]]:
    sources: list[dict[str, str]] = tomllib.loads(imported.text).get("source", [])
    return sources


def directory(number: int, path: str) -> dict[str, str]:
    return {"name": f"directory-{number}", "kind": "directory", "path": path, "tier": "registered"}


def test_directories_repositories_and_manifests_are_taken_over_in_the_order_of_their_ranks(imported: Import) -> None:
    made = imported(
        """
        other = 1
        [[skill_sources]]
        type = "oci"
        manifest_url = "https://example.org/oci.json"
        [[skill_sources]]
        type = "git"
        url = "https://example.org/a.git"
        local_dir = "~/cache/a"
        [[skill_sources]]
        type = "directory"
        path = "/srv/é"
        [[skill_sources]]
        path = "~/skills"
        [[skill_sources]]
        type = "http"
        manifest_url = "https://example.org/http.json"
        """
    )
    assert sources_of(made) == [
        directory(1, "/srv/é"),
        directory(2, "/home/me/skills"),
        {"name": "git-1", "kind": "git", "url": "https://example.org/a.git"},
        {"name": "http-1", "kind": "http", "url": "https://example.org/oci.json"},
        {"name": "http-2", "kind": "http", "url": "https://example.org/http.json"},
    ]
    assert made.notes == ()


def test_a_file_that_is_not_there_is_empty_and_that_is_told(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    told = f"{path} is not there, so nothing is imported"
    assert import_ares(path, "/home/me") == Imported(text="", notes=(told,))


@pytest.mark.parametrize("text", ["", "[other]\na = 1\n", "skill_sources = []"])
def test_a_file_without_sources_is_empty_and_that_is_told(imported: Import, tmp_path: Path, text: str) -> None:
    told = f"{tmp_path / 'config.toml'} has no [[skill_sources]], so nothing is imported"
    assert imported(text) == Imported(text="", notes=(told,))


@pytest.mark.parametrize("text", ["[[skill_sources", "skill_sources = 1", "skill_sources = ['a']", "[skill_sources]"])
def test_a_malformed_file_is_an_error(imported: Import, text: str) -> None:
    with pytest.raises(SettingsRefused):
        imported(text)


@pytest.mark.parametrize("path", ["~", "", "~/"])
def test_the_home_itself_and_no_path_are_dropped(imported: Import, path: str) -> None:
    made = imported(f'[[skill_sources]]\npath = "{path}"\n')
    if path == "~/":
        assert sources_of(made) == [directory(1, "/home/me")]
    else:
        assert sources_of(made) == []
        assert made.notes == ("[[skill_sources]] 1 is left out: it has no path that leads anywhere",)


def test_a_path_in_a_home_that_is_not_known_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[[skill_sources]]\npath = "~/skills"\n')
    assert import_ares(path, "").text == ""


def test_one_place_is_taken_over_once(imported: Import) -> None:
    made = imported(
        """
        [[skill_sources]]
        path = "~/skills"
        [[skill_sources]]
        type = "directory"
        path = "/home/me/skills"
        [[skill_sources]]
        type = "git"
        url = "https://example.org/a.git"
        local_dir = "~/a"
        [[skill_sources]]
        path = "~/a"
        """
    )
    assert [source["name"] for source in sources_of(made)] == ["directory-1", "git-1"]
    assert made.notes == (
        "[[skill_sources]] 2 is left out: it is the same as [[skill_sources]] 1",
        "[[skill_sources]] 4 is left out: it is the checkout of a repository, which is served without one",
    )


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ('type = "s3"\nurl = "a"', "its type is not known"),
        ('type = "Git"\nurl = "https://example.org"', "its type is not known"),
        ('type = "git"', "it has no url that leads anywhere"),
        ('type = "http"\nurl = "https://example.org"', "it has no manifest_url that leads anywhere"),
        (
            'type = "git"\nurl = "/srv/a.git"',
            "url is neither a URL nor user@host:path",
        ),
        (
            'type = "http"\nmanifest_url = "https://me:secret@example.org"',
            "url is a URL with credentials; configure them instead",
        ),
        ("path = 1", "its path is no text"),
    ],
)
def test_what_cannot_be_taken_over_is_told_and_left_out(imported: Import, table: str, why: str) -> None:
    made = imported(f'[[skill_sources]]\n{table}\n[[skill_sources]]\npath = "/srv"\n')
    assert sources_of(made) == [directory(1, "/srv")]
    assert made.notes == (f"[[skill_sources]] 1 is left out: {why}",)


def test_a_relative_path_is_told(imported: Import) -> None:
    made = imported('[[skill_sources]]\npath = "skills"\n')
    assert sources_of(made) == [directory(1, "skills")]
    assert made.notes == ("[[skill_sources]] 1 has a relative path; it is now relative to the file that is written",)

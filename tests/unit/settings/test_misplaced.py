"""Folders beneath a template that nobody asks for."""

from pathlib import Path

import pytest

from skillsvc.domain.folder_template import FolderTemplate
from skillsvc.settings.examining import Remark, examine
from skillsvc.settings.misplaced import TOLD, misplaced
from skillsvc.settings.settings import make_settings
from skillsvc.settings.sought import seek


def told(root: Path, template: str, *documents: str) -> list[str]:
    for document in documents:
        path = root / document
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return list(misplaced(FolderTemplate.parse(template, str(root))))


def test_what_is_where_it_is_asked_for_is_not_told(tmp_path: Path) -> None:
    documents = (
        "token%3Aacme/%/x/SKILL.md",
        "token%3Aacme/web/x/SKILL.md",
        "spiffe%3A%2F%2Fexample%2Eorg%2Fbob/%/x/SKILL.md",
        f"{'0a' * 32}/%/x/SKILL.md",
        "local/a%2Eb/x/SKILL.md",
        ".git/x/SKILL.md",
        "README.md",
        "token%3Aacme/%/.git/SKILL.md",
    )
    assert told(tmp_path, "{principal}/{project}", *documents) == []


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ("token:acme/%/x/SKILL.md", "has the folder 'token:acme', which is of no principal; is token%3Aacme meant?"),
        ("acme/%/x/SKILL.md", "has the folder 'acme', which is of no principal"),
        ("token%3aacme/%/x/SKILL.md", "has the folder 'token%3aacme', which is of no principal"),
        ("token%3A%FF/%/x/SKILL.md", "has the folder 'token%3A%FF', which is of no principal"),
        ("%/%/x/SKILL.md", "has the folder '%', which is of no principal"),
        (
            "token%3Aacme/a.b/x/SKILL.md",
            "has the folder 'token%3Aacme/a.b', which is of no project; is a%2Eb meant?",
        ),
        (
            "token%3Aacme/x/SKILL.md",
            "has SKILL.md straight in 'token%3Aacme/x', where the folders of the skills of a partition lie",
        ),
    ],
)
def test_what_nobody_asks_for_is_told(tmp_path: Path, document: str, sentence: str) -> None:
    assert told(tmp_path, "{principal}/{project}", document) == [sentence]


def test_names_between_places_are_gone_through(tmp_path: Path) -> None:
    documents = ("token%3Aacme/skills/a.b/x/SKILL.md", "token%3Aacme/other/a.b/x/SKILL.md")
    (sentence,) = told(tmp_path, "{principal}/skills/{project}", *documents)
    assert "'token%3Aacme/skills/a.b'" in sentence
    (sentence,) = told(tmp_path, "{principal}/own", "token%3Abob/own/SKILL.md")
    assert "straight in 'token%3Abob/own'" in sentence


def test_a_name_is_told_without_what_writes_over_a_terminal(tmp_path: Path) -> None:
    (sentence,) = told(tmp_path, "{principal}", "\x1b[2J/x/SKILL.md")
    assert sentence.isprintable()


def test_no_link_is_followed_and_no_more_than_a_few_are_told(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert told(tmp_path, "{principal}/{project}") == []
    assert len(told(tmp_path, "{principal}", *(f"n{number}/x/SKILL.md" for number in range(20)))) == TOLD


def test_it_is_a_warning_of_the_path(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    settings = make_settings({"source": [{"name": "t", "path": f"{tmp_path}/{{principal}}"}]})
    assert list(examine(settings, seek(settings, {}), {})) == [
        Remark(("source", 0, "path"), "has the folder 'acme', which is of no principal", is_mistake=False)
    ]

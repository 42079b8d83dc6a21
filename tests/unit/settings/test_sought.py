"""What is sought: conventional locations after all sources, withheld where not trusted, each directory once."""

from pathlib import Path

import pytest

from skillsvc.domain.trust import Tier, Trust
from skillsvc.settings.settings import Settings, make_settings
from skillsvc.settings.sought import Folded, Sought, seek
from skillsvc.settings.sources import DirectoryTable
from tests.unit.settings.faults import faults_of


def settings(*sources: dict[str, object], **conventional: object) -> Settings:
    return make_settings({"source": list(sources), "conventional": conventional})


def directory(name: str, path: Path, **said: object) -> dict[str, object]:
    return {"name": name, "path": path, **said}


def found(sought: Sought) -> list[tuple[str, str, Tier]]:
    return [
        (table.name, str(table.path), table.reading().tier)
        for table in sought.tables
        if isinstance(table, DirectoryTable)
    ]


def test_nothing_is_sought_that_is_not_said(tmp_path: Path) -> None:
    assert seek(settings(), {"HOME": str(tmp_path)}) == Sought(tables=())


def test_conventional_locations_rank_after_all_sources_those_of_the_project_before_those_of_the_user() -> None:
    said = settings(
        {"name": "tools", "kind": "git", "url": "https://example.org/a"},
        directory("house", Path("/srv/skills")),
        project=True,
        user=True,
        trusted=True,
        workspace="/space",
    )
    sought = seek(said, {"HOME": "/home/me"})
    assert [table.name for table in sought.tables][:2] == ["tools", "house"]
    assert found(sought)[1:] == [
        ("project-skillsvc", "/space/.skillsvc/skills", Tier.PROJECT),
        ("project-agents", "/space/.agents/skills", Tier.PROJECT),
        ("project-claude", "/space/.claude/skills", Tier.PROJECT),
        ("user-skillsvc", "/home/me/.config/skillsvc/skills", Tier.USER),
        ("user-agents", "/home/me/.agents/skills", Tier.USER),
        ("user-claude", "/home/me/.claude/skills", Tier.USER),
    ]
    assert {table.reading().admission.trust for table in sought.tables[2:]} == {Trust.ALLOWED}
    assert (sought.withheld, sought.folded) == (frozenset(), ())


@pytest.mark.parametrize(
    ("environment", "paths"),
    [
        (
            {"HOME": "/me", "XDG_CONFIG_HOME": "/etc/me"},
            ["/etc/me/skillsvc/skills", "/me/.agents/skills", "/me/.claude/skills"],
        ),
        (
            {"HOME": "/me", "XDG_CONFIG_HOME": ""},
            ["/me/.config/skillsvc/skills", "/me/.agents/skills", "/me/.claude/skills"],
        ),
        (
            {"HOME": "/me", "XDG_CONFIG_HOME": "relative"},
            ["/me/.config/skillsvc/skills", "/me/.agents/skills", "/me/.claude/skills"],
        ),
        ({"XDG_CONFIG_HOME": "/etc/me"}, ["/etc/me/skillsvc/skills"]),
        ({"HOME": "me"}, []),
        ({}, []),
    ],
    ids=str,
)
def test_the_environment_says_where_a_user_keeps_skills(environment: dict[str, str], paths: list[str]) -> None:
    assert [path for _name, path, _tier in found(seek(settings(user=True), environment))] == paths


def test_an_untrusted_workspace_withholds_its_own_alone() -> None:
    sought = seek(settings(project=True, user=True, workspace="/space"), {"HOME": "/me"})
    assert sought.withheld == {"project-skillsvc", "project-agents", "project-claude"}
    assert [table.name for table in sought.tables if table.name not in sought.withheld] == [
        "user-skillsvc",
        "user-agents",
        "user-claude",
    ]


def test_one_directory_is_one_source_and_the_stronger_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    sought = seek(
        settings(
            directory("a", tmp_path / "real"),
            directory("b", tmp_path / "real"),
            directory("c", tmp_path / "link"),
            directory("d", tmp_path / "link" / ".." / "real"),
            directory("e", tmp_path / "other"),
        ),
        {},
    )
    assert [table.name for table in sought.tables] == ["a", "e"]
    assert sought.folded == tuple(Folded(label=label, into="a") for label in "bcd")


def test_a_directory_that_is_not_there_is_one_source_too(tmp_path: Path) -> None:
    sought = seek(settings(directory("a", tmp_path / "none"), directory("b", tmp_path / "x" / ".." / "none")), {})
    assert sought.folded == (Folded(label="b", into="a"),)


def test_a_conventional_location_that_is_declared_is_the_declared_source(tmp_path: Path) -> None:
    skills = tmp_path / ".agents" / "skills"
    skills.mkdir(parents=True)
    said = settings(directory("house", skills), project=True, user=True, trusted=True, workspace=tmp_path)
    sought = seek(said, {"HOME": str(tmp_path)})
    assert sought.folded == (
        Folded(label="project-agents", into="house"),
        Folded(label="user-agents", into="house"),
        Folded(label="user-claude", into="project-claude"),
    )


def test_a_withheld_location_takes_none_from_others(tmp_path: Path) -> None:
    sought = seek(settings(project=True, user=True, workspace=tmp_path), {"HOME": str(tmp_path)})
    assert sought.folded == ()
    assert [table.name for table in sought.tables][-1] == "user-claude"


def test_layers_of_their_own_may_share_a_directory(tmp_path: Path) -> None:
    said = settings(directory("a", tmp_path), directory("b", tmp_path, partition={"project": "p"}))
    assert seek(said, {}).folded == ()


def test_a_source_may_not_take_the_label_of_a_conventional_location() -> None:

    source = {"name": "user-agents", "path": "a"}
    assert faults_of({"source": [source], "conventional": {"user": True}}) == [
        "[[source]] 1 user-agents: name is user-agents, as that of a place of [conventional]; give each its own"
    ]
    make_settings({"source": [source], "conventional": {"project": True}})

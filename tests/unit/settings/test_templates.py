"""Paths with places: whose folders a source has, and what is told of a mistake in one."""

from pathlib import Path

import pytest

from skillsvc.domain.folder_template import FolderTemplate
from skillsvc.domain.partition import Partition
from skillsvc.settings.conventional import ConventionalTable
from skillsvc.settings.examining import examine
from skillsvc.settings.settings import make_settings
from skillsvc.settings.settling import Options, settings_of, settle
from skillsvc.settings.showing import show
from skillsvc.settings.sought import seek
from skillsvc.settings.sources import DirectoryTable, SourceTable
from skillsvc.settings.toml_file import TomlFile
from skillsvc.sources.directory import DirectorySettings
from tests.unit.settings.faults import faults_of, faults_of_options

ALICE_P = Partition("token:alice", "p")


def source(path: str, **said: object) -> dict[str, object]:
    return {"name": "tenants", "path": path, **said}


def table_of(path: str) -> SourceTable:
    (table,) = make_settings({"source": [source(path)]}).source
    return table


def test_a_path_with_places_is_a_template_and_feeds_whoever_it_is_asked_for() -> None:
    table = table_of("skills/{principal}/{project}")
    assert isinstance(table, DirectoryTable)
    assert table.template == FolderTemplate(root="skills", segments=("{principal}", "{project}"))
    assert table.directory_of(ALICE_P) == DirectorySettings(
        path="skills", beneath="token%3Aalice/p", reading=table.reading()
    )
    with pytest.raises(LookupError):
        table.feeds()
    with pytest.raises(LookupError):
        table.directory()


def test_a_partition_that_it_does_not_feed_has_no_directory() -> None:
    table = table_of("skills/{principal}")
    assert isinstance(table, DirectoryTable)
    with pytest.raises(LookupError):
        table.directory_of(ALICE_P)


def test_a_path_without_places_is_no_template() -> None:
    table = table_of("skills/house")
    assert isinstance(table, DirectoryTable)
    assert (table.template, table.path) == (None, Path("skills/house"))
    with pytest.raises(LookupError):
        table.directory_of(ALICE_P)


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("skills/x-{principal}", "path has a place that is no whole segment; `/` stands around each"),
        ("skills/{tenant}", "path has the place {tenant}; {principal} and {project} are known"),
        ("skills/{project}", "path has no {principal}, and a project is one of a principal"),
        ("skills/{principal}/../{project}", "path leads up, by `..`, from the folder of a partition"),
        ("skills/{principal", "path holds a brace that is not of a place"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, path: str, fault: str) -> None:
    config = tmp_path / "skillsvc.toml"
    config.write_text(f'[[source]]\nname = "tenants"\npath = "{path}"\n')
    assert faults_of_options(Options(), config) == [f"{config}:3: [[source]] 1 tenants: {fault}"]


def test_a_template_says_by_itself_whose_layer_it_feeds() -> None:
    assert faults_of({"source": [source("skills/{principal}", partition={"project": "p"})]}) == [
        "[[source]] 1 tenants: partition cannot be beside a path with places: these say whose layer it feeds"
    ]


def test_a_template_is_relative_to_its_file_whatever_the_folder_of_that_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "{principal}"
    folder.mkdir()
    config = folder / "skillsvc.toml"
    config.write_text(
        '[[source]]\nname = "tenants"\npath = "skills/{principal}"\n[[source]]\nname = "house"\npath = "house"\n'
    )
    template, house = settings_of(TomlFile.read(config)).source
    assert template.template == FolderTemplate(root=f"{folder}/skills", segments=("{principal}",))
    assert isinstance(house, DirectoryTable)
    assert house.path == folder / "house"


def test_what_is_no_text_of_a_file_has_no_places() -> None:
    (table,) = settle(None, Options(skills_dirs=(Path("{{project}}/skills"),))).source
    assert table.template is None
    (first, *_others) = ConventionalTable(project=True, workspace=Path("{principal}")).of_project()
    assert first.template is None


def test_a_template_is_no_directory_that_another_source_may_be(tmp_path: Path) -> None:
    tables = [source(f"{tmp_path}/{{principal}}"), {"name": "again", "path": f"{tmp_path}/{{principal}}"}]
    settings = make_settings({"source": tables})
    sought = seek(settings, {})
    assert ([table.name for table in sought.tables], sought.folded) == (["tenants", "again"], ())
    assert settings.directories() == ()


def test_the_folder_before_the_first_place_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    for path, told in (("here", []), ("gone", ["is not there; it counts as empty until it comes"])):
        settings = make_settings({"source": [source(f"{tmp_path}/{path}/{{principal}}")]})
        assert [remark.sentence for remark in examine(settings, seek(settings, {}), {})] == told


def test_a_template_is_shown_as_it_is_written() -> None:
    settings = make_settings({"source": [source("/srv/{principal}/skills/{project}")]})
    shown = show(settings, seek(settings, {}), {})
    assert 'path = "/srv/{principal}/skills/{project}"' in shown

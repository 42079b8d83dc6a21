"""Declaring sources: what stays the same object, whose state is removed, and which layer is fed."""

from pathlib import Path

import pytest

from skillsvc.catalog.reports import Declared, SourceKey
from skillsvc.cli.declaring import Declaration
from skillsvc.cli.making import Made
from skillsvc.domain.partition import DEPLOYMENT, Partition, layer_id
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.sources.directory import DirectorySource
from skillsvc.sources.git.source import GitSource
from skillsvc.sources.oci.source import OciSource
from skillsvc.sources.source import Source
from skillsvc.sources.web.http import HttpSource
from skillsvc.sources.web.well_known import WellKnownSource
from skillsvc.sources.withheld import WithheldSource
from tests.simulators.scripted_source import ScriptedSource
from tests.unit.cli.declared import declare, declaring_in, directory

GIT: dict[str, object] = {
    "name": "tools",
    "kind": "git",
    "url": "https://example.org/a.git",
    "auth": {"username": "me", "password_env": "SECRET"},
}
PROJECT = Partition(principal="local", project="p")


def of_deployment(declaration: Declaration) -> tuple[Declared, ...]:
    return declaration.declared[DEPLOYMENT]


def source_of(declaration: Declaration, label: str) -> Source:
    return declaration.made[SourceKey(partition=DEPLOYMENT, label=label)].source


def test_sources_are_declared_in_order_with_their_kind_and_their_time(tmp_path: Path) -> None:
    declaration = declare(declaring_in(tmp_path), directory("a"), {**GIT, "poll_s": 5.0}, directory("b"))
    declared = of_deployment(declaration)
    assert [(each.source.label, each.kind, each.poll_s) for each in declared] == [
        ("a", "directory", 60.0),
        ("tools", "git", 5.0),
        ("b", "directory", 60.0),
    ]
    assert [type(each.source) for each in declared] == [DirectorySource, GitSource, DirectorySource]
    assert [each.label for each in declaration.directories()[DEPLOYMENT]] == ["a", "b"]


@pytest.mark.parametrize(
    ("kind", "said", "made"),
    [
        ("http", {"url": "https://example.org/skills.json", "ca_file": "/ca.pem"}, HttpSource),
        ("well_known", {"url": "https://example.org", "auth": {"token_file": "/secret"}}, WellKnownSource),
        ("oci", {"reference": "registry.example.org/a:b", "token_hosts": ["auth.example.org"]}, OciSource),
        ("git", {"url": "https://example.org/a", "tag": "v1", "subdir": "a/b", "lfs": True}, GitSource),
        ("git", {"url": "https://example.org/a", "commit": "a" * 40}, GitSource),
        ("git", {"url": "git@example.org:a", "branch": "main", "known_hosts_file": "/known"}, GitSource),
    ],
)
def test_a_source_is_of_its_kind_and_nothing_is_opened_for_it(
    tmp_path: Path, kind: str, said: dict[str, object], made: type[Source]
) -> None:
    declaring = declaring_in(tmp_path / "sources")
    (declared,) = of_deployment(declare(declaring, {"name": "a", "kind": kind, **said}))
    assert (type(declared.source), declared.source.label, declared.kind) == (made, "a", kind)
    assert not (tmp_path / "sources").exists()


def test_there_is_a_deployment_layer_without_sources(tmp_path: Path) -> None:
    assert declare(declaring_in(tmp_path)).declared == {DEPLOYMENT: ()}


def test_a_source_feeds_the_layer_of_its_partition(tmp_path: Path) -> None:
    declaration = declare(
        declaring_in(tmp_path), directory("a"), directory("b", partition={"project": "p"}), directory("c")
    )
    assert {
        partition: [each.source.label for each in declared] for partition, declared in declaration.declared.items()
    } == {DEPLOYMENT: ["a", "c"], PROJECT: ["b"]}


def tenants(path: str = "/tenants/{principal}", **said: object) -> dict[str, object]:
    return {"name": "tenants", "path": path, **said}


def test_a_template_is_for_whoever_no_other_source_is_declared_for(tmp_path: Path) -> None:
    declaration = declare(declaring_in(tmp_path), directory("a"), tenants("/tenants/{principal}/{project}", poll_s=5.0))
    (template,) = declaration.templates
    assert (template.label, template.kind, template.poll_s) == ("tenants", "directory", 5.0)
    assert [each.source.label for each in of_deployment(declaration)] == ["a"]
    assert template.feeds(PROJECT)
    assert not template.feeds(DEPLOYMENT)
    source = template.source_of(PROJECT)
    assert (source.label, source.is_there()) == ("tenants", False)


def test_what_a_source_is_declared_for_templates_feed_too_in_the_order_of_all(tmp_path: Path) -> None:
    own = directory("own", partition={"project": "p"})
    first, last = tenants("/tenants/{principal}/{project}"), {**tenants("/last/{project}/{principal}"), "name": "last"}
    declaration = declare(declaring_in(tmp_path), first, {**tenants(), "name": "of-nobody"}, own, last)
    assert [each.source.label for each in declaration.declared[PROJECT]] == ["tenants", "own", "last"]
    assert declaration.declared[DEPLOYMENT] == ()
    # What no link may lead to cannot be watched by its path.
    assert [each.label for each in declaration.directories()[PROJECT]] == ["own"]


def test_a_template_that_is_declared_as_before_is_the_same(tmp_path: Path) -> None:
    declaring = declaring_in(tmp_path)
    own = directory("own", partition={"principal": "local"})
    first = declare(declaring, tenants(), own)
    declaring.put_in_force(first)
    again = declare(declaring, own, tenants(poll_s=5.0))
    other = declare(declaring, own, tenants(layout="nested"))
    assert again.templates[0].source_of is first.templates[0].source_of
    assert other.templates[0].source_of is not first.templates[0].source_of
    key = SourceKey(partition=Partition(principal="local", project=""), label="tenants")
    assert again.made[key] is first.made[key]
    assert other.made[key] is not first.made[key]


def test_what_is_declared_as_before_is_the_same_source(tmp_path: Path) -> None:
    declaring = declaring_in(tmp_path)
    first = declare(declaring, directory("a"), GIT, directory("b"), directory("c", partition={"project": "p"}))
    declaring.put_in_force(first)
    second = declare(
        declaring,
        directory("c", partition={"project": "p"}),
        directory("b", layout="nested"),
        {**GIT, "poll_s": 5.0},
        directory("d"),
        directory("a", layout="flat"),
    )
    assert [each.source.label for each in of_deployment(second)] == ["b", "tools", "d", "a"]
    assert source_of(second, "a") is source_of(first, "a")
    assert source_of(second, "tools") is source_of(first, "tools")
    assert of_deployment(second)[1].poll_s == 5.0
    assert source_of(second, "b") is not source_of(first, "b")
    key = SourceKey(partition=PROJECT, label="c")
    assert second.made[key] is first.made[key]


@pytest.mark.parametrize(
    "changed",
    [
        {"path": "/srv/other"},
        {"profile": "strict"},
        {"trust": "ask"},
        {"limits": {"assets": 3}},
        {"ignore": ["drafts"]},
        {"tier": "registered"},
    ],
    ids=str,
)
def test_what_is_declared_in_another_way_is_another_source(tmp_path: Path, changed: dict[str, object]) -> None:
    declaring = declaring_in(tmp_path)
    first = declare(declaring, directory("a"))
    declaring.put_in_force(first)
    assert source_of(declare(declaring, {**directory("a"), **changed}), "a") is not source_of(first, "a")


def test_what_is_not_put_in_force_changes_nothing(tmp_path: Path) -> None:
    declaring = declaring_in(tmp_path)
    first = declare(declaring, directory("a"))
    declaring.put_in_force(first)
    declare(declaring, directory("a", layout="nested"))
    assert source_of(declare(declaring, directory("a")), "a") is source_of(first, "a")


class Closing(ScriptedSource):
    """A source that counts how often it was let go."""

    closed = 0

    def close(self) -> None:
        self.closed += 1


def test_what_is_let_go_is_what_is_looked_at_no_more(tmp_path: Path) -> None:
    declaring = declaring_in(tmp_path)
    first = declare(declaring, directory("a"), directory("b"))
    table = first.made[SourceKey(partition=DEPLOYMENT, label="a")].table
    stays, goes, never_was = Closing("a"), Closing("b"), Closing("c")

    def of(**sources: Closing) -> Declaration:
        made = {
            SourceKey(partition=DEPLOYMENT, label=label): Made(table=table, is_withheld=False, source=source)
            for label, source in sources.items()
        }
        return Declaration(declared={}, made=made)

    before = of(a=stays, b=goes)
    after = Declaration(declared={}, made={key: each for key, each in before.made.items() if key.label == "a"})
    declaring.put_in_force(before)
    declaring.discard(of(c=never_was))
    assert (stays.closed, goes.closed, never_was.closed) == (0, 0, 1)
    # A look at what goes may be under way: it is let go at the next change.
    declaring.put_in_force(after)
    assert (stays.closed, goes.closed) == (0, 0)
    declaring.put_in_force(after)
    assert (stays.closed, goes.closed) == (0, 1)
    declaring.close()
    declaring.close()
    assert (stays.closed, goes.closed) == (1, 1)


def test_all_that_cannot_be_made_is_told_at_once(tmp_path: Path) -> None:
    wiki: dict[str, object] = {"kind": "provider", "provider": "none-such"}
    declaring = declaring_in(tmp_path)
    with pytest.raises(SettingsRefused) as caught:
        declare(declaring, {"name": "a", **wiki}, directory("b"), {"name": "c", **wiki})
    assert [fault.partition(":")[0] for fault in caught.value.faults] == [
        "the source a cannot be",
        "the source c cannot be",
    ]
    assert declaring.in_force == {}


def test_what_is_withheld_is_not_looked_at_until_it_is_trusted(tmp_path: Path) -> None:
    declaring = declaring_in(tmp_path)
    withheld = declare(declaring, project=True, workspace="/space")
    declaring.put_in_force(withheld)
    assert {type(each.source) for each in of_deployment(withheld)} == {WithheldSource}
    assert withheld.directories()[DEPLOYMENT] == ()
    trusted = declare(declaring, project=True, workspace="/space", trusted=True)
    assert [each.path for each in trusted.directories()[DEPLOYMENT]] == [
        "/space/.skillsvc/skills",
        "/space/.agents/skills",
        "/space/.claude/skills",
    ]


def test_the_state_of_what_is_declared_no_more_is_removed_and_nothing_else(tmp_path: Path) -> None:
    layer = layer_id(PROJECT).hex()
    outside = tmp_path / "outside"
    folder = tmp_path / "sources"
    kept = ["a", f"{layer}.b", "Upper", ".hidden", "two.dots.x", "0123.a"]
    gone = ["b", f"{layer}.a", "gone", "0" * 16 + ".a"]
    for name in (*kept, *gone):
        (folder / name / "deep").mkdir(parents=True)
        (folder / name / "deep" / "file").touch()
    (folder / "file").touch()
    outside.mkdir()
    (outside / "file").touch()
    (folder / "link").symlink_to(outside)
    declaring = declaring_in(folder)
    declaring.put_in_force(declare(declaring, directory("a"), directory("b", partition={"project": "p"})))
    declaring.remove_left_behind()
    assert {path.name for path in folder.iterdir()} == {*kept, "file", "link"}
    assert (outside / "file").exists()
    assert (folder / "a" / "deep" / "file").exists()


def test_no_state_is_needed_to_begin(tmp_path: Path) -> None:
    declaring = declaring_in(tmp_path / "none")
    declaring.remove_left_behind()
    declaring.put_in_force(declare(declaring, directory("a"), GIT))
    declaring.close()
    assert not (tmp_path / "none").exists()

"""A git repository as a source: which commit is looked at, what is fetched for it, and what stands where that fails."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillsvc.content.credentials import Basic, Bearer, CredentialsMissing
from skillsvc.content.stopping import Abandoned
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.errors import DataLoss
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.git.cache import GitCache
from skillsvc.sources.git.exchange import FetchAnswer, FetchStatus
from skillsvc.sources.git.source import GitSettings, GitSource
from skillsvc.sources.git.url import Branch, Commit, Tag
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Observation, Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.contract.source import described
from tests.simulators.git_objects import FOLDER, LINK, NOWHERE, SUBMODULE, LocalRemote, Placed
from tests.unit.sources.trees import skill

URL = "https://git.example/harbor.git"
READING = ReadingSettings(label="harbor", tier=Tier.REGISTERED)
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 7\n"


@pytest.fixture
def remote(tmp_path: Path) -> LocalRemote:
    return LocalRemote(tmp_path / "remote")


@pytest.fixture
def blobs() -> MemoryBlobStore:
    return MemoryBlobStore()


class Make:
    """Makes sources of one remote, with one cache and one store."""

    def __init__(self, remote: LocalRemote, blobs: MemoryBlobStore, folder: Path) -> None:
        self._remote = remote
        self._blobs = blobs
        self.folder = folder

    def __call__(self, *, stopped: Callable[[], bool] = lambda: False, **settings: Any) -> GitSource:  # noqa: ANN401
        given = GitSettings(**{"url": URL, "reading": READING, **settings})
        return GitSource(
            given, limits=Limits(), blobs=self._blobs, folder=self.folder, stopped=stopped, fetching=self._remote
        )

    def cache(self) -> Path:
        [cache] = self.folder.glob("*.git")
        return cache


@pytest.fixture
def make(remote: LocalRemote, blobs: MemoryBlobStore, tmp_path: Path) -> Make:
    return Make(remote, blobs, tmp_path / "cache")


def said(seen: Observation) -> list[tuple[DiagnosticCode, str, str]]:
    of_skills = [diagnostic for found in seen.found for diagnostic in found.diagnostics]
    return [(each.code, each.skill, each.message) for each in (*seen.diagnostics, *of_skills)]


def fails(seen: Observation) -> str:
    """Return what a look that failed says of it."""
    [(code, _, message)] = said(seen)
    assert (seen.outcome, code, seen.found) == (Outcome.FAILED, DiagnosticCode.SOURCE_UNREACHABLE, ())
    return message


def lose_one(blobs: MemoryBlobStore, seen: Observation) -> str:
    """Lose a blob of what was seen, find out by reading it, and return its digest."""
    digest = next(iter(seen.found[0].bundle.blobs))
    del blobs.blobs[digest]
    with pytest.raises(DataLoss):
        blobs.read(digest)
    return digest


def test_a_look_is_at_one_commit(remote: LocalRemote, make: Make) -> None:
    commit = remote.commit({"a/SKILL.md": skill("a"), "a/run.sh": Placed(0o100755, b"#!"), "b/SKILL.md": skill("b")})
    seen = make().observe()
    assert (seen.revision, seen.outcome, [found.place for found in seen.found]) == (commit, Outcome.WHOLE, ["a", "b"])
    assert (seen.tier, seen.trust) == (Tier.REGISTERED, Trust.ASK)
    assert [(asset.name, asset.executable) for asset in seen.found[0].bundle.assets] == [("run.sh", True)]


def test_where_the_remote_has_nothing_new_nothing_is_fetched_or_read(
    remote: LocalRemote, make: Make, blobs: MemoryBlobStore
) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    source = make()
    seen = source.observe()
    shutil.rmtree(make.cache())
    blobs.blobs.clear()
    assert source.observe() is seen
    assert source.observe(["a/SKILL.md"]) is seen
    assert (remote.fetched, [request.known for request in remote.asked]) == (1, ["", seen.revision, seen.revision])


def test_of_a_new_commit_only_what_changed_is_read(remote: LocalRemote, make: Make) -> None:
    remote.commit({f"{name}/SKILL.md": skill(name) for name in "abc"})
    source = make()
    before = source.observe()
    commit = remote.commit({"b/SKILL.md": skill("b", "New."), "b/x": "X"})
    after = source.observe()
    assert after.revision == commit
    assert [now is was for now, was in zip(after.found, before.found, strict=True)] == [True, False, True]


def test_a_commit_that_changes_no_skill_is_a_revision_of_the_same(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    source = make()
    before = source.observe()
    after_commit = remote.commit({"README.md": "Hello"})
    after = source.observe()
    assert (after.revision, after.found) == (after_commit, before.found)


def test_what_the_store_has_lost_is_read_again_though_nothing_is_new(
    remote: LocalRemote, make: Make, blobs: MemoryBlobStore
) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    source = make()
    seen = source.observe()
    digest = lose_one(blobs, seen)
    assert source.observe().outcome is Outcome.WHOLE
    assert digest in blobs.blobs


def test_what_the_store_has_lost_is_fetched_again_where_the_cache_is_gone(
    remote: LocalRemote, make: Make, blobs: MemoryBlobStore
) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    source = make()
    seen = source.observe()
    shutil.rmtree(make.cache())
    digest = lose_one(blobs, seen)
    source.observe()
    assert (remote.fetched, digest in blobs.blobs) == (2, True)


@pytest.mark.parametrize("ref", [None, Branch("main")])
def test_a_repository_that_was_never_filled_is_whole_and_empty(make: Make, ref: Branch | None) -> None:
    source = make(ref=ref)
    seen = source.observe()
    assert (seen.outcome, seen.found, seen.diagnostics) == (Outcome.WHOLE, (), ())
    assert source.observe() is seen


def test_a_repository_that_was_emptied_keeps_what_is_held(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    source = make()
    seen = source.observe()
    remote.head = ""
    assert "it is empty" in fails(source.observe(held=seen.found))


@pytest.mark.parametrize(
    ("ref", "name"), [(Tag("v1"), "tag 'v1'"), (Commit("a" * 40), f"commit {'a' * 40}"), (Branch("x"), "branch 'x'")]
)
def test_what_is_not_there_is_named(remote: LocalRemote, make: Make, ref: Tag | Commit | Branch, name: str) -> None:
    remote.answers = [FetchAnswer(status=FetchStatus.NO_SUCH_REF)]
    assert fails(make(ref=ref).observe()) == f"the repository at git.example has no {name}"


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        ({}, ("HEAD", "")),
        ({"ref": Branch("feature/x")}, ("refs/heads/feature/x", "")),
        ({"ref": Tag("v1")}, ("refs/tags/v1", "")),
        ({"ref": Commit("a" * 40)}, ("", "a" * 40)),
    ],
)
def test_the_remote_is_asked_for_what_is_meant(
    remote: LocalRemote, make: Make, settings: dict[str, Any], asked: tuple[str, str]
) -> None:
    remote.answers = [FetchAnswer(status=FetchStatus.UNREACHABLE)]
    make(**settings).observe()
    assert [(request.ref, request.commit) for request in remote.asked] == [asked]


def test_an_exact_commit_that_was_read_is_never_asked_for_again(remote: LocalRemote, make: Make) -> None:
    commit = remote.commit({"a/SKILL.md": skill("a", "One.")})
    remote.commit({"a/SKILL.md": skill("a", "Two.")})
    source = make(ref=Commit(commit))
    seen = source.observe()
    assert described(seen) == [("a", "One.")]
    assert source.observe() is seen
    assert len(remote.asked) == 1


@pytest.mark.parametrize("status", [status for status in FetchStatus if status not in {"current", "fetched", "empty"}])
def test_what_fails_is_told_and_the_commit_that_was_read_stands_after_it(
    remote: LocalRemote, make: Make, status: FetchStatus
) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    source = make()
    seen = source.observe()
    detail = "secret text of https://user:pass@git.example"
    remote.answers = [FetchAnswer(status=status, detail=detail)] * 4
    failed = source.observe(held=seen.found)
    message = fails(failed)
    assert "git.example" in message
    assert "pass" not in message
    if status is not FetchStatus.CACHE_UNUSABLE:
        assert source.observe(held=seen.found) is failed
    remote.answers.clear()
    assert source.observe(held=seen.found) is seen


def test_after_a_failure_a_new_commit_is_read(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a", "One.")})
    source = make()
    seen = source.observe()
    remote.answers = [FetchAnswer(status=FetchStatus.LATE)]
    source.observe(held=seen.found)
    remote.commit({"a/SKILL.md": skill("a", "Two."), "b/SKILL.md": skill("b", "New.")})
    assert described(source.observe(held=seen.found)) == [("a", "Two."), ("b", "New.")]


def test_a_cache_that_cannot_be_used_is_made_anew(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    make().observe()
    (make.cache() / "trace").touch()
    remote.answers = [FetchAnswer(status=FetchStatus.CACHE_UNUSABLE)]
    assert make().observe().outcome is Outcome.WHOLE
    assert not (make.cache() / "trace").exists()


def test_a_cache_that_lost_objects_is_fetched_anew(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    make().observe()
    for pack in (make.cache() / "objects").iterdir():
        shutil.rmtree(pack)
    commit = next(iter((remote.writer.folder / "objects").glob(f"{remote.head[:2]}/*")))
    kept = make.cache() / "objects" / remote.head[:2]
    kept.mkdir()
    shutil.copy(commit, kept)
    seen = make().observe()
    assert (seen.outcome, [found.place for found in seen.found], remote.fetched) == (Outcome.WHOLE, ["a"], 2)


def test_a_remote_that_is_damaged_itself_is_not_fetched_at_each_look(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    source = make()
    seen = source.observe()
    remote.commit({"a": None})
    remote.commit({"a": Placed(FOLDER, NOWHERE), "b/SKILL.md": skill("b", "New.")})
    for _ in range(3):
        seen = source.observe(held=seen.found)
        assert (seen.outcome, described(seen)) == (
            Outcome.PARTIAL,
            [("a", "Draws maps of harbors."), ("b", "New.")],
        )
    assert remote.fetched == 3


def test_of_a_commit_without_its_tree_nothing_is_seen(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    source = make()
    before = source.observe()
    remote.head = remote.writer.commit(NOWHERE)
    seen = source.observe(held=before.found)
    assert (seen.outcome, seen.found) == (Outcome.PARTIAL, before.found)


def test_of_a_commit_without_the_folder_that_leads_to_its_root_nothing_is_read(remote: LocalRemote, make: Make) -> None:
    remote.commit({"skills": Placed(FOLDER, NOWHERE)})
    assert "damaged" in fails(make(subdir="skills/a").observe())


def test_a_cache_above_its_bound_is_dropped_and_fetched_at_the_next_need(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a", "One.")})
    source = make(max_cache_bytes=1)
    seen = source.observe()
    assert list(make.folder.glob("*.git")) == []
    assert source.observe() is seen
    assert remote.fetched == 1
    remote.commit({"a/SKILL.md": skill("a", "Two.")})
    assert described(source.observe()) == [("a", "Two.")]
    assert remote.fetched == 2


def test_a_cache_above_its_bound_is_dropped_whatever_a_look_came_to(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    fails(make(subdir="gone", max_cache_bytes=1).observe())
    assert remote.fetched == 1
    assert list(make.folder.glob("*.git")) == []


def test_a_cache_of_many_packs_is_dropped(remote: LocalRemote, make: Make) -> None:
    source = make()
    for packs in (64, 65):
        for number in range(packs):
            (remote.writer.folder / "objects" / "pack" / f"pack-{number}.pack").touch()
        remote.commit({"a/SKILL.md": skill("a", f"{packs}.")})
        assert described(source.observe()) == [("a", f"{packs}.")]
        assert len(list(make.folder.glob("*.git"))) == (packs == 64)


def test_a_cache_of_another_url_or_access_is_not_used(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    make(access="one").observe()
    first = make.cache()
    make(access="two").observe()
    second = make.cache()
    make(access="two", url="https://git.example/other.git").observe()
    assert len({first, second, make.cache()}) == 3
    assert remote.fetched == 3


def test_after_a_restart_the_cache_is_read_and_nothing_fetched(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a")})
    before = make().observe()
    assert make().observe() == before
    assert remote.fetched == 1


def test_a_subdir_is_the_root_and_nothing_leads_above_it(remote: LocalRemote, make: Make) -> None:
    remote.commit(
        {
            "skills/a/SKILL.md": skill("a"),
            "skills/up": Placed(LINK, b"../other"),
            "skills/in": Placed(LINK, b"a"),
            "other/SKILL.md": skill("other"),
        }
    )
    seen = make(subdir="skills").observe()
    assert [found.place for found in seen.found] == ["a"]
    assert {(code, place) for code, place, _ in said(seen)} == {
        (DiagnosticCode.LINK_ESCAPES, "up"),
        (DiagnosticCode.LINKED_TWICE, "in"),
    }


def test_a_subdir_that_is_gone_fails(remote: LocalRemote, make: Make) -> None:
    remote.commit({"skills/a/SKILL.md": skill("a")})
    source = make(subdir="skills")
    seen = source.observe()
    remote.commit({"skills": None, "x": "X"})
    assert fails(source.observe(held=seen.found)) == "the commit has no folder 'skills', which subdir names"


def test_submodules_are_left_out_and_named(remote: LocalRemote, make: Make) -> None:
    remote.commit(
        {
            "team": Placed(SUBMODULE, NOWHERE),
            "a/SKILL.md": skill("a"),
            "a/vendor/lib": Placed(SUBMODULE, NOWHERE),
            ".gitmodules": "",
        }
    )
    seen = make().observe()
    assert [found.place for found in seen.found] == ["a"]
    assert sorted(said(seen)) == [
        (DiagnosticCode.SUBMODULE_LEFT_OUT, "a", "'vendor/lib' is a git submodule; left out"),
        (DiagnosticCode.SUBMODULE_LEFT_OUT, "team", "a git submodule; what it holds is left out"),
    ]


@pytest.mark.parametrize("name", ["SKILL.md", "big.bin"])
def test_a_skill_with_a_pointer_of_lfs_is_refused(remote: LocalRemote, make: Make, name: str) -> None:
    remote.commit({"a/SKILL.md": skill("a"), f"a/{name}": POINTER, "b/SKILL.md": skill("b")})
    seen = make().observe()
    assert (seen.outcome, [found.place for found in seen.found]) == (Outcome.WHOLE, ["b"])
    [(code, place, message)] = said(seen)
    assert (code, place, "lfs = true" in message) == (DiagnosticCode.LFS_POINTER, "a", True)


def test_names_are_judged_as_in_any_source(remote: LocalRemote, make: Make) -> None:
    remote.commit(
        {
            "a/SKILL.md": skill("a"),
            "a/x": "X",
            "a/X": "X",
            "b/SKILL.md": skill("b"),
            "b/\udcff": "X",
            "c/SKILL.md": skill("c"),
            "c/.git/hooks/post-checkout": "#!",
            "\udcff/SKILL.md": skill("d"),
            ".git/SKILL.md": skill("e"),
        }
    )
    seen = make().observe()
    assert [(found.place, found.bundle.assets) for found in seen.found] == [("c", ())]
    assert {(code, place) for code, place, _ in said(seen)} == {
        (DiagnosticCode.ASSET_NAME_COLLISION, "a"),
        (DiagnosticCode.ASSET_NAME_UNFIT, "b"),
        (DiagnosticCode.FOLDER_NAME_NOT_TEXT, "�"),
        (DiagnosticCode.FOLDER_IGNORED, ".git"),
    }


@pytest.mark.parametrize(
    ("credentials", "sent"),
    [
        (None, ("", "")),
        (Basic(username="me", password="open-sesame"), ("me", "open-sesame")),  # noqa: S106 - a test has none
        (Bearer(token="open-sesame"), ("x-access-token", "open-sesame")),  # noqa: S106 - a test has none
    ],
)
def test_credentials_are_read_at_each_look(
    remote: LocalRemote, make: Make, credentials: Basic | Bearer | None, sent: tuple[str, str]
) -> None:
    given = iter([None, credentials])
    source = make(credentials=lambda: next(given))
    source.observe()
    source.observe()
    assert [(request.username, request.password) for request in remote.asked] == [("", ""), sent]


def test_credentials_that_cannot_be_had_are_told(remote: LocalRemote, make: Make) -> None:
    def none() -> None:
        raise CredentialsMissing("the variable X of the environment holds no secret")

    assert fails(make(credentials=none).observe()) == "the variable X of the environment holds no secret"
    assert remote.asked == []


def test_over_ssh_somebody_must_say_whose_key_is_trusted(remote: LocalRemote, make: Make) -> None:
    message = fails(make(url="git@git.example:harbor.git").observe())
    assert message == "nothing is fetched over SSH without known_hosts_file, which says whose key is trusted"
    assert remote.asked == []


def test_over_ssh_the_user_is_the_one_of_the_url(remote: LocalRemote, make: Make) -> None:
    make(url="ssh://somebody@git.example/harbor.git", known_hosts_file="x", ssh_key_file="y").observe()
    assert [(request.username, request.ssh_key_file) for request in remote.asked] == [("somebody", "y")]


def test_a_data_folder_that_cannot_be_used_is_told(make: Make) -> None:
    make.folder.write_text("")
    assert fails(make().observe()) == "this server can neither fetch nor keep anything (EEXIST)"


def test_a_cache_that_another_look_holds_is_waited_for(make: Make) -> None:
    with GitCache(make.folder, "x").held(1):
        assert fails(make(timeout_s=0.1).observe()) == "another look at it is still under way"
        with pytest.raises(Abandoned):
            make(stopped=lambda: True).observe()


def test_a_look_that_is_stopped_is_abandoned_and_what_was_read_stands(remote: LocalRemote, make: Make) -> None:
    remote.commit({"a/SKILL.md": skill("a", "One.")})
    stop: list[bool] = []
    source = make(stopped=lambda: bool(stop))
    seen = source.observe()
    remote.commit({"a/SKILL.md": skill("a", "Two.")})
    stop.append(True)
    with pytest.raises(Abandoned):
        source.observe(held=seen.found)
    stop.clear()
    assert described(source.observe(held=seen.found)) == [("a", "Two.")]


@pytest.mark.parametrize("subdir", ["/a", "a/", "a//b", ".", "../a", "a/../b", ".git"])
def test_a_subdir_is_a_path_below_the_root(subdir: str) -> None:
    with pytest.raises(ValueError, match="subdir"):
        GitSettings(url=URL, reading=READING, subdir=subdir)


def test_settings_of_a_url_that_is_not_fetched_from_are_refused() -> None:
    settings = GitSettings(url=URL, reading=READING)
    with pytest.raises(ValueError, match="scheme"):
        replace(settings, url="file:///srv/a.git")

"""Git sources against `git http-backend` behind a real web server."""

import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from typing_extensions import override

from skillsvc.content.credentials import Basic, Bearer, Credentials
from skillsvc.content.stopping import Abandoned
from skillsvc.sources.git.url import Branch, Commit, Tag
from skillsvc.sources.source import Outcome, Source
from tests.contract.source import Place, SourceContract, described
from tests.integration.git_looks import GitServer, fails, repository_on, server_of, source_of
from tests.patience import PATIENCE_S
from tests.simulators.git_repository import GitRepository, run
from tests.simulators.git_servers import PASSWORD, USERNAME, serving_http
from tests.simulators.ports import own_port
from tests.simulators.web_server import Answer, broken, dripping, endless, garbage, page, reset, silent
from tests.simulators.web_server import serving as serving_answers
from tests.unit.sources.trees import skill

READER = Basic(username=USERNAME, password=PASSWORD)
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 7\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitServer]:
    folder = tmp_path_factory.mktemp("git")
    (folder / "root").mkdir()
    with serving_http(folder / "root", folder / "http") as origin:
        yield GitServer(root=folder / "root", origin=origin)


@pytest.fixture
def repository(server: GitServer, tmp_path: Path) -> Iterator[GitRepository]:
    with repository_on(server.root, tmp_path) as made:
        yield made


@pytest.fixture
def url(server: GitServer, repository: GitRepository) -> str:
    return f"{server.origin}/open/{repository.bare.name}"


class _Pushes:
    """A repository on a server; each change is pushed."""

    def __init__(self, repository: GitRepository) -> None:
        self._repository = repository
        self._document = b""

    def write(self, place: str, description: str) -> None:
        if not self._repository.bare.exists():
            run("git", "init", "--quiet", "--bare", "--initial-branch=main", self._repository.bare)
        self._repository.commit({f"{place}/SKILL.md": skill(Path(place).name, description)})

    def spoil(self, place: str) -> None:
        self._repository.commit({f"{place}/SKILL.md": "---\n"})

    def remove(self, place: str) -> None:
        shutil.rmtree(self._repository.work / place)
        self._repository.commit()

    def hide(self, place: str) -> None:
        # What it stands for is nowhere to be had.
        self._document = (self._repository.work / place / "SKILL.md").read_bytes()
        self._repository.commit({f"{place}/SKILL.md": POINTER})

    def show(self, place: str) -> None:
        self._repository.commit({f"{place}/SKILL.md": self._document})

    def lose(self) -> None:
        shutil.rmtree(self._repository.bare)
        for path in self._repository.work.iterdir():
            if path.name != ".git":
                shutil.rmtree(path)


class TestGitSource(SourceContract):
    gone = Outcome.FAILED

    @pytest.fixture
    @override
    def place(self, repository: GitRepository) -> Place:
        return _Pushes(repository)

    @pytest.fixture
    @override
    def source(self, url: str, tmp_path: Path) -> Source:
        return source_of(url, tmp_path, lfs=True)


def test_where_the_ref_is_unchanged_nothing_is_fetched(repository: GitRepository, url: str, tmp_path: Path) -> None:
    commit = repository.commit({"a/SKILL.md": skill("a")})
    source = source_of(url, tmp_path)
    seen = source.observe()
    [cache] = (tmp_path / "cache").glob("*.git")
    shutil.rmtree(cache)
    assert source.observe() is seen
    assert seen.revision == commit
    assert list((cache / "objects" / "pack").iterdir()) == []


def test_one_commit_is_fetched_and_not_its_history(repository: GitRepository, url: str, tmp_path: Path) -> None:
    commits = [repository.commit({"a/SKILL.md": skill("a", f"Edition {number}.")}) for number in range(4)]
    source = source_of(url, tmp_path)
    assert described(source.observe()) == [("a", "Edition 3.")]
    [cache] = (tmp_path / "cache").glob("*.git")
    assert run("git", "rev-list", "refs/skillsvc/current", cwd=cache).split() == [commits[-1]]
    # Beyond the boundary of what was fetched first.
    for number in range(4, 7):
        repository.commit({"a/SKILL.md": skill("a", f"Edition {number}.")})
    assert described(source.observe()) == [("a", "Edition 6.")]
    repository.git("checkout", "--quiet", "-b", "side", commits[0])
    repository.commit({"b/SKILL.md": skill("b", "From the side.")}, branch="side")
    repository.git("checkout", "--quiet", "-B", "main", "origin/main")
    repository.git("merge", "--quiet", "--no-edit", "side")
    repository.push("HEAD:refs/heads/main")
    assert described(source.observe()) == [("a", "Edition 6."), ("b", "From the side.")]


def test_a_push_by_force_is_followed_back_and_forth(repository: GitRepository, url: str, tmp_path: Path) -> None:
    first = repository.commit({"a/SKILL.md": skill("a", "One.")})
    source = source_of(url, tmp_path)
    source.observe()
    second = repository.commit({"a/SKILL.md": skill("a", "Two."), "b/SKILL.md": skill("b", "New.")})
    source.observe()
    repository.push(f"{first}:refs/heads/main")
    seen = source.observe()
    assert (seen.revision, described(seen)) == (first, [("a", "One.")])
    repository.push(f"{second}:refs/heads/main")
    assert described(source.observe()) == [("a", "Two."), ("b", "New.")]
    repository.git("checkout", "--quiet", "--orphan", "other")
    repository.git("rm", "-rfq", ".")
    repository.commit({"c/SKILL.md": skill("c", "Of another history.")})
    assert described(source.observe()) == [("c", "Of another history.")]


def test_a_branch_that_is_deleted_keeps_what_is_held_until_it_is_back(
    repository: GitRepository, url: str, tmp_path: Path
) -> None:
    repository.commit({"a/SKILL.md": skill("a")})
    repository.push("HEAD:refs/heads/feature/x")
    source = source_of(url, tmp_path, ref=Branch("feature/x"))
    seen = source.observe()
    repository.push(":refs/heads/feature/x")
    assert fails(source.observe(held=seen.found)) == f"the repository at {server_of(url)} has no branch 'feature/x'"
    repository.push("HEAD:refs/heads/feature/x")
    assert source.observe(held=seen.found) is seen


@pytest.mark.parametrize("options", [[], ["--annotate", "--message=One"]], ids=["lightweight", "annotated"])
def test_a_tag_leads_to_its_commit_also_when_it_is_rewritten(
    repository: GitRepository, url: str, tmp_path: Path, options: list[str]
) -> None:
    source = source_of(url, tmp_path, ref=Tag("v1"))
    for edition in ("One.", "Two."):
        commit = repository.commit({"a/SKILL.md": skill("a", edition)})
        repository.git("tag", "--force", *options, "v1")
        repository.push("v1")
        seen = source.observe()
        assert (seen.revision, described(seen)) == (commit, [("a", edition)])
        assert source.observe() is seen


def test_a_tag_of_a_tag_leads_to_its_commit_and_a_tag_of_a_file_to_none(
    repository: GitRepository, url: str, tmp_path: Path
) -> None:
    commit = repository.commit({"a/SKILL.md": skill("a")})
    repository.git("tag", "--annotate", "--message=One", "inner")
    repository.git("tag", "--annotate", "--message=Two", "outer", "inner")
    repository.git("tag", "file", repository.git("rev-parse", "HEAD:a/SKILL.md"))
    repository.push("outer", "file")
    assert source_of(url, tmp_path, ref=Tag("outer")).observe().revision == commit
    assert "tag 'file'" in fails(source_of(url, tmp_path, ref=Tag("file")).observe())


def test_without_a_ref_the_default_branch_is_followed_to_its_new_name(
    repository: GitRepository, url: str, tmp_path: Path
) -> None:
    repository.commit({"a/SKILL.md": skill("a", "One.")})
    source = source_of(url, tmp_path)
    source.observe()
    repository.commit({"a/SKILL.md": skill("a", "Two.")}, branch="trunk")
    run("git", "symbolic-ref", "HEAD", "refs/heads/trunk", cwd=repository.bare)
    repository.push(":refs/heads/main")
    assert described(source.observe()) == [("a", "Two.")]
    run("git", "symbolic-ref", "HEAD", "refs/heads/nowhere", cwd=repository.bare)
    assert "HEAD" in fails(source.observe())


@pytest.mark.parametrize("allows", ["true", "false"])
def test_an_exact_commit_is_fetched_alone_where_the_server_allows_it(
    repository: GitRepository, url: str, tmp_path: Path, allows: str
) -> None:
    commits = [repository.commit({"a/SKILL.md": skill("a", f"Edition {number}.")}) for number in range(3)]
    repository.configure("uploadpack.allowAnySHA1InWant", allows)
    source = source_of(url, tmp_path, ref=Commit(commits[1]))
    seen = source.observe()
    assert (seen.revision, described(seen)) == (commits[1], [("a", "Edition 1.")])
    [cache] = (tmp_path / "cache").glob("*.git")
    fetched = run("git", "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)", cwd=cache)
    assert fetched.count("commit") == (1 if allows == "true" else 3)
    shutil.rmtree(repository.bare)
    assert source.observe() is seen


def test_an_exact_commit_at_a_tip_is_fetched_alone(repository: GitRepository, url: str, tmp_path: Path) -> None:
    commits = [repository.commit({"a/SKILL.md": skill("a", f"Edition {number}.")}) for number in range(3)]
    assert source_of(url, tmp_path, ref=Commit(commits[-1])).observe().revision == commits[-1]
    [cache] = (tmp_path / "cache").glob("*.git")
    assert run("git", "rev-list", "--all", cwd=cache).split() == [commits[-1]]


def test_an_exact_commit_is_found_in_the_cache_of_a_branch(repository: GitRepository, url: str, tmp_path: Path) -> None:
    commits = [repository.commit({"a/SKILL.md": skill("a", f"Edition {number}.")}) for number in range(3)]
    source_of(url, tmp_path).observe()
    assert described(source_of(url, tmp_path, ref=Commit(commits[0])).observe()) == [("a", "Edition 0.")]
    assert described(source_of(url, tmp_path).observe()) == [("a", "Edition 2.")]


def test_a_commit_that_nobody_has_is_told(repository: GitRepository, url: str, tmp_path: Path) -> None:
    repository.commit({"a/SKILL.md": skill("a")})
    message = fails(source_of(url, tmp_path, ref=Commit("1" * 40)).observe())
    assert message == f"the repository at {server_of(url)} has no commit {'1' * 40}, or that leads to no commit"


def test_an_empty_repository_is_whole_and_empty(repository: GitRepository, url: str, tmp_path: Path) -> None:
    source = source_of(url, tmp_path)
    seen = source.observe()
    assert (seen.outcome, seen.found, seen.diagnostics) == (Outcome.WHOLE, (), ())
    repository.commit({"a/SKILL.md": skill("a")})
    assert [found.place for found in source.observe().found] == ["a"]


def test_modes_links_and_submodules_are_those_of_the_commit(
    repository: GitRepository, url: str, tmp_path: Path
) -> None:
    repository.write({"real/SKILL.md": skill("real"), "real/run.sh": "#!", "real/text": "Text."})
    (repository.work / "real" / "run.sh").chmod(0o755)
    (repository.work / "linked").symlink_to("real")
    (repository.work / "out").symlink_to("/etc")
    repository.git("add", "--all")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},team")
    repository.git("commit", "--quiet", "--message=Change")
    repository.push("HEAD:refs/heads/main")
    seen = source_of(url, tmp_path).observe()
    [found] = seen.found
    assert [(asset.name, asset.executable) for asset in found.bundle.assets] == [("run.sh", True), ("text", False)]
    assert {(said.code.value, said.skill) for said in seen.diagnostics} == {
        ("link-escapes", "out"),
        ("linked-twice", "real" if found.place == "linked" else "linked"),
        ("submodule-left-out", "team"),
    }


def test_more_bytes_than_allowed_are_not_received(repository: GitRepository, url: str, tmp_path: Path) -> None:
    repository.commit({"a/SKILL.md": skill("a", "One.")})
    source = source_of(url, tmp_path, max_bytes=100_000)
    seen = source.observe()
    big = os.urandom(2_000_000)
    repository.commit({"a/big": big})
    assert fails(source.observe(held=seen.found)).startswith(f"{server_of(url)} sends more than 100000 bytes")
    (repository.work / "a" / "big").unlink()
    repository.commit({"a/SKILL.md": skill("a", "Two.")})
    assert described(source.observe(held=seen.found)) == [("a", "Two.")]


@pytest.mark.parametrize(
    ("credentials", "says"),
    [
        (None, "asks for credentials"),
        (Basic(username=USERNAME, password="wr0ng-secret"), "refuses the credentials"),  # noqa: S106 - no secret
        (Bearer(token="wr0ng-secret"), "refuses the credentials"),  # noqa: S106 - no secret
    ],
    ids=["none", "wrong password", "wrong token"],
)
def test_credentials_that_are_refused_are_told_and_shown_nowhere(
    url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, credentials: Credentials | None, says: str
) -> None:
    closed = url.replace("/open/", "/closed/")
    with caplog.at_level(logging.DEBUG):
        message = fails(source_of(closed, tmp_path, credentials=lambda: credentials).observe())
    assert message.startswith(f"{server_of(url)} {says}")
    kept = b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert "wr0ng-secret" not in caplog.text + message
    assert b"wr0ng-secret" not in kept


def test_with_credentials_a_closed_repository_is_read(
    server: GitServer, repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a/SKILL.md": skill("a")})
    closed = f"{server.origin}/closed/{repository.bare.name}"
    source = source_of(closed, tmp_path, credentials=lambda: READER)
    seen = source.observe()
    assert [found.place for found in seen.found] == ["a"]
    assert source.observe() is seen
    kept = b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert PASSWORD.encode() not in kept


def test_a_redirect_to_another_host_is_not_followed(
    server: GitServer, repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a/SKILL.md": skill("a")})
    moved = f"{server.origin}/moved/{repository.bare.name}"
    fails(source_of(moved, tmp_path, credentials=lambda: READER).observe())
    renamed = f"{server.origin}/renamed/{repository.bare.name}"
    assert source_of(renamed, tmp_path).observe().outcome is Outcome.WHOLE


@pytest.mark.parametrize("path", ["/open/none.git", "/page/page.git", "/nothing/there.git"])
def test_what_is_no_repository_is_told(server: GitServer, tmp_path: Path, path: str) -> None:
    message = fails(source_of(server.origin + path, tmp_path).observe())
    assert (
        message == f"{server_of(server.origin)} answers, but breaks off, does not speak git, or has no such repository"
    )


def test_where_nobody_listens_the_look_fails(tmp_path: Path) -> None:
    with own_port() as port:
        message = fails(source_of(f"http://127.0.0.1:{port}/a.git", tmp_path).observe())
    assert message == f"127.0.0.1:{port} cannot be reached"


def test_a_host_without_address_cannot_be_reached(tmp_path: Path) -> None:
    message = fails(source_of("http://nowhere.invalid/a.git", tmp_path).observe())
    assert message == "nowhere.invalid cannot be reached"


REFS = b"001e# service=git-upload-pack\n0000"


@pytest.mark.parametrize(
    "answer",
    [
        broken,
        reset,
        garbage,
        page("<html>Oh no.</html>", status=500),
        page("Hello", content_type="application/x-git-upload-pack-advertisement"),
        page(REFS, content_type="application/x-git-upload-pack-advertisement"),
        page(REFS + b"ffff" + b"x" * 100, content_type="application/x-git-upload-pack-advertisement"),
    ],
    ids=["broken", "reset", "garbage", "fault", "no git", "cut", "short"],
)
def test_a_server_that_fails_fails_the_look(tmp_path: Path, answer: Answer) -> None:
    with serving_answers() as server:
        server.otherwise = answer
        assert "answers, but breaks off, does not speak git" in fails(
            source_of(server.url("/a.git"), tmp_path).observe()
        )


@pytest.mark.parametrize("answer", [silent, dripping(REFS * 1000, 0.05), endless], ids=["silent", "drip", "endless"])
def test_a_server_that_never_ends_is_left_at_the_deadline(tmp_path: Path, answer: Answer) -> None:
    with serving_answers() as server:
        server.otherwise = answer
        began = time.monotonic()
        message = fails(source_of(server.url("/a.git"), tmp_path, timeout_s=2.0).observe())
        assert time.monotonic() - began < PATIENCE_S / 2
    assert message.startswith(f"{server_of(server.url('/a.git'))} ")


def test_a_look_that_waits_for_a_server_stops_when_it_is_told_to(tmp_path: Path) -> None:
    with serving_answers() as server:
        server.otherwise = silent
        told: list[float] = []

        def stopped() -> bool:
            if server.asked and not told:
                told.append(time.monotonic())
            return bool(told)

        with pytest.raises(Abandoned):
            source_of(server.url("/a.git"), tmp_path, stopped=stopped).observe()
        assert time.monotonic() - told[0] < PATIENCE_S / 2


def spoil_packs(cache: Path) -> None:
    for pack in (cache / "objects" / "pack").glob("*.pack"):
        pack.chmod(0o600)
        data = bytearray(pack.read_bytes())
        data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
        pack.write_bytes(data)


def cut_packs(cache: Path) -> None:
    for pack in (cache / "objects" / "pack").glob("*.pack"):
        pack.chmod(0o600)
        os.truncate(pack, pack.stat().st_size // 2)


def lose_packs(cache: Path) -> None:
    for pack in (cache / "objects" / "pack").glob("*.pack"):
        pack.unlink()


def lose_index(cache: Path) -> None:
    for index in (cache / "objects" / "pack").glob("*.idx"):
        index.unlink()


def spoil_head(cache: Path) -> None:
    (cache / "HEAD").write_text("rubbish")


def spoil_configuration(cache: Path) -> None:
    (cache / "config").write_text("[core\nrubbish")


def lock_the_ref(cache: Path) -> None:
    (cache / "refs" / "skillsvc" / "current.lock").touch()


def lose_everything_inside(cache: Path) -> None:
    shutil.rmtree(cache)
    cache.mkdir()


def leave_a_mark(cache: Path) -> None:
    (cache / "fetching").touch()


@pytest.mark.parametrize(
    "spoil",
    [
        spoil_packs,
        cut_packs,
        lose_packs,
        lose_index,
        spoil_head,
        spoil_configuration,
        lock_the_ref,
        lose_everything_inside,
        leave_a_mark,
    ],
)
@pytest.mark.parametrize("changes", [False, True], ids=["same commit", "new commit"])
def test_a_cache_that_is_damaged_is_fetched_anew(
    repository: GitRepository, url: str, tmp_path: Path, spoil: Callable[[Path], None], *, changes: bool
) -> None:
    repository.commit({"a/SKILL.md": skill("a", "One."), "a/x": "X" * 5000})
    source_of(url, tmp_path).observe()
    [cache] = (tmp_path / "cache").glob("*.git")
    spoil(cache)
    if changes:
        repository.commit({"a/SKILL.md": skill("a", "Two.")})
    seen = source_of(url, tmp_path).observe()
    assert (seen.outcome, described(seen)) == (Outcome.WHOLE, [("a", "Two." if changes else "One.")])


def test_a_fetch_that_is_killed_half_way_leaves_a_mark_by_which_its_cache_is_dropped(
    repository: GitRepository, url: str, tmp_path: Path
) -> None:
    repository.commit({"a/SKILL.md": skill("a", "One.")})
    advertised = httpx.get(
        f"{url}/info/refs?service=git-upload-pack",
        headers={"Accept-Encoding": "identity"},
        timeout=PATIENCE_S,
        trust_env=False,
    )
    with serving_answers() as server:
        server.answers["/a.git/info/refs"] = page(advertised.content, content_type=advertised.headers["content-type"])
        server.answers["/a.git/git-upload-pack"] = silent
        with pytest.raises(Abandoned):
            source_of(
                server.url("/a.git"), tmp_path, stopped=lambda: "/a.git/git-upload-pack" in server.paths()
            ).observe()
    [cache] = (tmp_path / "cache").glob("*.git")
    assert (cache / "fetching").exists()

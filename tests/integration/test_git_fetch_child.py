"""The program that fetches from git, run here in the open: each end that an exchange may come to."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillsvc.sources.git.exchange import FetchAnswer, FetchRequest, FetchStatus
from skillsvc.sources.git.fetch_child import fetch
from skillsvc.sources.git.fetching import GitFetching
from tests.integration.git_looks import GitServer, repository_on
from tests.simulators.git_repository import GitRepository
from tests.simulators.git_servers import PASSWORD, USERNAME, serving_http


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


class Ask:
    """Asks for a repository, with a cache of its own."""

    def __init__(self, origin: str, name: str, cache: Path) -> None:
        self._origin = origin
        self._name = name
        self.cache = cache

    def request(self, *, under: str = "open", **more: Any) -> FetchRequest:  # noqa: ANN401 - as FetchRequest takes them
        given = {
            "url": f"{self._origin}/{under}/{self._name}",
            "cache": str(self.cache),
            "max_bytes": 10_000_000,
            "timeout_s": 20.0,
            "memory_bytes": 512 * 1024 * 1024,
            **({} if "commit" in more else {"ref": "HEAD"}),
            **more,
        }
        return FetchRequest(**given)

    def __call__(self, **more: Any) -> FetchAnswer:  # noqa: ANN401 - as FetchRequest takes them
        return fetch(self.request(**more))


@pytest.fixture
def ask(server: GitServer, repository: GitRepository, tmp_path: Path) -> Ask:
    return Ask(server.origin, repository.bare.name, tmp_path / "cache.git")


def test_what_is_there_is_fetched_once(ask: Ask, repository: GitRepository) -> None:
    assert ask().status is FetchStatus.EMPTY
    first = repository.commit({"a": "One."})
    fetched = ask()
    assert (fetched.status, fetched.commit, fetched.received > 0) == (FetchStatus.FETCHED, first, True)
    assert ask() == FetchAnswer(status=FetchStatus.CURRENT, commit=first)
    second = repository.commit({"a": "Two."})
    assert ask(known=second) == FetchAnswer(status=FetchStatus.CURRENT, commit=second)
    assert ask().status is FetchStatus.FETCHED
    assert not (ask.cache / "fetching").exists()


def test_what_is_not_there_is_told(ask: Ask, repository: GitRepository) -> None:
    repository.commit({"a": "One."})
    repository.git("tag", "file", repository.git("rev-parse", "HEAD:a"))
    repository.push("file")
    assert ask(ref="refs/heads/x").status is FetchStatus.NO_SUCH_REF
    assert ask(ref="refs/tags/file").status is FetchStatus.NO_SUCH_COMMIT
    assert ask(commit="1" * 40).status is FetchStatus.NO_SUCH_COMMIT


def test_a_commit_is_fetched_with_all_else_where_it_may_not_be_alone(ask: Ask, repository: GitRepository) -> None:
    commits = [repository.commit({"a": str(number)}) for number in range(3)]
    logged_in = {"under": "closed", "username": USERNAME, "password": PASSWORD}
    assert ask(commit=commits[0], **logged_in).commit == commits[0]
    assert ask(commit=commits[0], **logged_in).status is FetchStatus.CURRENT
    assert ask(commit=commits[2], **logged_in).commit == commits[2]


def test_credentials_are_shown_once_a_connection(ask: Ask, repository: GitRepository) -> None:
    repository.commit({"a": "One."})
    assert ask(under="closed").status is FetchStatus.CREDENTIALS_MISSING
    assert ask(under="closed", username="x", password="y").status is FetchStatus.CREDENTIALS_REFUSED  # noqa: S106
    assert ask(under="closed", username=USERNAME, password=PASSWORD).status is FetchStatus.FETCHED


def test_bytes_are_counted(ask: Ask, repository: GitRepository) -> None:
    repository.commit({"a": "One."})
    assert ask(max_bytes=10).status is FetchStatus.TOO_LARGE
    assert ask().status is FetchStatus.FETCHED


def test_a_cache_that_is_none_is_told_apart_from_a_remote_that_fails(ask: Ask, repository: GitRepository) -> None:
    repository.commit({"a": "One."})
    ask.cache.mkdir()
    assert ask().status is FetchStatus.CACHE_UNUSABLE
    (ask.cache / "fetching").touch()
    assert ask().status is FetchStatus.FETCHED
    (ask.cache / "refs" / "skillsvc" / "current.lock").touch()
    repository.commit({"a": "Two."})
    assert ask().status is FetchStatus.CACHE_UNUSABLE
    assert ask(under="nowhere").status is FetchStatus.NO_GIT


def test_what_unfolds_to_more_than_the_memory_allowed_ends_the_process_and_not_the_server(
    ask: Ask, repository: GitRepository, tmp_path: Path
) -> None:
    # Two nearly equal files of zeros are sent as one and a difference, which is put together in memory.
    zeros = bytes(32 * 1024 * 1024)
    repository.commit({"a": zeros, "b": zeros + b"x"})
    answer = GitFetching(tmp_path / "home").fetch(ask.request(memory_bytes=80 * 1024 * 1024))
    assert answer.received < 1_000_000
    assert answer.status in {FetchStatus.TOO_LARGE, FetchStatus.NO_ANSWER}

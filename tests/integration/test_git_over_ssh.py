"""Git sources against a real sshd: whose host key is believed, and which keys it takes."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillsvc.sources.git.url import Branch
from skillsvc.sources.source import Outcome
from tests.contract.source import described
from tests.integration.git_looks import fails, repository_on, server_of, source_of
from tests.simulators.git_repository import GitRepository
from tests.simulators.git_servers import SshServer, serving_ssh
from tests.simulators.ports import own_port
from tests.unit.sources.trees import skill


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    with serving_ssh(tmp_path_factory.mktemp("ssh") / "server") as serving:
        yield serving


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[GitRepository]:
    with repository_on(tmp_path, tmp_path) as made:
        made.commit({"a/SKILL.md": skill("a", "One.")})
        yield made


@pytest.fixture
def url(server: SshServer, repository: GitRepository) -> str:
    return f"{server.origin}{repository.bare}"


def test_a_repository_is_read_and_followed(
    server: SshServer, repository: GitRepository, url: str, tmp_path: Path
) -> None:
    source = source_of(url, tmp_path, known_hosts_file=str(server.known_hosts), ssh_key_file=str(server.key))
    seen = source.observe()
    assert (seen.outcome, described(seen)) == (Outcome.WHOLE, [("a", "One.")])
    assert source.observe() is seen
    repository.commit({"a/SKILL.md": skill("a", "Two.")})
    assert described(source.observe()) == [("a", "Two.")]


def test_a_host_key_that_is_not_the_known_one_is_not_believed(server: SshServer, url: str, tmp_path: Path) -> None:
    message = f"{server_of(url)} shows a host key that is not the one of known_hosts_file"
    unknown = tmp_path / "known_hosts"
    unknown.write_text("")
    for known_hosts in (server.wrong_known_hosts, unknown):
        source = source_of(url, tmp_path, known_hosts_file=str(known_hosts), ssh_key_file=str(server.key))
        assert fails(source.observe()) == message
    # What a look was told to trust is trusted by no later one.
    source_of(url, tmp_path, known_hosts_file=str(server.known_hosts), ssh_key_file=str(server.key)).observe()
    source = source_of(url, tmp_path, known_hosts_file=str(unknown), ssh_key_file=str(server.key), ref=Branch("x"))
    assert fails(source.observe()) == message


def test_without_known_hosts_nothing_is_fetched(server: SshServer, url: str, tmp_path: Path) -> None:
    assert "known_hosts_file" in fails(source_of(url, tmp_path, ssh_key_file=str(server.key)).observe())


def test_a_key_that_the_server_does_not_know_is_refused(server: SshServer, url: str, tmp_path: Path) -> None:
    known_hosts = str(server.known_hosts)
    source = source_of(url, tmp_path, known_hosts_file=known_hosts, ssh_key_file=str(server.other_key))
    assert "refuses the key of ssh_key_file" in fails(source.observe())


def test_without_a_key_none_is_looked_for(server: SshServer, url: str, tmp_path: Path) -> None:
    message = fails(source_of(url, tmp_path, known_hosts_file=str(server.known_hosts)).observe())
    assert message == f"{server_of(url)} asks for a key, and no ssh_key_file is configured"


def test_a_key_that_is_none_is_told_and_not_shown(
    server: SshServer, url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key = tmp_path / "key"
    source = source_of(url, tmp_path, known_hosts_file=str(server.known_hosts), ssh_key_file=str(key))
    assert fails(source.observe()) == "the file of ssh_key_file cannot be read (ENOENT)"
    key.write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nrubbish\n")
    with caplog.at_level(logging.DEBUG):
        message = fails(source.observe())
    assert "rubbish" not in message + caplog.text
    assert str(tmp_path) not in message


def test_a_repository_that_is_gone_keeps_what_is_held(
    server: SshServer, repository: GitRepository, url: str, tmp_path: Path
) -> None:
    source = source_of(url, tmp_path, known_hosts_file=str(server.known_hosts), ssh_key_file=str(server.key))
    seen = source.observe()
    away = repository.bare.rename(tmp_path / "away")
    assert "has no such repository" in fails(source.observe(held=seen.found))
    away.rename(repository.bare)
    assert source.observe(held=seen.found) is seen


def test_where_nobody_listens_the_look_fails(server: SshServer, tmp_path: Path) -> None:
    with own_port() as port:
        url = f"ssh://git@127.0.0.1:{port}/a.git"
        source = source_of(url, tmp_path, known_hosts_file=str(server.known_hosts), ssh_key_file=str(server.key))
        assert "cannot be reached" in fails(source.observe())

"""Credentials of a listener: files are taken in as they change, and what cannot be changes nothing and is told once."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillsvc.service.certificate_files import CertificatesRefused
from skillsvc.service.tls_credentials import Credentials
from tests.simulators.authority import Authority, Files

KEPT = "those before stay in use"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, "skillsvc.service.tls_credentials")

    def since_the_last_time() -> list[str]:
        lines = [record.getMessage() for record in caplog.records]
        caplog.clear()
        return lines

    return since_the_last_time


def now() -> datetime:
    return datetime.now(UTC)


def test_files_that_cannot_be_used_let_no_listener_begin(files: Files, authority: Authority) -> None:
    put = files.put(authority.issue())
    files.exchange(files.key, authority.issue().key)
    with pytest.raises(CertificatesRefused, match="not that of the certificate"):
        Credentials(put, now=now)


def test_what_has_changed_is_handed_out_once(
    files: Files, authority: Authority, logged: Callable[[], list[str]]
) -> None:
    credentials = Credentials(files.put(authority.issue()), now=now)
    assert credentials.fetch() is None
    for _ in range(3):
        files.put(authority.issue())
        assert credentials.fetch() is not None
        assert credentials.fetch() is None
    assert logged() == ["certificates are taken in"] * 3


def test_a_change_of_the_authorities_of_clients_is_handed_out(files: Files, authority: Authority) -> None:
    issued = authority.issue()
    credentials = Credentials(files.put(issued, clients=authority.certificate), now=now)
    files.put(issued, clients=authority.certificate + Authority("next").certificate)
    assert credentials.fetch() is not None


def test_half_an_exchange_changes_nothing_and_is_told_once(
    files: Files, authority: Authority, logged: Callable[[], list[str]]
) -> None:
    credentials = Credentials(files.put(authority.issue()), now=now)
    following = authority.issue()
    files.exchange(files.key, following.key)
    assert [credentials.fetch() for _ in range(3)] == [None] * 3
    (line,) = logged()
    assert "the key is not that of the certificate" in line
    assert KEPT in line
    files.exchange(files.certificate, following.certificate)
    assert credentials.fetch() is not None
    assert logged() == ["certificates are taken in"]


def test_an_exchange_that_is_taken_back_changes_nothing(files: Files, authority: Authority) -> None:
    before = authority.issue()
    credentials = Credentials(files.put(before), now=now)
    files.exchange(files.key, authority.issue().key)
    assert credentials.fetch() is None
    files.put(before)
    assert credentials.fetch() is None


def test_files_that_are_gone_change_nothing_and_are_told_of_once(
    files: Files, authority: Authority, logged: Callable[[], list[str]]
) -> None:
    credentials = Credentials(files.put(authority.issue()), now=now)
    for _ in range(2):
        files.certificate.unlink()
        assert [credentials.fetch() for _ in range(3)] == [None] * 3
        (line,) = logged()
        assert "the certificate cannot be read: No such file or directory" in line
        files.put(authority.issue())
        assert credentials.fetch() is not None
        assert logged() == ["certificates are taken in"]


@pytest.mark.parametrize(
    ("days", "told"),
    [((-2, -1), "the certificate of TLS has expired"), ((1, 2), "the certificate of TLS is not valid yet")],
)
def test_a_certificate_out_of_its_time_is_used_and_warned_of_once(
    files: Files, authority: Authority, logged: Callable[[], list[str]], days: tuple[int, int], told: str
) -> None:
    credentials = Credentials(files.put(authority.issue(days=days)), now=now)
    assert logged() == [told]
    assert credentials.fetch() is None
    assert logged() == []
    files.put(authority.issue())
    assert credentials.fetch() is not None
    assert logged() == ["certificates are taken in"]


def test_a_certificate_that_expires_while_it_is_used_is_warned_of(
    files: Files, authority: Authority, logged: Callable[[], list[str]]
) -> None:
    times = [now()]
    credentials = Credentials(files.put(authority.issue()), now=lambda: times[-1])
    assert credentials.fetch() is None
    assert logged() == []
    times.append(times[0] + timedelta(days=3))
    assert [credentials.fetch() for _ in range(2)] == [None] * 2
    assert logged() == ["the certificate of TLS has expired"]


def test_a_key_that_anybody_may_read_is_warned_of(
    files: Files, authority: Authority, logged: Callable[[], list[str]]
) -> None:
    put = files.put(authority.issue())
    files.key.chmod(0o644)
    Credentials(put, now=now)
    (line,) = logged()
    assert "anybody on this machine may read or write the key of TLS" in line

"""Git sources over TLS: whose certificate is believed, and what goes to somebody else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from skillsvc.content.credentials import Basic
from skillsvc.sources.source import Outcome
from tests.integration.git_looks import fails, repository_on, server_of, source_of
from tests.simulators.git_servers import PASSWORD, USERNAME, serving_http
from tests.simulators.web_server import TLS, page, serving
from tests.unit.sources.trees import skill

AUTHORITY = str(TLS / "authority.pem")


@pytest.fixture(params=["server", "expired", "elsewhere"])
def certificate(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def url(tmp_path: Path, certificate: str) -> Iterator[str]:
    (tmp_path / "root").mkdir()
    with (
        serving_http(tmp_path / "root", tmp_path / "server", certificate=certificate) as origin,
        repository_on(tmp_path / "root", tmp_path) as repository,
    ):
        repository.commit({"a/SKILL.md": skill("a")})
        yield f"{origin}/closed/{repository.bare.name}"


def test_a_server_is_believed_by_its_certificate_alone(url: str, tmp_path: Path, certificate: str) -> None:
    reader = Basic(username=USERNAME, password=PASSWORD)
    seen = source_of(url, tmp_path, ca_file=AUTHORITY, credentials=lambda: reader).observe()
    if certificate == "server":
        assert (seen.outcome, [found.place for found in seen.found]) == (Outcome.WHOLE, ["a"])
    else:
        assert fails(seen).startswith(f"{server_of(url)} shows a certificate that is not trusted")
        asked = (tmp_path / "server" / "errors").read_text()
        assert USERNAME not in asked


@pytest.mark.parametrize("certificate", ["server"], indirect=True)
def test_an_authority_that_nobody_named_is_not_believed(url: str, tmp_path: Path) -> None:
    assert fails(source_of(url, tmp_path).observe()).startswith(
        f"{server_of(url)} shows a certificate that is not trusted"
    )


@pytest.mark.parametrize("certificate", ["server"], indirect=True)
def test_a_file_of_authorities_that_is_none_is_told(url: str, tmp_path: Path) -> None:
    none = tmp_path / "none.pem"
    assert fails(source_of(url, tmp_path, ca_file=str(none)).observe()).startswith("the file of ca_file cannot be read")
    none.write_text("rubbish")
    fails(source_of(url, tmp_path, ca_file=str(none)).observe())


@pytest.mark.parametrize("certificate", ["expired", "elsewhere"])
def test_who_is_not_believed_gets_no_request(tmp_path: Path, certificate: str) -> None:
    with serving(certificate=certificate) as server:
        server.otherwise = page(b"", status=401, tagged=False, www_authenticate="Basic")
        reader = Basic(username=USERNAME, password=PASSWORD)
        source = source_of(server.url("/a.git"), tmp_path, ca_file=AUTHORITY, credentials=lambda: reader)
        fails(source.observe())
        assert server.asked == []


def test_a_server_without_tls_is_not_spoken_to_in_the_clear(tmp_path: Path) -> None:
    with serving() as server:
        reader = Basic(username=USERNAME, password=PASSWORD)
        url = server.url("/a.git").replace("http:", "https:")
        source = source_of(url, tmp_path, ca_file=AUTHORITY, credentials=lambda: reader, timeout_s=1.0)
        fails(source.observe())
        assert not any("authorization" in asked.headers for asked in server.asked)

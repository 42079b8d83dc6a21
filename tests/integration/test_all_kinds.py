"""One server with a source of each kind, all from one file: secrets, addresses and layers reach what they are for.

Providers are in a test of their own, since one has to be installed for it.
"""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.waiting import wait_until
from tests.integration.calls import Caller
from tests.integration.commands import skillsvc
from tests.integration.conftest import Serve
from tests.simulators.git_repository import GitRepository
from tests.simulators.git_servers import PASSWORD, USERNAME, serving_http
from tests.simulators.oci_registry import Pushed, serving_registry
from tests.simulators.packing import tar_gz_of, tarred
from tests.simulators.web_index import hex_of, manifest, remote, serve_pages, well_known
from tests.simulators.web_server import WebServer, behind, page, serving
from tests.unit.sources.trees import grow, skill

pytestmark = pytest.mark.integration

WEB_PASSWORD = "hush"  # noqa: S105 - of a server that lives as long as a test


@pytest.fixture
def web() -> Iterator[WebServer]:
    with serving() as server:
        yield server


@pytest.fixture
def git(tmp_path: Path) -> Iterator[str]:
    root = tmp_path / "git"
    root.mkdir()
    repository = GitRepository(root / "tools.git", tmp_path / "work")
    repository.commit({"deep/of-git/SKILL.md": skill("of-git"), "of-nobody/SKILL.md": skill("of-nobody")})
    repository.push("main")
    with serving_http(root, tmp_path / "lighttpd") as origin:
        yield f"{origin}/closed/tools.git"


@pytest.fixture
def artifact(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "registry").mkdir()
    with serving_registry(tmp_path / "registry") as registry:
        registry.push("skills", "1", Pushed(data=tar_gz_of(tarred("of-oci/SKILL.md", skill("of-oci").encode()))))
        yield f"{registry.name}/skills:1"


def configuration(web: WebServer, git: str, artifact: str) -> str:
    return f"""
        [[source]]
        name = "house"
        path = "house"

        [[source]]
        name = "tools"
        kind = "git"
        url = "{git}"
        plain_http = true
        branch = "main"
        subdir = "deep"
        auth = {{ username = "{USERNAME}", password_file = "git-password" }}

        [[source]]
        name = "manifest"
        kind = "http"
        url = "{web.origin}/manifest.json"
        allow_addresses = ["127.0.0.0/8"]
        auth = {{ username = "ann", password_env = "WEB_PASSWORD" }}

        [[source]]
        name = "site"
        kind = "well_known"
        url = "{web.origin}"
        allow_addresses = ["127.0.0.1"]
        trust = "untrusted"

        [[source]]
        name = "artifact"
        kind = "oci"
        reference = "{artifact}"
        plain_http = true
        allow_addresses = ["127.0.0.1"]
        partition = {{ project = "garden" }}
        """


def test_one_server_serves_all_kinds_from_one_file(
    serve: Serve, tmp_path: Path, web: WebServer, git: str, artifact: str
) -> None:
    of_site = skill("of-site")
    entry = {"name": "of-site", "type": "skill-md", "url": "/of-site", "digest": f"sha256:{hex_of(of_site)}"}
    serve_pages(web, {"/.well-known/agent-skills/index.json": well_known(entry), "/of-site": of_site})
    listed = manifest({"id": "of-manifest", "description": "Is listed.", "body": remote("/body", "Its text.\n")})
    web.answers["/manifest.json"] = behind("ann", WEB_PASSWORD, page(listed))
    web.answers["/body"] = behind("ann", WEB_PASSWORD, page("Its text.\n"))
    grow(tmp_path, {"house/of-house/SKILL.md": skill("of-house")})
    (tmp_path / "git-password").write_text(f"{PASSWORD}\n")
    (tmp_path / "git-password").chmod(0o600)
    config = tmp_path / "skillsvc.toml"
    config.write_text(configuration(web, git, artifact))

    checked = skillsvc("config", "check", config, WEB_PASSWORD=WEB_PASSWORD)
    assert checked.status == 0
    assert [line.rpartition(" auth ")[2] for line in checked.lines] == [
        "is sent without TLS, for all on the way to read",
        "is sent without TLS, for all on the way to read",
        "5 sources: 0 mistakes, 2 warnings",
    ]

    server = serve(config=str(config), environment={"WEB_PASSWORD": WEB_PASSWORD})
    with Caller(server.address) as caller:
        skills = {each.name: each for each in caller.skills()}
        assert {name: each.source for name, each in skills.items()} == {
            "of-house": "house",
            "of-git": "tools",
            "of-manifest": "manifest",
            "of-site": "site",
        }
        assert {name: each.trust for name, each in skills.items()} == {
            "of-house": skill_pb2.TRUST_ALLOWED,
            "of-git": skill_pb2.TRUST_ASK,
            "of-manifest": skill_pb2.TRUST_ASK,
            "of-site": skill_pb2.TRUST_UNTRUSTED,
        }
        assert caller.generation().complete
        assert caller.body("of-manifest") == "Its text.\n"
        page_of_garden = caller.call(pb.ListSkillsRequest(project="garden"), pb.ListSkillsResponse)
        assert "of-oci" in [each.name for each in page_of_garden.skills]

        sources = server.data_dir / "sources"
        wait_until((sources / "tools").is_dir)
        (sources / "former").mkdir()
        assert server.stop() == 0
    assert WEB_PASSWORD not in server.log.read_text()
    assert PASSWORD not in server.log.read_text()

    config.write_text('[[source]]\nname = "house"\npath = "house"\n')
    again = serve(config=str(config), data_dir=server.data_dir)
    with Caller(again.address) as caller:
        caller.wait_until(lambda: caller.names() == ["of-house"])
        # What is known of a layer, not of a source, stands beside.
        assert [each.name for each in sources.iterdir() if each.is_dir()] == ["house"]
        config.write_text(configuration(web, git, artifact))
        (tmp_path / "git-password").unlink()
        again.process.send_signal(signal.SIGHUP)
        # What has no secret is unreachable, and takes nothing from the others.
        caller.wait_until(lambda: caller.names() == ["of-house", "of-site"] and not caller.generation().complete)
        unreachable = {each.source for each in caller.generation().unreachable_sources}
        assert unreachable == {"tools", "manifest"}
        (tmp_path / "git-password").write_text(f"{PASSWORD}\n")
        done = skillsvc("refresh", "tools", "--data-dir", server.data_dir)
        assert done.status == 0
        assert "of-git" in caller.names()

"""Faults that public tools had with what comes from elsewhere, each tried on a real server.

G14 to G17, G20 and G26 of a repository, G27 of indexes, G29 of tenants; the others are in `test_faults`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from tests.integration.calls import Caller
from tests.integration.commands import skillsvc
from tests.integration.conftest import RunningServer, Serve
from tests.simulators.git_repository import GitRepository
from tests.simulators.git_servers import PASSWORD, USERNAME, serving_http
from tests.simulators.web_index import hex_of, manifest, remote, serve_pages, well_known
from tests.simulators.web_server import WebServer, behind, page, serving
from tests.unit.sources.trees import skill

pytestmark = pytest.mark.integration


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A server, somebody who calls it, and its operator."""

    server: RunningServer
    caller: Caller

    def said(self) -> dict[str, set[str]]:
        """Return what the operator is told: the codes, by the skill or entry they are about."""
        done = skillsvc("diagnostics", "--json", "--data-dir", self.server.data_dir)
        assert done.status == 0, done.complained
        said: dict[str, set[str]] = {}
        for told in json.loads(done.printed)["diagnostics"]:
            said.setdefault(told.get("skill", ""), set()).add(told["code"])
        return said

    def refresh(self, *names: str) -> None:
        done = skillsvc("refresh", *names, "--data-dir", self.server.data_dir)
        assert done.status == 0, done.complained


@pytest.fixture(scope="module")
def repository(serve_for_module: Serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("git")
    (folder / "root").mkdir()
    made = GitRepository(folder / "root/tools.git", folder / "work")
    made.write(
        {
            "SKILL.md": skill("root"),
            "README.md": "Of the root.",
            "skills/a/SKILL.md": skill("a"),
            "skills/a/scripts/run": "#!/bin/sh\n",
            "skills/a/scripts/lib": "# nothing\n",
            "skills/quay/skill.md": skill("quay"),
            "src/linked/SKILL.md": skill("linked"),
        }
    )
    (made.work / "skills/a/scripts/run").chmod(0o755)
    (made.work / "skills/linked").symlink_to("../src/linked")
    for name, target in (("trap", "/"), ("climber", "../../.."), ("dangling", "nowhere")):
        (made.work / "skills" / name).symlink_to(target)
    made.git("add", "--all")
    made.git("update-index", "--add", "--cacheinfo", f"160000,{'a' * 40},skills/team-a")
    made.git("commit", "--quiet", "--message=All")
    made.push("HEAD:refs/heads/main")
    with serving_http(folder / "root", folder / "lighttpd") as origin:
        config = folder / "skillsvc.toml"
        config.write_text(
            f'[[source]]\nname = "tools"\nkind = "git"\nurl = "{origin}/open/tools.git"\nplain_http = true\n'
            'layout = "nested"\n'
        )
        server = serve_for_module(config=str(config))
        with Caller(server.address) as caller:
            yield Running(server=server, caller=caller)


def test_g14_a_skill_at_the_root_of_a_repository_hides_and_owns_none_below_it(repository: Running) -> None:
    assert repository.caller.names() == ["a", "linked", "quay", "root"]
    assert [asset.name for asset in repository.caller.assets("root")] == ["README.md"]


def test_g15_a_skill_md_in_another_case_is_taken_from_a_repository_with_a_warning(repository: Running) -> None:
    assert "file-name-case" in repository.said()["quay"]


def test_g16_a_linked_folder_of_a_repository_is_listed_once(repository: Running) -> None:
    assert repository.caller.names().count("linked") == 1
    assert repository.caller.body("linked") == "Body"


def test_g17_links_of_a_repository_that_lead_out_are_not_entered(repository: Running) -> None:
    said = repository.said()
    assert "link-escapes" in said["skills/trap"]
    assert "link-escapes" in said["skills/climber"]
    assert "link-dangling" in said["skills/dangling"]
    assert repository.caller.generation().complete


def test_g20_the_executable_bit_is_the_one_of_the_tree(repository: Running) -> None:
    modes = {asset.name: asset.executable for asset in repository.caller.assets("a")}
    assert modes == {"scripts/lib": False, "scripts/run": True}


def test_g26_a_submodule_is_left_out_and_named(repository: Running) -> None:
    assert "submodule-left-out" in repository.said()["skills/team-a"]
    assert repository.caller.generation().complete


@pytest.fixture
def web() -> Iterator[WebServer]:
    with serving() as server:
        yield server


@pytest.fixture
def elsewhere() -> Iterator[WebServer]:
    with serving() as server:
        yield server


def test_g27_entries_that_lead_away_are_refused_before_anything_is_fetched_or_written(
    serve: Serve, tmp_path: Path, web: WebServer, elsewhere: WebServer
) -> None:
    sound = skill("sound")
    document = remote("/sound.md", sound)
    serve_pages(
        web,
        {
            "/sound.md": sound,
            "/manifest.json": manifest(
                {"id": "../../x", "document": document},
                {"id": "far", "document": document, "assets": [{"name": "z", "url": elsewhere.url("/z")}]},
                {"id": "climbs", "document": document, "assets": [{"name": "../../../y", "url": "/y"}]},
                {"id": "sound", "document": document},
            ),
            "/.well-known/agent-skills/index.json": well_known(
                {"name": "../../x", "type": "skill-md", "url": "/sound.md", "digest": f"sha256:{hex_of(sound)}"},
                {"name": "away", "type": "skill-md", "url": elsewhere.url("/z"), "digest": f"sha256:{hex_of(sound)}"},
                {
                    "name": "also-sound",
                    "type": "skill-md",
                    "url": "/also.md",
                    "digest": f"sha256:{hex_of(skill('also-sound'))}",
                },
            ),
            "/also.md": skill("also-sound"),
        },
    )
    config = tmp_path / "skillsvc.toml"
    allowed = 'allow_addresses = ["127.0.0.1"]'
    config.write_text(
        f'[[source]]\nname = "listed"\nkind = "http"\nurl = "{web.origin}/manifest.json"\n{allowed}\n'
        f'[[source]]\nname = "site"\nkind = "well_known"\nurl = "{web.origin}"\n{allowed}\n'
    )
    server = serve(config=str(config), data_dir=tmp_path / "data")
    with Caller(server.address) as caller:
        assert caller.names() == ["also-sound", "sound"]
        assert caller.generation().complete
        said = Running(server=server, caller=caller).said()
    for entry in ("../../x", "far", "climbs", "away"):
        assert said[entry] == {"entry-left-out"}
    assert elsewhere.connections == 0
    assert set(web.paths()) == {
        "/manifest.json",
        "/.well-known/agent-skills/index.json",
        "/sound.md",
        "/also.md",
    }
    assert {path.name for path in tmp_path.iterdir()} == {"data", "skillsvc.toml"}
    assert not {"x", "y", "z"} & {path.name for path in tmp_path.rglob("*")}


def test_g29_what_one_tenant_may_see_tells_another_one_nothing(serve: Serve, tmp_path: Path, web: WebServer) -> None:
    (tmp_path / "root").mkdir()
    GitRepository(tmp_path / "root/tools.git", tmp_path / "work").commit({"of-git/SKILL.md": skill("of-git")})
    for tenant, secret in (("garden", PASSWORD), ("yard", "a guess")):
        (tmp_path / tenant).write_text(secret)
        (tmp_path / tenant).chmod(0o600)
    body = remote("/body", "Its text.")
    for path, answer in (
        ("/manifest.json", page(manifest({"id": "of-web", "body": body}))),
        ("/body", page("Its text.")),
    ):
        web.answers[path] = behind(USERNAME, PASSWORD, answer)
    with serving_http(tmp_path / "root", tmp_path / "lighttpd") as origin:
        config = tmp_path / "skillsvc.toml"
        config.write_text(
            "".join(
                f'[[source]]\nname = "{tenant}-{kind}"\n{place}\npartition = {{ project = "{tenant}" }}\n'
                f'auth = {{ username = "{USERNAME}", password_file = "{tenant}" }}\n'
                for tenant in ("garden", "yard")
                for kind, place in (
                    ("git", f'kind = "git"\nurl = "{origin}/closed/tools.git"\nplain_http = true'),
                    (
                        "web",
                        f'kind = "http"\nurl = "{web.origin}/manifest.json"\nallow_addresses = ["127.0.0.1"]',
                    ),
                )
            )
        )
        data_dir = tmp_path / "data"
        # Also what is kept over a restart is kept for whom it was shown to.
        for _ in range(2):
            server = serve(config=str(config), data_dir=data_dir)
            with Caller(server.address) as caller:
                assert listed_in(caller, "garden") == ["of-git", "of-web"]
                assert listed_in(caller, "yard") == []
                unknown = refusal(caller, "unknown")
                for name in ("of-git", "of-web"):
                    assert refusal(caller, name) == unknown
                    known = caller.call(pb.SkillBodyRequest(project="garden", name=name), pb.SkillBodyResponse)
                    assert refusal(caller, name, known.digest) == unknown
            assert server.stop() == 0


def listed_in(caller: Caller, project: str) -> list[str]:
    return [each.name for each in caller.call(pb.ListSkillsRequest(project=project), pb.ListSkillsResponse).skills]


def refusal(caller: Caller, name: str, digest: str = "") -> tuple[grpc.StatusCode, str, str]:
    return caller.refused(
        pb.SkillBodyRequest(project="yard", name=name, if_none_match=digest or None), pb.SkillBodyResponse
    )

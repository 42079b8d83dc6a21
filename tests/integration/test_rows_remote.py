"""Rows 10 to 13 of the merged list: sources elsewhere, and how they are declared. A docstring says what `rules.md`
decides otherwise."""

import json
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.trust import Tier
from skillsvc.sources.git.source import GitSettings, GitSource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.remote_blobs import RemoteBlobs
from skillsvc.sources.web.http import HttpSettings, HttpSource
from tests.integration.commands import skillsvc
from tests.integration.shelves import Shelves
from tests.patience import PATIENCE_S
from tests.simulators.git_repository import GitRepository
from tests.simulators.git_servers import serving_http
from tests.simulators.web_index import web
from tests.simulators.web_server import Answer, WebServer, page, redirect, serving
from tests.unit.sources.trees import skill

pytestmark = pytest.mark.integration

MIB = 1024 * 1024
MANIFEST = json.dumps(
    {
        "skills": [
            {"id": "remote", "description": "Is elsewhere.", "keywords": ["far"], "version": "2"},
            {"description": "Has no id."},
            {"id": "second"},
        ]
    }
)


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


@pytest.fixture
def server() -> Iterator[WebServer]:
    with serving() as server:
        yield server


def declare_manifest(shelves: Shelves, url: str) -> None:
    """Declare a manifest on the web, weaker than what was declared before."""
    blobs = shelves.world.blobs
    settings = HttpSettings(web=web(url), reading=ReadingSettings(label="web", tier=Tier.REGISTERED))
    shelves.declare(
        HttpSource(
            settings,
            limits=shelves.world.limits,
            blobs=blobs,
            folder=shelves.place / "state",
            remote=RemoteBlobs(blobs),
            place="",
        )
    )


async def test_row_10_of_a_repository_that_cannot_be_reached_the_last_commit_stays(
    shelves: Shelves, tmp_path: Path
) -> None:
    repositories = tmp_path / "repositories"
    repositories.mkdir()
    repository = GitRepository(repositories / "skills.git", tmp_path / "work")
    commit = repository.commit({"a/SKILL.md": skill("a", body="Committed.")})
    with serving_http(repositories, tmp_path / "http") as origin:
        settings = GitSettings(
            url=f"{origin}/open/skills.git",
            reading=ReadingSettings(label="git", tier=Tier.REGISTERED),
            plain_http=True,
            timeout_s=PATIENCE_S / 2,
        )
        source = GitSource(settings, limits=shelves.world.limits, blobs=shelves.world.blobs, folder=tmp_path / "cache")
        shelves.declare(source)
        async with shelves.serving() as catalog:
            [listed] = (await catalog.page()).skills
            assert (listed.name, listed.trust, listed.origin) == ("a", skill_pb2.TRUST_ASK, skill_pb2.TIER_REGISTERED)
            assert source.observe().revision == commit
            repositories.rename(tmp_path / "away")
            before = time.monotonic()
            await catalog.look()
            assert time.monotonic() - before < PATIENCE_S
            page = await catalog.page()
            assert [each.name for each in page.skills] == ["a"]
            assert [each.state for each in page.generation.unreachable_sources] == [pb.SOURCE_STATE_STALE]
            assert await catalog.body("a") == "Committed."


async def test_row_11_an_entry_without_an_id_is_left_out_and_the_others_are_registered(
    shelves: Shelves, server: WebServer
) -> None:
    server.answers["/manifest.json"] = page(MANIFEST)
    shelves.directory("main", {"local/SKILL.md": skill("local")})
    declare_manifest(shelves, server.url("/manifest.json"))
    async with shelves.serving() as catalog:
        local, remote, second = (await catalog.page()).skills
        assert (local.name, remote.name, second.name) == ("local", "remote", "second")
        assert {remote.origin, second.origin} == {skill_pb2.TIER_REGISTERED}
        assert (remote.version, list(remote.keywords)) == ("2", ["far"])
        assert second.description == "second"


def redirects(times: int) -> dict[str, Answer]:
    """Return so many redirects, of which the last leads to a manifest."""
    steps = {f"/{step}": redirect(f"/{step + 1}") for step in range(times)}
    return {"/manifest.json": redirect("/0"), **steps, f"/{times}": page(MANIFEST)}


UNFIT: dict[str, dict[str, Answer]] = {
    "a status of 500": {"/manifest.json": page(MANIFEST, status=500, tagged=False)},
    "4 MiB and a byte": {"/manifest.json": page(b" " * (4 * MIB + 1 - len(MANIFEST)) + MANIFEST.encode())},
    "11 redirects": redirects(10),
    "a redirect to another host": {"/manifest.json": redirect("http://localhost:1/manifest.json")},
}


@pytest.mark.parametrize("answers", UNFIT.values(), ids=UNFIT)
async def test_row_11_a_manifest_that_cannot_be_had_leaves_all_else(
    shelves: Shelves, server: WebServer, answers: dict[str, Answer]
) -> None:
    """`rules.md` 5: a source that cannot be read keeps its last good observation, and the catalog is incomplete."""
    server.answers["/manifest.json"] = page(MANIFEST)
    shelves.directory("main", {"local/SKILL.md": skill("local")})
    declare_manifest(shelves, server.url("/manifest.json"))
    async with shelves.serving() as catalog:
        server.answers.clear()
        server.answers.update(answers)
        await catalog.look()
        page_ = await catalog.page()
        assert [each.name for each in page_.skills] == ["local", "remote", "second"]
        assert [each.state for each in page_.generation.unreachable_sources] == [pb.SOURCE_STATE_STALE]


async def test_row_11_a_manifest_that_was_never_had_hides_no_local_skill(shelves: Shelves, server: WebServer) -> None:
    shelves.directory("main", {"local/SKILL.md": skill("local")})
    declare_manifest(shelves, server.url("/nowhere.json"))
    async with shelves.serving() as catalog:
        page_ = await catalog.page()
        assert [each.name for each in page_.skills] == ["local"]
        assert [each.state for each in page_.generation.unreachable_sources] == [pb.SOURCE_STATE_MISSING]


async def test_row_11_ten_redirects_are_followed(shelves: Shelves, server: WebServer) -> None:
    server.answers.update(redirects(9))
    declare_manifest(shelves, server.url("/manifest.json"))
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["remote", "second"]


async def test_row_12_a_skill_of_a_manifest_alone_has_no_body_and_never_a_local_one(
    shelves: Shelves, server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "remote").mkdir()
    (tmp_path / "remote" / "SKILL.md").write_text(skill("remote", body="Of the working directory."))
    (tmp_path / "SKILL.md").write_text(skill("remote", body="Of the working directory."))
    monkeypatch.chdir(tmp_path)
    server.answers["/manifest.json"] = page(MANIFEST)
    declare_manifest(shelves, server.url("/manifest.json"))
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["remote", "second"]
        assert await catalog.refusal("remote") == "BODY_NOT_FOUND"


def test_row_13_the_sources_of_ares_are_taken_over_and_what_is_unknown_is_told(tmp_path: Path) -> None:
    """In a configuration of ours an unknown kind is a mistake, told with its line; `config import` leaves it out."""
    ares = tmp_path / "config.toml"
    ares.write_text(
        """
[[skill_sources]]
type = "directory"
path = "/srv/skills"

[[skill_sources]]
type = "oci"
manifest_url = "https://skills.example/manifest.json"

[[skill_sources]]
type = "http"
manifest_url = "https://skills.example/other.json"

[[skill_sources]]
type = "git"
url = "https://git.example/skills.git"
local_dir = "~/cache"

[[skill_sources]]
type = "ftp"
url = "ftp://skills.example"
"""
    )
    done = skillsvc("config", "import", ares)
    sources = tomllib.loads(done.printed.decode())["source"]
    assert [each["kind"] for each in sources] == ["directory", "git", "http", "http"]
    assert [each["url"] for each in sources[2:]] == [
        "https://skills.example/manifest.json",
        "https://skills.example/other.json",
    ]
    assert "5 is left out" in done.complained
    ours = tmp_path / "skillsvc.toml"
    ours.write_text('[[source]]\nname = "a"\nkind = "ftp"\n')
    done = skillsvc("config", "check", ours)
    assert (done.status, f"{ours}:3: [[source]] 1 a: kind" in done.lines[0]) == (1, True)


def test_row_13_a_missing_file_is_empty_and_a_malformed_one_a_mistake(tmp_path: Path) -> None:
    done = skillsvc("config", "import", tmp_path / "none.toml")
    assert (done.status, tomllib.loads(done.printed.decode())) == (0, {})
    (tmp_path / "bad.toml").write_text("[a\n")
    assert skillsvc("config", "import", tmp_path / "bad.toml").status == 1

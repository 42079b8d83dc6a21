"""Conventional locations, served: which are, in which order they win, and what is said of those that are not."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.waiting import wait_until
from tests.integration.calls import Caller
from tests.integration.commands import skillsvc
from tests.integration.conftest import RunningServer, Serve
from tests.unit.sources.trees import grow, skill

pytestmark = pytest.mark.integration


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Make a home with a workspace in it: in each location a skill of its own, and one of a name that all have."""
    locations = {
        "work/.skillsvc/skills": "project-skillsvc",
        "work/.agents/skills": "project-agents",
        "work/.claude/skills": "project-claude",
        "settings/skillsvc/skills": "user-skillsvc",
        ".agents/skills": "user-agents",
        ".claude/skills": "user-claude",
        "house": "house",
    }
    for path, label in locations.items():
        grow(
            tmp_path,
            {
                f"{path}/of-{label}/SKILL.md": skill(f"of-{label}"),
                f"{path}/common/SKILL.md": skill("common", body=label),
                f"{path}/.system/SKILL.md": skill("system"),
            },
        )
    return tmp_path


def serve_at(serve: Serve, home: Path, conventional: str, sources: str = "") -> RunningServer:
    config = home / "work" / "skillsvc.toml"
    config.write_text(f"[conventional]\n{conventional}\n{sources}")
    return serve(config=str(config), environment={"HOME": str(home), "XDG_CONFIG_HOME": str(home / "settings")})


def logged(server: RunningServer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in server.log.read_text().split("\n")[:-1]]


def said(server: RunningServer, level: str) -> list[str]:
    return [line["message"] for line in logged(server) if line["level"] == level]


def test_nothing_is_looked_at_that_is_not_asked_for(serve: Serve, home: Path) -> None:
    server = serve_at(serve, home, "", '[[source]]\nname = "house"\npath = "../house"\n')
    with Caller(server.address) as caller:
        assert caller.names() == ["common", "of-house"]


def test_declared_sources_win_over_the_project_and_that_over_the_user(serve: Serve, home: Path) -> None:
    house = '[[source]]\nname = "house"\npath = "../house"\n'
    server = serve_at(serve, home, "project = true\nuser = true\ntrusted = true", house)
    with Caller(server.address) as caller:
        skills = {each.name: each for each in caller.skills()}
        assert sorted(skills) == [
            "common",
            "of-house",
            "of-project-agents",
            "of-project-claude",
            "of-project-skillsvc",
            "of-user-agents",
            "of-user-claude",
            "of-user-skillsvc",
        ]
        assert caller.body("common") == "house"
        assert {name: each.origin for name, each in skills.items() if name.endswith("agents")} == {
            "of-project-agents": skill_pb2.TIER_PROJECT,
            "of-user-agents": skill_pb2.TIER_USER,
        }
        order = ["project-skillsvc", "project-agents", "project-claude", "user-skillsvc", "user-agents", "user-claude"]
        assert [caller.body(f"{label}/common") for label in order] == order
        told = skillsvc("sources", "--data-dir", server.data_dir)
        assert [line.partition("\t")[0] for line in told.lines[: len(order) + 1]] == ["house", *order]


def test_an_untrusted_workspace_withholds_its_own_and_says_so_until_it_is_trusted(serve: Serve, home: Path) -> None:
    server = serve_at(serve, home, "project = true\nuser = true")
    with Caller(server.address) as caller:
        assert caller.names() == ["common", "of-user-agents", "of-user-claude", "of-user-skillsvc"]
        assert caller.body("common") == "user-skillsvc"
        assert caller.generation().complete
        assert "the workspace is not trusted, so its skills are withheld" in said(server, "warning")
        told = skillsvc("diagnostics", "--data-dir", server.data_dir).printed.decode()
        assert [f"project-{name}" in told for name in ("skillsvc", "agents", "claude")] == [True] * 3
        assert told.count("source-withheld") == 3

        config = home / "work" / "skillsvc.toml"
        config.write_text(config.read_text() + "\ntrusted = true\n")
        server.process.send_signal(signal.SIGHUP)
        caller.wait_until(lambda: caller.body("common") == "project-skillsvc")
        told = skillsvc("diagnostics", "--data-dir", server.data_dir).printed.decode()
        assert "source-withheld" not in told

        config.write_text("[conventional]\nproject = true\n")
        server.process.send_signal(signal.SIGHUP)
        caller.wait_until(lambda: caller.names() == [])


def test_one_directory_named_twice_is_one_source(serve: Serve, home: Path) -> None:
    (home / "link").symlink_to(home / ".agents")
    sources = (
        '[[source]]\nname = "house"\npath = "../link/skills"\n[[source]]\nname = "again"\npath = "../link/skills"\n'
    )
    server = serve_at(serve, home, "user = true", sources)
    with Caller(server.address) as caller:
        assert caller.skill("of-user-agents").origin == skill_pb2.TIER_EXPLICIT
        assert caller.names() == ["common", "of-user-agents", "of-user-claude", "of-user-skillsvc"]
    wait_until(lambda: len(said(server, "warning")) >= 2)
    assert [(line["source"], line["message"]) for line in logged(server) if "same directory" in line["message"]] == [
        ("again", "a source is left out: it is the same directory as house"),
        ("user-agents", "a source is left out: it is the same directory as house"),
    ]


def test_a_source_of_a_project_is_seen_in_it_alone(serve: Serve, home: Path) -> None:
    sources = (
        '[[source]]\nname = "house"\npath = "../house"\n'
        '[[source]]\nname = "garden"\npath = "../.agents/skills"\npartition = { project = "garden" }\n'
    )
    server = serve_at(serve, home, "", sources)
    with Caller(server.address) as caller:
        assert caller.names() == ["common", "of-house"]
        page = caller.call(pb.ListSkillsRequest(project="garden", view=pb.SKILL_VIEW_FULL), pb.ListSkillsResponse)
        assert [each.name for each in page.skills] == ["common", "of-house", "of-user-agents"]
        (common, *_) = page.skills
        assert common.source == "house"

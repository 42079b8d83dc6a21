"""A template served by the command itself: asked for, read anew, started again."""

import signal
from pathlib import Path

import pytest

from tests.hostile.waiting import wait_until
from tests.integration.commands import skillsvc
from tests.integration.conftest import RunningServer, Serve
from tests.unit.sources.trees import grow, skill

pytestmark = pytest.mark.integration

TEMPLATE = '[[source]]\nname = "tenants"\npath = "skills/{principal}/{project}"\n'
HOUSE = '[[source]]\nname = "house"\npath = "house"\n'


def listed(server: RunningServer, project: str = "") -> list[str]:
    project_option = [f"--project={project}"] if project else []
    done = skillsvc("list", f"--address={server.address}", *project_option)
    assert done.status == 0, done.complained
    return [line.split("\t")[0] for line in done.lines]


def operated(server: RunningServer, *arguments: str) -> str:
    done = skillsvc(*arguments, f"--data-dir={server.data_dir}")
    assert done.status == 0, done.complained
    return done.printed.decode()


def test_folders_are_served_by_need_read_anew_and_left_out_when_their_template_is_gone(
    tmp_path: Path, serve: Serve
) -> None:
    grow(
        tmp_path,
        {
            "skills/local/%/own/SKILL.md": skill("own"),
            "skills/local/a%2Fb/of-project/SKILL.md": skill("of-project"),
            "house/shared/SKILL.md": skill("shared"),
        },
    )
    config = tmp_path / "skillsvc.toml"
    config.write_text(HOUSE + TEMPLATE)
    server = serve(config=str(config), data_dir=tmp_path / "data")
    assert "local" not in operated(server, "partitions")
    assert listed(server) == ["own", "shared"]
    assert listed(server, "a/b") == ["of-project", "own", "shared"]
    assert listed(server, "other") == ["own", "shared"]
    assert "tenants" in operated(server, "sources", "--partition=local", "--project=a/b")
    grow(tmp_path, {"skills/local/a%2Fb/added/SKILL.md": skill("added")})
    assert "added" in operated(server, "refresh", "--partition=local", "--project=a/b")
    config.write_text(HOUSE)
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: listed(server, "a/b") == ["shared"])
    assert server.stop() == 0
    config.write_text(HOUSE + TEMPLATE)
    again = serve(config=str(config), data_dir=tmp_path / "data")
    assert listed(again, "a/b") == ["added", "of-project", "own", "shared"]

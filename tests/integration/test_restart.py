"""A server that starts again where another one ended: what was edited in between is seen, whatever it remembers."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.calls import Caller
from tests.integration.conftest import RunningServer, Serve
from tests.unit.sources.trees import grow, skill

VERSIONS = ("Version 1.", "Version 2.", "Version 3.")


def test_g23_an_edit_of_the_same_size_and_time_between_two_servers_is_seen(serve: Serve, tmp_path: Path) -> None:
    root = grow(tmp_path / "skills", {"a/SKILL.md": skill("a", VERSIONS[0]), "a/x": "0", "b/SKILL.md": skill("b")})
    data_dir = tmp_path / "data"
    for number, version in enumerate(VERSIONS):
        server = serve(root, data_dir=data_dir)
        with Caller(server.address) as caller:
            assert caller.skill("a").description == version
            assert caller.asset("a", "x") == str(number).encode()
            assert caller.names() == ["a", "b"]
        assert server.stop() == 0
        for path, text in (("a/SKILL.md", skill("a", VERSIONS[(number + 1) % 3])), ("a/x", str(number + 1))):
            before = (root / path).stat()
            (root / path).write_text(text)
            os.utime(root / path, ns=(before.st_atime_ns, before.st_mtime_ns))


def killed(server: RunningServer) -> None:
    server.process.kill()
    server.process.wait()


def damaged(server: RunningServer) -> None:
    server.stop()
    for file in remembered(server):
        file.write_bytes(file.read_bytes()[:-10])


def remembered(server: RunningServer) -> list[Path]:
    """Return the files of what was known of files and of the source."""
    return [path for path in server.data_dir.glob("sources/**/*") if path.is_file()]


@pytest.mark.parametrize("end", [killed, damaged])
def test_however_a_server_ended_the_next_one_finds_what_is_there(
    serve: Serve, tmp_path: Path, end: Callable[[RunningServer], None]
) -> None:
    root = grow(tmp_path / "skills", {"a/SKILL.md": skill("a"), "a/x": "x", "b/SKILL.md": "---\n"})
    first = serve(root, data_dir=tmp_path / "data")
    with Caller(first.address) as caller:
        before = caller.generation()
    end(first)
    with Caller(serve(root, data_dir=tmp_path / "data").address) as caller:
        assert caller.generation().token == before.token
        assert caller.generation().complete
        assert caller.names() == ["a"]


@pytest.mark.parametrize("end", [RunningServer.stop, killed])
def test_since_when_a_source_is_stale_outlives_a_restart(
    serve: Serve, tmp_path: Path, end: Callable[[RunningServer], object]
) -> None:
    root = grow(tmp_path / "skills", {"a/SKILL.md": skill("a")})
    config = tmp_path / "skillsvc.toml"
    config.write_text(f'[[source]]\nname = "house"\nkind = "directory"\npath = "{root}"\npoll_s = 1\n')
    server = serve(config=str(config), data_dir=tmp_path / "data")
    root.rename(tmp_path / "away")
    root.write_text("no directory")
    with Caller(server.address) as caller:
        caller.wait_until(lambda: not caller.generation().complete)
        [before] = caller.generation().unreachable_sources
    end(server)
    with Caller(serve(config=str(config), data_dir=tmp_path / "data").address) as caller:
        [after] = caller.generation().unreachable_sources
        assert (after.source, after.state, after.since) == (before.source, before.state, before.since)

"""Operators and a server as it is started: the socket in its data folder, over restarts, kills and long paths."""

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.hostile.waiting import wait_until
from tests.integration.commands import SKILLSVC, Done, environment, skillsvc
from tests.integration.conftest import RunningServer, Serve
from tests.patience import PATIENCE_S
from tests.unit.sources.trees import grow, skill


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return grow(tmp_path / "skills", {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})


def operate(server: RunningServer, *arguments: str) -> Done:
    return skillsvc(*arguments, "--data-dir", server.data_dir)


def admin_of(log: Path) -> str:
    """Return the address that a server logs as soon as it serves."""

    def told() -> list[str]:
        lines = [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
        return [line["admin"] for line in lines if line["message"] == "serving"]

    wait_until(lambda: bool(told()))
    (address,) = told()
    return address


def test_the_socket_lies_in_the_data_folder_for_this_user_alone_while_it_serves(serve: Serve, root: Path) -> None:
    server = serve(root)
    found = (server.data_dir / "admin.sock").stat()
    assert (stat.S_ISSOCK(found.st_mode), stat.S_IMODE(found.st_mode)) == (True, 0o600)
    assert stat.S_IMODE(server.data_dir.stat().st_mode) == 0o700
    assert admin_of(server.log) == f"unix:{server.data_dir}/admin.sock"
    (house,) = operate(server, "sources").lines
    assert house.split("\t")[:6] == ["dir-1", "directory", "COMPLETE", "allowed", "2", "0"]
    assert server.stop() == 0
    assert not (server.data_dir / "admin.sock").exists()
    assert operate(server, "sources").status == 3


def test_what_is_switched_off_by_command_is_off_until_it_is_on_again(serve: Serve, root: Path) -> None:
    server = serve(root)

    def enablement(*words: str) -> list[str]:
        done = operate(server, "enablement", *words)
        assert done.status == 0, done.complained
        return done.lines

    def listed(*words: str) -> list[str]:
        return [line.split("\t")[0] for line in skillsvc("list", "--address", server.address, *words).lines]

    assert enablement("disable", "a") == ["a is disabled"]
    assert enablement("disable", "a", "b", "--project", "garden") == ["a is disabled", "b is disabled"]
    assert enablement("enable", "a", "a", "--project", "shop") == ["a is enabled"]
    assert enablement("disable", "a") == ["a is disabled already"]
    assert (listed(), listed("--project", "garden"), listed("--project", "shop")) == (["b"], [], ["a", "b"])
    told = [line.split("\t")[:5] for line in enablement("list", "--project", "shop", "--deciding")]
    assert told == [["a", "enabled", "local", "shop", ""]]
    assert server.stop() == 0
    server = serve(root, data_dir=server.data_dir)
    assert listed() == ["b"]
    assert enablement("inherit", "a") == ["a is left to what is said to more callers"]
    assert listed() == ["a", "b"]
    refused = operate(server, "enablement", "disable", "No Name")
    assert (refused.status, "NAME_MALFORMED" in refused.complained) == (2, True)


def test_a_look_at_once_serves_what_was_written(serve: Serve, root: Path) -> None:
    further = grow(root.parent / "further", {"a/SKILL.md": skill("a", "Of the other.")})
    server = serve(root, further)
    listed = operate(server, "generations").lines
    grow(root, {"c/SKILL.md": skill("c")})
    # Told by the watch or by the look, whichever was first: it is there afterwards.
    assert operate(server, "refresh").status == 0
    held = operate(server, "generations").lines
    assert held[-len(listed) :] == listed
    before, after = listed[0].split("\t")[0], held[0].split("\t")[0]
    assert operate(server, "diff", before, after).lines == ["added\tc\t"]
    assert (
        operate(server, "diagnostics", "--min-severity", "warning").lines[0].startswith("warning\tdir-2\ta\tshadowed")
    )
    rows = [line.split("\t")[:3] for line in operate(server, "generations", after).lines]
    assert rows == [
        ["a", "dir-1", "listed"],
        ["a", "dir-2", "shadowed"],
        ["b", "dir-1", "listed"],
        ["c", "dir-1", "listed"],
    ]


def test_a_killed_server_leaves_a_socket_that_the_next_one_takes_over(serve: Serve, root: Path) -> None:
    first = serve(root)
    first.process.kill()
    first.process.wait(PATIENCE_S)
    assert (first.data_dir / "admin.sock").is_socket()
    assert operate(first, "sources").status == 3
    second = serve(root, data_dir=first.data_dir)
    assert operate(second, "sources").status == 0
    # What the first had published is held still.
    assert len(operate(second, "generations").lines) == 2


def test_a_second_server_on_the_folder_never_gets_to_the_socket(serve: Serve, root: Path) -> None:
    server = serve(root)
    before = (server.data_dir / "admin.sock").stat().st_ino
    refused = skillsvc("serve", "--listen", "127.0.0.1:0", "--skills-dir", root, "--data-dir", server.data_dir)
    assert (refused.status, "in use by another server" in refused.complained) == (1, True)
    assert (server.data_dir / "admin.sock").stat().st_ino == before
    assert operate(server, "sources").status == 0


def test_a_server_that_cannot_listen_leaves_no_socket(serve: Serve, root: Path, tmp_path: Path) -> None:
    server = serve(root)
    folder = tmp_path / "other"
    refused = skillsvc("serve", "--listen", server.address, "--skills-dir", root, "--data-dir", folder)
    assert (refused.status, refused.complained.count("cannot listen")) == (1, 1)
    assert not (folder / "admin.sock").exists()


@pytest.mark.parametrize("name", ["d" * 120, "a folder#1?"])
def test_a_data_folder_may_have_any_path(serve: Serve, root: Path, tmp_path: Path, name: str) -> None:
    server = serve(root, data_dir=tmp_path / name)
    assert (server.data_dir / "admin.sock").is_socket()
    assert operate(server, "refresh").status == 0
    # As the server tells it.
    assert skillsvc("sources", "--admin", admin_of(server.log)).status == 0


def test_agents_may_be_served_from_the_data_folder_too(serve: Serve, root: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    address = f"unix:{data}/agents.sock"
    server = serve(root, data_dir=data, listen=address)
    assert server.address == address
    assert [line.split("\t")[0] for line in skillsvc("list", "--address", address).lines] == ["a", "b"]
    assert operate(server, "sources").status == 0
    # By either name only what is served there.
    assert skillsvc("list", "--address", f"unix:{data}/admin.sock").status == 1
    assert skillsvc("sources", "--admin", address).status == 1
    refused = skillsvc("serve", f"--listen={address}", f"--skills-dir={root}", f"--data-dir={tmp_path / 'other'}")
    assert (refused.status, "in use" in refused.complained or "another server" in refused.complained) == (1, True)
    assert server.stop() == 0
    assert not list(data.glob("*.sock"))


@pytest.mark.usefixtures("root")
def test_each_partition_is_told_of_its_own_sources(serve: Serve, tmp_path: Path) -> None:
    grow(tmp_path / "mine", {"m/SKILL.md": skill("m"), "a/SKILL.md": skill("a", "Of my own.")})
    config = tmp_path / "skillsvc.toml"
    config.write_text(
        """
        [[source]]
        name = "house"
        kind = "directory"
        path = "skills"
        [[source]]
        name = "mine"
        kind = "directory"
        path = "mine"
        partition = { principal = "local", project = "garden" }
        """
    )
    server = serve(config=os.fspath(config))
    told = [line.split("\t") for line in operate(server, "partitions").lines]
    assert [line[:2] + line[3:5] for line in told] == [["deployment", "", "2", "1"], ["local", "garden", "2", "1"]]
    for words, name in (((), "house"), (("--project", "garden"), "mine")):
        assert [line.split("\t")[0] for line in operate(server, "sources", *words).lines] == [name]
    hidden = operate(server, "diagnostics", "--project", "garden", "--min-severity", "warning").lines
    assert [line.split("\t")[:4] for line in hidden] == [["warning", "mine", "a", "shadowed"]]
    grow(tmp_path / "mine", {"n/SKILL.md": skill("n")})
    assert operate(server, "refresh", "mine", "--project", "garden").status == 0
    of_garden = operate(server, "generations", "--project", "garden").lines[0].split("\t")[0]
    names = [line.split("\t")[0] for line in operate(server, "generations", of_garden, "--project", "garden").lines]
    assert names == ["a", "m", "n"]
    assert len(operate(server, "generations").lines) == 2


def test_a_server_with_a_temporary_folder_is_asked_by_the_address_that_it_logs(root: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [*SKILLSVC, "serve", "--listen=127.0.0.1:0", f"--skills-dir={root}"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment(TMPDIR=os.fspath(tmp_path)),
        ) as process,
    ):
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("listening on ")
            address = admin_of(log)
            assert skillsvc("sources", "--admin", address).status == 0
            folder = Path(address.removeprefix("unix:")).parent
            assert folder.parent == tmp_path
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
    assert not folder.exists()

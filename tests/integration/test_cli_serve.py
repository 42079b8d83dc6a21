"""`skillsvc serve`: how it starts, what it refuses, how it ends."""

import json
import os
import re
import signal
import socket
import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.integration.commands import SKILLSVC, environment, skillsvc
from tests.integration.conftest import Serve
from tests.patience import PATIENCE_S
from tests.simulators.behaving_provider import install
from tests.simulators.ports import own_port
from tests.unit.sources.trees import grow, skill

EXAMPLES = Path(__file__).parents[2] / "examples" / "skills"


@contextmanager
def serving(*arguments: str | Path, **variables: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Start a server with these arguments alone; give it and the address that it says."""
    process = subprocess.Popen(
        [*SKILLSVC, "serve", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**variables),
    )
    with process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().removeprefix("listening on ").rstrip()
        finally:
            process.kill()


def stop(process: "subprocess.Popen[str]", number: signal.Signals = signal.SIGTERM) -> tuple[int, list[dict[str, str]]]:
    """Stop a server; return its status and what it logged."""
    process.send_signal(number)
    _printed, logged = process.communicate(timeout=PATIENCE_S)
    return process.returncode, [json.loads(line) for line in logged.splitlines() if line.startswith("{")]


def listed(address: str) -> list[str]:
    done = skillsvc("list", "--address", address)
    assert (done.status, done.complained) == (0, "")
    return [line.partition("\t")[0] for line in done.lines]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_drains_and_ends_with_status_0(number: signal.Signals) -> None:
    with serving("--skills-dir", EXAMPLES, "--listen", "127.0.0.1:0") as (process, address):
        assert len(listed(address)) == 12
        status, logged = stop(process, number)
    assert status == 0
    assert [line["message"] for line in logged][-2:] == ["serving", "draining"]


def test_a_watcher_is_told_before_the_end(serve: Serve) -> None:
    server = serve(EXAMPLES)
    with subprocess.Popen(
        [*SKILLSVC, "watch", "--count", "2", "--address", server.address],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as watch:
        assert watch.stdout is not None
        watch.stdout.readline()
        assert server.stop() == 0
        assert watch.stdout.readline().rstrip().endswith("; going-away")
        assert watch.wait(PATIENCE_S) == 0


def hosts_of_this_machine() -> list[str]:
    """Return by which names it can be listened on; not every machine speaks IPv6."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return ["localhost"]
    return ["localhost", "[::1]"]


@pytest.mark.parametrize("host", hosts_of_this_machine())
def test_port_0_picks_one_and_says_which(host: str) -> None:
    with serving("--skills-dir", EXAMPLES, "--listen", f"{host}:0") as (_process, address):
        assert re.fullmatch(rf"{re.escape(host)}:[1-9]\d*", address)
        assert listed(address)


@pytest.mark.parametrize("listen", ["unix:{}/skills.sock", "unix://{}/skills.sock"])
def test_a_unix_socket_is_listened_on(tmp_path: Path, listen: str) -> None:
    said = listen.format(tmp_path)
    with serving("--skills-dir", EXAMPLES, "--listen", said) as (process, address):
        assert address == said
        assert len(listed(address)) == 12
        assert stop(process)[0] == 0


def test_what_a_provider_prints_goes_where_logs_go(tmp_path: Path) -> None:
    behaviour = tmp_path / "behaviour.json"
    behaviour.write_text(json.dumps({"does": "print", "skills": {"a": {"SKILL.md": skill("a")}}}))
    config = tmp_path / "skillsvc.toml"
    config.write_text(
        '[server]\nlisten = "127.0.0.1:0"\n[[source]]\nname = "told"\nkind = "provider"\nprovider = "behaving"\n'
        f'options = {{ file = "{behaviour}" }}\n'
    )
    site = install(tmp_path / "python")
    with serving("--config", config, PYTHONPATH=str(site)) as (process, address):
        assert listed(address) == ["a"]
        process.send_signal(signal.SIGTERM)
        printed, logged = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, printed) == (0, "")
    assert "as it was told" in logged.splitlines()


def test_a_second_start_on_a_port_fails(serve: Serve) -> None:
    server = serve(EXAMPLES)
    done = skillsvc("serve", "--skills-dir", EXAMPLES, "--listen", server.address)
    assert (done.status, done.printed) == (1, b"")
    assert done.complained.splitlines()[-1].startswith(f"skillsvc: cannot listen on {server.address}: it is in use")
    assert "Traceback" not in done.complained
    assert listed(server.address)


def test_a_second_server_on_a_data_folder_refuses(serve: Serve) -> None:
    server = serve(EXAMPLES)
    done = skillsvc("serve", "--skills-dir", EXAMPLES, "--listen", "127.0.0.1:0", "--data-dir", server.data_dir)
    assert (done.status, done.printed) == (1, b"")
    assert done.complained == (
        "skillsvc: the data folder is in use by another server: stop that one, or choose another folder "
        "(STORE_UNREACHABLE)\n"
    )


def test_a_data_folder_keeps_its_state_over_a_restart(serve: Serve, tmp_path: Path) -> None:
    tokens = []
    for _ in range(2):
        server = serve(EXAMPLES, data_dir=tmp_path / "data")
        done = skillsvc("list", "--json", "--address", server.address)
        tokens.append(json.loads(done.printed)["generation"]["token"])
        assert server.stop() == 0
    assert tokens[0] == tokens[1]


def test_a_temporary_data_folder_is_private_and_removed_at_the_end(tmp_path: Path) -> None:
    with serving("--skills-dir", EXAMPLES, "--listen", "127.0.0.1:0", TMPDIR=str(tmp_path)) as (process, _address):
        (folder,) = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert stop(process)[0] == 0
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_data_folder_is_removed_where_the_start_fails(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = skillsvc("serve", "--skills-dir", EXAMPLES, "--listen", address, TMPDIR=str(tmp_path))
    assert done.status == 1
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_not_there_is_empty_and_said(tmp_path: Path) -> None:
    skills = tmp_path / "skills"
    with serving("--skills-dir", skills, "--listen", "127.0.0.1:0") as (process, address):
        assert listed(address) == []
        with subprocess.Popen(
            [*SKILLSVC, "watch", "--address", address], stdout=subprocess.PIPE, text=True, env=environment()
        ) as watch:
            assert watch.stdout is not None
            assert watch.stdout.readline()
            grow(skills, {"late/SKILL.md": skill("late")})
            assert any(line.rstrip().endswith("; added late") for line in watch.stdout)
            watch.kill()
        _status, logged = stop(process)
    (warned,) = [line for line in logged if line["level"] == "warning"]
    assert (warned["source"], warned["path"]) == ("dir-1", str(skills))
    assert warned["message"] == "a directory is not there; it counts as empty until it comes"


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "example.org:0"])
def test_an_address_beyond_this_machine_is_refused(listen: str) -> None:
    done = skillsvc("serve", "--skills-dir", EXAMPLES, "--listen", listen)
    assert (done.status, done.printed) == (2, b"")
    assert done.complained.startswith(f"skillsvc: [server] listen is {listen}; without TLS and access rules")
    assert done.complained.count("\n") == 1


def test_listening_beyond_this_machine_is_logged() -> None:
    with serving("--skills-dir", EXAMPLES, "--listen", "0.0.0.0:0", "--insecure") as (process, address):
        assert listed(f"127.0.0.1:{address.rpartition(':')[2]}")
        _status, logged = stop(process)
    assert {"level": "warning", "listen": "0.0.0.0:0", "everybody": "anonymous"}.items() <= logged[0].items()


def test_a_server_that_is_open_to_other_machines_has_nothing_that_is_local(tmp_path: Path) -> None:
    grow(tmp_path, {"shared/a/SKILL.md": skill("a"), "own/b/SKILL.md": skill("b")})
    config = tmp_path / "skillsvc.toml"
    config.write_text(
        '[server]\nlisten = "127.0.0.1:0"\n[[source]]\nname = "shared"\npath = "shared"\n'
        '[[source]]\nname = "own"\npath = "own"\npartition = { }\n'
    )
    with serving("--config", config) as (process, address):
        assert listed(address) == ["a", "b"]
        stop(process)
    done = skillsvc("serve", "--config", config, "--listen", "0.0.0.0:0", "--insecure")
    assert done.status == 2
    assert "nobody but anonymous calls" in done.complained


def test_every_fault_is_told_in_a_line_of_its_own(tmp_path: Path) -> None:
    config = tmp_path / "skillsvc.toml"
    config.write_text('[server]\nlisten = "0.0.0.0:1"\nlisen = 1\n[limits]\nassets = 5000\n[[source]]\nname = "A"\n')
    done = skillsvc("serve", "--config", config, "--workers", "2")
    assert (done.status, done.printed) == (2, b"")
    assert [line.split(";")[0].replace(f"{config}:", "") for line in done.complained.splitlines()] == [
        "skillsvc: --workers must be 1 until processes share one log",
        "skillsvc: 2: [server] listen is 0.0.0.0:1",
        "skillsvc: 3: [server] lisen is not known",
        "skillsvc: 5: [limits] assets is 5000",
        "skillsvc: 6: [[source]] 1 path is missing",
        "skillsvc: 7: [[source]] 1 name is a lower-case letter or digit, then up to 63 of those, `_` or `-`",
    ]


def test_more_than_one_worker_is_refused_with_a_sentence() -> None:
    done = skillsvc("serve", "--skills-dir", EXAMPLES, "--workers", "2")
    assert (done.status, done.printed) == (2, b"")
    assert done.complained == "skillsvc: --workers must be 1 until processes share one log\n"


def test_a_file_says_what_is_served(tmp_path: Path) -> None:
    grow(tmp_path, {"one/deep/a/SKILL.md": skill("a"), "two/b/SKILL.md": skill("b"), "two/a/SKILL.md": skill("a")})
    config = tmp_path / "skillsvc.toml"
    config.write_text(
        """
        [server]
        listen = "127.0.0.1:0"
        data_dir = "data"
        [[source]]
        name = "first"
        path = "one"
        layout = "nested"
        [[source]]
        name = "second"
        path = "two"
        """
    )
    with serving("--config", config) as (process, address):
        shown = skillsvc("list", "--full", "--address", address)
        assert [line.split("\t")[0:4:3] for line in shown.lines] == [["a", "first"], ["b", "second"]]
        assert stop(process)[0] == 0
    assert (tmp_path / "data" / "skillsvc.db").is_file()


def test_a_reader_that_goes_does_not_end_the_server() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with ExitStack() as open_till_end:
        address = f"127.0.0.1:{open_till_end.enter_context(own_port())}"
        process = open_till_end.enter_context(
            subprocess.Popen(
                [*SKILLSVC, "serve", "--skills-dir", EXAMPLES, "--listen", address],
                stdout=writing,
                stderr=subprocess.PIPE,
                text=True,
                env=environment(),
            )
        )
        os.close(writing)
        try:
            assert process.stderr is not None
            for line in process.stderr:
                if line.startswith("{") and json.loads(line)["message"] == "serving":
                    break
            assert listed(address)
            assert stop(process)[0] == 0
        finally:
            process.kill()


@pytest.mark.parametrize("arguments", [["version"], ["--help"], ["check", "--help"]])
def test_the_module_is_the_command(arguments: list[str]) -> None:
    script = Path(sysconfig.get_path("scripts")) / "skillsvc"
    done = subprocess.run([script, *arguments], capture_output=True, env=environment(), timeout=PATIENCE_S, check=True)
    assert done.stdout == skillsvc(*arguments).printed != b""

"""A reload, of a real server with a watching client: what comes and goes, and that a mistake changes nothing."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.waiting import wait_until
from tests.integration.calls import Caller
from tests.integration.commands import SKILLSVC, environment, skillsvc
from tests.integration.conftest import RunningServer, Serve
from tests.unit.sources.trees import grow, skill

pytestmark = pytest.mark.integration

TAKEN = "the configuration is read anew"
REFUSED = "the configuration cannot be; all goes on as before"


class Configured:
    """A server of a file, in a folder with directories of skills."""

    def __init__(self, folder: Path, serve: Serve) -> None:
        self.folder = folder
        self.config = folder / "skillsvc.toml"
        self._serve = serve
        self.server: RunningServer

    def write(self, text: str) -> None:
        aside = self.folder / "aside.toml"
        aside.write_text(text, encoding="utf-8")
        aside.replace(self.config)

    def start(self, text: str) -> str:
        """Start on a configuration; return the address."""
        self.write(text)
        self.server = self._serve(config=str(self.config))
        return self.server.address

    def reload(self, text: str, *, until: str = TAKEN) -> list[dict[str, Any]]:
        """Have a configuration read anew; return what is logged of it, up to and with the line that ends it."""
        self.write(text)
        before = len(self.logged())
        self.server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: until in [line["message"] for line in self.logged()[before:]])
        told = self.logged()[before:]
        return told[: [line["message"] for line in told].index(until) + 1]

    def logged(self) -> list[dict[str, Any]]:
        """Return whole lines of the log."""
        lines = self.server.log.read_text().split("\n")[:-1]
        return [json.loads(line) for line in lines if line.startswith("{")]


@pytest.fixture
def configured(tmp_path: Path, serve: Serve) -> Configured:
    for name in "abc":
        grow(tmp_path / name, {f"{name}1/SKILL.md": skill(f"{name}1")})
    return Configured(tmp_path, serve)


def source(name: str, more: str = "") -> str:
    return f'[[source]]\nname = "{name}"\npath = "{name}"\n{more}\n'


def has(*, added: str = "", removed: str = "") -> Callable[[pb.WatchCatalogResponse], bool]:
    def tells(event: pb.WatchCatalogResponse) -> bool:
        return (not added or added in [row.name for row in event.added]) and (not removed or removed in event.removed)

    return tells


def test_sources_come_and_go_under_a_watching_client_and_a_mistake_changes_nothing(configured: Configured) -> None:
    with Caller(configured.start(source("a"))) as caller, caller.watch() as watching:
        watching.next()
        told = configured.reload(source("a") + source("b"))
        assert told[-1]["added"] == ["b"]
        watching.until(has(added="b1"))
        assert caller.names() == ["a1", "b1"]

        before = caller.generation()
        told = configured.reload('[[source]]\nname = "a"\npth = "a"\n[server]\npoll_s = 0\n', until=REFUSED)
        said = [line["message"] for line in told if line["level"] == "error"]
        assert said == [
            f"{configured.config}:1: [[source]] 1 a: path is missing",
            f"{configured.config}:3: [[source]] 1 a: pth is not known; is path meant?",
            f"{configured.config}:5: [server] poll_s must be more than 0",
            REFUSED,
        ]
        assert caller.generation() == before
        assert caller.names() == ["a1", "b1"]

        told = configured.reload(source("b") + source("c"))
        assert (told[-1]["added"], told[-1]["removed"], told[-1]["changed"]) == (["c"], ["a"], [])
        names = {"a1", "b1"}
        while names != {"b1", "c1"}:
            event = watching.next()
            names = names.union(row.name for row in event.added).difference(event.removed)
        assert caller.names() == ["b1", "c1"]
        assert configured.server.stop() == 0


def test_what_does_not_change_makes_no_generation(configured: Configured) -> None:
    with Caller(configured.start(source("a") + source("b"))) as caller:
        before = caller.generation()
        told = configured.reload("# the same\n" + source("a", "# as before") + source("b", "poll_s = 7"))
        assert [told[-1][key] for key in ("added", "removed", "changed")] == [[], [], []]
        assert caller.generation() == before


def test_the_order_decides_anew(configured: Configured) -> None:
    grow(
        configured.folder,
        {"a/same/SKILL.md": skill("same", body="of a"), "b/same/SKILL.md": skill("same", body="of b")},
    )
    with Caller(configured.start(source("a") + source("b"))) as caller:
        assert caller.body("same") == "of a"
        configured.reload(source("b") + source("a"))
        caller.wait_until(lambda: caller.body("same") == "of b")


def test_a_directory_that_came_by_a_reload_is_watched(configured: Configured) -> None:
    with Caller(configured.start(source("a"))) as caller, caller.watch() as watching:
        configured.reload(source("b"))
        watching.until(has(added="b1"))
        grow(configured.folder / "b", {"b2/SKILL.md": skill("b2")})
        watching.until(has(added="b2"))


def test_what_is_taken_in_at_a_start_alone_is_said(configured: Configured) -> None:
    with Caller(configured.start(source("a"))) as caller:
        told = configured.reload('[server]\ndata_dir = "other"\ndrain_s = 3\n[limits]\nassets = 3\n' + source("a"))
        assert [line["message"] for line in told if line["level"] == "warning"] == [
            "[server] drain_s has changed; it is taken in at the next start",
            "[limits] assets has changed; it is taken in at the next start",
        ]
        assert caller.names() == ["a1"]


def test_hang_ups_in_a_row_end_with_what_is_written_last(configured: Configured) -> None:
    with Caller(configured.start(source("a"))) as caller:
        for text in [source("b"), source("c"), source("a") + source("c")] * 5:
            configured.write(text)
            os.kill(configured.server.process.pid, signal.SIGHUP)
        caller.wait_until(lambda: caller.names() == ["a1", "c1"])
        assert configured.server.process.poll() is None


@pytest.mark.parametrize("at_a_time", [1, 3])
def test_a_hang_up_at_any_moment_of_a_start_or_a_stop_harms_nothing(configured: Configured, at_a_time: int) -> None:
    configured.write(source("a"))
    log = configured.folder / "log"
    line = ""
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [*SKILLSVC, "serve", "--config", configured.config, "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment(),
        ) as process,
    ):
        assert process.stdout is not None
        # Not before it can be told: until then Python itself is on its way.
        wait_until(lambda: handles_hang_ups(process.pid))
        os.set_blocking(process.stdout.fileno(), False)

        def is_listening() -> bool:
            nonlocal line
            for _ in range(at_a_time):
                process.send_signal(signal.SIGHUP)
            assert process.poll() is None
            assert process.stdout is not None
            line = process.stdout.readline()
            return bool(line)

        wait_until(is_listening)
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: hang_up(process))
    assert line.startswith("listening on ")
    assert process.returncode == 0
    assert "Traceback" not in log.read_text()


def handles_hang_ups(process: int) -> bool:
    """Tell whether a process has a handler for SIGHUP."""
    (caught,) = [
        line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith("SigCgt:")
    ]
    return bool(int(caught.split()[1], 16) >> (signal.SIGHUP - 1) & 1)


def hang_up(process: "subprocess.Popen[str]") -> bool:
    """Hang up on a process; tell whether it is gone."""
    process.send_signal(signal.SIGHUP)
    return process.poll() is not None


def test_what_a_deployment_vouches_for_is_taken_anew_and_a_bad_inventory_changes_nothing(
    configured: Configured,
) -> None:
    needs = "---\nname: a2\ndescription: Folds.\nrequirements: gpu\n---\nBody\n"
    grow(configured.folder, {"a/a2/SKILL.md": needs, "a/a2/kernel.py": "def fold(:\n"})
    address = configured.start(source("a"))

    def shown() -> list[str]:
        told = skillsvc("show", "a2", "--address", address).lines
        kept = ("readiness", "missing", "cannot be checked", "sidecar", "network", "declared by")
        return [" ".join(line.split()) for line in told if line.startswith(kept)]

    assert shown() == ["readiness unknown", "cannot be checked gpu", "sidecar broken"]
    configured.reload(source("a") + '[readiness]\nmissing = ["gpu"]\n')
    assert shown() == ["readiness needs_setup", "missing gpu", "sidecar broken"]
    inventory = '[readiness]\npresent = ["gpu"]\nnetwork_inventory = "network.json"\n'
    told = configured.reload(source("a") + inventory, until=REFUSED)
    assert [line["message"] for line in told] == [
        "[readiness] network_inventory cannot be used: it cannot be read (ENOENT)",
        REFUSED,
    ]
    assert shown() == ["readiness needs_setup", "missing gpu", "sidecar broken"]
    (configured.folder / "network.json").write_text('{"schema_version": 1, "skills": {"a2": {"mode": "none"}}}')
    configured.reload(source("a") + inventory)
    assert shown() == ["network none", "declared by inventory (declared)", "readiness ready", "sidecar broken"]

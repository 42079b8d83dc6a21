"""Real servers for tests: processes of the command line on free loopback ports."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from tests.patience import PATIENCE_S

_START_S = 2 * PATIENCE_S


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningServer:
    """A server that is serving. `log` is where its standard error goes."""

    address: str
    process: subprocess.Popen[str]
    data_dir: Path
    log: Path

    def stop(self) -> int:
        """Stop it as an operator would, and return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(_START_S)


class Serve(Protocol):
    """Starts a server on skills directories.

    `environment` is added to the one of the tests. With `bound_by_modes` it may read no more than modes allow, whoever
    runs the tests. Options are those of `skillsvc serve`, with `_` for `-`.
    """

    def __call__(
        self,
        *skills_dirs: Path,
        data_dir: Path | None = None,
        environment: Mapping[str, str] | None = None,
        bound_by_modes: bool = False,
        **options: str,
    ) -> RunningServer: ...


@pytest.fixture
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    with _servers(tmp_path_factory) as start:
        yield start


@pytest.fixture(scope="module")
def serve_for_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    with _servers(tmp_path_factory) as start:
        yield start


@contextmanager
def _servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    started: list[RunningServer] = []

    def start(
        *skills_dirs: Path,
        data_dir: Path | None = None,
        environment: Mapping[str, str] | None = None,
        bound_by_modes: bool = False,
        **options: str,
    ) -> RunningServer:
        folder = tmp_path_factory.mktemp("server")
        data = data_dir or folder / "data"
        log = folder / "log"
        arguments = [f"--skills-dir={path}" for path in skills_dirs]
        arguments += [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        before = ["tests.integration.bound_by_modes"] if bound_by_modes else []
        with log.open("w") as errors:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", *before, "skillsvc", "serve"),
                    *("--listen=127.0.0.1:0", f"--data-dir={data}", *arguments),
                ],
                cwd=Path(__file__).parents[2],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, "PYTHONWARNINGS": "error", **(environment or {})},
            )
        address = _address(process, log)
        server = RunningServer(address=address, process=process, data_dir=data, log=log)
        started.append(server)
        return server

    try:
        yield start
    finally:
        for server in started:
            server.stop()
            if server.process.stdout is not None:
                server.process.stdout.close()


def _address(process: "subprocess.Popen[str]", log: Path) -> str:
    """Wait for the line that tells where the server listens."""
    assert process.stdout is not None
    watchdog = threading.Timer(_START_S, process.kill)
    watchdog.start()
    try:
        line = process.stdout.readline()
    finally:
        watchdog.cancel()
    if not line.startswith("listening on "):
        process.kill()
        process.wait()
        process.stdout.close()
        pytest.fail(f"the server did not start:\n{log.read_text()}")
    return line.removeprefix("listening on ").strip()

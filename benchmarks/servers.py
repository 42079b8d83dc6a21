"""Servers to put load on, each a process of its own on a free port of this machine."""

import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.apart import cpu_seconds_of

_START_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A server that answers."""

    address: str
    process: subprocess.Popen[str]

    @property
    def cpu_s(self) -> float:
        """Seconds of processor time that it has taken so far."""
        return cpu_seconds_of(self.process.pid)


@contextmanager
def skillsvc(tree: Path, data: Path) -> Iterator[Running]:
    """Run `skillsvc serve` on a directory."""
    with _running("skillsvc", "serve", "--listen=127.0.0.1:0", f"--skills-dir={tree}", f"--data-dir={data}") as running:
        yield running


@contextmanager
def skillsvc_of(config: Path) -> Iterator[Running]:
    """Run `skillsvc serve` by a file of settings."""
    with _running("skillsvc", "serve", f"--config={config}") as running:
        yield running


@contextmanager
def bare_handler(rpc: str, answer: bytes) -> Iterator[Running]:
    """Run a grpc.aio server whose one handler returns the same bytes to every call of `rpc`."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(answer)
        file.flush()
        with _running("benchmarks.bare_server", rpc, file.name) as running:
            yield running


@contextmanager
def publishing_server(tree: Path, data: Path) -> Iterator[Running]:
    """Run a server that publishes while it is told to on its standard input; see `publishing_server.py`."""
    with _running("benchmarks.publishing_server", str(tree), str(data)) as running:
        yield running


@contextmanager
def searched_server(count: int, data: Path) -> Iterator[Running]:
    """Run a server of so many skills to be searched; see `search_server.py`."""
    with _running("benchmarks.search_server", str(count), str(data)) as running:
        yield running


@contextmanager
def _running(*module_and_arguments: str) -> Iterator[Running]:
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *module_and_arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            address = _address(process)
            if address is None:
                log.seek(0)
                raise RuntimeError(f"{module_and_arguments[0]} did not start:\n{log.read()}")
            yield Running(address=address, process=process)
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=_START_S)


def _address(process: "subprocess.Popen[str]") -> str | None:
    """Wait for the line that tells where a server listens; None where it ends before."""
    assert process.stdout is not None
    watchdog = threading.Timer(_START_S, process.kill)
    watchdog.start()
    try:
        line = process.stdout.readline()
    finally:
        watchdog.cancel()
    return line.removeprefix("listening on ").strip() if line.startswith("listening on ") else None

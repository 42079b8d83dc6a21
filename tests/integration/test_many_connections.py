"""Connections without end, of whoever says nothing: those that are there are answered, and files can be opened."""

import signal
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path

from skillsource import connect

from tests.integration.commands import SKILLSVC, environment
from tests.patience import PATIENCE_S

EXAMPLES = Path(__file__).parents[2] / "examples" / "skills"
DESCRIPTORS = 256
SERVE = ("serve", "--skills-dir", str(EXAMPLES), "--layout", "nested", "--listen", "127.0.0.1:0")


def test_who_connects_without_end_keeps_nobody_from_files(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            ["/bin/sh", "-c", f'ulimit -n {DESCRIPTORS}; exec "$@"', "sh", *SKILLSVC, *SERVE],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment(),
        )
    assert process.stdout is not None
    address = process.stdout.readline().strip().removeprefix("listening on ")
    host, _, port = address.rpartition(":")
    with ExitStack() as held, connect(address) as client:
        names = [skill.name for skill in client.list_skills().skills]
        others = [held.enter_context(socket.create_connection((host, int(port)))) for _ in range(DESCRIPTORS)]
        for other in others:
            other.settimeout(PATIENCE_S)
        # A greeting for those that are let in, the end for the others.
        greeted = [_is_greeted(other) for other in others]
        assert 0 < sum(greeted) < DESCRIPTORS // 2
        assert all(client.skill_body(name).text for name in names)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    process.stdout.close()
    assert b"Too many open files" not in log.read_bytes()


def _is_greeted(connection: socket.socket) -> bool:
    try:
        return bool(connection.recv(1))
    except ConnectionResetError:
        return False

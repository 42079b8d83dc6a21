"""A process that takes in and publishes is killed at any moment (`kill -9`): what is left is one state, whole."""

import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import pytest

from skillsvc.catalog.current import Current
from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.store.data_folder import DataFolder
from skillsvc.store.sqlite import SqliteStore
from tests.integration.calls import Caller
from tests.integration.conftest import Serve
from tests.integration.refreshing import LIMITS
from tests.integration.states import SKILLS, show, state_of, tree_of

KILLS = 200
KILLS_OF_SERVERS = 10


@pytest.mark.timeout(600)
def test_after_two_hundred_kills_each_the_log_holds_one_of_two_states_whole(tmp_path: Path) -> None:
    chance = random.Random(5)  # noqa: S311 - the same moments in every run; no secret
    moments: Counter[str] = Counter()
    published, longest_s = 0, 0.1
    with _forks(tmp_path) as forks:
        for _ in range(KILLS):
            told = _tell_until_killed(forks, after_s=chance.uniform(0, longest_s))
            # However fast the machine is at this moment, about half of the kills come within a taking in.
            longest_s *= 0.8 if any(line.startswith("end") for line in told) else 1.25
            published = max([published, *(int(line.split()[1]) for line in told if line.startswith("end"))])
            begun = max([published, *(int(line.split()[1]) for line in told if line.startswith("begin"))])
            left = _state_left(tmp_path / "data", LIMITS)
            assert left in {published, begun}
            moments["before" if begun == published else "kept" if left == begun else "lost"] += 1
            published = left
    assert published > KILLS // 10
    assert moments["lost"] > KILLS // 20, "hardly a kill came within the taking in"


@contextmanager
def _forks(place: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.integration.refreshing", str(place)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdin, process.stdout


def _tell_until_killed(forks: tuple[IO[bytes], IO[bytes]], after_s: float) -> list[str]:
    """Begin a process, kill it some time after it began to take in, and return what it told."""
    begin, told = forks
    begin.write(b"\n")
    lines = [told.readline().decode().strip() for _ in ("process", "begin")]
    [process] = [int(line.split()[1]) for line in lines if line.startswith("process")]
    threading.Event().wait(after_s)
    os.kill(process, signal.SIGKILL)
    while (line := told.readline().decode().strip()) != "gone":
        lines.append(line)
    return lines


def _state_left(data: Path, limits: Limits) -> int:
    """Return the state that a restart finds before it looks at anything."""
    with (
        DataFolder.open(data) as folder,
        FileBlobStore(str(folder.blobs)) as blobs,
        closing(SqliteStore(folder.database, random_bytes=os.urandom)) as store,
    ):
        layer = Current(store, limits).open_layer(DEPLOYMENT, datetime.now(UTC))
        states = [state_of(generation, blobs) for generation in layer.generations]
        assert states == sorted(set(states))
        return states[-1]


@pytest.mark.timeout(600)
def test_a_server_that_is_killed_serves_what_it_had_published_and_then_what_is_there(
    serve: Serve, tmp_path: Path
) -> None:
    chance = random.Random(5)  # noqa: S311 - as above
    data = tmp_path / "data"
    show(tmp_path, 1)
    server = serve(tmp_path / "skills", data_dir=data)
    for state in range(1, KILLS_OF_SERVERS + 1):
        with Caller(server.address) as caller:
            assert _state_served(caller) == state
            show(tmp_path, state + 1)
            threading.Event().wait(chance.uniform(0, 1.2))
            server.process.kill()
            server.process.wait()
        assert _state_left(data, Limits()) in {state, state + 1}
        server = serve(tmp_path / "skills", data_dir=data)
    assert server.stop() == 0


def _state_served(caller: Caller) -> int:
    """Return the state that a server lists and hands out whole."""
    listed = caller.skills()
    assert len(listed) == SKILLS
    tree = tree_of(state := int(listed[0].description.removeprefix("State ").rstrip(".")))
    seen: dict[str, str | bytes] = {f"{skill.name}/SKILL.md": caller.document(skill.name) for skill in listed}
    for skill in listed:
        for asset in caller.assets(skill.name):
            seen[f"{skill.name}/{asset.name}"] = caller.asset(skill.name, asset.name)
    assert seen == {path: data.encode() if isinstance(data, str) else data for path, data in tree.items()}
    return state

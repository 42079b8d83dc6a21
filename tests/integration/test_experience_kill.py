"""A store whose process is killed at any moment (`kill -9`) has every outcome that was acknowledged, each once."""

import itertools
import os
import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from skillsvc.store.sqlite import SqliteStore
from tests.contract.experience_log import requested
from tests.integration.reporting import ROOM, WHOSE, outcome
from tests.simulators.memory_log import MemoryExperienceLog

KILLS = 20


@pytest.mark.timeout(600)
def test_after_a_kill_all_that_was_acknowledged_is_known_and_a_retry_teaches_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "skillsvc.db"
    chance = random.Random(5)  # noqa: S311 - the same moments in every run; no secret
    model = MemoryExperienceLog()
    number, within = 0, 0
    for kills in itertools.count():
        if kills >= KILLS and within:
            break
        told = _report_until_killed(path, number, reports=chance.randrange(1, 8), longer_s=chance.uniform(0, 0.01))
        acknowledged, begun = told.count(b"e"), told.count(b"b")
        for each in range(number, number + acknowledged):
            model.report(WHOSE, outcome(each), room=ROOM, requested=requested(str(each)))
        number += acknowledged
        with closing(SqliteStore(path, random_bytes=os.urandom)) as store:
            held = store.priors(WHOSE)
            if begun > acknowledged:
                # It is there whole, with its request id, or not at all: told again, it is learned once.
                within += 1
                before = model.priors(WHOSE)
                model.report(WHOSE, outcome(number), room=ROOM, requested=requested(str(number)))
                assert held in {before, model.priors(WHOSE)}
                store.report(WHOSE, outcome(number), room=ROOM, requested=requested(str(number)))
                held = store.priors(WHOSE)
                number += 1
        assert held == model.priors(WHOSE)


def _report_until_killed(path: Path, number: int, *, reports: int, longer_s: float) -> bytes:
    """Return what a process told that is killed some time after so many reports had begun."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.integration.reporting", str(path), str(number)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        bufsize=0,
    ) as child:
        try:
            assert child.stdout is not None
            told = b""
            while told.count(b"b") < reports:
                more = child.stdout.read(1)
                assert more, "ended by itself"
                told += more
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(timeout=longer_s)
        finally:
            child.kill()
        return told + child.stdout.read()

"""A store whose process is killed at any moment (`kill -9`) holds one of two generations, whole."""

import itertools
import os
import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.store.sqlite import SqliteStore
from tests.integration.appending import RETAINED, expected

KILLS = 30


@pytest.mark.timeout(600)
def test_after_a_kill_the_newest_generation_is_the_last_or_the_one_begun(tmp_path: Path) -> None:
    path = tmp_path / "skillsvc.db"
    chance = random.Random(3)  # noqa: S311 - the same moments in every run; no secret
    newest, within = 0, 0
    for kills in itertools.count():
        if kills >= KILLS and within:
            break
        told = _append_until_killed(path, appends=chance.randrange(1, 8), longer_s=chance.uniform(0, 0.01))
        with closing(SqliteStore(path, random_bytes=os.urandom)) as store:
            record = store.load(DEPLOYMENT)
        sequences = [held.sequence for held in record.generations]
        assert sequences[-1] in {newest + told.count(b"e"), newest + told.count(b"b")}
        newest = sequences[-1]
        assert sequences == list(range(max(1, newest - RETAINED + 1), newest + 1))
        assert record.generations == tuple(expected(sequence, record.log_id) for sequence in sequences)
        within += told.endswith(b"b")


def _append_until_killed(path: Path, *, appends: int, longer_s: float) -> bytes:
    """Return what a process told that is killed some time after so many appends had begun."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.integration.appending", str(path)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        bufsize=0,
    ) as child:
        try:
            assert child.stdout is not None
            told = b""
            while told.count(b"b") < appends:
                more = child.stdout.read(1)
                assert more, "ended by itself"
                told += more
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(timeout=longer_s)
        finally:
            child.kill()
        return told + child.stdout.read()

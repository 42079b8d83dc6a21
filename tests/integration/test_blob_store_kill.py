"""A blob store whose process is killed at any moment (`kill -9`) holds whole blobs only."""

import random
import subprocess
import sys
from pathlib import Path

from skillsvc.content.blobs import FileBlobStore

KILLS = 50


def test_after_a_kill_every_blob_is_whole_and_nothing_lies_aside(tmp_path: Path) -> None:
    place = tmp_path / "blobs"
    chance = random.Random(2)  # noqa: S311 - the same moments in every run; no secret
    left_aside, kept = 0, 0
    kills = 0
    # Where a kill comes is chance; at least one must have come within a put.
    while kills < KILLS or not left_aside:
        kills += 1
        _put_until_killed(place, seed=kills, puts=chance.randrange(1, 40))
        left_aside += len(list((place / "tmp").iterdir()))
        with FileBlobStore(str(place)) as store:
            assert list((place / "tmp").iterdir()) == []
            digests = list(store.digests())
            assert len(digests) >= kept
            kept = len(digests)
            for digest in digests:
                assert len(store.read(digest)) == store.size(digest)
    assert kept > KILLS


def _put_until_killed(place: Path, *, seed: int, puts: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.integration.putting", str(place), str(seed)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        bufsize=0,
    ) as child:
        try:
            assert child.stdout is not None
            begun = 0
            while begun < puts:
                told = child.stdout.read(puts - begun)
                assert told, "ended by itself"
                begun += len(told)
        finally:
            child.kill()

"""Processes that take states in and publish them until they are killed: `python -m tests.integration.refreshing PLACE`.

For each line on its input it begins one (a fork, so that hundreds cost no start of Python), tells its number, and tells
when it is gone. Each one tells `begin N` before it takes state N in, and `end N` when that is published.
"""

import os
import sys
import threading
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from skillsvc.catalog.current import Current
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.store.data_folder import DataFolder
from skillsvc.store.sqlite import SqliteStore
from tests.integration.states import show, state_of

LIMITS = Limits(retained_generations=2, retained_at_most=2)
"""So few that blobs go out of use, and are removed, all the time."""


def refresh_for_ever(place: Path) -> None:
    """Take in one state after the other, from the one that is served."""
    with (
        DataFolder.open(place / "data") as folder,
        FileBlobStore(str(folder.blobs)) as blobs,
        closing(SqliteStore(folder.database, random_bytes=os.urandom)) as store,
    ):
        current = Current(store, LIMITS)
        present = current.open_layer(DEPLOYMENT, _now()).present
        source = DirectorySource(
            DirectorySettings(path=str(place / "skills"), reading=ReadingSettings(label="harbor")),
            limits=LIMITS,
            blobs=blobs,
        )
        refresh = Refresh(current, DEPLOYMENT, [source], blobs=blobs, limits=LIMITS, now=_now, clock=time.monotonic)
        threading.Thread(target=_sweep_for_ever, args=(BlobSweep(current, blobs=blobs, now=_now), refresh)).start()
        state = state_of(present, blobs)
        while True:
            state += 1
            show(place, state)
            _tell(f"begin {state}")
            refresh.look()
            _tell(f"end {state}")


def _sweep_for_ever(sweep: BlobSweep, refresh: Refresh) -> None:
    """Remove what nothing names, while states are taken in and published beside."""
    while True:
        sweep.sweep([refresh])


def main() -> None:
    """Begin a process for each line."""
    for _ in sys.stdin:
        process = os.fork()
        if not process:
            try:
                refresh_for_ever(Path(sys.argv[1]))
            finally:
                os._exit(1)
        _tell(f"process {process}")
        os.waitpid(process, 0)
        _tell("gone")


def _now() -> datetime:
    return datetime.now(UTC)


def _tell(line: str) -> None:
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


if __name__ == "__main__":
    main()

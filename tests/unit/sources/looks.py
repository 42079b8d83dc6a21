"""Looks at directories: what they take in, whom modes bind, and clocks by which files have settled."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from typing_extensions import override

from skillsvc.content.confined import ConfinedRoot
from skillsvc.domain.limits import Limits
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.reading import ReadingSettings
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.trees import LABEL

NOBODY = 65_534


class CountingBlobStore(MemoryBlobStore):
    """Counts the files whose bytes came in."""

    def __init__(self) -> None:
        super().__init__()
        self.taken = 0

    @override
    def put(self, data: bytes, digest: str | None = None) -> str:
        self.taken += 1
        return super().put(data, digest)


def settled(root: Path, blobs: MemoryBlobStore, limits: Limits | None = None) -> DirectorySource:
    """Return a source whose clock is ahead, so that it need not wait for stamps to settle."""
    return DirectorySource(
        DirectorySettings(path=str(root), reading=ReadingSettings(label=LABEL)),
        limits=limits or Limits(),
        blobs=blobs,
        open_root=partial(ConfinedRoot.open, now_ns=lambda: time.time_ns() + 10**9),
    )


@contextmanager
def as_nobody() -> Iterator[None]:
    """Look as a user whom modes bind: they hinder no superuser."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)

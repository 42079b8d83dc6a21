"""The cache of a git source: a bare repository that may be dropped at any time.

What was fetched from one place, with one way of access, is never taken for what comes from another (G29).
"""

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from skillsvc.content.stopping import Abandoned, never

_POLL_S: Final = 0.1
_BLOCK: Final = 512
"""Bytes in which the system counts what a file takes, whatever the disk's own blocks are."""
_MOST_PACKS: Final = 64
"""Each fetch leaves one, and whoever reads holds a descriptor for each."""


class CacheBusy(Exception):
    """Another look, of a source that this one took the place of, would not let go of the cache."""


class GitCache:
    """A bare repository in a folder that is given to one source alone."""

    def __init__(
        self,
        folder: Path,
        *access: str,
        stopped: Callable[[], bool] = never,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare; `access` is all that tells what is fetched, and as whom, from what was before."""
        # The process that fetches has a folder of its own to work in.
        self._folder = folder.absolute()
        self._stopped = stopped
        self._wait = wait
        name = hashlib.sha256("\0".join(access).encode()).hexdigest()[:32]
        self.path = self._folder / f"{name}.git"

    @property
    def home(self) -> Path:
        """A home for the process that fetches."""
        return self._folder / "home"

    @contextmanager
    def held(self, within_s: float) -> Iterator[None]:
        """Hold the cache against other looks; what other places or accesses have left is removed.

        Raises:
            CacheBusy: Somebody else held it for all of the time.
            Abandoned: The look was stopped.
            OSError: The folder cannot be used.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._take(lock, within_s)
            for other in self._folder.glob("*.git"):
                if other != self.path:
                    shutil.rmtree(other, ignore_errors=True)
            yield
        finally:
            os.close(lock)

    def _take(self, lock: int, within_s: float) -> None:
        for _ in range(max(1, round(within_s / _POLL_S))):
            with suppress(BlockingIOError):
                return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self._stopped():
                raise Abandoned
            self._wait(_POLL_S)
        raise CacheBusy

    def drop(self) -> None:
        """Remove the repository, or whatever stands in its place; what a link there leads to stays."""
        if self.path.is_dir() and not self.path.is_symlink():
            shutil.rmtree(self.path)
        else:
            self.path.unlink(missing_ok=True)

    def is_outgrown(self, max_bytes: int) -> bool:
        """Tell whether it takes more of the disk than it may, or has more packs than are to be held open at once."""
        files = [(file, file.lstat()) for file in self.path.rglob("*")]
        # Small files take whole blocks: a remote may have any number of refs.
        taken = sum(max(found.st_size, found.st_blocks * _BLOCK) for _, found in files)
        return taken > max_bytes or sum(file.suffix == ".pack" for file, _ in files) > _MOST_PACKS

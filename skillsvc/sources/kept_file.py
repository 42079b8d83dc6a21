"""A file in which a source keeps something over restarts: read as it was written, or not at all.

What is kept is a help and never a source of truth: what is damaged, was written under another fingerprint or is too
large is passed over, and what cannot be written is logged.
"""

import hashlib
import logging
import os
from pathlib import Path
from typing import Final

from skillsvc.domain.limits import MIB

_MOST_BYTES: Final = 256 * MIB

_log = logging.getLogger(__name__)


class KeptFile:
    """One file. One thread at a time."""

    def __init__(self, path: Path, *, fingerprint: str) -> None:
        """Prepare; nothing is read or written yet.

        Args:
            path: The file; its folder is made where it is missing.
            fingerprint: A digest of all that the content depends on, its format among it.
        """
        self._path = path
        self._fingerprint = fingerprint

    def read(self) -> bytes | None:
        """Return what was written, None where that is not wholly what was written under this very fingerprint."""
        try:
            with self._path.open("rb") as file:
                head = file.read(len(self._head(b"")))
                data = file.read(_MOST_BYTES + 1)
        except OSError:
            return None
        return data if head == self._head(data) else None

    def write(self, data: bytes) -> None:
        """Keep this in place of what was kept, for the owner alone. Raises nothing."""
        aside = self._path.with_name(f"{self._path.name}.new")
        try:
            if len(data) > _MOST_BYTES:
                self._path.unlink(missing_ok=True)
                return
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Not synced: what a crash leaves of it does not match its checksum.
            descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(self._head(data))
                file.write(data)
            aside.replace(self._path)
        except OSError as error:
            _log.warning("what a source knows could not be kept; after a restart it is read anew", exc_info=error)

    def _head(self, data: bytes) -> bytes:
        """Return the first line: both digests are of one length, whatever the data."""
        return f"{self._fingerprint} {hashlib.sha256(data).hexdigest()}\n".encode()

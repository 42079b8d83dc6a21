"""Where bytes go that come in pieces, and what is known of them once they are there."""

import hashlib
from typing import Protocol


class Sink(Protocol):
    """Takes bytes: a file, a blob on its way in."""

    def write(self, data: bytes, /) -> object:
        """Take some bytes."""
        ...


class Hashing:
    """Writes on, and hashes and counts what goes by."""

    def __init__(self, sink: Sink) -> None:
        """Write to `sink`."""
        self._sink = sink
        self._hasher = hashlib.sha256()
        self.size = 0

    @property
    def digest(self) -> str:
        """The SHA-256 of what was written so far, 64 lower-case hex digits."""
        return self._hasher.hexdigest()

    def write(self, data: bytes, /) -> None:
        """Write."""
        self._sink.write(data)
        self._hasher.update(data)
        self.size += len(data)

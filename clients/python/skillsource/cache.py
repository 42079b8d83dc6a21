"""What was read before, by what was asked and the digest of the answer, within a budget of bytes."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import TypeAlias, TypeVar

Identity: TypeAlias = tuple[Hashable, ...]
"""What was asked, without the state that it was asked of: answers from all states are told apart by digest."""

T = TypeVar("T")

_ENTRY_BYTES = 1024
"""What an entry costs beside its content, so that empty ones are bounded too."""


class Cache:
    """Verified answers, the least recently used forgotten first. Safe to share between threads."""

    def __init__(self, max_bytes: int) -> None:
        """Make an empty one.

        Args:
            max_bytes: Most bytes of content held, 1 KiB an entry counted in. 0 holds nothing.
        """
        self._max_bytes = max_bytes
        self._bytes = 0
        self._entries: OrderedDict[tuple[Identity, str], tuple[object, int]] = OrderedDict()
        self._latest: dict[Identity, str] = {}
        self._lock = threading.Lock()

    def latest(self, identity: Identity) -> str:
        """Return the digest of the answer kept last for what is asked; empty for none."""
        return self._latest.get(identity, "")

    def find(self, identity: Identity, digest: str, kind: type[T]) -> T | None:
        """Return the answer of that digest, and count it as used."""
        key = (identity, digest)
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
        value = entry[0]
        return value if isinstance(value, kind) else None

    def keep(self, identity: Identity, digest: str, value: object, size: int) -> None:
        """Keep an answer of so many bytes, in the place of what was kept for the same digest."""
        cost = size + _ENTRY_BYTES
        if cost > self._max_bytes:
            return
        key = (identity, digest)
        with self._lock:
            if (former := self._entries.pop(key, None)) is not None:
                self._bytes -= former[1]
            self._entries[key] = (value, cost)
            self._latest[identity] = digest
            self._bytes += cost
            while self._bytes > self._max_bytes:
                (forgotten, its_digest), (_, its_cost) = self._entries.popitem(last=False)
                self._bytes -= its_cost
                if self._latest.get(forgotten) == its_digest:
                    del self._latest[forgotten]

    def renew(self, identity: Identity, digest: str, value: object) -> None:
        """Put an equal answer in the place of one, if that is still kept."""
        key = (identity, digest)
        with self._lock:
            if (former := self._entries.get(key)) is not None:
                self._entries[key] = (value, former[1])

"""Encoded answers, kept by what they depend on under one budget of bytes; the least recently used goes first."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

_ENTRY_BYTES = 400
"""What an entry costs beside its bytes, roughly: the key, its parts, its places in tables."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The part of an answer that depends on content alone; of a page that is not the last, also its last name.

    `head` is the view's part where `encoded` begins with it; `digest` that of a text which is in it.
    """

    encoded: bytes
    last_name: str = ""
    head: bytes = b""
    digest: str = ""


class AnswerCache:
    """Answers by key. Used by the event loop's thread alone.

    A key names everything that its answer depends on, so that nothing here is ever out of date.
    """

    def __init__(self, max_bytes: int) -> None:
        """Begin empty. One answer may take an eighth of the budget; a larger one is not kept."""
        self._max_bytes = max_bytes
        self._held: OrderedDict[Hashable, Answer] = OrderedDict()
        self._bytes = 0

    def get(self, key: Hashable) -> Answer | None:
        """Return what is kept under a key, or None."""
        found = self._held.get(key)
        if found is not None:
            self._held.move_to_end(key)
        return found

    def put(self, key: Hashable, answer: Answer) -> Answer:
        """Keep an answer under a key, instead of any that is kept there, and return it."""
        size = len(answer.encoded) + _ENTRY_BYTES
        if size <= self._max_bytes // 8:
            before = self._held.pop(key, None)
            if before is not None:
                self._bytes -= len(before.encoded) + _ENTRY_BYTES
            self._held[key] = answer
            self._bytes += size
            while self._bytes > self._max_bytes:
                _key, dropped = self._held.popitem(last=False)
                self._bytes -= len(dropped.encoded) + _ENTRY_BYTES
        return answer

    def joined(self, key: Hashable, head: bytes, answer: Answer) -> bytes:
        """Return a view's part and the answer kept under a key as one.

        What was joined last is kept beside the answer: copying a large page costs more than all else that is done for
        it. It is one copy an answer, whoever asks, never one list a tenant (architecture.md, rule 5).
        """
        whole = self.get(("joined", key))
        if whole is None or whole.head is not head:
            whole = self.put(("joined", key), Answer(head + answer.encoded, head=head))
        return whole.encoded

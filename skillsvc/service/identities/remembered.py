"""What callers get, by the digest of what they show: what a client shows with each call is verified and judged once."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from skillsvc.domain.access import Grant, Identity, Refusal

_AT_MOST: Final = 10_000
"""Of 0.6 to 1.2 KB each, 3 where a name is as long as a SPIFFE id may be."""
_NO_CLAIMS: Final = MappingProxyType[str, str]({})


class Known(NamedTuple):
    """Who was proved, and what the access rules make of that. Made by `of`."""

    identity: Identity
    """Without its claims: they are judged, and may be as long as a header."""
    judged: Grant | Refusal

    @classmethod
    def of(cls, identity: Identity, judged: Grant | Refusal) -> Self:
        """Return what is worth remembering."""
        return cls(replace(identity, claims=_NO_CLAIMS) if identity.claims else identity, judged)


class Remembered:
    """Those proved last, as of one version of rules, keys and tokens. Lives on the event loop.

    Who was proved longest ago goes first, though they may have called since: they are proved again.
    """

    def __init__(self, at_most: int = _AT_MOST) -> None:
        """Remember so many."""
        self._at_most = at_most
        self._version = 0
        self._known: OrderedDict[bytes, Known] = OrderedDict()

    def find(self, digest: bytes, version: int, now: Callable[[], datetime]) -> Known | None:
        """Return who was proved, where that holds in the version of now."""
        if version != self._version:
            self._version = version
            self._known.clear()
        known = self._known.get(digest)
        if known is not None and (expires_at := known.identity.expires_at) is not None and now() >= expires_at:
            del self._known[digest]
            return None
        return known

    def keep(self, digest: bytes, version: int, known: Known) -> None:
        """Remember who was proved in the version that was asked for last."""
        assert version == self._version
        self._known[digest] = known
        if len(self._known) > self._at_most:
            self._known.popitem(last=False)

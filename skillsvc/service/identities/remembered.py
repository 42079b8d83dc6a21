"""Identities by the digest of what proved them, so that what a client shows with each call is verified once."""

from collections import OrderedDict
from datetime import datetime
from typing import Final

from skillsvc.domain.access import Identity

_AT_MOST: Final = 10_000


class Remembered:
    """The identities proved last. Lives on the event loop; `forget` alone may be called from any thread."""

    def __init__(self, at_most: int = _AT_MOST) -> None:
        """Remember so many."""
        self._at_most = at_most
        self._identities: OrderedDict[bytes, Identity] = OrderedDict()
        self._age = object()
        self._age_of_all = self._age

    def forget(self) -> None:
        """Remember nothing of what was proved so far: keys or tokens have changed."""
        # Not a number: two threads that count at once may count one.
        self._age = object()

    @property
    def age(self) -> object:
        """What is another after each `forget`."""
        return self._age

    def find(self, digest: bytes, now: datetime) -> Identity | None:
        """Return who was proved, if that still holds."""
        if self._age_of_all is not (age := self._age):
            self._age_of_all = age
            self._identities.clear()
        identity = self._identities.get(digest)
        if identity is None:
            return None
        if identity.expires_at is not None and now >= identity.expires_at:
            del self._identities[digest]
            return None
        self._identities.move_to_end(digest)
        return identity

    def keep(self, digest: bytes, identity: Identity, age: object) -> None:
        """Remember who was proved by what was known at an `age`; nothing where more is known by now."""
        if age is not self._age_of_all or age is not self._age:
            return
        self._identities[digest] = identity
        if len(self._identities) > self._at_most:
            self._identities.popitem(last=False)

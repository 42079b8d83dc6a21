"""Looks at where keys and tokens are: a file, read anew when it was replaced, or a URL."""

import os
import stat
from collections.abc import Callable
from hashlib import sha256
from typing import Final, Generic, TypeVar

from skillsvc.content.faults import symbol_of
from skillsvc.content.fetching import Fetcher, FetchFailed, NotModified, Validators
from skillsvc.content.stamps import SETTLING_NS, FileStamp, stamp_of
from skillsvc.content.stopping import Abandoned
from skillsvc.service.identities.kept import LookFailed
from skillsvc.service.identities.keys import MAX_BYTES, KeySet, KeysRefused, parse_keys
from skillsvc.service.identities.static_tokens import MAX_BYTES as MAX_TOKENS_BYTES
from skillsvc.service.identities.static_tokens import StaticTokens, TokensRefused, parse_tokens

_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # without blocking: a FIFO must not hold up a look
Parsed = TypeVar("Parsed")


class FileLook(Generic[Parsed]):
    """Looks at a file; for one thread at a time."""

    def __init__(
        self, path: str, parse: Callable[[bytes], Parsed], *, max_bytes: int, now_ns: Callable[[], int]
    ) -> None:
        """Look at a file, of which `parse` makes what is kept; it raises LookFailed."""
        self._path = path
        self._parse = parse
        self._max_bytes = max_bytes
        self._now_ns = now_ns
        self._stamp: FileStamp | None = None
        self._fault: str | None = None
        """Why the file of that stamp cannot be used."""

    def __call__(self) -> Parsed | None:
        """Return what the file holds, None where it is the one that was read last.

        Raises:
            LookFailed: It cannot be read, or not be used.
        """
        try:
            descriptor = os.open(self._path, _READ)
            try:
                found = os.fstat(descriptor)
                if not stat.S_ISREG(found.st_mode):
                    raise LookFailed("the file is no regular one")
                stamp = stamp_of(found)
                if stamp == self._stamp:
                    if self._fault is not None:
                        raise LookFailed(self._fault)
                    return None
                begun_ns = self._now_ns()
                data = _read(descriptor, self._max_bytes + 1)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise LookFailed(f"the file cannot be read ({symbol_of(error)})") from error
        # Remembered even where it is refused, lest it be read again and again; one just written is read once more.
        self._stamp = stamp if begun_ns - stamp.mtime_ns > SETTLING_NS else None
        self._fault = None
        try:
            return self._parse(data)
        except LookFailed as error:
            self._fault = error.why
            raise


class UrlLook:
    """Looks at the keys that a URL names; for one thread at a time."""

    def __init__(self, url: str, fetcher: Fetcher, algorithms: frozenset[str]) -> None:
        """Fetch by `fetcher`, which is bounded in time and sends nothing to addresses of its own network."""
        self._url = url
        self._fetcher = fetcher
        self._algorithms = algorithms
        self._validators: Validators | None = None
        self._digest = b""

    def __call__(self) -> KeySet | None:
        """Return the keys, None where they are those of the last look.

        Raises:
            LookFailed: They cannot be had, or not be used.
        """
        try:
            answer = self._fetcher.get(
                self._url,
                max_bytes=MAX_BYTES,
                accept="application/jwk-set+json, application/json",
                validators=self._validators,
            )
        except FetchFailed as error:
            raise LookFailed(error.message) from error
        except Abandoned as error:
            raise LookFailed("the server ends") from error
        if isinstance(answer, NotModified):
            return None
        digest = sha256(answer.data).digest()
        if digest == self._digest:
            # Not every server has validators, and whoever calls would be judged anew for nothing.
            return None
        keys = keys_of(answer.data, self._algorithms)
        self._validators, self._digest = answer.validators or None, digest
        return keys


def keys_of(data: bytes, algorithms: frozenset[str]) -> KeySet:
    """Return a set of keys; raises LookFailed."""
    try:
        return parse_keys(data, algorithms)
    except KeysRefused as error:
        raise LookFailed(f"what should be a JWK set cannot be used: {error}") from error


def look_at_key_file(path: str, algorithms: frozenset[str], now_ns: Callable[[], int]) -> FileLook[KeySet]:
    """Return a look at a file with a JWK set."""
    return FileLook(path, lambda data: keys_of(data, algorithms), max_bytes=MAX_BYTES, now_ns=now_ns)


def look_at_token_file(path: str, key: bytes, now_ns: Callable[[], int]) -> FileLook[StaticTokens]:
    """Return a look at a file of static tokens; `key` is of this process alone."""

    def parse(data: bytes) -> StaticTokens:
        try:
            return parse_tokens(data, key)
        except TokensRefused as error:
            raise LookFailed(str(error)) from error

    return FileLook(path, parse, max_bytes=MAX_TOKENS_BYTES, now_ns=now_ns)


def _read(descriptor: int, at_most: int) -> bytes:
    chunks: list[bytes] = []
    left = at_most
    while left and (chunk := os.read(descriptor, left)):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)

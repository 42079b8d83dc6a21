"""The large files of git LFS, fetched by its batch API: what a pointer stands for, checked byte for byte.

What the store has already is fetched all the same, where this source never had it: by a pointer that somebody wrote, a
repository would else get at what only another source may read (G29).
"""

import io
import json
import re
import time
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from skillsvc.content.blobs import BlobStore
from skillsvc.content.credentials import Credentials
from skillsvc.content.fetching import Fetcher, FetchFailed, FetchReason
from skillsvc.content.lfs_pointer import LfsPointer
from skillsvc.content.sinks import Hashing, Sink
from skillsvc.content.tree import Unreadable
from skillsvc.content.urls import UrlRefused, origin_of, parse_url

_MEDIA_TYPE: Final = "application/vnd.git-lfs+json"
_MOST_ANSWER_BYTES: Final = 256 * 1024
_MOST_HEADERS: Final = 32
_OVER: Final = "it did not come before the time of this look was over"
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9_-]+\Z")


class _Download(NamedTuple):
    """Where an object is to be had, and what is sent along."""

    url: str
    headers: Mapping[str, str]


class LfsServer:
    """Where the large files of one repository are (`LfsObjects`)."""

    def __init__(
        self,
        endpoint: str,
        *,
        fetcher: Fetcher,
        within_s: float,
        credentials: Credentials | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask at `endpoint`, for at most `within_s` seconds from now on, all files together.

        The credentials go there, and to wherever it sends us on the same host and port.
        """
        self._clock = clock
        self._end = clock() + within_s
        self._endpoint = endpoint
        self._fetcher = fetcher
        self._credentials = credentials

    def read(self, pointer: LfsPointer) -> bytes:
        """Return the bytes that a pointer stands for."""
        with io.BytesIO() as sink:
            self._bring(pointer, sink)
            return sink.getvalue()

    def copy(self, pointer: LfsPointer, blobs: BlobStore) -> None:
        """Put the bytes into a store, where they get a name only when they are what they should be."""
        with blobs.writer() as writer:
            self._bring(pointer, writer)
            writer.commit()

    def _bring(self, pointer: LfsPointer, sink: Sink) -> None:
        hashing = Hashing(sink)
        try:
            download = self._ask(pointer)
            own = _same_origin(download.url, self._endpoint) and "authorization" not in map(str.lower, download.headers)
            self._fetcher.stream(
                download.url,
                hashing,
                max_bytes=pointer.size,
                headers=download.headers,
                credentials=self._credentials if own else None,
                within_s=self._left_s(),
            )
        except FetchFailed as error:
            # How many seconds were left of the look differs from one to the next; what is said does not.
            message = _OVER if error.reason is FetchReason.TIMEOUT else error.message
            raise Unreadable(f"git LFS: {message}") from error
        if (hashing.size, hashing.digest) != (pointer.size, pointer.digest):
            raise Unreadable("git LFS: what came is not what the pointer stands for")

    def _left_s(self) -> float:
        left = self._end - self._clock()
        if left <= 0:
            raise Unreadable(f"git LFS: {_OVER}")
        return left

    def _ask(self, pointer: LfsPointer) -> _Download:
        """Ask where an object is."""
        asked = {
            "operation": "download",
            "transfers": ["basic"],
            "objects": [{"oid": pointer.digest, "size": pointer.size}],
            "hash_algo": "sha256",
        }
        answer = self._fetcher.request(
            "POST",
            f"{self._endpoint}/objects/batch",
            max_bytes=_MOST_ANSWER_BYTES,
            body=json.dumps(asked).encode(),
            accept=_MEDIA_TYPE,
            headers={"Content-Type": _MEDIA_TYPE},
            credentials=self._credentials,
            within_s=self._left_s(),
        )
        return _parse_answer(answer.data)


def _parse_answer(data: bytes) -> _Download:
    try:
        match json.loads(data):
            case {"objects": [{"actions": {"download": {"href": str(url), **rest}}}]}:
                headers = rest.get("header")
            case {"objects": [{"error": {"code": int(code)}}]}:
                raise Unreadable(f"git LFS: the server refuses the object with {code}")
            case _:
                raise Unreadable("git LFS: the server says nothing of the object")
    except (ValueError, RecursionError) as error:
        raise Unreadable("git LFS: the server's answer is no JSON") from error
    own = headers if isinstance(headers, dict) else {}
    if len(own) > _MOST_HEADERS or not all(_can_be_sent(name, value) for name, value in own.items()):
        raise Unreadable("git LFS: the server's answer has headers that cannot be sent")
    return _Download(url=url, headers=own)


def _can_be_sent(name: str, value: object) -> bool:
    """Tell whether a header is one: a line break in it would begin another, or another request."""
    return bool(_HEADER_NAME.match(name)) and isinstance(value, str) and value.isascii() and value.isprintable()


def _same_origin(one: str, other: str) -> bool:
    try:
        return origin_of(parse_url(one)) == origin_of(parse_url(other))
    except UrlRefused:
        return False

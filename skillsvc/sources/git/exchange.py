"""What a git source and the process that fetches for it say to each other: one request, one answer, each one JSON text.

The answer comes from a process that read what a stranger sent, so it is believed only where it is well-formed.
"""

import json
import re
from dataclasses import asdict, dataclass, field
from enum import StrEnum, unique
from typing import Final, Self

MOST_ANSWER_BYTES: Final = 16 * 1024
_OBJECT_ID: Final = re.compile(r"(?:[0-9a-f]{40})?\Z")
_MOST_DETAIL: Final = 512


@unique
class FetchStatus(StrEnum):
    """How a fetch went."""

    CURRENT = "current"
    """The remote stands where it stood; nothing was fetched."""
    FETCHED = "fetched"
    EMPTY = "empty"
    """The remote has no commit at all."""
    NO_SUCH_REF = "no-such-ref"
    NO_SUCH_COMMIT = "no-such-commit"
    """The commit asked for is not in the repository, or what the ref leads to is no commit."""
    CREDENTIALS_REFUSED = "credentials-refused"
    CREDENTIALS_MISSING = "credentials-missing"
    NOT_TRUSTED = "not-trusted"
    """The host's key or certificate is not the one that is trusted."""
    UNREACHABLE = "unreachable"
    """No connection."""
    NO_GIT = "no-git"
    """The other side broke off, or answered with a fault or what is no git."""
    TOO_LARGE = "too-large"
    """More bytes than allowed were sent, or what was sent needs more memory than allowed."""
    LATE = "late"
    """The process was killed at its deadline."""
    NO_ANSWER = "no-answer"
    """The process died, or wrote what is no answer."""
    CACHE_UNUSABLE = "cache-unusable"
    """What went wrong is in the cache, which should be made anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """What to fetch, into which cache. Either `ref` or `commit` is given; secrets are in no `repr`."""

    url: str
    cache: str
    """The bare repository; made where there is none."""
    ref: str = ""
    """A full name (`refs/heads/main`), or `HEAD`."""
    commit: str = ""
    """An exact commit."""
    known: str = ""
    """The commit that the cache holds whole; where the ref leads to it, nothing is fetched."""
    max_bytes: int
    timeout_s: float
    memory_bytes: int
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    ssh_key_file: str = ""

    def to_json(self) -> bytes:
        """Return the request as it is written to the other process."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """Read what `to_json` wrote."""
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchAnswer:
    """How it went, and the commit that the remote stands at."""

    status: FetchStatus
    commit: str = ""
    received: int = 0
    """Bytes of objects received."""
    detail: str = ""
    """What the library said, for the log alone: it may hold names of hosts and text of the other side."""

    def to_json(self) -> bytes:
        """Return the answer as it is written to the source."""
        return json.dumps({**asdict(self), "detail": self.detail[:_MOST_DETAIL]}).encode()


def parse_answer(text: bytes) -> FetchAnswer | None:
    """Return the answer, None where the text is none."""
    try:
        match json.loads(text):
            case {"status": str(status), "commit": str(commit), "received": int(received), "detail": str(detail)}:
                known = FetchStatus(status)
            case _:
                return None
    except (ValueError, RecursionError):
        return None
    leads_to_commit = known in {FetchStatus.CURRENT, FetchStatus.FETCHED}
    if not _OBJECT_ID.match(commit) or bool(commit) != leads_to_commit:
        return None
    return FetchAnswer(status=known, commit=commit, received=received, detail=detail[:_MOST_DETAIL])

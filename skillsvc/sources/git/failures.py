"""Why nothing was fetched from a git remote, in sentences: server and limit, the way out, and no word of the remote.

Pure.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from skillsvc.sources.git.exchange import FetchStatus
from skillsvc.sources.git.url import Branch, Commit, GitRef, GitUrl, Tag

_WHY: Final[Mapping[FetchStatus, str]] = MappingProxyType(
    {
        FetchStatus.EMPTY: "the repository at {server} has no {ref}: it is empty",
        FetchStatus.NO_SUCH_REF: "the repository at {server} has no {ref}",
        FetchStatus.NO_SUCH_COMMIT: "the repository at {server} has no {ref}, or that leads to no commit",
        FetchStatus.CREDENTIALS_REFUSED: "{server} refuses the credentials",
        FetchStatus.CREDENTIALS_MISSING: "{server} asks for credentials, and no auth is configured",
        FetchStatus.NOT_TRUSTED: "{server} shows a certificate that is not trusted or of another host, or broke off",
        FetchStatus.UNREACHABLE: "{server} cannot be reached",
        FetchStatus.NO_GIT: "{server} answers, but breaks off, does not speak git, or has no such repository",
        FetchStatus.TOO_LARGE: "{server} sends more than {max_bytes} bytes, or what needs more memory than is allowed",
        FetchStatus.LATE: "{server} did not answer in whole within {timeout_s:g} s",
        FetchStatus.NO_ANSWER: "the process that fetches from {server} died",
        FetchStatus.CACHE_UNUSABLE: "the cache of the repository at {server} cannot be used, nor made anew",
    }
)
_WHY_OVER_SSH: Final[Mapping[FetchStatus, str]] = MappingProxyType(
    {
        FetchStatus.CREDENTIALS_REFUSED: "{server} refuses the key of ssh_key_file, or the user {username}",
        FetchStatus.CREDENTIALS_MISSING: "{server} asks for a key, and no ssh_key_file is configured",
        FetchStatus.NOT_TRUSTED: "{server} shows a host key that is not the one of known_hosts_file",
    }
)


def why(status: FetchStatus, url: GitUrl, ref: GitRef | None, *, max_bytes: int, timeout_s: float) -> str:
    """Return the sentence for a status that is no success."""
    sentences = {**_WHY, **(_WHY_OVER_SSH if url.scheme == "ssh" else {})}
    return sentences[status].format(
        server=url.server, username=url.username, ref=_named(ref), max_bytes=max_bytes, timeout_s=timeout_s
    )


def _named(ref: GitRef | None) -> str:
    match ref:
        case Branch(name=name):
            return f"branch {name!r}"
        case Tag(name=name):
            return f"tag {name!r}"
        case Commit(object_id=object_id):
            return f"commit {object_id}"
        case None:
            return "branch that its HEAD names"

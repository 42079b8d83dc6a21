"""Where a git repository is, and which of its commits is meant. Pure."""

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import SplitResult, urlsplit

_LONGEST: Final = 4096
_PRINTABLE: Final = re.compile(r"[!-~]+\Z")
_USER: Final = r"(?P<user>[A-Za-z0-9_][A-Za-z0-9._-]*)"
_HOST: Final = r"(?P<host>[A-Za-z0-9][A-Za-z0-9._-]*)"
_SCP_LIKE: Final = re.compile(rf"{_USER}@{_HOST}:(?P<path>[^:-][^:]*)\Z")
_SSH: Final = re.compile(rf"ssh://{_USER}@(?:{_HOST}|\[[0-9A-Fa-f:.]+\])(?::[0-9]{{1,5}})?/.+\Z")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}\Z")
_PORTS: Final = MappingProxyType({"https": 443, "http": 80, "ssh": 22})
_NOT_IN_REF: Final = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|\Z)")


class GitUrlRefused(ValueError):
    """A text is no URL that is fetched from. The message holds nothing of it: it may be a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitUrl:
    """Where a repository is. `username` is who logs in over SSH; no URL holds a password."""

    text: str
    scheme: str
    host: str
    path: str
    username: str = ""

    @property
    def server(self) -> str:
        """Who is asked, as people are told: the host, with the port where the URL says one."""
        return urlsplit(self.text).netloc.rpartition("@")[2] if "://" in self.text else self.host

    @property
    def port(self) -> int:
        """The port that is asked."""
        own = urlsplit(self.text).port if "://" in self.text else None
        return own or _PORTS[self.scheme]

    @property
    def lfs(self) -> str:
        """Where the large files of git LFS are, by its own rule: beside the repository, over HTTPS where git is SSH."""
        base = self.text if self.scheme != "ssh" else f"https://{self.host}/{self.path.lstrip('/')}"
        base = base.removesuffix("/")
        return f"{base if base.endswith('.git') else f'{base}.git'}/info/lfs"


def parse_git_url(text: str, *, plain_http: bool = False) -> GitUrl:
    """Return where a repository is: `https`, `ssh`, `user@host:path`, and `http` where `plain_http` allows it.

    Raises:
        GitUrlRefused: It is something else: a path of this machine, a helper (`ext::`), a URL with a password.
    """
    if len(text) > _LONGEST or not _PRINTABLE.match(text):
        raise GitUrlRefused(f"is no URL of at most {_LONGEST} printable ASCII characters")
    if "://" not in text:
        return _scp_like(text)
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise GitUrlRefused("is no URL") from None
    if parts.scheme not in {"https", "http", "ssh"}:
        raise GitUrlRefused("is of a scheme that is not fetched from; choose https or ssh")
    if not host or port == 0 or parts.path in {"", "/"} or parts.query or parts.fragment:
        raise GitUrlRefused("is no URL of a repository, which has a host, a path, and nothing more")
    if parts.scheme == "ssh":
        return _over_ssh(text, parts)
    if "@" in parts.netloc:
        raise GitUrlRefused("is a URL with credentials; configure them instead")
    if parts.scheme == "http" and not plain_http:
        raise GitUrlRefused("is not encrypted; choose https, or set plain_http if that is meant")
    return GitUrl(text=text, scheme=parts.scheme, host=host, path=parts.path)


def _scp_like(text: str) -> GitUrl:
    found = _SCP_LIKE.match(text)
    if found is None:
        raise GitUrlRefused("is neither a URL nor user@host:path")
    return GitUrl(text=text, scheme="ssh", host=found["host"], path=found["path"], username=found["user"])


def _over_ssh(text: str, parts: SplitResult) -> GitUrl:
    if parts.password is not None:
        raise GitUrlRefused("is a URL with a password; configure a key instead")
    if _SSH.match(text) is None:
        raise GitUrlRefused("is no URL for SSH, which is ssh://user@host/path")
    return GitUrl(text=text, scheme="ssh", host=parts.hostname or "", path=parts.path, username=parts.username or "")


@dataclass(frozen=True, slots=True)
class Branch:
    """The last commit of a branch."""

    name: str

    def __post_init__(self) -> None:
        """Refuse what is no name of a branch."""
        _check_ref(self.name)


@dataclass(frozen=True, slots=True)
class Tag:
    """The commit that a tag leads to."""

    name: str

    def __post_init__(self) -> None:
        """Refuse what is no name of a tag."""
        _check_ref(self.name)


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, whatever else the repository has."""

    object_id: str

    def __post_init__(self) -> None:
        """Refuse what is no id of a commit."""
        if not _COMMIT.match(self.object_id):
            raise ValueError("a commit is 40 lower-case hex digits")


GitRef = Branch | Tag | Commit
"""What is read of a repository; where nothing is said, what its HEAD leads to."""


def _check_ref(name: str) -> None:
    """Refuse what git takes for no name: in a refspec it would mean something else."""
    begins_or_ends_oddly = not name or name[0] in "-/." or name[-1] in "/."
    if begins_or_ends_oddly or name == "@" or _NOT_IN_REF.search(name):
        raise ValueError("is no name of a branch or tag")

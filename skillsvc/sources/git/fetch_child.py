"""The program of the process that fetches from a git remote. It is run alone: request on stdin, answer on stdout.

It reads what strangers send, so it may be killed at any time and its memory is bounded. It knows nothing of this
machine: the configuration of users and of the system is out of reach, no proxy is asked, no agent and no helper.
"""

import resource
import shutil
import signal
import socket
import sys
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path
from typing import Final, NamedTuple, Self

import pygit2
from pygit2.enums import ConfigLevel, CredentialType, RepositoryOpenFlag
from pygit2.remotes import Remote, TransferProgress
from typing_extensions import override

from skillsvc.domain.limits import MIB
from skillsvc.sources.git.exchange import FetchAnswer, FetchRequest, FetchStatus
from skillsvc.sources.git.url import GitUrlRefused, parse_git_url

_CURRENT: Final = "refs/skillsvc/current"
_FULL: Final = 0
_UNSHALLOW: Final = 2**31 - 1
_PACK_SLACK: Final = 64 * MIB
"""A pack is written with the objects it was thinned by, and its index grows with it."""
_GRACE_S: Final = 5.0
"""Who started this process kills it at the deadline; this is for where that one was killed itself."""
_MARK: Final = "fetching"
"""A file in the cache while it is written to. Where it is found, a fetch was killed, and may have left anything."""
_NO_MEMORY: Final = 1
_NETWORK: Final = 12
_TLS: Final = 16
_SSH: Final = 23
_HTTP: Final = 34
"""The library's classes of faults."""
_PROBE_S: Final = 2.0


class _Stage(Enum):
    """What is under way: who is to blame for a fault depends on it."""

    OPENING = auto()
    ASKING = auto()
    FETCHING = auto()


class _Ended(Exception):
    """The exchange ends here, as `status` says."""

    def __init__(self, status: FetchStatus) -> None:
        super().__init__(status.value)
        self.status = status


class _Wanted(NamedTuple):
    """What is to be fetched: a ref of the remote or an object's id, and the commit that is expected there."""

    source: str
    commit: str


class _Callbacks(pygit2.RemoteCallbacks):
    """Shows credentials once a connection, and counts bytes. Who the other side is, the library judges alone."""

    def __init__(self, request: FetchRequest) -> None:
        super().__init__()
        self._request = request
        self._was_asked = False
        self.received = 0

    def for_connection(self) -> Self:
        """Return these, to be asked for credentials once more."""
        self._was_asked = False
        return self

    @override
    def credentials(
        self, url: str, username_from_url: str | None, allowed_types: CredentialType
    ) -> pygit2.UserPass | pygit2.Keypair | pygit2.Username:
        if allowed_types & CredentialType.USERNAME:
            return pygit2.Username(self._request.username)
        if self._was_asked:
            # The library asks again for as long as the other side refuses.
            raise _Ended(FetchStatus.CREDENTIALS_REFUSED)
        self._was_asked = True
        if allowed_types & CredentialType.SSH_KEY and self._request.ssh_key_file:
            username = username_from_url or self._request.username
            return pygit2.Keypair(username, None, self._request.ssh_key_file, "")
        if allowed_types & CredentialType.USERPASS_PLAINTEXT and self._request.password:
            return pygit2.UserPass(self._request.username, self._request.password)
        raise _Ended(FetchStatus.CREDENTIALS_MISSING)

    @override
    def certificate_check(self, certificate: None, valid: bool, host: bytes) -> bool:
        # The library has judged, by authorities or by known_hosts. Left to itself, pygit2 takes any host key.
        return valid

    @override
    def transfer_progress(self, stats: TransferProgress) -> None:
        self.received = stats.received_bytes
        if self.received > self._request.max_bytes:
            raise _Ended(FetchStatus.TOO_LARGE)


def fetch(request: FetchRequest) -> FetchAnswer:
    """Fetch as asked. Nothing is raised: whatever happens is an answer."""
    return _Exchange(request).answer()


class _Exchange:
    """One exchange with a remote."""

    def __init__(self, request: FetchRequest) -> None:
        self._request = request
        self._callbacks = _Callbacks(request)
        self._stage = _Stage.OPENING

    def answer(self) -> FetchAnswer:
        """See `fetch`."""
        try:
            status, commit = self._run()
        except _Ended as end:
            return FetchAnswer(status=end.status, received=self._callbacks.received)
        except (pygit2.GitError, KeyError, OSError, ValueError, MemoryError) as error:
            return FetchAnswer(status=self._judge(error), received=self._callbacks.received, detail=str(error))
        return FetchAnswer(status=status, commit=commit, received=self._callbacks.received)

    def _run(self) -> tuple[FetchStatus, str]:
        request = self._request
        repository = _open(Path(request.cache))
        if request.commit and _holds(repository, request.commit):
            return FetchStatus.CURRENT, request.commit
        self._stage = _Stage.ASKING
        remote = repository.remotes.create_anonymous(request.url)
        wanted = self._find(remote)
        if wanted.commit == request.known or _holds(repository, wanted.commit):
            return FetchStatus.CURRENT, wanted.commit
        self._stage = _Stage.FETCHING
        mark = Path(request.cache, _MARK)
        mark.touch()
        try:
            return FetchStatus.FETCHED, self._fetch(repository, remote, wanted)
        finally:
            mark.unlink()

    def _judge(self, error: Exception) -> FetchStatus:
        if isinstance(error, pygit2.AuthError):
            return FetchStatus.CREDENTIALS_REFUSED
        number = getattr(error, "error_class", None)
        if isinstance(error, pygit2.CertificateError) or number == _TLS:
            return FetchStatus.NOT_TRUSTED
        if isinstance(error, MemoryError) or number == _NO_MEMORY:
            return FetchStatus.TOO_LARGE
        # Of the network are a name without address as well as a connection that breaks off.
        if number in {_SSH, _HTTP} or (number == _NETWORK and _is_there(self._request.url)):
            return FetchStatus.NO_GIT
        if self._stage is _Stage.ASKING or number == _NETWORK:
            return FetchStatus.UNREACHABLE
        return FetchStatus.CACHE_UNUSABLE

    def _find(self, remote: Remote) -> _Wanted:
        """Ask the remote what it has, and return what is to be fetched."""
        request = self._request
        heads = {
            str(head.name): str(head.oid) for head in remote.list_heads(callbacks=self._callbacks.for_connection())
        }
        if request.commit:
            at = next((name for name, found in heads.items() if found == request.commit and "^" not in name), "")
            return _Wanted(source=at, commit=request.commit)
        if request.ref not in heads:
            raise _Ended(FetchStatus.NO_SUCH_REF if heads else FetchStatus.EMPTY)
        # What an annotated tag leads to is told beside it.
        return _Wanted(source=request.ref, commit=heads.get(f"{request.ref}^{{}}", heads[request.ref]))

    def _fetch(self, repository: pygit2.Repository, remote: Remote, wanted: _Wanted) -> str:
        if wanted.source:
            remote.fetch([f"+{wanted.source}:{_CURRENT}"], callbacks=self._callbacks.for_connection(), depth=1)
            try:
                commit = str(repository.references[_CURRENT].peel(pygit2.Commit).id)
            except pygit2.GitError as error:
                raise _Ended(FetchStatus.NO_SUCH_COMMIT) from error
            # The remote may have gone on since it was asked: a ref leads to where it led last.
            if not self._request.commit or commit == self._request.commit:
                return commit
        return self._fetch_commit(repository, remote, wanted.commit)

    def _fetch_commit(self, repository: pygit2.Repository, remote: Remote, commit: str) -> str:
        """Fetch an exact commit: alone where the server allows that, else with all that the server has."""
        with suppress(pygit2.GitError):
            remote.fetch([f"+{commit}:{_CURRENT}"], callbacks=self._callbacks.for_connection(), depth=1)
        if not _holds(repository, commit):
            again = repository.remotes.create_anonymous(self._request.url)
            again.fetch(
                ["+refs/heads/*:refs/skillsvc/heads/*", "+refs/tags/*:refs/skillsvc/tags/*"],
                callbacks=self._callbacks.for_connection(),
                depth=_UNSHALLOW if repository.is_shallow else _FULL,
            )
        if not _holds(repository, commit):
            raise _Ended(FetchStatus.NO_SUCH_COMMIT)
        return commit


def _is_there(url: str) -> bool:
    """Tell whether somebody can be connected to where a URL leads."""
    try:
        where = parse_git_url(url, plain_http=True)
        socket.create_connection((where.host, where.port), timeout=_PROBE_S).close()
    except (GitUrlRefused, OSError):
        return False
    return True


def _open(cache: Path) -> pygit2.Repository:
    if Path(cache, _MARK).exists():
        shutil.rmtree(cache)
    if cache.exists():
        return pygit2.Repository(cache, RepositoryOpenFlag.NO_SEARCH | RepositoryOpenFlag.BARE)
    repository = pygit2.init_repository(cache, bare=True)
    # Credentials go to the host that was configured, and to no other.
    repository.config["http.followRedirects"] = "false"
    return repository


def _holds(repository: pygit2.Repository, commit: str) -> bool:
    return isinstance(repository.get(commit), pygit2.Commit)


def _confine(request: FetchRequest) -> None:
    """Bound what this process may use, and take away what this machine would tell the library."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (request.memory_bytes, request.memory_bytes))
    # So that a pack that is stored in more bytes than it was sent in does not fill the disk.
    file_bytes = request.max_bytes + _PACK_SLACK
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    signal.setitimer(signal.ITIMER_REAL, request.timeout_s + _GRACE_S)
    for level in (ConfigLevel.PROGRAMDATA, ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL):
        pygit2.settings.search_path[level] = ""
    milliseconds = max(1, round(request.timeout_s * 1000))
    pygit2.settings.server_connect_timeout = milliseconds
    pygit2.settings.server_timeout = milliseconds
    # Packs are mapped in pieces: the library's own piece is as large as all memory that is allowed here.
    pygit2.settings.mwindow_size = 32 * MIB
    pygit2.settings.mwindow_mapped_limit = 128 * MIB


def main() -> None:
    """Read a request, carry it out, and write the answer."""
    request = FetchRequest.from_json(sys.stdin.buffer.read())
    _confine(request)
    sys.stdout.buffer.write(fetch(request).to_json())


if __name__ == "__main__":
    main()

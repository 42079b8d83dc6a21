"""A git repository as a source: one commit of it is looked at, straight from git's object database.

The cache is a bare repository below the data folder. What is served has been copied to the blob store, so the cache may
be dropped at any time; it is, where it is damaged or grows too large, and is fetched anew at the next need.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from skillsvc.content.addresses import AddressGuard
from skillsvc.content.blobs import BlobStore
from skillsvc.content.credentials import Basic, Bearer, CredentialsMissing, CredentialsOf, no_credentials
from skillsvc.content.faults import symbol_of
from skillsvc.content.fetching import Fetcher
from skillsvc.content.git_tree import GitNode, GitNodes, GitObjects, changed_paths
from skillsvc.content.stopping import never
from skillsvc.content.stored_tree import StoredTree
from skillsvc.content.tree import Missing, Unreadable
from skillsvc.content.virtual_tree import VirtualTree
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.limits import MIB, Limits
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission
from skillsvc.sources.git.cache import CacheBusy, GitCache
from skillsvc.sources.git.exchange import FetchAnswer, FetchRequest, FetchStatus
from skillsvc.sources.git.failures import why
from skillsvc.sources.git.fetching import FileUnreadable, GitFetching
from skillsvc.sources.git.lfs import LfsServer
from skillsvc.sources.git.url import Branch, Commit, GitRef, GitUrl, Tag, parse_git_url
from skillsvc.sources.reading import ReadingSettings, TreeReading
from skillsvc.sources.source import Observation, Outcome

_MEMORY_BYTES: Final = 512 * MIB
"""What the process that fetches may map. An object that needs more, with what it is made from, is never taken."""
_MOST_CHANGED: Final = 10_000
"""Where more paths changed, all is looked at."""
_TOKEN_USERNAME: Final = "x-access-token"  # noqa: S105 - the user name that goes with a token
"""Servers that take a token take it as the password of a user whose name does not matter, or is this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSettings:
    """What of a repository is read, and how it is reached.

    `ref` None is the branch that the remote's HEAD names. `subdir` is the folder that counts as the source's root;
    nothing leads above it. `max_bytes` bounds what one fetch receives, `max_cache_bytes` what is kept of it between
    looks, `timeout_s` one fetch, and beside it all files of git LFS together.

    Credentials are a user name and password, or a token, over HTTPS; over SSH it is a key without a passphrase.
    `access` tells these credentials from others and is no secret: what was fetched with others is kept apart.
    `allow_addresses` and `redirect_hosts` are for the files of git LFS.
    """

    url: str
    reading: ReadingSettings
    ref: GitRef | None = None
    subdir: str = ""
    lfs: bool = False
    max_bytes: int = 256 * MIB
    max_cache_bytes: int = 1024 * MIB
    timeout_s: float = 120.0
    plain_http: bool = False
    ca_file: str = ""
    known_hosts_file: str = ""
    ssh_key_file: str = ""
    credentials: CredentialsOf = no_credentials
    access: str = ""
    allow_addresses: frozenset[str] = frozenset()
    redirect_hosts: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse a URL that is not fetched from, and a `subdir` that is no path below a root (ValueError)."""
        parse_git_url(self.url, plain_http=self.plain_http)
        if self.subdir and any(step in {"", ".", "..", ".git"} for step in self.subdir.split("/")):
            raise ValueError("subdir is a path of names with `/` between them")


class _LookFailed(Exception):
    """A look could not get at the repository. The message is for whoever runs the server, and names no path."""


class Fetching(Protocol):
    """Brings a remote's commit into a cache; see `GitFetching`."""

    def fetch(self, request: FetchRequest) -> FetchAnswer:
        """Fetch, and tell how it went."""
        ...


class GitSource:
    """A repository, and the commit that was last read of it: the same commit is not read again."""

    def __init__(
        self,
        settings: GitSettings,
        *,
        limits: Limits,
        blobs: BlobStore,
        folder: Path,
        stopped: Callable[[], bool] = never,
        fetching: Fetching | None = None,
    ) -> None:
        """Prepare; nothing is opened before the first look.

        Args:
            settings: What to look at, and how.
            limits: The limits in force.
            blobs: Where the bytes go.
            folder: Where the cache is: a folder for this source alone, made at need.
            stopped: Asked at each step of a look, and while waiting for the remote.
            fetching: Fetches; None for the real thing.
        """
        self._settings = settings
        self._limits = limits
        self._blobs = blobs
        self._stopped = stopped
        self._url: GitUrl = parse_git_url(settings.url, plain_http=settings.plain_http)
        self._cache = GitCache(folder, settings.url, settings.access, settings.ssh_key_file, stopped=stopped)
        self._fetching: Fetching = fetching or GitFetching(
            self._cache.home,
            known_hosts_file=settings.known_hosts_file,
            ca_file=settings.ca_file,
            stopped=stopped,
        )
        self._reading = TreeReading(settings.reading, limits=limits, blobs=blobs, stopped=stopped)
        self._last: _Read | None = None
        self._damaged = ""

    @property
    def label(self) -> str:
        """The name by which callers and diagnostics know it."""
        return self._reading.label

    @property
    def admission(self) -> Admission:
        """The tier and the trust that it is declared with."""
        return self._reading.admission

    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        """Look (`Source`). What changed is found out here, from the commits, whatever is said of it."""
        del changed
        try:
            return self._look(held)
        except (_LookFailed, CredentialsMissing, FileUnreadable) as error:
            message = str(error)
        except CacheBusy:
            message = "another look at it is still under way"
        except OSError as error:
            message = f"this server can neither fetch nor keep anything ({symbol_of(error)})"
        return self._reading.failed(DiagnosticCode.SOURCE_UNREACHABLE, message)

    def _look(self, held: Sequence[Found]) -> Observation:
        last = self._last
        intact = last is not None and self._reading.has_all_of(last.seen)
        standing = last.seen if last is not None and intact and last.seen.outcome is Outcome.WHOLE else None
        if standing is not None and isinstance(self._settings.ref, Commit):
            # Its id is the digest of all that is in it.
            return standing
        with self._cache.held(self._settings.timeout_s):
            try:
                return self._look_by_cache(standing, held, only_changed=intact)
            finally:
                # Whatever it came to: what fails at each look, and leaves something each time, would fill the disk.
                if self._cache.is_outgrown(self._settings.max_cache_bytes):
                    self._cache.drop()

    def _look_by_cache(self, standing: Observation | None, held: Sequence[Found], *, only_changed: bool) -> Observation:
        commit = self._fetch(standing, held)
        if standing is not None and commit == standing.revision:
            return standing
        read = self._read(commit, held, only_changed=only_changed)
        if (read is None or read.damaged) and commit != self._damaged:
            # Where it is damaged even when it is fetched anew, the remote is: it is not fetched each time for that.
            self._damaged = commit
            self._cache.drop()
            read = self._read(self._fetch(None, held), held, only_changed=only_changed)
        if read is None:
            raise _LookFailed(f"the repository that {self._url.server} sends is damaged, or has a folder too large")
        self._last = read
        return read.seen

    def _read(self, commit: str, held: Sequence[Found], *, only_changed: bool) -> "_Read | None":
        """Read a commit from the cache, None where not even its root can be had. "" is no commit, and has nothing."""
        if not commit:
            return _Read(self._reading.read(StoredTree({}, blobs=self._blobs), held=held))
        try:
            objects = GitObjects(self._cache.path)
            root = objects.folder(commit, self._settings.subdir)
        except Missing as error:
            raise _LookFailed(f"the commit has no folder {self._settings.subdir!r}, which subdir names") from error
        except Unreadable:
            return None
        changed = self._changed(root) if only_changed else None
        with self._lfs() as lfs:
            tree = VirtualTree(GitNodes(objects, root, lfs=lfs))
            seen = self._reading.read(tree, changed, held=held, revision=commit)
        return _Read(seen, root, damaged=objects.damaged)

    def _changed(self, root: GitNode) -> Collection[str] | None:
        """Return the paths that differ from what was read last, None where that cannot be told."""
        if self._last is None or self._last.root is None:
            return None
        try:
            # Apart from what is read: the commit before may be gone, which is no damage.
            return changed_paths(GitObjects(self._cache.path), self._last.root, root, at_most=_MOST_CHANGED)
        except Unreadable:
            return None

    @contextmanager
    def _lfs(self) -> Iterator[LfsServer | None]:
        """Open the way to large files, where they are fetched. The repository's own host was named by an operator."""
        settings = self._settings
        if not settings.lfs:
            yield None
            return
        fetcher = Fetcher(
            guard=AddressGuard({*settings.allow_addresses, self._url.host}),
            ca_file=settings.ca_file or None,
            timeout_s=settings.timeout_s,
            redirect_hosts=settings.redirect_hosts,
            stopped=self._stopped,
        )
        with closing(fetcher):
            yield LfsServer(self._url.lfs, fetcher=fetcher, within_s=settings.timeout_s, credentials=self._login())

    def _fetch(self, standing: Observation | None, held: Sequence[Found]) -> str:
        """Bring the remote's commit into the cache, and return it; "" where the repository is empty.

        Where the remote is at what stands, nothing is fetched.
        """
        request = self._request(standing.revision if standing is not None else "")
        answer = self._fetching.fetch(request)
        if answer.status is FetchStatus.CACHE_UNUSABLE:
            self._cache.drop()
            answer = self._fetching.fetch(request)
        if answer.status is FetchStatus.EMPTY and not held and not isinstance(self._settings.ref, Tag | Commit):
            return ""
        if not answer.commit:
            settings = self._settings
            raise _LookFailed(
                why(
                    answer.status,
                    self._url,
                    settings.ref,
                    max_bytes=settings.max_bytes,
                    timeout_s=settings.timeout_s,
                )
            )
        return answer.commit

    def _login(self) -> Basic | None:
        """Return who logs in, to git as to git LFS. Raises CredentialsMissing."""
        match self._settings.credentials():
            case Bearer(token=token):
                return Basic(username=_TOKEN_USERNAME, password=token)
            case login:
                return login

    def _request(self, known: str) -> FetchRequest:
        settings = self._settings
        if self._url.scheme == "ssh" and not settings.known_hosts_file:
            raise _LookFailed("nothing is fetched over SSH without known_hosts_file, which says whose key is trusted")
        login = self._login()
        return FetchRequest(
            url=settings.url,
            cache=str(self._cache.path),
            ref=_full_name(settings.ref),
            commit=settings.ref.object_id if isinstance(settings.ref, Commit) else "",
            known=known,
            max_bytes=settings.max_bytes,
            timeout_s=settings.timeout_s,
            memory_bytes=_MEMORY_BYTES,
            username=self._url.username if login is None else login.username,
            password="" if login is None else login.password,
            ssh_key_file=settings.ssh_key_file,
        )


class _Read(NamedTuple):
    """What reading a commit came to; `damaged` where not all that was looked for could be had."""

    seen: Observation
    root: GitNode | None = None
    damaged: bool = False


def _full_name(ref: GitRef | None) -> str:
    match ref:
        case Branch(name=name):
            return f"refs/heads/{name}"
        case Tag(name=name):
            return f"refs/tags/{name}"
        case Commit():
            return ""
        case None:
            return "HEAD"

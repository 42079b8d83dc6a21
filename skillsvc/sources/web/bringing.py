"""What sources on the web have in common: one look's way to an index and to what it names, and what is kept of it."""

import hashlib
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import BinaryIO, Final

from skillsvc.content.addresses import AddressGuard
from skillsvc.content.blobs import BlobStore
from skillsvc.content.credentials import Credentials, CredentialsMissing, CredentialsOf, no_credentials
from skillsvc.content.fetching import Fetched, Fetcher, FetchFailed, FetchReason, NotModified, Validators, may_redirect
from skillsvc.content.sinks import Hashing, Sink
from skillsvc.content.stopping import Abandoned
from skillsvc.content.stored_tree import StoredFile
from skillsvc.content.transport import Authorities
from skillsvc.content.urls import Origin, References, UrlRefused, origin_of, parse_url
from skillsvc.domain.limits import MIB
from skillsvc.sources.remote_blobs import NotHad

_INDEX_BYTES: Final = 4 * MIB
MOST_PARSED: Final = 10_000
"""URLs of one index that are parsed; plain paths on its own server are not. An index of 4 MiB has room for 200,000, and
each takes a third of a millisecond, in which nobody is answered."""
_DEAF: Final = frozenset({FetchReason.REFUSED, FetchReason.TIMEOUT, FetchReason.TLS, FetchReason.ADDRESS})
"""After one of these, nothing more is asked of a server in the same look: the next answer would be no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """How a source on the web is reached.

    `timeout_s` is for a look as a whole. `redirect_hosts` are the hosts beside the source's own that may serve its
    content, by a redirect or by a URL of its index; none of them gets credentials. `access` tells these credentials
    from others and is no secret: what was fetched with others is not used.
    """

    url: str
    timeout_s: float = 60.0
    ca_file: str = ""
    allow_addresses: frozenset[str] = frozenset()
    redirect_hosts: frozenset[str] = frozenset()
    credentials: CredentialsOf = no_credentials
    access: str = ""

    def __post_init__(self) -> None:
        """Refuse what is no URL of the web, and a network that is none (ValueError)."""
        try:
            parse_url(self.url)
        except UrlRefused as refused:
            raise ValueError(f"its url {refused}") from None
        AddressGuard(self.allow_addresses)


class NotTried(NotHad):
    """Something was not even asked for at this look."""


class Refused(Exception):
    """Something was had, and breaks a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedIndex:
    """An index, where it came from in the end, and by what it is known again. `digest` is of its bytes."""

    data: bytes
    url: str
    validators: Validators

    @property
    def digest(self) -> str:
        """The SHA-256 of the index."""
        return hashlib.sha256(self.data).hexdigest()


class Web:
    """One source's way to the web. A look begins with `begin`; one thread at a time looks.

    It remembers which blobs the source has shown to have. That one is in the store, where another source may have
    brought it, entitles nobody to it who merely knows its digest.
    """

    def __init__(
        self,
        settings: WebSettings,
        *,
        stopped: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
        authorities: Authorities | None = None,
    ) -> None:
        """Prepare; nothing is asked of anybody yet."""
        self._settings = settings
        self._clock = clock
        self._stopped = stopped
        self._fetcher = Fetcher(
            guard=AddressGuard(settings.allow_addresses),
            ca_file=settings.ca_file or None,
            timeout_s=settings.timeout_s,
            redirect_hosts=settings.redirect_hosts,
            stopped=stopped,
            clock=clock,
            authorities=authorities,
        )
        self._home = origin_of(parse_url(settings.url))
        self._over_at = 0.0
        self._deaf: set[Origin] = set()
        self._credentials: Credentials | None = None
        self._shown: set[str] = set()

    def close(self) -> None:
        """Close the connections."""
        self._fetcher.close()

    def begin(self) -> None:
        """Begin a look: its time runs, and credentials are read anew.

        Raises:
            NotHad: There are none where some are configured.
        """
        self._over_at = self._clock() + self._settings.timeout_s
        self._deaf.clear()
        try:
            self._credentials = self._settings.credentials()
        except CredentialsMissing as error:
            raise NotHad(str(error)) from error

    def has_shown(self, digest: str) -> bool:
        """Tell whether this source has shown to have a blob."""
        return digest in self._shown

    def shown(self) -> frozenset[str]:
        """Return the digests of all that this source has shown to have."""
        return frozenset(self._shown)

    def take_as_shown(self, digests: Iterable[str]) -> None:
        """Take blobs as shown: they were, to an earlier process."""
        self._shown.update(digests)

    def forget_shown_but(self, digests: Collection[str]) -> None:
        """Forget what was shown beside some blobs."""
        self._shown.intersection_update(digests)

    def index(self, url: str, known: FetchedIndex | None) -> FetchedIndex:
        """Fetch the index; what is known of it is returned where it has not changed.

        Raises:
            NotHad: It cannot be had.
            Abandoned: The look was told to stop.
        """
        answer = self._get(url, Validators() if known is None else known.validators)
        if isinstance(answer, NotModified):
            assert known is not None  # by whose validators that was told
            return known
        fetched = FetchedIndex(data=answer.data, url=answer.url, validators=answer.validators)
        return known if fetched == known else fetched

    def _get(self, url: str, validators: Validators) -> Fetched | NotModified:
        try:
            return self._fetcher.get(
                url,
                max_bytes=_INDEX_BYTES,
                accept="application/json, */*;q=0.1",
                credentials=self._credentials,
                validators=validators,
                within_s=self._left(),
            )
        except FetchFailed as failed:
            raise NotHad(failed.message) from failed

    def urls_of(self, index_url: str) -> "IndexUrls":
        """Return what the references in an index mean, if they may serve content of this source."""
        return IndexUrls(index_url, home=self._home, hosts=self._settings.redirect_hosts, stopped=self._stopped)

    def spool(self, url: str, file: BinaryIO, *, max_bytes: int, digest: str) -> None:
        """Fetch something into a file, if its bytes are those of a digest.

        Raises:
            NotHad: It cannot be had, or is something else.
            Refused: It has more bytes than it may have.
            Abandoned: The look was told to stop.
        """
        hashing = Hashing(file)
        self._stream(url, hashing, max_bytes=max_bytes)
        if hashing.digest != digest:
            raise NotHad(WRONG_DIGEST)

    def bring(
        self, url: str, blobs: BlobStore, *, max_bytes: int, digest: str = "", validators: Validators | None = None
    ) -> "Brought | None":
        """Fetch something into a store, if its bytes are those of the `digest`, where one is given.

        Returns:
            What it is, None where it has not changed since the validators.

        Raises:
            NotHad: It cannot be had, or is something else, of which nothing is kept then.
            Refused: It has more bytes than it may have.
            Abandoned: The look was told to stop.
            Unavailable: The store cannot take it.
        """
        with blobs.writer() as writer:
            hashing = Hashing(writer)
            answer = self._stream(url, hashing, max_bytes=max_bytes, validators=validators)
            if isinstance(answer, NotModified):
                return None
            if digest and hashing.digest != digest:
                raise NotHad(WRONG_DIGEST)
            writer.commit()
        self._shown.add(hashing.digest)
        return Brought(file=StoredFile(hashing.digest, hashing.size), validators=answer.validators)

    def bring_on_need(self, url: str, blobs: BlobStore, *, digest: str, size: int, within_s: float) -> None:
        """Fetch one blob beside any look, from any thread, with the credentials of now.

        Raises:
            NotHad: It cannot be had, or is something else, of which nothing is kept then.
            Unavailable: The store cannot take it.
        """
        try:
            with blobs.writer() as writer:
                hashing = Hashing(writer)
                self._fetcher.stream(
                    url,
                    hashing,
                    max_bytes=size,
                    credentials=self._settings.credentials() if self._is_home(url) else None,
                    within_s=within_s,
                )
                if hashing.digest != digest:
                    raise NotHad(WRONG_DIGEST)
                if hashing.size != size:
                    raise NotHad(WRONG_SIZE)
                writer.commit()
            self._shown.add(digest)
        except FetchFailed as failed:
            raise NotHad(failed.message) from failed
        except CredentialsMissing as error:
            raise NotHad(str(error)) from error
        except Abandoned as error:
            raise NotHad("this server is going away") from error

    def _stream(
        self, url: str, sink: Sink, *, max_bytes: int, validators: Validators | None = None
    ) -> Fetched | NotModified:
        origin = origin_of(parse_url(url))
        if origin in self._deaf:
            raise NotTried(f"{origin} failed before in this look")
        try:
            return self._fetcher.stream(
                url,
                sink,
                max_bytes=max_bytes,
                credentials=self._credentials if self._is_home(url) else None,
                validators=validators,
                within_s=self._left(),
            )
        except FetchFailed as failed:
            if failed.reason is FetchReason.TOO_LARGE:
                raise Refused(failed.message) from failed
            if failed.reason in _DEAF:
                self._deaf.add(origin)
            raise NotHad(failed.message) from failed

    def _is_home(self, url: str) -> bool:
        return origin_of(parse_url(url)) == self._home

    def _left(self) -> float:
        left = self._over_at - self._clock()
        if left <= 0:
            raise NotTried(f"the look has taken {self._settings.timeout_s:g} s")
        return left


class IndexUrls:
    """The URLs that one index names."""

    def __init__(self, index_url: str, *, home: Origin, hosts: frozenset[str], stopped: Callable[[], bool]) -> None:
        """Prepare for the index at a URL, of a source at `home`; `hosts` may serve its content, too."""
        self._references = References(index_url)
        self._here = origin_of(parse_url(index_url))
        self._home = home
        self._hosts = hosts
        self._stopped = stopped
        self._parsed = 0

    def resolve(self, reference: str) -> str:
        """Return the URL that a reference means, if it may serve content of this source.

        Raises:
            UrlRefused: It is none, of another server, or one more of a kind that takes long to read.
            Abandoned: The look was told to stop.
        """
        if self._stopped():
            raise Abandoned
        url = self._references.plain(reference)
        if url is not None:
            # The server of the index may serve what it names.
            return url
        self._parsed += 1
        if self._parsed > MOST_PARSED:
            raise UrlRefused(f"is beyond the {MOST_PARSED} URLs of an index that are more than plain paths")
        url = self._references.resolve(reference)
        there = origin_of(parse_url(url))
        is_home = there == self._home and there.scheme == self._here.scheme
        if not is_home and not may_redirect(self._here, there, self._hosts):
            raise UrlRefused(f"is of {there}, which is another server; name it in redirect_hosts if that is meant")
        return url


WRONG_DIGEST: Final = "its bytes are not those of the digest that the index gives"
WRONG_SIZE: Final = "it has not as many bytes as the index says"


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """Something that was fetched into the store."""

    file: StoredFile
    validators: Validators

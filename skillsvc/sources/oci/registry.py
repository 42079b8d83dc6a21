"""Asking an OCI registry (distribution spec 1.1), and proving to it who asks (its token protocol, or Basic).

What a registry says of where tokens are to be had is a stranger's word: the token server is guarded like any other
address, is asked over TLS where the registry is, and learns the configured credentials only where its host is the
registry's own or one that the operator has named.
"""

from collections.abc import Callable, Collection
from typing import Final

from skillsvc.content.addresses import host_name
from skillsvc.content.credentials import Basic, Bearer, Credentials
from skillsvc.content.fetching import Fetched, Fetcher, FetchFailed, FetchReason
from skillsvc.content.sinks import Sink
from skillsvc.content.urls import UrlRefused, origin_of, parse_url
from skillsvc.parsing.challenges import TOKEN_BYTES, Challenge, TokenRefused, parse_challenges, parse_token
from skillsvc.parsing.oci_manifest import INDEX_TYPES, MANIFEST_BYTES, MANIFEST_TYPES, parse_digest
from skillsvc.parsing.oci_reference import Reference

_ACCEPT: Final = ", ".join((*MANIFEST_TYPES, *INDEX_TYPES))
_UNAUTHORIZED: Final = 401
_ASKED: Final = frozenset({200, _UNAUTHORIZED})
_NO_HEAD: Final = frozenset({400, 404, 405, 501})
_EARLY_S: Final = 10.0
"""A token is not shown any more so many seconds before its end: it has to last until the registry sees it."""


class Registry:
    """One repository of a registry, asked by one thread at a time. All methods raise FetchFailed and Abandoned.

    `begin` comes before each look.
    """

    def __init__(
        self,
        reference: Reference,
        *,
        fetcher: Fetcher,
        plain_http: bool,
        token_hosts: Collection[str],
        clock: Callable[[], float],
    ) -> None:
        """Prepare; nothing is asked yet.

        Args:
            reference: The artifact whose repository is asked.
            fetcher: Through which it is asked.
            plain_http: Whether the registry speaks no TLS.
            token_hosts: Hosts beside the registry's own whose token server may get the credentials.
            clock: Seconds that only grow.
        """
        self._repository = reference.repository
        self._base = f"{'http' if plain_http else 'https'}://{reference.registry}/v2/{reference.repository}"
        self._origin = origin_of(parse_url(self._base))
        self._trusted = frozenset({self._origin.host, *map(host_name, token_hosts)})
        self._fetcher = fetcher
        self._clock = clock
        self._credentials: Credentials | None = None
        self._deadline = 0.0
        self._challenge: Challenge | None = None
        self._token = Bearer(token="")
        self._token_until = 0.0

    @property
    def repository(self) -> str:
        """The repository, by its registry."""
        return f"{self._origin}/{self._repository}"

    def begin(self, credentials: Credentials | None, deadline: float) -> None:
        """Begin a look that is over at `deadline`, a moment of the clock; `credentials` are who looks."""
        if credentials != self._credentials:
            self._challenge = None
            self._token_until = 0.0
        self._credentials = credentials
        self._deadline = deadline

    def digest_of(self, wanted: str) -> str:
        """Return the digest that a tag has now, 64 hex digits, as the registry says; "" where it does not say it."""
        try:
            found = self._ask("HEAD", f"/manifests/{wanted}")
        except FetchFailed as error:
            # Not every registry lets manifests be asked for this way; the GET that follows tells what is wrong.
            if error.status not in _NO_HEAD:
                raise
            return ""
        return digest_said(found)

    def manifest(self, wanted: str) -> Fetched:
        """Fetch the manifest of a tag, or of a digest written `sha256:…`."""
        return self._ask("GET", f"/manifests/{wanted}")

    def fetch_blob(self, digest: str, size: int, sink: Sink) -> None:
        """Fetch a blob of at most `size` bytes; neither digest nor length is checked here."""
        self._fetcher.stream(
            f"{self._base}/blobs/sha256:{digest}",
            sink,
            max_bytes=size,
            credentials=self._shown(),
            within_s=self._left(),
        )

    def _ask(self, method: str, path: str) -> Fetched:
        found = self._request(method, path, _ASKED)
        if found.status == _UNAUTHORIZED:
            self._take_up(parse_challenges(found.headers.get("www-authenticate", "")))
            found = self._request(method, path, frozenset({200}))
        return found

    def _request(self, method: str, path: str, statuses: Collection[int]) -> Fetched:
        return self._fetcher.request(
            method,
            self._base + path,
            max_bytes=MANIFEST_BYTES,
            accept=_ACCEPT,
            credentials=self._shown(),
            statuses=statuses,
            within_s=self._left(),
        )

    def _take_up(self, challenges: Collection[Challenge]) -> None:
        """Choose how to prove who asks; a token where the registry would have one."""
        for scheme in ("bearer", "basic"):
            for challenge in challenges:
                if challenge.scheme == scheme:
                    self._challenge = challenge
                    self._token_until = 0.0
                    return
        raise FetchFailed(
            FetchReason.STATUS, f"{self._origin} asks who asks, in no way that is known here", status=_UNAUTHORIZED
        )

    def _shown(self) -> Credentials | None:
        """Return what the registry is shown with the next request: nothing before it has asked."""
        match self._challenge, self._credentials:
            case None, _:
                return None
            case Challenge(scheme="basic"), Basic() as basic:
                return basic
            case Challenge(scheme="basic"), _:
                raise FetchFailed(
                    FetchReason.STATUS, f"{self._origin} wants a user name and a password", status=_UNAUTHORIZED
                )
            case _, Bearer() as bearer:
                # The operator's own token, which is the registry's as it is.
                return bearer
            case Challenge() as challenge, _:
                if self._clock() >= self._token_until:
                    self._ask_for_token(challenge)
                return self._token

    def _ask_for_token(self, challenge: Challenge) -> None:
        try:
            realm = parse_url(challenge.parameters.get("realm", ""))
        except UrlRefused as error:
            raise FetchFailed(FetchReason.MALFORMED, f"the token server that {self._origin} names {error}") from None
        server = origin_of(realm)
        if self._origin.scheme == "https" and server.scheme != "https":
            raise FetchFailed(FetchReason.MALFORMED, f"{self._origin} names a token server that speaks no TLS")
        # Never the scope of the challenge: it could be for more than is wanted, and for what is not this registry's.
        query = {"scope": f"repository:{self._repository}:pull"}
        if service := challenge.parameters.get("service"):
            query["service"] = service
        asked_at = self._clock()
        found = self._fetcher.request(
            "GET",
            str(realm.copy_merge_params(query)),
            max_bytes=TOKEN_BYTES,
            accept="application/json",
            credentials=self._credentials if server.host in self._trusted else None,
            within_s=self._left(),
        )
        try:
            issued = parse_token(found.data)
        except TokenRefused as error:
            raise FetchFailed(FetchReason.MALFORMED, f"what the token server {server} sends {error}") from None
        self._token = Bearer(token=issued.token)
        self._token_until = asked_at + issued.lasts_s - _EARLY_S

    def _left(self) -> float:
        left = self._deadline - self._clock()
        if left <= 0:
            raise FetchFailed(FetchReason.TIMEOUT, f"{self._origin} did not send everything in time")
        return left


def digest_said(found: Fetched) -> str:
    """Return the digest that a registry says a manifest has, 64 hex digits; "" where it says none that is known."""
    return parse_digest(found.headers.get("docker-content-digest", ""))

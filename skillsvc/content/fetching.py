"""Fetching over HTTP: bounded in bytes and time, from guarded addresses alone, with credentials that stay at home.

Nothing is taken from the environment, no cookie is kept, nothing is decompressed, and no URL is logged: its query may
hold a secret. That is why requests go to the transport itself and through no `httpx.Client`.
"""

import ssl
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum, unique
from io import BytesIO
from types import MappingProxyType
from typing import Final

import httpcore
import httpx

from skillsvc.content.addresses import AddressGuard, AddressRefused, host_name
from skillsvc.content.credentials import Credentials, authorization
from skillsvc.content.guarded_network import GuardedNetwork, NotConnected, Overdue, Patience
from skillsvc.content.sinks import Sink
from skillsvc.content.stopping import never
from skillsvc.content.transport import Authorities, AuthoritiesUnreadable, GuardedTransport
from skillsvc.content.urls import Origin, UrlRefused, origin_of, parse_url, resolve

_REDIRECTS: Final = 10
_REDIRECTING: Final = frozenset({301, 302, 303, 307, 308})
_NOT_MODIFIED: Final = 304
_OK: Final = frozenset({200})
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@unique
class FetchReason(Enum):
    """Why something was not fetched."""

    REFUSED = "refused"
    """No connection: nobody listens, there is no way, or no such host."""
    RESET = "reset"
    """The connection ended early."""
    TIMEOUT = "timeout"
    TLS = "tls"
    """The peer is not who it should be, or says so in a way that is not trusted."""
    STATUS = "status"
    """An answer of another status than is of use; `FetchFailed.status` is that."""
    TOO_LARGE = "too large"
    REDIRECT = "redirect"
    """One redirect too many, or to where none is followed."""
    ADDRESS = "address"
    """The host has an address to which nothing is sent (`AddressGuard`)."""
    MALFORMED = "malformed"
    """No URL, no HTTP, an answer that breaks off, or one in an encoding that nobody asked for."""


class FetchFailed(Exception):
    """Something could not be fetched. `message` names host and limit, never a path, a query or credentials."""

    def __init__(self, reason: FetchReason, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """By what a server tells whether something is as it was; "" where it said nothing of the kind."""

    etag: str = ""
    last_modified: str = ""

    def __bool__(self) -> bool:
        """Tell whether there is one."""
        return bool(self.etag or self.last_modified)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What came: `headers` by names in lower case, `data` empty where it was streamed, `url` the last of redirects."""

    status: int
    headers: Mapping[str, str]
    data: bytes
    url: str
    validators: Validators


@dataclass(frozen=True, slots=True, kw_only=True)
class NotModified:
    """Nothing has changed since the validators that were sent."""


class Fetcher:
    """Fetches for one source. Connections are kept for a while and shared by nobody else. Any thread may call."""

    def __init__(
        self,
        *,
        guard: AddressGuard,
        ca_file: str | None = None,
        timeout_s: float = 30.0,
        redirect_hosts: Iterable[str] = (),
        stopped: Callable[[], bool] = never,
        clock: Callable[[], float] = time.monotonic,
        authorities: Authorities | None = None,
    ) -> None:
        """Prepare; nothing is connected yet.

        Args:
            guard: Judges the addresses that are connected to.
            ca_file: The authorities trusted instead of the system's.
            timeout_s: How many seconds a whole exchange may take, redirects and all.
            redirect_hosts: Other hosts that may be redirected to, without credentials.
            stopped: Asked at least every quarter of a second; a fetch ends as soon as it says so.
            clock: Seconds that only grow.
            authorities: Where TLS contexts are shared with other fetchers.
        """
        self._timeout_s = timeout_s
        self._redirect_hosts = frozenset(map(host_name, redirect_hosts))
        self._patience = Patience(stopped, clock)
        trusted = authorities or Authorities()
        self._transport = GuardedTransport(
            GuardedNetwork(guard=guard, context=lambda: trusted.context(ca_file), patience=self._patience)
        )

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def get(
        self,
        url: str,
        *,
        max_bytes: int,
        accept: str = "*/*",
        headers: Mapping[str, str] = _NOTHING,
        credentials: Credentials | None = None,
        validators: Validators | None = None,
        within_s: float | None = None,
    ) -> Fetched | NotModified:
        """Fetch what a URL names, of status 200.

        Args:
            url: What to fetch.
            max_bytes: The most bytes that are taken.
            accept: The media types of use.
            headers: Further ones; like `credentials` they are sent to the URL's own origin alone.
            credentials: Who asks.
            validators: What is known of it: where that still holds, the answer is NotModified.
            within_s: How many seconds it may take, where these are fewer than the fetcher's own.

        Raises:
            FetchFailed: It cannot be had.
            Abandoned: The fetcher was told to stop.
        """
        sink = BytesIO()
        answer = self.stream(
            url,
            sink,
            max_bytes=max_bytes,
            accept=accept,
            headers=headers,
            credentials=credentials,
            validators=validators,
            within_s=within_s,
        )
        return answer if isinstance(answer, NotModified) else replace(answer, data=sink.getvalue())

    def stream(
        self,
        url: str,
        sink: Sink,
        *,
        max_bytes: int,
        accept: str = "*/*",
        headers: Mapping[str, str] = _NOTHING,
        credentials: Credentials | None = None,
        validators: Validators | None = None,
        within_s: float | None = None,
    ) -> Fetched | NotModified:
        """Fetch as `get` does, into a file; of a fetch that fails it may hold a part."""
        own = dict(headers)
        if validators is not None and validators.etag:
            own["If-None-Match"] = validators.etag
        if validators is not None and validators.last_modified:
            own["If-Modified-Since"] = validators.last_modified
        ask = _Ask("GET", b"", accept, own, credentials, _OK, max_bytes)
        return self._fetch(url, ask, sink, within_s)

    def request(
        self,
        method: str,
        url: str,
        *,
        max_bytes: int,
        body: bytes = b"",
        accept: str = "*/*",
        headers: Mapping[str, str] = _NOTHING,
        credentials: Credentials | None = None,
        statuses: Collection[int] = _OK,
        within_s: float | None = None,
    ) -> Fetched:
        """Send a request and return the answer, which may have any of `statuses`; else as `get`.

        Only a GET follows redirects.
        """
        sink = BytesIO()
        ask = _Ask(method, body, accept, dict(headers), credentials, frozenset(statuses), max_bytes)
        answer = self._fetch(url, ask, sink, within_s)
        assert isinstance(answer, Fetched)  # no validators were sent
        return replace(answer, data=sink.getvalue())

    def _fetch(self, text: str, ask: "_Ask", sink: Sink, within_s: float | None) -> Fetched | NotModified:
        moment = self._patience.moment(self._timeout_s if within_s is None else min(self._timeout_s, within_s))
        try:
            url = parse_url(text)
        except UrlRefused as error:
            raise FetchFailed(FetchReason.MALFORMED, f"what is to be fetched {error}") from None
        for _ in range(_REDIRECTS + 1):
            origin = origin_of(url)
            with _translated(origin):
                response = self._transport.handle_request(_request(url, ask, moment))
            try:
                if response.status_code not in _REDIRECTING or response.status_code in ask.statuses:
                    return self._take(response, url, ask, sink)
                url = self._redirected(response, url, ask)
            finally:
                response.close()
            if origin_of(url) != origin:
                ask = ask.to_strangers()
        raise FetchFailed(FetchReason.REDIRECT, f"{origin_of(url)} redirects more than {_REDIRECTS} times")

    def _take(self, response: httpx.Response, url: httpx.URL, ask: "_Ask", sink: Sink) -> Fetched | NotModified:
        origin, status = origin_of(url), response.status_code
        if status == _NOT_MODIFIED and ask.conditional:
            return NotModified()
        if status not in ask.statuses:
            raise FetchFailed(FetchReason.STATUS, f"{origin} answers with the status {status}", status=status)
        if response.headers.get("content-encoding", "identity").strip().lower() not in {"identity", ""}:
            raise FetchFailed(FetchReason.MALFORMED, f"{origin} compresses its answer, though nobody asked for that")
        too_large = FetchFailed(FetchReason.TOO_LARGE, f"{origin} sends more than {ask.max_bytes} bytes")
        # h11 has seen to it that this is a number. What comes is counted all the same: not every answer has one.
        if int(response.headers.get("content-length", "0")) > ask.max_bytes:
            raise too_large
        left = ask.max_bytes
        for chunk in _chunks(response, origin):
            left -= len(chunk)
            if left < 0:
                raise too_large
            sink.write(chunk)
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Fetched(
            status=status,
            headers=MappingProxyType(headers),
            data=b"",
            url=str(url),
            validators=Validators(etag=headers.get("etag", ""), last_modified=headers.get("last-modified", "")),
        )

    def _redirected(self, response: httpx.Response, url: httpx.URL, ask: "_Ask") -> httpx.URL:
        """Return where a redirect leads, if it is followed there."""
        origin = origin_of(url)
        if ask.method != "GET":
            raise FetchFailed(FetchReason.REDIRECT, f"{origin} redirects a {ask.method}", status=response.status_code)
        location = response.headers.get("location", "")
        if not location:
            raise FetchFailed(FetchReason.REDIRECT, f"{origin} redirects, and does not say where")
        try:
            target = parse_url(resolve(str(url), location))
        except UrlRefused as error:
            raise FetchFailed(FetchReason.REDIRECT, f"where {origin} redirects to {error}") from None
        there = origin_of(target)
        if not may_redirect(origin, there, self._redirect_hosts):
            raise FetchFailed(
                FetchReason.REDIRECT,
                f"{origin} redirects to {there}, which is another server; name it in redirect_hosts if that is meant",
            )
        return target


_FAULTS: Final[Mapping[type[Exception], tuple[FetchReason, str]]] = MappingProxyType(
    {
        AddressRefused: (FetchReason.ADDRESS, "{origin} {error}"),
        NotConnected: (FetchReason.REFUSED, "{origin} cannot be connected to ({error})"),
        # Not in how many seconds: what is left of a look differs each time, and what is told of it must not.
        Overdue: (FetchReason.TIMEOUT, "{origin} did not answer in whole in time"),
        AuthoritiesUnreadable: (FetchReason.TLS, "the authorities of ca_file cannot be read"),
        ssl.SSLCertVerificationError: (FetchReason.TLS, "{origin} shows a certificate that is not trusted"),
        ssl.SSLEOFError: (FetchReason.RESET, "{origin} broke off"),
        ssl.SSLError: (FetchReason.TLS, "{origin} and this server do not agree on TLS"),
        OSError: (FetchReason.RESET, "{origin} broke off"),
        httpcore.ProtocolError: (FetchReason.MALFORMED, "{origin} broke off, or speaks no HTTP"),
    }
)
"""What each fault of transport, TLS and sockets means; the first that fits."""


def may_redirect(here: Origin, there: Origin, hosts: frozenset[str]) -> bool:
    """Tell whether a redirect is followed: on one server, from http to https of it, or to a host that is named.

    Never from https to http, where everybody on the way could read and change what comes.
    """
    if here == there:
        return True
    if here.scheme == "https" and there.scheme == "http":
        return False
    return there.host in hosts or (
        here.host == there.host and (here[::2], there[::2]) == (("http", 80), ("https", 443))
    )


@dataclass(frozen=True, slots=True)
class _Ask:
    """What is asked, wherever redirects lead."""

    method: str
    body: bytes
    accept: str
    own: Mapping[str, str]
    """Headers for the origin that was asked first, and no other."""
    credentials: Credentials | None
    statuses: frozenset[int]
    max_bytes: int

    @property
    def conditional(self) -> bool:
        return not self.own.keys().isdisjoint({"If-None-Match", "If-Modified-Since"})

    def to_strangers(self) -> "_Ask":
        """Return what another server is asked: it gets neither the headers nor the credentials."""
        return replace(self, own=_NOTHING, credentials=None)


def _request(url: httpx.URL, ask: _Ask, moment: float) -> httpx.Request:
    headers = {
        "Accept": ask.accept,
        "Accept-Encoding": "identity",
        "User-Agent": "skillsvc",
        **ask.own,
    }
    if ask.credentials is not None:
        headers["Authorization"] = authorization(ask.credentials)
    try:
        return httpx.Request(
            ask.method,
            url,
            headers=[(name.encode("ascii"), value.encode()) for name, value in headers.items()],
            content=ask.body or None,
            extensions={"timeout": dict.fromkeys(("connect", "read", "write"), moment)},
        )
    except ValueError:
        raise FetchFailed(FetchReason.MALFORMED, "a header holds what cannot be sent") from None


def _chunks(response: httpx.Response, origin: Origin) -> Iterator[bytes]:
    """Iterate over what comes; what is done with it between is not translated."""
    chunks = response.iter_raw()
    while True:
        with _translated(origin):
            chunk = next(chunks, None)
        if chunk is None:
            return
        yield chunk


@contextmanager
def _translated(origin: Origin) -> Iterator[None]:
    """Translate what transport, TLS and sockets raise."""
    try:
        yield
    except tuple(_FAULTS) as error:
        reason, message = next(fault for kind, fault in _FAULTS.items() if isinstance(error, kind))
        raise FetchFailed(reason, message.format(origin=origin, error=error)) from error

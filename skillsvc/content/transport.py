"""HTTP over the guarded network: httpcore's connections in httpx's words, and whom TLS trusts."""

import os
import ssl
import threading
from collections.abc import Iterator

import httpcore
import httpx
from typing_extensions import override

from skillsvc.content.guarded_network import GuardedNetwork
from skillsvc.content.stamps import FileStamp, stamp_of


class AuthoritiesUnreadable(Exception):
    """The file of trusted authorities cannot be read, or holds none."""


class Authorities:
    """The TLS contexts of a process, one for each file of authorities: each costs a megabyte and some milliseconds.

    A file that was replaced is read anew. Any thread may ask.
    """

    def __init__(self) -> None:
        """Read nothing yet."""
        self._contexts: dict[str | None, tuple[FileStamp | None, ssl.SSLContext]] = {}
        self._reading = threading.Lock()

    def context(self, ca_file: str | None) -> ssl.SSLContext:
        """Return the context that trusts the authorities of a file, None for those of this system.

        Raises:
            AuthoritiesUnreadable: The file cannot be read, or holds none.
        """
        with self._reading:
            stamp, context = self._contexts.get(ca_file, (None, None))
            try:
                found = None if ca_file is None else stamp_of(os.stat(ca_file))  # noqa: PTH116 - its stamp alone
                if context is None or found != stamp:
                    context = ssl.create_default_context(cafile=ca_file)
                    self._contexts[ca_file] = found, context
            except OSError as error:  # an SSLError is one
                raise AuthoritiesUnreadable from error
            return context


class GuardedTransport(httpx.BaseTransport):
    """httpcore's connections over the guarded network, in httpx's words."""

    def __init__(self, network: GuardedNetwork) -> None:
        """Connect over `network`; nothing is connected yet."""
        # The context is never used: the network has its own, made when it is needed.
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            max_keepalive_connections=4,
            keepalive_expiry=5.0,
            network_backend=network,
        )

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request whose extension `timeout` holds moments; raises what the network and httpcore raise."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=url,
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Stream(answer), extensions=answer.extensions
        )

    @override
    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


class _Stream(httpx.SyncByteStream):
    """The body of an answer."""

    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    @override
    def __iter__(self) -> Iterator[bytes]:
        return self._answer.iter_stream()

    @override
    def close(self) -> None:
        self._answer.close()

"""Addresses of the web as they are used here: http and https, a host, and no credentials within."""

import re
from typing import Final, NamedTuple

import httpx
from typing_extensions import override

from skillsvc.content.addresses import host_name

_PORTS: Final = {"http": 80, "https": 443}
_URL_BYTES: Final = 8192
_LAST_PORT: Final = 65535
_NAME: Final = r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*"
_PLAIN: Final = re.compile(rf"/?{_NAME}(?:/{_NAME})*/?")
"""Paths that mean what they say: with no scheme, no query, no escapes, and no dots that lead elsewhere."""


class UrlRefused(Exception):
    """A text is no URL that is fetched. The message holds nothing of it: it may be a secret."""


class Origin(NamedTuple):
    """Who answers: scheme, host and port."""

    scheme: str
    host: str
    port: int

    @override
    def __str__(self) -> str:
        """Return it as messages name it, without a port that goes without saying."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def parse_url(text: str) -> httpx.URL:
    """Return the URL of a text.

    Raises:
        UrlRefused: It is none, or not of a kind that is fetched.
    """
    try:
        if len(text.encode()) > _URL_BYTES:
            raise UrlRefused(f"is a URL of more than {_URL_BYTES} bytes")
        url = httpx.URL(text)
        if url.scheme not in _PORTS:
            raise UrlRefused("is no http or https URL")
        if not url.host:
            raise UrlRefused("is a URL without a host")
        if url.port is not None and not 0 < url.port <= _LAST_PORT:
            raise UrlRefused("is a URL of a port that is none")
        if url.userinfo:
            raise UrlRefused("is a URL with credentials; configure them instead")
    except (httpx.InvalidURL, ValueError):
        raise UrlRefused("is no URL") from None
    return url.copy_with(fragment=None)


def resolve(base: str, reference: str) -> str:
    """Return the URL that a reference in the document at `base` means.

    Raises:
        UrlRefused: It means none that is fetched.
    """
    try:
        return str(parse_url(str(httpx.URL(base).join(reference))))
    except (httpx.InvalidURL, ValueError):
        raise UrlRefused("is no URL") from None


class References:
    """What references in one document mean. Nearly all are plain paths, which take no parsing: an index has many."""

    def __init__(self, base: str) -> None:
        """Prepare for the document at `base`.

        Raises:
            UrlRefused: It is at no URL that is fetched.
        """
        self._base = base
        self._beside = resolve(base, "x")[:-1]
        self._root = resolve(base, "/x")[:-1]

    def plain(self, reference: str) -> str | None:
        """Return the URL that a plain path on the document's own server means, also where it is spelt out whole.

        None is for what has to be parsed: it may mean anything.
        """
        path = reference[len(self._root) - 1 :] if reference.startswith(self._root) else reference
        if len(reference) + len(self._beside) > _URL_BYTES or _PLAIN.fullmatch(path) is None:
            return None
        return self._root + path[1:] if path.startswith("/") else self._beside + path

    def resolve(self, reference: str) -> str:
        """Return the URL that a reference means.

        Raises:
            UrlRefused: It means none that is fetched.
        """
        return resolve(self._base, reference)


def origin_of(url: httpx.URL) -> Origin:
    """Return the origin of a URL that `parse_url` returned."""
    return Origin(url.scheme, host_name(url.raw_host.decode("ascii").strip("[]")), url.port or _PORTS[url.scheme])

"""Indexes as sites publish them, and the skills that they name, on a web server of a test."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from skillsvc.content.credentials import CredentialsOf, no_credentials
from skillsvc.domain.trust import Tier
from skillsvc.parsing.well_known_index import SCHEMA
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.web.bringing import WebSettings
from tests.patience import PATIENCE_S
from tests.simulators.web_server import WebServer, page

READING = ReadingSettings(label="harbor", tier=Tier.REGISTERED)


def web(
    url: str,
    *,
    timeout_s: float = PATIENCE_S,
    redirect_hosts: frozenset[str] = frozenset(),
    access: str = "",
    credentials: CredentialsOf = no_credentials,
    ca_file: str = "",
) -> WebSettings:
    """Return settings that reach the loopback."""
    return WebSettings(
        url=url,
        timeout_s=timeout_s,
        allow_addresses=frozenset({"127.0.0.0/8"}),
        redirect_hosts=redirect_hosts,
        credentials=credentials,
        access=access,
        ca_file=ca_file,
    )


def hex_of(data: bytes | str) -> str:
    """Return the SHA-256 of some bytes, or of a text in UTF-8."""
    return sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def remote(path: str, data: bytes | str, *, digest: str | None = None, sized: bool = True) -> dict[str, Any]:
    """Return how a manifest names a file at a path, by digest and size; a `digest` of "" is left out."""
    encoded = data.encode() if isinstance(data, str) else data
    named: dict[str, Any] = {"url": path}
    if digest != "":
        named["digest"] = f"sha256:{digest or hex_of(encoded)}"
    if sized:
        named["size"] = len(encoded)
    return named


def well_known(*entries: Mapping[str, Any]) -> str:
    """Return an index of version 0.2.0."""
    return json.dumps({"$schema": SCHEMA, "skills": entries})


def manifest(*entries: object) -> str:
    """Return a manifest of an `http` source."""
    return json.dumps({"skills": entries})


def serve_pages(server: WebServer, pages: Mapping[str, bytes | str]) -> None:
    """Answer with pages from now on, by path."""
    for path, data in pages.items():
        server.answers[path] = page(data)

"""Places that a source may be at, as a file names them: each is what its own kind takes, and is returned as it came.

What is refused is told without the text: it may hold a secret.
"""

import re
from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path
from typing import NamedTuple

from skillsvc.content.urls import UrlRefused, parse_url
from skillsvc.domain.folder_template import FolderTemplate, FolderTemplateRefused
from skillsvc.parsing.oci_reference import ReferenceRefused, parse_reference
from skillsvc.settings.refusal import Faults
from skillsvc.sources.git.url import Branch, Commit, GitUrlRefused, parse_git_url
from skillsvc.sources.provider import RESERVED

_HOST = re.compile(r"(?!-)[0-9A-Za-z_-]{1,63}(?:\.[0-9A-Za-z_-]{1,63})*\.?|\[?[0-9A-Fa-f:.]+\]?")


class Anchored(NamedTuple):
    """What may be a template, as a file says it, and the folder of that file: whose braces are no places."""

    text: str
    folder: str


def has_places(text: str) -> bool:
    """Tell whether a text is meant as a template: no literal path of a file has a brace."""
    return "{" in text or "}" in text


def directory_or_template(said: object, make_path: Callable[[object], Path]) -> Path | FolderTemplate:
    """Return a template of folders where text is one, else a path; raises Faults. A Path is literal."""
    match said:
        case Anchored(text, folder):
            pass
        case str(text) if has_places(text):
            folder = ""
        case _:
            return make_path(said)
    try:
        return FolderTemplate.parse(text, folder)
    except FolderTemplateRefused as refused:
        raise Faults([str(refused)]) from refused


def shown(place: Path | FolderTemplate) -> str:
    """Return a directory or a template as text."""
    return str(place)


def web_url(text: str) -> str:
    """Return an `http` or `https` URL; raises Faults."""
    return _as_it_came(text, parse_url, UrlRefused)


def git_url(text: str) -> str:
    """Return a git remote; whether one without TLS is meant is for its table to say. Raises Faults."""
    return _as_it_came(text, lambda url: parse_git_url(url, plain_http=True), GitUrlRefused)


def oci_reference(text: str) -> str:
    """Return a reference to an artifact; raises Faults."""
    return _as_it_came(text, parse_reference, ReferenceRefused)


def ref(text: str) -> str:
    """Return the name of a branch or a tag; raises Faults."""
    return _as_it_came(text, Branch, ValueError)


def object_id(text: str) -> str:
    """Return the id of a commit; raises Faults."""
    return _as_it_came(text, Commit, ValueError)


def _as_it_came(text: str, parse: Callable[[str], object], refusal: type[Exception]) -> str:
    try:
        parse(text)
    except refusal as error:
        raise Faults([str(error)]) from error
    return text


def provider(text: str) -> str:
    """Return the name of a provider, whether there is one or not; raises Faults."""
    if text == RESERVED:
        raise Faults([f"is {RESERVED}, which is kept for skills that a program registers itself"])
    return text


def is_ssh(url: str) -> bool:
    """Tell whether a git remote is reached over ssh."""
    return url.startswith("ssh://") or "://" not in url


def host(text: str) -> str:
    """Return the name or the address of a host as it came; raises Faults."""
    if not _HOST.fullmatch(text):
        raise Faults(["must be the name of a host, without a port"])
    return text


def host_or_network(text: str) -> str:
    """Return the name of a host, an address, or a network such as `10.1.0.0/16`, as it came; raises Faults."""
    if "/" not in text:
        return host(text)
    try:
        ip_network(text, strict=False)
    except ValueError:
        raise Faults(["must be a host, an address, or a network such as 10.1.0.0/16"]) from None
    return text


def folder_within(text: str) -> str:
    """Return a relative path that leads down alone, without `/` at its end; raises Faults."""
    parts = text.rstrip("/").split("/")
    if text.startswith("/") or not text.isprintable() or any(part in {"", ".", "..", ".git"} for part in parts):
        raise Faults(["must be a folder below, `/` between names, without `.`, `..` and `.git`"])
    return "/".join(parts)


def file_name(text: str) -> str:
    """Return the name of a file or a folder as it came; raises Faults."""
    if not text or "/" in text or not text.isprintable() or text in {".", ".."}:
        raise Faults(["must be the name of a file or a folder"])
    return text

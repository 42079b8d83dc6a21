"""Places that a source may be at, as a file names them: URLs, git remotes, OCI references, hosts, folders and refs."""

import re
from ipaddress import ip_network
from urllib.parse import SplitResult, urlsplit

from skillsvc.settings.refusal import Faults

_HOST = re.compile(r"(?!-)[0-9A-Za-z_-]{1,63}(?:\.[0-9A-Za-z_-]{1,63})*\.?|\[?[0-9A-Fa-f:.]+\]?")
_SCP = re.compile(r"(?:[0-9A-Za-z._-]+@)?(?P<host>[0-9A-Za-z._-]+):(?!//)(?P<path>\S+)")
_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_UNFIT_IN_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[/.-]|/\.|[/.]$|\.lock(?:/|$)")
_REFERENCE = re.compile(
    r"(?P<registry>[0-9A-Za-z.-]+(?::[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](?::[0-9]{1,5})?)"
    r"/(?P<repository>[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*)"
    r"(?::(?P<tag>[0-9A-Za-z_][0-9A-Za-z._-]{0,127}))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)


def web_url(text: str) -> str:
    """Return an `http` or `https` URL as it came; raises Faults."""
    _check_url(text, ("https", "http"))
    return text


def git_url(text: str) -> str:
    """Return a git remote as it came: an `https`, `http` or `ssh` URL, or `user@host:path`; raises Faults.

    With ssh a user is part of the address, and no secret.
    """
    if "://" not in text and (scp := _SCP.fullmatch(text)) and text.isprintable() and not text.startswith("-"):
        if scp["path"].startswith("-"):
            raise Faults(["has a path that begins with `-`"])
        return text
    _check_url(text, ("https", "http", "ssh"))
    return text


def is_ssh(url: str) -> bool:
    """Tell whether a git remote is reached over ssh."""
    return url.startswith("ssh://") or "://" not in url


def _check_url(text: str, schemes: tuple[str, ...]) -> None:
    # What is wrong is told without the URL: it may hold a secret.
    url = _split(text)
    if url is None or url.scheme not in schemes or not url.hostname or not _HOST.fullmatch(url.hostname):
        raise Faults([f"must be a URL that begins with {' or '.join(f'{scheme}://' for scheme in schemes)} and a host"])
    if url.password is not None or (url.username is not None and url.scheme != "ssh"):
        raise Faults(["holds a user or a password; secrets are named by `auth`"])
    if url.fragment:
        raise Faults(["has a fragment, which is sent to no server"])


def _split(text: str) -> SplitResult | None:
    if not text.isprintable() or not text.isascii() or " " in text or "\\" in text:
        return None
    try:
        url = urlsplit(text)
        _ = url.port
    except ValueError:
        return None
    return url


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


def ref(text: str) -> str:
    """Return the name of a branch or a tag as it came; raises Faults."""
    if not text or text == "@" or _UNFIT_IN_REF.search(text):
        raise Faults(["is no name that git gives"])
    return text


def object_id(text: str) -> str:
    """Return the id of a commit as it came; raises Faults."""
    if not _OBJECT_ID.fullmatch(text):
        raise Faults(["must be a whole id: 40 or 64 of 0-9 and a-f"])
    return text


def folder_within(text: str) -> str:
    """Return a relative path that leads down alone, without `/` at its end; raises Faults."""
    parts = text.rstrip("/").split("/")
    if text.startswith("/") or not text.isprintable() or any(part in {"", ".", ".."} for part in parts):
        raise Faults(["must be a folder below, `/` between names, without `.` and `..`"])
    return "/".join(parts)


def file_name(text: str) -> str:
    """Return the name of a file or a folder as it came; raises Faults."""
    if not text or "/" in text or not text.isprintable() or text in {".", ".."}:
        raise Faults(["must be the name of a file or a folder"])
    return text


def oci_reference(text: str) -> str:
    """Return a reference as it came: `registry/repository`, then `:tag` or `@sha256:…`; raises Faults."""
    found = _REFERENCE.fullmatch(text)
    if found is None or not (found["tag"] or found["digest"]):
        raise Faults(["must be REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:DIGEST"])
    return text

"""References to artifacts in OCI registries: `registry[:port]/repository`, then `:tag`, `@sha256:…` or both."""

import re
from dataclasses import dataclass
from typing import Final

_NAME: Final = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REFERENCE: Final = re.compile(
    r"(?P<host>[0-9A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z])?|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
    rf"/(?P<repository>{_NAME}(?:/{_NAME})*)"
    r"(?::(?P<tag>[0-9A-Za-z_][0-9A-Za-z._-]{0,127}))?(?:@sha256:(?P<digest>[0-9a-f]{64}))?",
    re.ASCII,
)
_REPOSITORY_BYTES: Final = 255
_LAST_PORT: Final = 65535


class ReferenceRefused(ValueError):
    """A text is no reference to one artifact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """An artifact in a registry."""

    host: str
    """Without the port; an IPv6 address in brackets."""
    port: int | None
    repository: str
    tag: str
    digest: str
    """64 hex digits. Where there is one the tag says nothing, as everywhere."""

    @property
    def registry(self) -> str:
        """Host, and the port where one is named."""
        return self.host if self.port is None else f"{self.host}:{self.port}"

    @property
    def wanted(self) -> str:
        """What the registry is asked for: the digest, else the tag."""
        return f"sha256:{self.digest}" if self.digest else self.tag


def parse_reference(text: str) -> Reference:
    """Return the reference of a text.

    Raises:
        ReferenceRefused: It is none. A registry is always named: which one a bare name means differs between tools.
    """
    found = _REFERENCE.fullmatch(text)
    if found is None or not (found["tag"] or found["digest"]):
        raise ReferenceRefused("must be REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:DIGEST")
    port = None if found["port"] is None else int(found["port"])
    if port is not None and not 0 < port <= _LAST_PORT:
        raise ReferenceRefused("names a port that is none")
    if len(found["repository"]) > _REPOSITORY_BYTES:
        raise ReferenceRefused(f"names a repository of more than {_REPOSITORY_BYTES} bytes")
    return Reference(
        host=found["host"].lower(),
        port=port,
        repository=found["repository"],
        tag=found["tag"] or "",
        digest=found["digest"] or "",
    )

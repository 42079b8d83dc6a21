"""`x-forwarded-client-cert`: whom a proxy that we trust says it has verified, in Envoy's format, read strictly.

An element is pairs `Key=Value` with `;` between, elements have `,` between, and a value may be in quotes. Not every
proxy quotes the names of a certificate, so that one which holds `,` or `;` begins what looks like another element, or
another pair. So there is one element, no pair stands twice in it, and nothing comes behind the DNS names, which are
written last: what a name adds is then no more than a refusal. A proxy that adds its element to those of strangers is
refused for the same reason.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.service.identities.credentials import CredentialRefused
from skillsvc.service.identities.spiffe import is_spiffe_id

HEADER: Final = "x-forwarded-client-cert"
MAX_BYTES: Final = 16 * 1024
_LAST: Final = "dns"
"""Of a certificate there may be several; Envoy writes them behind everything else."""
_PAIR: Final = re.compile(
    r"""(?P<key>By|Hash|Cert|Chain|Subject|URI|DNS)=(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^",;\\]*))""",
    re.IGNORECASE | re.ASCII,
)


def header_of(values: Iterable[str | bytes]) -> str:
    """Return the one header.

    Raises:
        CredentialRefused: There is no such header, or several; or it is too long, or no text.
    """
    headers = tuple(values)
    if len(headers) != 1:
        raise CredentialRefused("the proxy forwards no certificate, or several headers of them")
    (header,) = headers
    if not isinstance(header, str) or len(header) > MAX_BYTES:
        raise CredentialRefused(f"what the proxy forwards is longer than {MAX_BYTES} bytes, or no text")
    return header


def identity_of_forwarded(header: str) -> Identity:
    """Return whom the header is of: the one SPIFFE id in its one element.

    Raises:
        CredentialRefused: It is malformed, or could be read in two ways; or it names nobody by a SPIFFE id.
    """
    pairs: dict[str, str] = {}
    for key, value in _pairs(header):
        if _LAST in pairs and key != _LAST:
            raise CredentialRefused("what the proxy forwards goes on behind the DNS names")
        if key in pairs and key != _LAST:
            raise CredentialRefused("what the proxy forwards says one thing twice")
        pairs[key] = value
    if not is_spiffe_id(pairs.get("uri", "")):
        raise CredentialRefused("the proxy forwards a certificate without one SPIFFE id")
    return Identity(kind=IdentityKind.CERTIFICATE_SPIFFE, name=pairs["uri"])


def _pairs(header: str) -> Iterator[tuple[str, str]]:
    at = 0
    while True:
        pair = _PAIR.match(header, at)
        if pair is None:
            raise CredentialRefused("what the proxy forwards is malformed")
        quoted: str | None = pair["quoted"]
        yield pair["key"].lower(), pair["bare"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        at = pair.end()
        if at == len(header):
            return
        if header[at] == ",":
            raise CredentialRefused("the proxy forwards several certificates")
        if header[at] != ";":
            raise CredentialRefused("what the proxy forwards is malformed")
        at += 1

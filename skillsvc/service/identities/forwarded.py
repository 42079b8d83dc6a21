"""`x-forwarded-client-cert`: whom a proxy that we trust says it has verified, in Envoy's format, read strictly.

An element is pairs `Key=Value` with `;` between, elements have `,` between, and a value may be in quotes. The last
element is what the proxy itself added; those before it may be a stranger's. So the header is read from its begin, as it
was written: a quote that a stranger leaves open swallows what the proxy added, and then no more than a refusal comes.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.service.identities.credentials import CredentialRefused
from skillsvc.service.identities.spiffe import is_spiffe_id

HEADER: Final = "x-forwarded-client-cert"
MAX_BYTES: Final = 16 * 1024
_PAIR: Final = re.compile(
    r"""(?P<key>By|Hash|Cert|Chain|Subject|URI|DNS)=(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^",;\\]*))""",
    re.IGNORECASE,
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
    """Return whom the last element of the header is of: the one SPIFFE id in it.

    Raises:
        CredentialRefused: It is malformed; or it names nobody by a SPIFFE id, or several.
    """
    *_, last = _elements(header)
    uris = [value for key, value in last if key == "uri"]
    if len(uris) != 1 or not is_spiffe_id(uris[0]):
        raise CredentialRefused("the proxy forwards a certificate without one SPIFFE id")
    return Identity(kind=IdentityKind.CERTIFICATE_SPIFFE, name=uris[0])


def _elements(header: str) -> Iterator[list[tuple[str, str]]]:
    element: list[tuple[str, str]] = []
    at = 0
    while True:
        pair = _PAIR.match(header, at)
        if pair is None:
            raise CredentialRefused("what the proxy forwards is malformed")
        quoted: str | None = pair["quoted"]
        value = pair["bare"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        element.append((pair["key"].lower(), value))
        at = pair.end()
        if at == len(header):
            yield element
            return
        if header[at] == ",":
            yield element
            element = []
        elif header[at] != ";":
            raise CredentialRefused("what the proxy forwards is malformed")
        at += 1

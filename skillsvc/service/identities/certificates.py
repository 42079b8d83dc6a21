"""Client certificates: the SPIFFE id, else the subject, of what the transport has verified.

gRPC gives `peer_spiffe_id` only where a certificate has one URI name and that is a SPIFFE id. `peer_identities()` and
`x509_subject_alternative_name` mix DNS names, mail addresses and URIs, so that a DNS name made to look like a SPIFFE id
would pass for one; they are never read.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from cryptography import x509

from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.service.identities.credentials import CredentialRefused
from skillsvc.service.identities.spiffe import is_spiffe_id

_SECURE: Final = frozenset({b"ssl", b"tls"})


def certificate_of(verified: Mapping[str, Iterable[bytes]]) -> tuple[bytes, bytes] | None:
    """Return the certificate (PEM) and the SPIFFE id (b"" for none) of a peer, None where it has shown none.

    Raises:
        CredentialRefused: There are several of one.
    """
    pems, ids = tuple(verified.get("x509_pem_cert", ())), tuple(verified.get("peer_spiffe_id", ()))
    if not _SECURE.issuperset(security := tuple(verified.get("transport_security_type", ()))) or not security:
        return None
    if not pems and not ids:
        return None
    if len(pems) != 1 or len(ids) > 1:
        raise CredentialRefused("the transport tells of several certificates, or of several SPIFFE ids")
    return pems[0], ids[0] if ids else b""


def identity_of_certificate(pem: bytes, spiffe_id: bytes, now: datetime) -> Identity:
    """Return who a verified certificate is of: its SPIFFE id as the transport tells it, else its subject.

    Raises:
        CredentialRefused: It has ended while its connection lives on, or names nobody, or somebody in several ways.
    """
    try:
        certificate = x509.load_pem_x509_certificate(pem)
        uris = _uris(certificate)
        subject = certificate.subject.rfc4514_string()
        is_authority = _is_authority(certificate)
    except (ValueError, TypeError, x509.DuplicateExtension, x509.UnsupportedGeneralNameType) as error:
        raise CredentialRefused("the certificate cannot be understood") from error
    if not certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc:
        raise CredentialRefused("the certificate has ended, or has not begun")
    until = certificate.not_valid_after_utc
    if spiffe_id:
        name = spiffe_id.decode(errors="replace")
        if not is_spiffe_id(name) or uris != [name]:
            raise CredentialRefused("the SPIFFE id is none, or not the only URI of the certificate")
        if is_authority:
            # One who may sign is no workload, says the specification.
            raise CredentialRefused("the certificate of a SPIFFE id is that of an authority")
        return Identity(kind=IdentityKind.CERTIFICATE_SPIFFE, name=name, expires_at=until)
    if len(uris) > 1 or any(uri.lower().startswith("spiffe:") for uri in uris):
        # It was meant to be a SPIFFE id and is none: its subject would be an identity that nobody meant to give.
        raise CredentialRefused("the certificate has several URIs, or one that is no SPIFFE id")
    if not subject:
        raise CredentialRefused("the certificate has neither a SPIFFE id nor a subject")
    return Identity(kind=IdentityKind.CERTIFICATE_SUBJECT, name=subject, expires_at=until)


def _uris(certificate: x509.Certificate) -> list[str]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return names.get_values_for_type(x509.UniformResourceIdentifier)


def _is_authority(certificate: x509.Certificate) -> bool:
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return False

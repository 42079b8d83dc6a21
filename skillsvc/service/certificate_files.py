"""A certificate, its key and the authorities of clients, as files hold them: read together, taken whole or not at all.

Whoever exchanges such files does so one after the other, so that what is found may be half of an exchange.
"""

import os
import stat
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

_LONGEST: Final = 1024 * 1024
"""Bytes of a file; a bundle of a few hundred authorities has less."""

_LEAST_RSA_BITS: Final = 2048
_BEGIN: Final = b"-----BEGIN CERTIFICATE-----"
_END: Final = b"-----END CERTIFICATE-----"


class CertificatesRefused(Exception):
    """The files cannot be used; the message says which and why, and no path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateFiles:
    """Where the files are.

    Attributes:
        certificate: The server's own certificate, and those between it and its authority.
        key: Its private key, without a password.
        client_authorities: The authorities of clients, each of which must then show a certificate; None to ask for
            none.
    """

    certificate: Path
    key: Path
    client_authorities: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the files hold, unread. Two that are equal say the same."""

    certificate: bytes
    key: bytes = field(repr=False)
    client_authorities: bytes | None
    is_key_open: bool
    """Anybody on this machine may read the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """Files that belong together. All of it is PEM, as it was found."""

    chain: bytes
    key: bytes = field(repr=False)
    client_authorities: bytes | None
    fingerprint: str
    """SHA-256 of the server's own certificate, hex."""
    not_before: datetime
    not_after: datetime
    is_key_open: bool


def find_certificates(files: CertificateFiles) -> Found:
    """Return what files hold.

    Raises:
        CertificatesRefused: One cannot be read, or is longer than any has a reason to be.
    """
    certificate, _ = _read("the certificate", files.certificate)
    key, mode = _read("the key", files.key)
    authorities = files.client_authorities
    return Found(
        certificate=certificate,
        key=key,
        client_authorities=None if authorities is None else _read("the authorities of clients", authorities)[0],
        is_key_open=bool(mode & (stat.S_IROTH | stat.S_IWOTH)),
    )


def parse_certificates(found: Found) -> Certificates:
    """Return what was found, where it fits together.

    Raises:
        CertificatesRefused: It does not, or is of a kind that TLS here does not speak.
    """
    own = _certificates("the certificate", found.certificate)[0]
    if found.client_authorities is not None:
        _certificates("the authorities of clients", found.client_authorities)
    key = _public_half(found.key)
    if key != own.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo):
        raise CertificatesRefused("the key is not that of the certificate")
    return Certificates(
        chain=found.certificate,
        key=found.key,
        client_authorities=found.client_authorities,
        fingerprint=own.fingerprint(hashes.SHA256()).hex(),
        not_before=own.not_valid_before_utc,
        not_after=own.not_valid_after_utc,
        is_key_open=found.is_key_open,
    )


def _read(what: str, path: Path) -> tuple[bytes, int]:
    """Return the bytes of a file and its mode."""
    try:
        with path.open("rb") as file:
            # Of the file that is read: the path may name another one already.
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(_LONGEST + 1)
    except OSError as error:
        raise CertificatesRefused(f"{what} cannot be read: {error.strerror}") from error
    if len(data) > _LONGEST:
        raise CertificatesRefused(f"{what} has more than {_LONGEST} bytes")
    return data, mode


def _certificates(what: str, pem: bytes) -> list[x509.Certificate]:
    """Return all certificates of a file, in their order."""
    try:
        certificates = x509.load_pem_x509_certificates(pem)
    except ValueError as error:
        raise CertificatesRefused(f"{what} holds no certificate in PEM, or one that is damaged") from error
    # A block without an end is passed over by whoever reads PEM: it is what a file that is being written ends in.
    is_begun = any(line.startswith(b"-") for line in pem[pem.rfind(_END) + len(_END) :].splitlines())
    if is_begun or len(certificates) != pem.count(_BEGIN):
        raise CertificatesRefused(f"{what} is not written to its end")
    for certificate in certificates:
        _check_key(what, certificate)
    return certificates


def _check_key(what: str, certificate: x509.Certificate) -> None:
    """Refuse what no client of gRPC shakes hands with, or nobody should."""
    try:
        key = certificate.public_key()
    except (UnsupportedAlgorithm, ValueError) as error:
        raise CertificatesRefused(f"{what} holds a key of a kind that is not known") from error
    match key:
        case rsa.RSAPublicKey() if key.key_size >= _LEAST_RSA_BITS:
            return
        case ec.EllipticCurvePublicKey() if isinstance(key.curve, ec.SECP256R1 | ec.SECP384R1):
            return
    raise CertificatesRefused(f"{what} must have RSA keys of {_LEAST_RSA_BITS} bits or more, or of P-256 or P-384")


def _public_half(pem: bytes) -> bytes:
    try:
        key = load_pem_private_key(pem, password=None)
    except TypeError as error:
        raise CertificatesRefused("the key has a password; give one without") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise CertificatesRefused("the key holds no private key in PEM, or one that is damaged") from error
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

"""An authority that issues certificates for tests, and files that a server takes them from."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TypeAlias

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

from skillsvc.service.certificate_files import CertificateFiles

Key: TypeAlias = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey | ed25519.Ed25519PrivateKey
DAY = timedelta(days=1)
OF_THIS_MACHINE = (x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1")))


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def pem_of(key: Key, *, password: bytes = b"") -> bytes:
    encryption = BestAvailableEncryption(password) if password else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """A certificate and its key, in PEM."""

    certificate: bytes
    key: bytes
    serial: int


class Authority:
    """An authority whose certificates are valid from yesterday until tomorrow."""

    def __init__(self, name: str = "authority") -> None:
        self._key = new_key()
        self._name = _name_of(name)
        self._now = datetime.now(UTC)
        self.certificate = self._signed(self._name, self._key, (), is_authority=True, days=(-1, 1))[0]

    def issue(
        self,
        *names: x509.GeneralName,
        subject: str = "server",
        key: Key | None = None,
        days: tuple[int, int] = (-1, 1),
    ) -> Issued:
        """Issue a certificate that is valid between two days from now; for this machine, where nothing is named."""
        key = key or new_key()
        names = names or OF_THIS_MACHINE
        certificate, serial = self._signed(_name_of(subject), key, names, is_authority=False, days=days)
        return Issued(certificate=certificate, key=pem_of(key), serial=serial)

    def _signed(
        self,
        subject: x509.Name,
        key: Key,
        names: tuple[x509.GeneralName, ...],
        *,
        is_authority: bool,
        days: tuple[int, int],
    ) -> tuple[bytes, int]:
        serial = x509.random_serial_number()
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(serial)
            .not_valid_before(self._now + days[0] * DAY)
            .not_valid_after(self._now + days[1] * DAY)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM), serial


class Files:
    """The files that a server takes its certificates from, exchanged as tools do it: each renamed over the old one."""

    def __init__(self, folder: Path) -> None:
        self.certificate = folder / "server.pem"
        self.key = folder / "server.key"
        self.client_authorities = folder / "clients.pem"

    def put(self, issued: Issued, *, clients: bytes = b"") -> CertificateFiles:
        """Put all files there, those of clients where there are any."""
        if clients:
            self.exchange(self.client_authorities, clients)
        self.exchange(self.key, issued.key)
        self.exchange(self.certificate, issued.certificate)
        return CertificateFiles(
            certificate=self.certificate, key=self.key, client_authorities=self.client_authorities if clients else None
        )

    @staticmethod
    def exchange(path: Path, data: bytes) -> None:
        """Exchange a file whole."""
        aside = path.with_name(f"{path.name}.new")
        aside.write_bytes(data)
        aside.chmod(0o600)
        aside.replace(path)


def channel_to(address: str, authority: Authority, shown: Issued | None = None) -> grpc.aio.Channel:
    """Return a channel with a connection of its own, which believes an authority and may show a certificate.

    It has no policy of repeating: all that grpc sends again is what a connection that grew old never took.
    """
    return grpc.aio.secure_channel(
        address,
        grpc.ssl_channel_credentials(
            authority.certificate, shown.key if shown else None, shown.certificate if shown else None
        ),
        options=(("grpc.use_local_subchannel_pool", 1),),
    )


def _name_of(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

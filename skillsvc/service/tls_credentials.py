"""Credentials of a listener: what its files hold, taken in anew whenever a connection begins.

grpc asks for them before each handshake, so that an exchange of the files needs no restart and no signal, and the
connections that are there go on. TLS 1.2 is the least, and the ciphers are those of grpc.
"""

import logging
import threading
from collections.abc import Callable
from datetime import datetime

import grpc

from skillsvc.service.certificate_files import (
    CertificateFiles,
    Certificates,
    CertificatesRefused,
    Found,
    find_certificates,
    parse_certificates,
)

_log = logging.getLogger(__name__)


class Credentials:
    """The credentials of one listener. `fetch` is called by threads of grpc."""

    def __init__(self, files: CertificateFiles, *, now: Callable[[], datetime]) -> None:
        """Read the files.

        Args:
            files: Where they are.
            now: The time.

        Raises:
            CertificatesRefused: They cannot be used.
        """
        self._files = files
        self._now = now
        self._lock = threading.Lock()
        self._seen: Found | None = find_certificates(files)
        self._certificates = parse_certificates(self._seen)
        self._has_told_of_time = False
        self._has_told_of_reading = False
        self._tell_of_key()
        self._tell_of_time()

    def for_listener(self) -> grpc.ServerCredentials:
        """Return what a listener is bound with; once, since an exchange is told to one listener alone."""
        return grpc.dynamic_ssl_server_credentials(
            _configuration(self._certificates),
            self.fetch,  # type: ignore[arg-type] # None is what grpc itself says to answer where nothing has changed
            require_client_authentication=self._files.client_authorities is not None,
        )

    def fetch(self) -> grpc.ServerCertificateConfiguration | None:
        """Return what the files hold, where that is another than the last time and can be; raise nothing."""
        with self._lock:
            changed = self._take_in()
            self._tell_of_time()
            return _configuration(self._certificates) if changed else None

    def _take_in(self) -> bool:
        """Read the files; tell whether something is taken in. What cannot be is told of once, and changes nothing."""
        try:
            # By what they hold rather than by their times: two writes may share one tick of the clock.
            found = find_certificates(self._files)
        except CertificatesRefused as refused:
            if not self._has_told_of_reading:
                self._has_told_of_reading = True
                self._tell_of_refusal(refused)
            return False
        self._has_told_of_reading = False
        if found == self._seen:
            return False
        self._seen = found
        try:
            certificates = parse_certificates(found)
        except CertificatesRefused as refused:
            self._tell_of_refusal(refused)
            return False
        if certificates == self._certificates:
            return False
        self._certificates = certificates
        self._has_told_of_time = False
        until = certificates.not_after.isoformat()
        _log.info("certificates are taken in", extra={"fingerprint": certificates.fingerprint, "not_after": until})
        self._tell_of_key()
        return True

    def _tell_of_refusal(self, refused: CertificatesRefused) -> None:
        _log.error(
            "certificates cannot be taken in: %s; those before stay in use",
            refused,
            extra={"file": str(self._files.certificate), "fingerprint": self._certificates.fingerprint},
        )

    def _tell_of_key(self) -> None:
        if self._certificates.is_key_open:
            _log.warning(
                "anybody on this machine may read or write the key of TLS (chmod o-rw)",
                extra={"file": str(self._files.key)},
            )

    def _tell_of_time(self) -> None:
        """Warn once of a certificate that clients refuse, for its time is over or has not come."""
        if self._has_told_of_time:
            return
        held, now = self._certificates, self._now()
        if held.not_before <= now < held.not_after:
            return
        self._has_told_of_time = True
        _log.warning(
            "the certificate of TLS %s",
            "has expired" if now >= held.not_after else "is not valid yet",
            extra={
                "file": str(self._files.certificate),
                "not_before": held.not_before.isoformat(),
                "not_after": held.not_after.isoformat(),
            },
        )


def _configuration(certificates: Certificates) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration(
        [(certificates.key, certificates.chain)], certificates.client_authorities
    )

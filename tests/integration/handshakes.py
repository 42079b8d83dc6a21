"""Handshakes of TLS as a client of OpenSSL makes them, which shows what gRPC's own client tells nobody."""

import asyncio
import socket
import ssl

from cryptography import x509

from tests.patience import PATIENCE_S


def shake_hands(address: str, *, at_most: ssl.TLSVersion) -> tuple[str | None, int]:
    """Shake hands as a client of OpenSSL; return the version of TLS and the serial number of the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    # Else OpenSSL itself would not offer the old versions, whatever the server says.
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.maximum_version = at_most
    host, _, port = address.rpartition(":")
    with (
        socket.create_connection((host, int(port)), timeout=PATIENCE_S) as raw,
        context.wrap_socket(raw) as secure,
    ):
        shown = secure.getpeercert(binary_form=True)
        assert shown is not None
        return secure.version(), x509.load_der_x509_certificate(shown).serial_number


async def serial_at(address: str) -> int:
    """Return the serial number of the certificate that a new connection is shown."""
    return (await asyncio.to_thread(shake_hands, address, at_most=ssl.TLSVersion.TLSv1_3))[1]

"""Handshakes: why one with a server fails, which gRPC tells in nothing but the text of an error.

Once a call has failed, the same is tried by OpenSSL, whose faults have codes.
"""

import socket
import ssl
from contextlib import suppress
from typing import Final

from skillsvc.cli.proving import Proof

_WITHIN_S: Final = 5.0
_NOT_BELIEVED: Final = {
    9: "is not valid yet",
    10: "has expired",
    62: "is not for that name",
    64: "is not for that address",
}
"""By what OpenSSL calls the fault of a chain (X509_V_ERR_…)."""
_OF_NOBODY: Final = "is of no authority that is believed here: --ca-file names those that are"
_CALLER_WANTED: Final = frozenset(
    {
        "TLSV13_ALERT_CERTIFICATE_REQUIRED",
        "SSLV3_ALERT_HANDSHAKE_FAILURE",
        "SSLV3_ALERT_BAD_CERTIFICATE",
        "SSLV3_ALERT_CERTIFICATE_EXPIRED",
        "SSLV3_ALERT_CERTIFICATE_UNKNOWN",
        "TLSV1_ALERT_UNKNOWN_CA",
        "TLSV1_ALERT_DECRYPT_ERROR",
        "TLSV1_ALERT_ACCESS_DENIED",
    }
)
_NO_TLS: Final = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"})


def why_no_handshake(address: str, proof: Proof, *, by_tls: bool) -> str | None:
    """Return in a sentence why no connection to `HOST:PORT` came about, None where that is not for TLS.

    Args:
        address: Where the server listens.
        proof: What was shown to it, and who is believed.
        by_tls: Whether it was asked by TLS.
    """
    host, _, port = address.rpartition(":")
    if not port.isdecimal() or address.startswith("unix"):
        return None
    host = host.removeprefix("[").removesuffix("]")
    try:
        context = _context(proof) if by_tls else _believing_all()
        with (
            socket.create_connection((host, int(port)), timeout=_WITHIN_S) as raw,
            context.wrap_socket(raw, server_hostname=host) as secure,
        ):
            # By TLS 1.3 a client's certificate is refused after the handshake, and gRPC does so by hanging up; one that
            # is content speaks first, by HTTP/2.
            is_content = bool(secure.recv(1))
    except ssl.SSLCertVerificationError as error:
        return f"the certificate of {address} {_NOT_BELIEVED.get(error.verify_code, _OF_NOBODY)}"
    except ssl.SSLError as error:
        return _why(address, error.reason, by_tls=by_tls)
    except OSError:
        return None
    if by_tls:
        return None if is_content else _wants_a_caller(address)
    return f"what listens at {address} speaks TLS: --ca-file says by whom it is believed"


def _why(address: str, reason: str | None, *, by_tls: bool) -> str | None:
    if not by_tls:
        return None
    if reason in _CALLER_WANTED:
        return _wants_a_caller(address)
    return f"what listens at {address} does not speak TLS" if reason in _NO_TLS else None


def _wants_a_caller(address: str) -> str:
    return f"{address} wants a client certificate that it believes: --cert-file and --key-file show one"


def _context(proof: Proof) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2"])
    if proof.ca_file is None:
        context.load_default_certs()
    else:
        context.load_verify_locations(cafile=proof.ca_file)
    if proof.cert_file is not None:
        # What cannot be loaded was refused before the call; a key with a password is asked nobody for.
        with suppress(ssl.SSLError):
            context.load_cert_chain(proof.cert_file, proof.key_file, password="")
    return context


def _believing_all() -> ssl.SSLContext:
    """Return what shakes hands with anybody: nothing is sent, it is but seen whether there is somebody."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2"])
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context

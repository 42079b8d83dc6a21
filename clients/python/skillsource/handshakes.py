"""Why a handshake with a server fails, which gRPC tells in nothing but the text of an error.

Once a call has failed, the same is tried by OpenSSL, whose faults have codes. Nothing is sent but what TLS itself
sends, never a token.
"""

import os
import queue
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from skillsource.channel import TlsOptions, address_of
from skillsource.errors import HandshakeFailed, HandshakeFault, SkillsourceError, Unavailable

WITHIN_S: Final = 1.0
"""Seconds that a client waits for the answer; a call is not kept longer for the sake of a message."""
_APART_S: Final = 5.0
"""Seconds between two tries of one client: one that calls in vain all the time must not connect twice as often."""
_NOT_BELIEVED: Final = {
    9: HandshakeFault.NOT_YET_VALID,
    10: HandshakeFault.EXPIRED,
    62: HandshakeFault.OF_ANOTHER_NAME,
    64: HandshakeFault.OF_ANOTHER_ADDRESS,
}
"""By what OpenSSL calls the fault of a chain (X509_V_ERR_…)."""
_BY_REASON: Final = {
    **dict.fromkeys(
        (
            "TLSV13_ALERT_CERTIFICATE_REQUIRED",
            "SSLV3_ALERT_HANDSHAKE_FAILURE",
            "SSLV3_ALERT_BAD_CERTIFICATE",
            "SSLV3_ALERT_CERTIFICATE_EXPIRED",
            "SSLV3_ALERT_CERTIFICATE_UNKNOWN",
            "TLSV1_ALERT_UNKNOWN_CA",
            "TLSV1_ALERT_DECRYPT_ERROR",
            "TLSV1_ALERT_ACCESS_DENIED",
        ),
        HandshakeFault.CALLER_WANTED,
    ),
    **dict.fromkeys(("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"), HandshakeFault.SPEAKS_NO_TLS),
}
"""By the reason of an error of OpenSSL."""


class Handshakes:
    """Those of one client with its server. May be asked by any thread."""

    def __init__(self, target: str, tls: TlsOptions | None, clock: Callable[[], float]) -> None:
        """Know a server.

        Args:
            target: Where it is, as gRPC is told.
            tls: How it is asked; None for plaintext.
            clock: Seconds that only grow.
        """
        self._target = target
        self._tls = tls
        self._clock = clock
        self._lock = threading.Lock()
        self._again_at = float("-inf")
        self._found: HandshakeFault | None = None

    @staticmethod
    def may_explain(error: SkillsourceError) -> bool:
        """Tell whether an error may come from a handshake, as none can that a server of the contract has sent."""
        return type(error) is Unavailable and not error.reason

    def explained(self, error: SkillsourceError, seconds: float) -> SkillsourceError:
        """Return an error that says more, where no connection came about for TLS; else the error itself.

        Args:
            error: What a call has come to.
            seconds: How long this may take; it never takes longer than `WITHIN_S`.
        """
        if not self.may_explain(error):
            return error
        fault = self._fault(seconds)
        if fault is None:
            return error
        explained = HandshakeFailed(fault.value.format(self._target), code=error.code)
        explained.fault = fault
        explained.__cause__ = error.__cause__
        return explained

    def _fault(self, seconds: float) -> HandshakeFault | None:
        with self._lock:
            if self._clock() < self._again_at:
                return self._found
            self._again_at = self._clock() + _APART_S
        self._found = fault_of(self._target, self._tls, within_s=min(seconds, WITHIN_S))
        return self._found


def fault_of(target: str, tls: TlsOptions | None, *, within_s: float) -> HandshakeFault | None:
    """Return why no connection to a target comes about, None where that is not for TLS, or takes longer to know.

    Args:
        target: `HOST:PORT`, or another target of gRPC, of which nothing is known.
        tls: How it was asked; None for plaintext.
        within_s: Seconds to wait; the looking up of a name has no bound of its own.
    """
    address = address_of(target)
    if address is None or within_s <= 0:
        return None
    found: queue.SimpleQueue[HandshakeFault | None] = queue.SimpleQueue()
    threading.Thread(
        target=lambda: found.put(_judged(*address, tls, within_s)), name="skillsource-handshake", daemon=True
    ).start()
    try:
        return found.get(timeout=within_s)
    except queue.Empty:
        return None


def _judged(host: str, port: int, tls: TlsOptions | None, within_s: float) -> HandshakeFault | None:
    try:
        if tls is None:
            _shake_hands(host, port, _believing_all(), within_s)
            return HandshakeFault.SPEAKS_TLS
        context = _context(tls)
        if not _shows(context, tls):
            return HandshakeFault.KEY_OF_ANOTHER
        return None if _shake_hands(host, port, context, within_s) else HandshakeFault.CALLER_WANTED
    except ssl.SSLCertVerificationError as error:
        return _NOT_BELIEVED.get(error.verify_code, HandshakeFault.NOT_BELIEVED)
    except ssl.SSLError as error:
        return None if tls is None else _BY_REASON.get(error.reason)
    except (OSError, ValueError):  # nobody is there, or the name is none
        return None


def _shake_hands(host: str, port: int, context: ssl.SSLContext, within_s: float) -> bool:
    """Shake hands, and tell whether the server is content.

    By TLS 1.3 a client's certificate is refused after the handshake, and gRPC does so by hanging up; a server that is
    content speaks first, by HTTP/2.
    """
    with (
        socket.create_connection((host, port), timeout=within_s) as raw,
        context.wrap_socket(raw, server_hostname=host) as secure,
    ):
        return bool(secure.recv(1))


def _context(tls: TlsOptions) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2"])
    if tls.ca is None:
        context.load_default_certs()
    else:
        context.load_verify_locations(cadata=tls.ca.decode("ascii", "ignore"))
    return context


def _shows(context: ssl.SSLContext, tls: TlsOptions) -> bool:
    """Have a context show the client's certificate; False where the key is not that of the certificate."""
    if tls.cert is None or tls.key is None:
        return True
    # OpenSSL takes them from files alone; a key with a password is asked nobody for.
    with _file_of(tls.cert) as cert, _file_of(tls.key) as key:
        try:
            context.load_cert_chain(cert, key, password="")
        except ssl.SSLError as error:
            return error.reason != "KEY_VALUES_MISMATCH"
    return True


@contextmanager
def _file_of(pem: bytes) -> Iterator[str]:
    """Give the path of a file that holds this: in memory where the system has such files, else for us alone."""
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("pem"), "wb") as file:
            file.write(pem)
            file.flush()
            yield f"/proc/self/fd/{file.fileno()}"
        return
    with tempfile.NamedTemporaryFile() as named:
        named.write(pem)
        named.flush()
        yield named.name


def _believing_all() -> ssl.SSLContext:
    """Return what shakes hands with anybody: nothing is sent, it is but seen whether there is somebody."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2"])
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context

"""Handshakes: why one with a server fails, as the client has judged it, in words of the command line."""

from typing import Final

from skillsource import HandshakeFault

WITHIN_S: Final = 5.0
"""Seconds that a command waits to know: nobody is kept from anything else by that."""
_BY_OPTIONS: Final = {
    HandshakeFault.NOT_BELIEVED: "the certificate of {} is of no authority that is believed here: --ca-file names "
    "those that are",
    HandshakeFault.CALLER_WANTED: "{} wants a client certificate that it believes: --cert-file and --key-file show one",
    HandshakeFault.KEY_OF_ANOTHER: "the key in --key-file is not that of the certificate in --cert-file, so that {} "
    "was shown neither",
    HandshakeFault.SPEAKS_TLS: "what listens at {} speaks TLS: --ca-file says by whom it is believed",
}
"""What is to be mended by an option; the others say of themselves what they are."""


def told(fault: HandshakeFault, address: str) -> str:
    """Return in a sentence why no connection to an address came about."""
    return _BY_OPTIONS.get(fault, fault.value).format(address)

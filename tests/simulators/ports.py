"""Ports of the loopback that are a test's own, also while nobody listens on them."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


def take_port() -> socket.socket:
    """Return a socket that holds a port as long as it is open.

    Nothing is heard there: whoever connects is refused. A server that reuses addresses, as all do, may listen there
    and go again, while the kernel gives the port to nobody else on this machine.
    """
    holding = socket.socket()
    holding.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holding.bind(("127.0.0.1", 0))
    return holding


@contextmanager
def own_port() -> Iterator[int]:
    """Hold a port as long as the context lasts."""
    with take_port() as holding:
        port: int = holding.getsockname()[1]
        yield port

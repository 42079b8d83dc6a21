"""What a call shows of who makes it, and how that is refused."""

from collections.abc import Iterable, Mapping
from typing import Protocol


class Peer(Protocol):
    """What is read of a call; a context of gRPC is one."""

    def auth_context(self) -> Mapping[str, Iterable[bytes]]:
        """Return what the transport has verified of the peer, by the names of its properties."""

    def peer(self) -> str:
        """Return where it comes from, as gRPC writes that."""

    def invocation_metadata(self) -> Iterable[tuple[str, str | bytes]] | None:
        """Return the headers, as the peer chose them."""


class CredentialRefused(Exception):
    """A credential proves nothing. `why` is for the log: it quotes nothing of the credential."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class ProofStale(CredentialRefused):
    """A credential would prove something, by keys or tokens that may long be withdrawn."""

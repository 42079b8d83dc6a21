"""Who makes a call: found by what it shows, in one order, and never by a weaker proof where a stronger one fails.

A bearer token comes before a certificate: it tells of the caller, where the certificate may be a mesh's. A proxy's own
certificate is never a caller's: it speaks for whom it forwards, or for a bearer.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

from skillsvc.domain.access import LOCAL, Identity
from skillsvc.domain.errors import ErrorReason, Unauthenticated
from skillsvc.service.identities import bearer, forwarded
from skillsvc.service.identities.certificates import certificate_of, identity_of_certificate
from skillsvc.service.identities.credentials import CredentialRefused, Peer
from skillsvc.service.identities.jwt import KeyUnknown, Token, Trusted, read_token, verify
from skillsvc.service.identities.kept import Kept
from skillsvc.service.identities.keys import KeySet
from skillsvc.service.identities.remembered import Remembered
from skillsvc.service.identities.static_tokens import StaticTokens

_log = logging.getLogger(__name__)
_KEYS_WITHIN_S: Final = 5.0
"""Seconds that a call waits for keys that are fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """An issuer of tokens, and its keys as they are kept."""

    trusted: Trusted
    keys: Kept[KeySet]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """The ways in which callers may prove who they are; none proves nothing."""

    local: bool = False
    """Whether everybody is `local`: where nothing about identities is configured, and no other machine gets here."""
    certificates: bool = False
    proxies: frozenset[str] = frozenset()
    """The names of the certificates whose bearers are proxies."""
    tokens: Kept[StaticTokens] | None = None
    issuers: tuple[Issuer, ...] = ()


class Identities:
    """Finds who makes a call. Lives on the event loop."""

    def __init__(self, ways: Ways, *, now: Callable[[], datetime], remembered: Remembered) -> None:
        """Find by the ways given; `remembered` is told to forget by whoever keeps keys and tokens."""
        self._ways = ways
        self._issuers = {issuer.trusted.issuer: issuer for issuer in ways.issuers}
        self._now = now
        self._remembered = remembered
        self.forwarded_ignored = 0
        """How many calls brought a header that proxies alone may send, and were no proxy's."""

    async def identity_of(self, peer: Peer) -> Identity:
        """Return who makes a call; waits only where keys are fetched for a token, and then for seconds at most.

        Raises:
            Unauthenticated: CREDENTIALS_MISSING where nothing was shown that counts, else CREDENTIALS_INVALID, whatever
                is wrong: its cause is a CredentialRefused, which says that to the log.
        """
        if self._ways.local:
            return LOCAL
        try:
            identity = await self._find(peer)
        except CredentialRefused as error:
            _log.debug("credentials refused: %s", error.why)
            raise Unauthenticated(ErrorReason.CREDENTIALS_INVALID, "the credentials are not valid") from error
        if identity is None:
            raise Unauthenticated(
                ErrorReason.CREDENTIALS_MISSING,
                "credentials are needed: a client certificate, or a header `authorization: Bearer …`",
            )
        return identity

    async def _find(self, peer: Peer) -> Identity | None:
        authorizations: list[str | bytes] = []
        forwards: list[str | bytes] = []
        for name, value in peer.invocation_metadata() or ():
            if name == bearer.HEADER:
                authorizations.append(value)
            elif name == forwarded.HEADER:
                forwards.append(value)
        if authorizations and (self._ways.tokens is not None or self._issuers):
            token = bearer.bearer_of(authorizations)
            assert token is not None  # there is a header
            return await self._by_token(token)
        return self._by_certificate(peer, forwards)

    def _by_certificate(self, peer: Peer, forwards: Sequence[str | bytes]) -> Identity | None:
        if not self._ways.certificates and not self._ways.proxies:
            return None
        shown = certificate_of(peer.auth_context())
        if shown is None:
            self.forwarded_ignored += bool(forwards)
            return None
        now = self._now()
        pem, spiffe_id = shown
        digest = sha256(b"certificate\0" + spiffe_id + b"\0" + pem).digest()
        identity = self._remembered.find(digest, now)
        if identity is None:
            age = self._remembered.age
            identity = identity_of_certificate(pem, spiffe_id, now)
            self._remembered.keep(digest, identity, age)
        if identity.name in self._ways.proxies:
            return forwarded.identity_of_forwarded(forwards)
        self.forwarded_ignored += bool(forwards)
        return identity if self._ways.certificates else None

    async def _by_token(self, text: str) -> Identity:
        digest = sha256(b"bearer\0" + text.encode()).digest()
        identity = self._remembered.find(digest, self._now())
        if identity is not None:
            return identity
        age = self._remembered.age
        known = None if self._ways.tokens is None else self._ways.tokens.value.identity_of(text)
        if known is None:
            if not self._issuers:
                raise CredentialRefused("the token is nobody's")
            age, known = await self._by_jwt(read_token(text), age)
        self._remembered.keep(digest, known, age)
        return known

    async def _by_jwt(self, token: Token, age: object) -> tuple[object, Identity]:
        """Return who a JWT is of, and how much was known then."""
        issuer = self._issuers.get(token.issuer)
        if issuer is None:
            raise CredentialRefused("the JWT is of an issuer that is not trusted")
        try:
            return age, verify(token, issuer.trusted, issuer.keys.value, self._now())
        except KeyUnknown:
            # Keys may have changed since the last look: one look for all who ask, and then none for a while.
            looking = issuer.keys.ask()
            if looking is None:
                raise
        await asyncio.wait({asyncio.wrap_future(looking)}, timeout=_KEYS_WITHIN_S)
        age = self._remembered.age
        return age, verify(token, issuer.trusted, issuer.keys.value, self._now())

"""Who makes a call: found by what it shows, in one order, and never by a weaker proof where a stronger one fails.

A bearer token comes before a certificate: it tells of the caller, where the certificate may be a mesh's. A proxy's own
certificate is never a caller's: it speaks for whom it forwards, or for a bearer.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import blake2s
from typing import Any, Final, TypeAlias

from skillsvc.domain.access import (
    ANYBODY_IS_LET_IN,
    LOCAL,
    NOBODY_IS_ASKED,
    Access,
    Grant,
    Identity,
    IdentityKind,
    Judgement,
    Refusal,
)
from skillsvc.domain.errors import ErrorReason, Unauthenticated, Unavailable
from skillsvc.service.identities import bearer, forwarded
from skillsvc.service.identities.certificates import certificate_of, identity_of_certificate
from skillsvc.service.identities.credentials import CredentialRefused, Peer, ProofStale
from skillsvc.service.identities.jwt import KeyUnknown, Trusted, read_token, verify
from skillsvc.service.identities.kept import Kept
from skillsvc.service.identities.keys import KeySet
from skillsvc.service.identities.remembered import Known, Remembered
from skillsvc.service.identities.static_tokens import StaticTokens
from skillsvc.service.peers import address_of

_log = logging.getLogger(__name__)
_KEYS_AFTER_S: Final = 1.0
_STALE_AFTER_S: Final = 30.0
"""How long after a look that failed keys are looked for again."""
_IGNORED_APART: Final = timedelta(minutes=1)
_Headers: TypeAlias = Sequence[str | bytes]


def _tell_nobody(_calls: int, _address: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """An issuer of tokens, and its keys as they are kept."""

    trusted: Trusted
    keys: Kept[KeySet]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """The ways in which callers may prove who they are; none proves nothing."""

    everybody: Identity | None = None
    """Who everybody is, where nothing about identities is configured: `LOCAL`, or `ANONYMOUS`."""
    certificates: bool = False
    proxies: frozenset[str] = frozenset()
    """The names of the certificates whose bearers are proxies."""
    tokens: Kept[StaticTokens] | None = None
    issuers: tuple[Issuer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _InForce:
    ways: Ways
    access: Access
    everybody: Known | None
    """Who everybody is, where nobody is asked."""

    @classmethod
    def of(cls, ways: Ways, access: Access) -> "_InForce":
        everybody = ways.everybody
        known = None if everybody is None else Known.of(everybody, access.judge(everybody))
        return cls(ways=ways, access=access, everybody=known)


class Identities:
    """Finds who makes a call, and what they get. Lives on the event loop, but for `take`, `changed` and `subscribe`."""

    def __init__(
        self,
        ways: Ways,
        access: Access,
        *,
        now: Callable[[], datetime],
        tell_ignored: Callable[[int, str], None] = _tell_nobody,
    ) -> None:
        """Find by the ways and judge by the rules given, as of `now`.

        `tell_ignored` is told how many calls brought a header that proxies alone may send and were no proxy's, and from
        which address the last of them: of the first at once, then once a minute at most.
        """
        self._in_force = _InForce.of(ways, access)
        self._now = now
        self._remembered = Remembered()
        self._changing = threading.Lock()
        self._version = 0
        self._told: dict[object, Callable[[], None]] = {}
        self._tell_ignored = tell_ignored
        self._ignored = 0
        self._ignored_told: datetime | None = None

    @property
    def version(self) -> int:
        """A number that grows when rules, keys or tokens change: what was granted before is to be judged again."""
        return self._version

    def take(self, ways: Ways, access: Access) -> None:
        """Find and judge by these from now on."""
        self._in_force = _InForce.of(ways, access)
        self.changed()

    def changed(self) -> None:
        """Forget whatever was proved, and tell those who want to know: keys or tokens are others now."""
        with self._changing:
            self._version += 1
            told = tuple(self._told.values())
        for tell in told:
            tell()

    def subscribe(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have `told` called after each change, on any thread; return what ends that."""
        ticket = object()
        with self._changing:
            self._told[ticket] = told

        def end() -> None:
            with self._changing:
                self._told.pop(ticket, None)

        return end

    def recall(self, headers: Iterable[tuple[str, str | bytes]]) -> Grant | None:
        """Return what a caller gets who shows one bearer token that was proved before, and still holds; else None."""
        ways = self._in_force.ways
        if ways.tokens is None and not ways.issuers:
            return None
        shown = None
        for name, value in headers:
            if name == bearer.HEADER:
                if shown is not None:
                    return None
                shown = value
        if shown is None:
            return None
        known = self._remembered.find(_digest_of_bearer(shown), self._version, self._now)
        return known.judged if known is not None and isinstance(known.judged, Grant) else None

    def grant_of(self, peer: Peer) -> Grant | Refusal:
        """Return what the caller of a call gets; raises as `identity_of` does."""
        return self._known_of(peer).judged

    def explain(self, identity: Identity) -> Judgement:
        """Return what the rules in force say of an identity, for any thread; it takes as long as there are rules.

        Of a JWT whose issuer is not named, it is the one that the claim `iss` names.
        """
        in_force = self._in_force
        ways, access = in_force.ways, in_force.access
        if identity.kind is IdentityKind.OIDC and not identity.issuer:
            named = identity.claims.get("iss")
            label = next((each.trusted.label for each in ways.issuers if each.trusted.issuer == named), "")
            identity = replace(identity, issuer=label)
        return Judgement(
            identity=identity,
            unproved=_unproved(identity, ways, self._now()),
            judged=access.judge(identity),
            rules=access.explain(identity),
        )

    def identity_of(self, peer: Peer) -> Identity:
        """Return who makes a call, without claims: these count in judging alone. Waits for nothing.

        Raises:
            Unauthenticated: CREDENTIALS_MISSING where nothing was shown that counts, else CREDENTIALS_INVALID, whatever
                is wrong: its cause is a CredentialRefused, which says that to the log.
            Unavailable: NOT_READY where the keys that a token may be of are being fetched, and where it is good by
                keys or tokens that are stale.
        """
        return self._known_of(peer).identity

    def _known_of(self, peer: Peer) -> Known:
        # The version first: what is found by older rules or keys is then remembered for no newer one.
        version, in_force = self._version, self._in_force
        if in_force.everybody is not None:
            return in_force.everybody
        try:
            known = self._find(peer, version, in_force)
        except KeyUnknown as error:
            if error.is_looked_for:
                raise Unavailable(
                    ErrorReason.NOT_READY, "the keys of the issuer are being fetched", retry_after_s=_KEYS_AFTER_S
                ) from error
            raise _invalid(error) from error
        except ProofStale as error:
            raise Unavailable(
                ErrorReason.NOT_READY,
                "it cannot be told whether the credentials are still valid",
                retry_after_s=_STALE_AFTER_S,
            ) from error
        except CredentialRefused as error:
            raise _invalid(error) from error
        if known is None:
            raise Unauthenticated(
                ErrorReason.CREDENTIALS_MISSING,
                "credentials are needed: a client certificate, or a header `authorization: Bearer …`",
            )
        return known

    def _find(self, peer: Peer, version: int, in_force: _InForce) -> Known | None:
        ways = in_force.ways
        authorizations: list[str | bytes] = []
        forwards: list[str | bytes] = []
        for name, value in peer.invocation_metadata() or ():
            if name == bearer.HEADER:
                authorizations.append(value)
            elif name == forwarded.HEADER:
                forwards.append(value)
        if authorizations and (ways.tokens is not None or ways.issuers):
            return self._by_bearer(authorizations, version, in_force)
        if ways.certificates or ways.proxies:
            return self._by_certificate(peer, forwards, version, in_force)
        self._ignore(peer, forwards)
        return None

    def _by_bearer(self, authorizations: _Headers, version: int, in_force: _InForce) -> Known:
        digest = _digest_of_bearer(authorizations[0])
        if len(authorizations) == 1:
            known = self._remembered.find(digest, version, self._now)
            if known is not None:
                return known
        token = bearer.bearer_of(authorizations)
        return self._keep(digest, version, in_force, _identity_of_token(token, in_force.ways, self._now()))

    def _by_certificate(self, peer: Peer, forwards: _Headers, version: int, in_force: _InForce) -> Known | None:
        shown = certificate_of(peer.auth_context())
        if shown is None:
            self._ignore(peer, forwards)
            return None
        pem, spiffe_id = shown
        digest = blake2s(b"certificate\0" + spiffe_id + b"\0" + pem).digest()
        known = self._remember(digest, version, in_force, lambda now: identity_of_certificate(pem, spiffe_id, now))
        if known.identity.name in in_force.ways.proxies:
            header, until = forwarded.header_of(forwards), known.identity.expires_at
            # By the proxy's own certificate, too: what it says is worth something as long as it is itself known.
            return self._remember(
                blake2s(b"forwarded\0" + digest + header.encode()).digest(),
                version,
                in_force,
                lambda _now: replace(forwarded.identity_of_forwarded(header), expires_at=until),
            )
        self._ignore(peer, forwards)
        return known if in_force.ways.certificates else None

    def _ignore(self, peer: Peer, forwards: _Headers) -> None:
        if not forwards:
            return
        self._ignored += 1
        now = self._now()
        if self._ignored_told is None or now - self._ignored_told >= _IGNORED_APART:
            self._tell_ignored(self._ignored, address_of(peer.peer()))
            self._ignored, self._ignored_told = 0, now

    def _remember(
        self, digest: bytes, version: int, in_force: _InForce, prove: Callable[[datetime], Identity]
    ) -> Known:
        known = self._remembered.find(digest, version, self._now)
        return known if known is not None else self._keep(digest, version, in_force, prove(self._now()))

    def _keep(self, digest: bytes, version: int, in_force: _InForce, identity: Identity) -> Known:
        known = Known.of(identity, in_force.access.judge(identity))
        self._remembered.keep(digest, version, known)
        return known


def _digest_of_bearer(header: str | bytes) -> bytes:
    """Return by what it is remembered what a header proves: as it stands, for it was read when that was kept.

    Of so few bytes BLAKE2 takes half as long as SHA-256, and every call waits for it.
    """
    return blake2s(b"bearer\0" + (header if isinstance(header, bytes) else header.encode())).digest()


def _identity_of_token(text: str, ways: Ways, now: datetime) -> Identity:
    known = None if ways.tokens is None else ways.tokens.value.identity_of(text)
    if ways.tokens is not None and known is not None:
        return _fresh(known, ways.tokens)
    if not ways.issuers:
        raise CredentialRefused("the token is nobody's")
    token = read_token(text)
    issuer = next((each for each in ways.issuers if each.trusted.issuer == token.issuer), None)
    if issuer is None:
        raise CredentialRefused("the JWT is of an issuer that is not trusted")
    try:
        return _fresh(verify(token, issuer.trusted, issuer.keys.value, now), issuer.keys)
    except KeyUnknown as error:
        # Keys may have changed since the last look: one look for all who ask, and then none for a while.
        error.is_looked_for = issuer.keys.ask()
        raise


def _fresh(identity: Identity, kept: Kept[Any]) -> Identity:
    """Return who was proved; raises ProofStale where what it was proved by counts no more."""
    if kept.is_stale:
        raise ProofStale("the keys or tokens could not be had for too long")
    return identity


def _unproved(identity: Identity, ways: Ways, now: datetime) -> str:
    """Return why no credential would be taken for an identity; "" where one may be."""
    if ways.everybody is not None:
        return NOBODY_IS_ASKED if ways.everybody == LOCAL else ANYBODY_IS_LET_IN
    if identity.expires_at is not None and identity.expires_at <= now:
        return "the credential has expired"
    match identity.kind:
        case IdentityKind.TOKEN:
            return _no_token(identity.name, ways)
        case IdentityKind.OIDC:
            return _no_issuer(identity.issuer, ways)
        case _:
            return _no_certificate(identity.name, ways)


def _no_token(name: str, ways: Ways) -> str:
    if ways.tokens is None:
        return "there are no static tokens here"
    if ways.tokens.is_stale:
        return "the file of static tokens could not be read for too long"
    return "" if ways.tokens.value.has(name) else "no static token has this name"


def _no_issuer(label: str, ways: Ways) -> str:
    if not label:
        return "no issuer is named, and `iss` is that of none that is trusted"
    issuer = next((each for each in ways.issuers if each.trusted.label == label), None)
    if issuer is None:
        return f"no issuer is called {label}"
    return "the keys of the issuer could not be had for too long" if issuer.keys.is_stale else ""


def _no_certificate(name: str, ways: Ways) -> str:
    if name in ways.proxies:
        return "it is a proxy's, which is nobody itself and speaks for others"
    return "" if ways.certificates else "client certificates prove nobody here"


def _invalid(error: CredentialRefused) -> Unauthenticated:
    _log.debug("credentials refused: %s", error.why)
    return Unauthenticated(ErrorReason.CREDENTIALS_INVALID, "the credentials are not valid")

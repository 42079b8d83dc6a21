"""Identifying: who may call a server and what they get, made of its settings, and anew whenever these are read."""

import logging
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from skillsvc.content.addresses import AddressGuard
from skillsvc.content.fetching import Fetcher
from skillsvc.domain.access import ANONYMOUS, LOCAL, Access, access_of_anybody, access_of_this_machine
from skillsvc.service.audit import Audit
from skillsvc.service.identities.forwarded import HEADER
from skillsvc.service.identities.identities import Identities, Issuer, Ways
from skillsvc.service.identities.kept import Entries, Keeping, Kept, LookFailed
from skillsvc.service.identities.keys import KeySet
from skillsvc.service.identities.looks import UrlLook, look_at_key_file, look_at_token_file
from skillsvc.service.identities.static_tokens import StaticTokens
from skillsvc.settings.identity import IdentityTable, IssuerTable, TokensTable
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import Settings

Value = TypeVar("Value")
KEYS_TIMEOUT_S = 10.0
_OF_A_FILE = {"every_s": 5.0, "after_failure_s": 5.0, "apart_s": 1.0}
_OF_A_URL = {"every_s": 600.0, "after_failure_s": 30.0, "apart_s": 60.0}
"""An unknown key has keys fetched at most once in 60 s (docs/identity.md)."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identification:
    """What settings say of identities, ready to be taken."""

    ways: Ways
    access: Access
    issuers: dict[IssuerTable, "_KeptIssuer"] = field(default_factory=dict)
    tokens: tuple[TokensTable, Kept[StaticTokens]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeptIssuer:
    issuer: Issuer
    fetcher: Fetcher | None


class Identifying:
    """The identities of a server. What was known of an issuer is known after a reload that leaves it as it was."""

    def __init__(
        self,
        settings: Settings,
        *,
        now: Callable[[], datetime],
        audit: Audit,
        fetcher_for: Callable[[IssuerTable, Callable[[], bool]], Fetcher] | None = None,
    ) -> None:
        """Read what files say; what URLs say is looked at when it is `running`, by what `fetcher_for` makes for each.

        Raises:
            SettingsRefused: A file cannot be used.
        """
        self._keeping = Keeping()
        self._fetcher_for = fetcher_for or fetcher_of
        # Of this process alone; see StaticTokens.
        self._key = os.urandom(32)
        # What listens is what it was at the start, whatever a later file says.
        self._unasked = _unasked(settings)
        self._taken = Identification(ways=Ways(), access=Access())
        self.identities = Identities(
            self._taken.ways, self._taken.access, now=now, tell_ignored=partial(audit.ignored, HEADER)
        )
        self.take(self.prepare(settings))

    def prepare(self, settings: Settings) -> Identification:
        """Return what settings say, with whatever of it is known already.

        Raises:
            SettingsRefused: A file cannot be used, or callers would be told apart who were not at the start, or the
                other way round.
        """
        if settings.asks_nobody() and self._unasked is None:
            # Callers who were told apart would all be one.
            raise SettingsRefused(["[identity] and [[access]] are left out, which can be taken in by a start alone"])
        if self._unasked is not None and not settings.asks_nobody():
            # The shares of callers are made at the start: without them nobody's would be bounded.
            raise SettingsRefused(["[identity] and [[access]] are new, which can be taken in by a start alone"])
        if self._unasked is not None:
            return self._unasked
        identity = settings.identity or IdentityTable()
        faults: list[str] = []
        issuers: dict[IssuerTable, _KeptIssuer] = {}
        for table in identity.issuer:
            try:
                issuers[table] = self._taken.issuers.get(table) or self._issuer(table)
            except LookFailed as error:
                faults.append(f"[[identity.issuer]] {table.name}: jwks_file cannot be used: {error.why}")
        tokens = self._taken.tokens
        if identity.tokens is None:
            tokens = None
        elif tokens is None or tokens[0] != identity.tokens:
            try:
                tokens = identity.tokens, self._tokens(identity.tokens)
            except LookFailed as error:
                faults.append(f"[identity.tokens] file cannot be used: {error.why}")
        if faults:
            self._close(issuers)
            raise SettingsRefused(faults)
        ways = Ways(
            certificates=identity.certificates,
            proxies=frozenset(identity.proxy.identities if identity.proxy else ()),
            tokens=None if tokens is None else tokens[1],
            issuers=tuple(kept.issuer for kept in issuers.values()),
        )
        return Identification(ways=ways, access=settings.make_access(), issuers=issuers, tokens=tokens)

    def take(self, identification: Identification) -> None:
        """Have it count from now on, for callers that are connected, too."""
        before, self._taken = self._taken, identification
        ways = identification.ways
        self._keeping.keep([*(issuer.keys for issuer in ways.issuers), *([] if ways.tokens is None else [ways.tokens])])
        self.identities.take(ways, identification.access)
        self._close(before.issuers)

    def discard(self, identification: Identification) -> None:
        """Let go of what an identification has that does not count: it is not taken after all."""
        self._close(identification.issuers)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keep keys and tokens as they are elsewhere, until it is left."""
        self._keeping.start()
        try:
            yield
        finally:
            self._keeping.stop()
            for kept in self._taken.issuers.values():
                if kept.fetcher is not None:
                    kept.fetcher.close()

    def _close(self, issuers: Mapping[IssuerTable, "_KeptIssuer"]) -> None:
        """Let go of issuers but for those that count."""
        for table, kept in issuers.items():
            if self._taken.issuers.get(table) is not kept and kept.fetcher is not None:
                kept.fetcher.close()

    def _issuer(self, table: IssuerTable) -> _KeptIssuer:
        what, trusted = f"the keys of {table.name}", table.trusted()
        if table.jwks_file is not None:
            look = look_at_key_file(str(table.jwks_file), trusted.algorithms, time.time_ns)
            first = _first(look)
            _warn_of_mode(table.jwks_file, stat.S_IWGRP | stat.S_IWOTH)
            keys = self._kept(what, first, look, _OF_A_FILE, stale_after_s=table.max_stale_s, entries=KeySet.entries)
            return _KeptIssuer(issuer=Issuer(trusted=trusted, keys=keys), fetcher=None)
        fetcher = self._fetcher_for(table, self._keeping.stopped)
        assert table.jwks_url is not None
        keys = self._kept(
            what,
            KeySet(),
            UrlLook(table.jwks_url, fetcher, trusted.algorithms),
            _OF_A_URL,
            stale_after_s=table.max_stale_s,
            entries=KeySet.entries,
        )
        return _KeptIssuer(issuer=Issuer(trusted=trusted, keys=keys), fetcher=fetcher)

    def _tokens(self, table: TokensTable) -> Kept[StaticTokens]:
        look = look_at_token_file(str(table.file), self._key, time.time_ns)
        first = _first(look)
        _warn_of_mode(table.file, stat.S_IWGRP | stat.S_IRWXO)
        return self._kept(
            "the tokens", first, look, _OF_A_FILE, stale_after_s=table.max_stale_s, entries=StaticTokens.entries
        )

    def _kept(
        self,
        what: str,
        first: Value,
        look: Callable[[], Value | None],
        times: dict[str, float],
        *,
        stale_after_s: float,
        entries: Callable[[Value], Entries],
    ) -> Kept[Value]:
        return Kept(
            what,
            first,
            look,
            every_s=times["every_s"],
            after_failure_s=times["after_failure_s"],
            apart_s=times["apart_s"],
            submit=self._keeping.submit,
            clock=time.monotonic,
            changed=self.identities.changed,
            stale_after_s=stale_after_s,
            entries=entries,
        )


def _unasked(settings: Settings) -> Identification | None:
    """Return what holds where nobody is asked who they are; None where callers are."""
    if not settings.asks_nobody():
        return None
    if settings.is_local():
        return Identification(ways=Ways(everybody=LOCAL), access=access_of_this_machine())
    return Identification(ways=Ways(everybody=ANONYMOUS), access=access_of_anybody())


def fetcher_of(table: IssuerTable, stopped: Callable[[], bool]) -> Fetcher:
    """Return what fetches the keys of an issuer; closed by whoever gets it."""
    return Fetcher(
        guard=AddressGuard(table.allow_addresses),
        ca_file=None if table.ca_file is None else str(table.ca_file),
        timeout_s=KEYS_TIMEOUT_S,
        stopped=stopped,
    )


def _first(look: Callable[[], Value | None]) -> Value:
    """Return what a first look finds; raises LookFailed."""
    found = look()
    assert found is not None  # nothing was known before
    return found


def _warn_of_mode(path: Path, weak: int) -> None:
    # It was there a moment ago; where it is gone by now, the next look tells.
    with suppress(OSError):
        if path.stat().st_mode & weak:
            _log.warning("says who may call, and others than its owner may use it", extra={"path": str(path)})

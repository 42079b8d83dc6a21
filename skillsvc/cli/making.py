"""Making sources: what looks at the place that a table names, one way for each kind."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

from skillsvc.catalog.in_use import Templated
from skillsvc.catalog.reports import SourceKey
from skillsvc.content.blobs import BlobStore
from skillsvc.content.credentials import CredentialsOf, no_credentials
from skillsvc.content.transport import Authorities
from skillsvc.domain.folder_template import FolderTemplate
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.domain.trust import Tier
from skillsvc.settings.lowering import lowered
from skillsvc.settings.sources import (
    AuthTable,
    DirectoryTable,
    GitTable,
    HttpTable,
    OciTable,
    ProviderTable,
    RemoteTable,
    SourceTable,
    WellKnownTable,
)
from skillsvc.sources.directory import DirectorySource
from skillsvc.sources.git.source import GitSettings, GitSource
from skillsvc.sources.git.url import Branch, Commit, GitRef, Tag
from skillsvc.sources.installed_providers import find_provider
from skillsvc.sources.oci.source import OciSettings, OciSource
from skillsvc.sources.provider_source import ProviderSettings, ProviderSource
from skillsvc.sources.remote_blobs import RemoteBlobs
from skillsvc.sources.source import Source
from skillsvc.sources.stat_cache import StatCache, fingerprint_of
from skillsvc.sources.web.bringing import WebSettings
from skillsvc.sources.web.http import HttpSettings, HttpSource
from skillsvc.sources.web.well_known import WellKnownSettings, WellKnownSource
from skillsvc.sources.withheld import WithheldSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all sources of a server are given.

    `remote` is where blobs are offered that are fetched on need, `authorities` where TLS contexts are shared.
    `environment` holds secrets, which are read anew at each look. `tell` is called by a source that knows by itself
    that a look is worth while.
    """

    blobs: BlobStore
    remote: RemoteBlobs
    authorities: Authorities
    limits: Limits
    environment: Mapping[str, str]
    version: str
    stopped: Callable[[], bool]
    clock: Callable[[], float]
    tell: Callable[[SourceKey, Collection[str]], None]


@runtime_checkable
class Closes(Protocol):
    """What holds something that is let go by `close`, once nobody looks any more."""

    def close(self) -> None:
        """Let it go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A source and what it was made from; `cache` is what it knows over restarts, where it is not the source's own."""

    table: SourceTable
    is_withheld: bool
    source: Source
    cache: Closes | None = None

    def is_of(self, table: SourceTable, *, is_withheld: bool) -> bool:
        """Tell whether a table would make the same again."""
        return is_withheld == self.is_withheld and _looks_at_the_same(self.table, table)

    def let_go(self) -> None:
        """Let go of what the source holds, when nobody looks any more."""
        if isinstance(self.source, Closes):
            self.source.close()

    def keep(self) -> None:
        """Write down what is to be known after a restart."""
        if self.cache is not None:
            self.cache.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeTemplate:
    """What makes the source of each partition that a template feeds, and what it was made from."""

    table: DirectoryTable
    feeds: Callable[[Partition], bool]
    source_of: Callable[[Partition], DirectorySource]

    def is_of(self, table: DirectoryTable) -> bool:
        """Tell whether a table would make the same again."""
        return _looks_at_the_same(self.table, table)

    def templated(self, poll_s: float) -> Templated:
        """Return it as it is declared, with so many seconds between two looks."""
        return Templated(
            label=self.table.name, kind=self.table.kind, poll_s=poll_s, feeds=self.feeds, source_of=self.source_of
        )


def _looks_at_the_same(one: SourceTable, other: SourceTable) -> bool:
    """Tell whether tables differ in nothing but in how often is looked, which is no matter of the source."""
    same = {"poll_s": None}
    return one.model_copy(update=same) == other.model_copy(update=same)


def make_template(given: Surroundings, table: DirectoryTable, template: FolderTemplate) -> MadeTemplate:
    """Return what makes the sources of a table with a template. Nothing of what they know outlasts them."""

    def source_of(partition: Partition) -> DirectorySource:
        return DirectorySource(
            table.directory_of(partition),
            limits=lowered(given.limits, table.limits),
            blobs=given.blobs,
            stopped=given.stopped,
        )

    return MadeTemplate(table=table, feeds=template.feeds, source_of=source_of)


def make(given: Surroundings, key: SourceKey, table: SourceTable, folder: Path, *, is_withheld: bool) -> Made:
    """Return the source of a table. Nothing is opened or asked before its first look.

    Args:
        given: What all sources are given.
        key: Which source it is.
        table: What is said of it.
        folder: For its state; it is made at need.
        is_withheld: Whether nothing of it may be served.

    Raises:
        ValueError: It cannot be made: no package brings its provider, say. The message says why.
    """
    if is_withheld:
        return Made(table=table, is_withheld=True, source=WithheldSource(table.name, Tier[table.tier.upper()]))
    limits = lowered(given.limits, table.limits)
    cache = None
    match table:
        case DirectoryTable():
            settings = table.directory()
            cache = StatCache(
                folder / "files", fingerprint=fingerprint_of(given.version, settings, limits), clock=given.clock
            )
            source: Source = DirectorySource(
                settings, limits=limits, blobs=given.blobs, stopped=given.stopped, cache=cache
            )
        case GitTable():
            source = GitSource(
                _git(table, given.environment), limits=limits, blobs=given.blobs, folder=folder, stopped=given.stopped
            )
        case HttpTable():
            source = HttpSource(
                HttpSettings(web=_web(table, table.url, given.environment), reading=table.reading()),
                limits=limits,
                blobs=given.blobs,
                folder=folder,
                remote=given.remote,
                place=key,
                stopped=given.stopped,
                clock=given.clock,
                authorities=given.authorities,
            )
        case WellKnownTable():
            source = WellKnownSource(
                WellKnownSettings(web=_web(table, table.url, given.environment), reading=table.reading()),
                limits=limits,
                blobs=given.blobs,
                folder=folder,
                stopped=given.stopped,
                clock=given.clock,
                authorities=given.authorities,
            )
        case OciTable():
            source = OciSource(
                OciSettings(
                    reference=table.reference,
                    reading=table.reading(),
                    plain_http=table.plain_http,
                    timeout_s=table.timeout_s,
                    ca_file=str(table.ca_file or ""),
                    allow_addresses=frozenset(table.allow_addresses),
                    redirect_hosts=frozenset(table.redirect_hosts),
                    token_hosts=frozenset(table.token_hosts),
                    credentials=_credentials(table.auth, given.environment)[0],
                ),
                limits=limits,
                blobs=given.blobs,
                folder=folder,
                authorities=given.authorities,
                stopped=given.stopped,
                clock=given.clock,
            )
        case ProviderTable():
            source = ProviderSource(
                ProviderSettings(
                    provider=table.provider, reading=table.reading(), options=table.options, timeout_s=table.timeout_s
                ),
                limits=limits,
                blobs=given.blobs,
                make=find_provider(table.provider),
                tell=partial(given.tell, key, ()),
                clock=given.clock,
                stopped=given.stopped,
            )
        case _:
            raise TypeError(table.kind)
    return Made(table=table, is_withheld=False, source=source, cache=cache)


def _git(table: GitTable, environment: Mapping[str, str]) -> GitSettings:
    credentials, access = _credentials(table.auth, environment)
    return GitSettings(
        url=table.url,
        reading=table.reading(),
        ref=_ref(table),
        subdir=table.subdir or "",
        lfs=table.lfs,
        max_bytes=table.max_bytes,
        max_cache_bytes=table.max_cache_bytes,
        timeout_s=table.timeout_s,
        plain_http=table.plain_http,
        ca_file=str(table.ca_file or ""),
        known_hosts_file=str(table.known_hosts_file or ""),
        ssh_key_file=str(table.ssh_key_file or ""),
        credentials=credentials,
        access=access,
        allow_addresses=frozenset(table.allow_addresses),
        redirect_hosts=frozenset(table.redirect_hosts),
    )


def _web(table: RemoteTable, url: str, environment: Mapping[str, str]) -> WebSettings:
    credentials, access = _credentials(table.auth, environment)
    return WebSettings(
        url=url,
        timeout_s=table.timeout_s,
        ca_file=str(table.ca_file or ""),
        allow_addresses=frozenset(table.allow_addresses),
        redirect_hosts=frozenset(table.redirect_hosts),
        credentials=credentials,
        access=access,
    )


def _ref(table: GitTable) -> GitRef | None:
    if table.commit is not None:
        return Commit(table.commit)
    if table.tag is not None:
        return Tag(table.tag)
    return None if table.branch is None else Branch(table.branch)


def _credentials(auth: AuthTable | None, environment: Mapping[str, str]) -> tuple[CredentialsOf, str]:
    """Return what reads the credentials, and what tells them from others."""
    if auth is None:
        return no_credentials, ""
    place = auth.place()
    return partial(place.read, environment), place.name

"""A JSON manifest on the web as a source: its skills, with texts and assets that are fetched before or on need."""

import time
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from skillsvc.content.blobs import BlobStore
from skillsvc.content.stopping import never
from skillsvc.content.stored_tree import StoredFile
from skillsvc.content.transport import Authorities
from skillsvc.content.urls import UrlRefused
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found, TextRef, make_bundle
from skillsvc.domain.trust import Admission
from skillsvc.parsing.document import is_text
from skillsvc.parsing.http_manifest import ManifestEntry, RemoteFile, read_http_manifest
from skillsvc.sources.discovery import DOCUMENT, MANIFEST
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.remote_blobs import NotHad, RemoteBlob, RemoteBlobs
from skillsvc.sources.source import Observation
from skillsvc.sources.web.bringing import WRONG_SIZE, Brought, FetchedIndex, Refused, Web, WebSettings
from skillsvc.sources.web.indexed import Gathered, IndexedReading, Listing, left_out


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """How a manifest is reached, and how its skills are read: each is a folder of its own, whatever the layout."""

    web: WebSettings
    reading: ReadingSettings


class _Located(NamedTuple):
    """An entry all of whose files may be fetched, and their URLs by what the manifest calls them."""

    entry: ManifestEntry
    urls: Mapping[str, str]


class _Completed(NamedTuple):
    """A skill as the tree gave it, and with its body."""

    found: Found
    body: TextRef
    whole: Found


class HttpSource:
    """A manifest, and what its last look fetched: what is known by its digest is not fetched again.

    A body or an asset of which the manifest gives digest and size is not fetched by a look at all: it is offered to
    whoever needs it first. Everything else is had before a skill is told.
    """

    def __init__(
        self,
        settings: HttpSettings,
        *,
        limits: Limits,
        blobs: BlobStore,
        folder: Path | None,
        remote: RemoteBlobs,
        place: Hashable,
        stopped: Callable[[], bool] = never,
        clock: Callable[[], float] = time.monotonic,
        authorities: Authorities | None = None,
    ) -> None:
        """Prepare; nothing is fetched before the first look.

        Args:
            settings: What to look at, and how.
            limits: The limits in force.
            blobs: Where the bytes go.
            folder: Where the manifest is kept over restarts: a folder for this source alone, made at need.
            remote: Where blobs are offered that are not here yet.
            place: Where it is declared, by which they are asked for.
            stopped: Asked at each step of a look, and while waiting for a server.
            clock: Seconds that only grow.
            authorities: Where TLS contexts are shared.
        """
        self._limits = limits
        self._blobs = blobs
        self._remote = remote
        self._place = place
        self._url = settings.web.url
        self._web = Web(settings.web, stopped=stopped, clock=clock, authorities=authorities)
        self._reading: IndexedReading[_Located] = IndexedReading(
            settings.reading,
            self._web,
            settings.web,
            limits=limits,
            blobs=blobs,
            folder=folder,
            stopped=stopped,
            list_entries=self._list,
            gather=self._gather,
        )
        self._brought: dict[str, Brought] = {}
        self._bodies: dict[str, TextRef] = {}
        self._completed: dict[str, _Completed] = {}
        self._told: tuple[Observation, Mapping[str, TextRef], Observation] | None = None
        self._offered: Listing[_Located] | None = None
        self._is_new = True

    @property
    def label(self) -> str:
        """The name by which callers and diagnostics know it."""
        return self._reading.label

    @property
    def admission(self) -> Admission:
        """The tier and the trust that it is declared with."""
        return self._reading.admission

    def close(self) -> None:
        """Offer nothing more, and close the connections: it is declared no longer."""
        self._remote.withdraw(self._place, self)
        self._reading.keep_shown()
        self._web.close()

    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        """Look (`Source`); what changed is told by the manifest, whatever else is said of it."""
        del changed
        if self._is_new:
            # What was served before a restart may be asked for before anybody answers here.
            self._offer(self._reading.recall(), held)
            self._is_new = False
        seen = self._reading.look(self._url, held)
        listing = self._reading.recall()
        if listing is not None and listing is not self._offered:
            self._forget_all_but(listing)
            self._offer(listing, held)
            # Only now: what was given of earlier indexes is told to whoever offers it further.
            self._web.forget_shown_but(listing.digests)
        return self._complete(seen)

    def _list(self, index: FetchedIndex) -> Listing[_Located]:
        """Read a manifest, and leave out the entries that lead elsewhere before anything of them is fetched (G27)."""
        manifest = read_http_manifest(index.data, self._limits)
        index_urls = self._web.urls_of(index.url)
        located: dict[str, _Located] = {}
        diagnostics = list(manifest.diagnostics)
        for entry in manifest.entries:
            try:
                urls = {file.url: index_urls.resolve(file.url) for file in entry.files}
            except UrlRefused as refused:
                diagnostics.append(left_out(entry.folder, f"one of its files {refused}"))
            else:
                located[entry.folder] = _Located(entry, urls)
        return Listing(
            entries=located,
            digests=frozenset(file.digest for each in located.values() for file in each.entry.files),
            diagnostics=tuple(diagnostics),
        )

    def _offer(self, listing: Listing[_Located] | None, held: Sequence[Found]) -> None:
        if listing is not None and listing is self._offered:
            return
        self._offered = listing
        offers: dict[str, RemoteBlob] = {}
        # An asset above its limit is served by nobody. Its size must bound no fetch of what has its digest elsewhere.
        most_bytes = max(self._limits.body_bytes, self._limits.asset_bytes)
        if listing is None:
            # It is not known where these are, but that they are nowhere here: the source is to be waited for.
            missing = {digest for found in held for digest in found.bundle.blobs if not self._blobs.has(digest)}
            offers = dict.fromkeys(missing, RemoteBlob("", 0))
        else:
            for entry, urls in listing.entries.values():
                for file in (entry.body, *(asset.file for asset in entry.assets)):
                    if file is not None and file.size is not None and file.on_need and file.size <= most_bytes:
                        offers.setdefault(file.digest, RemoteBlob(urls[file.url], file.size))
        self._remote.offer(self._place, self, offers)

    def has_shown(self, digest: str) -> bool:
        """Tell whether the source has given the bytes of a digest (`Offering`)."""
        return self._web.has_shown(digest)

    def bring(self, digest: str, at: RemoteBlob, within_s: float) -> None:
        """Fetch a blob on need (`Offering`)."""
        self._web.bring_on_need(at.url, self._blobs, digest=digest, size=at.size, within_s=within_s)

    def _gather(self, folder: str, located: _Located, gathered: Gathered) -> None:
        entry, urls = located
        files: dict[str, StoredFile] = {}
        document = None
        if entry.document is not None:
            files[DOCUMENT] = self._have(entry.document, urls, self._limits.document_bytes, gathered)
            document = self._blobs.read(files[DOCUMENT].digest)
        body = None if entry.body is None else self._body(entry.body, urls, gathered)
        for asset in entry.assets:
            file = self._later_or_now(asset.file, urls, self._limits.asset_bytes, gathered)
            files[asset.name] = file._replace(executable=asset.executable)
        if skill_yaml := entry.skill_yaml(document):
            files[MANIFEST] = StoredFile(self._blobs.put(skill_yaml), len(skill_yaml))
        gathered.files.update((f"{folder}/{name}", file) for name, file in files.items())
        if body is None:
            self._bodies.pop(folder, None)
        else:
            self._bodies[folder] = TextRef(digest=body.digest, size=body.size)

    def _body(self, file: RemoteFile, urls: Mapping[str, str], gathered: Gathered) -> StoredFile:
        body = self._later_or_now(file, urls, self._limits.body_bytes, gathered)
        if not body.on_need and not is_text(self._blobs.read(body.digest)):
            raise Refused("its body is no text in UTF-8")
        return body

    def _later_or_now(
        self, file: RemoteFile, urls: Mapping[str, str], max_bytes: int, gathered: Gathered
    ) -> StoredFile:
        if file.size is not None and file.on_need:
            if self._is_here(file.digest) and self._blobs.size(file.digest) != file.size:
                raise NotHad(WRONG_SIZE)
            return StoredFile(file.digest, file.size, on_need=True)
        return self._have(file, urls, max_bytes, gathered)

    def _is_here(self, digest: str) -> bool:
        """Tell whether a blob is here that this source has shown to have: what another one brought is not its own."""
        return self._web.has_shown(digest) and self._blobs.has(digest)

    def _have(self, file: RemoteFile, urls: Mapping[str, str], max_bytes: int, gathered: Gathered) -> StoredFile:
        """Return a file that is in the store: fetched, where it is not there yet or may have changed."""
        if file.digest and self._is_here(file.digest):
            had = StoredFile(file.digest, self._blobs.size(file.digest))
        else:
            had = self._fetched(file, urls[file.url], max_bytes)
        gathered.volatile = gathered.volatile or not file.digest
        if file.size not in {None, had.size}:
            raise NotHad(WRONG_SIZE)
        return had

    def _fetched(self, file: RemoteFile, url: str, max_bytes: int) -> StoredFile:
        before = self._brought.get(url)
        if file.digest or before is None or not self._blobs.has(before.file.digest):
            before = None
        validators = None if before is None else before.validators
        brought = self._web.bring(url, self._blobs, max_bytes=max_bytes, digest=file.digest, validators=validators)
        if brought is None:
            assert before is not None  # by whose validators that was told
            return before.file
        if not file.digest:
            self._brought[url] = brought
        return brought.file

    def _forget_all_but(self, listing: Listing[_Located]) -> None:
        """Forget what was known of entries that are gone."""
        entries = listing.entries
        urls = {url for located in entries.values() for url in located.urls.values()}
        self._brought = {url: brought for url, brought in self._brought.items() if url in urls}
        self._bodies = {folder: body for folder, body in self._bodies.items() if folder in entries}
        self._completed = {folder: each for folder, each in self._completed.items() if folder in entries}

    def _complete(self, seen: Observation) -> Observation:
        """Give skills the bodies that the manifest gives beside any document: no file of a tree is a body alone."""
        if self._told is not None:
            before, bodies, told = self._told
            if before is seen and bodies == self._bodies:
                return told
        told = seen
        if self._bodies:
            told = replace(seen, found=tuple(map(self._with_body, seen.found)))
        self._told = seen, dict(self._bodies), told
        return told

    def _with_body(self, found: Found) -> Found:
        body = self._bodies.get(found.place)
        bundle = found.bundle
        if body is None or bundle.document is not None or bundle.body is not None:
            return found
        known = self._completed.get(found.place)
        if known is None or known.found is not found or known.body != body:
            made = make_bundle(bundle.skill, document=None, body=body, assets=bundle.assets)
            known = self._completed[found.place] = _Completed(found, body, replace(found, bundle=made))
        return known.whole

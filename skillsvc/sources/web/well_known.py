"""What a site publishes at `/.well-known/agent-skills/` as a source: agent skills discovery, version 0.2.0."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from skillsvc.content.archive_paths import ArchiveLimits, ArchiveRefused
from skillsvc.content.archives import sniff, unpack
from skillsvc.content.blobs import BlobStore
from skillsvc.content.faults import symbol_of
from skillsvc.content.spooling import spooled
from skillsvc.content.stopping import never
from skillsvc.content.stored_tree import StoredFile, StoredTree
from skillsvc.content.transport import Authorities
from skillsvc.content.tree import Escapes, TreeError
from skillsvc.content.unpacking import Unpacked
from skillsvc.content.urls import UrlRefused
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.limits import MIB, Limits
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission
from skillsvc.parsing.well_known_index import ArtifactKind, IndexEntry, read_well_known_index
from skillsvc.sources.discovery import DOCUMENT, MANIFEST
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.remote_blobs import NotHad
from skillsvc.sources.source import Observation
from skillsvc.sources.web.bringing import FetchedIndex, Refused, Web, WebSettings
from skillsvc.sources.web.indexed import Gathered, IndexedReading, Listing, left_out

_INDEX: Final = "/.well-known/agent-skills/index.json"
_ARCHIVE_BYTES: Final = 64 * MIB
_MOST_PATHS: Final = 200_000
"""Files and links of all archives of an index together."""
_TEXTS: Final = frozenset({DOCUMENT.upper(), MANIFEST.upper()})


@dataclass(frozen=True, slots=True, kw_only=True)
class WellKnownSettings:
    """How an index is reached, and how its skills are read: each is a folder of its own, whatever the layout.

    The URL is that of the index where it ends in `.json`, else that of the site.
    """

    web: WebSettings
    reading: ReadingSettings

    @property
    def index_url(self) -> str:
        """The URL of the index."""
        url = self.web.url
        return url if url.endswith(".json") else url.rstrip("/") + _INDEX


class _Located(NamedTuple):
    """An entry whose artifact may be fetched, from this URL."""

    entry: IndexEntry
    url: str


class WellKnownSource:
    """An index, and the archives that were last unpacked: an artifact is fetched once, as long as its digest stands."""

    def __init__(
        self,
        settings: WellKnownSettings,
        *,
        limits: Limits,
        blobs: BlobStore,
        folder: Path | None,
        stopped: Callable[[], bool] = never,
        clock: Callable[[], float] = time.monotonic,
        authorities: Authorities | None = None,
        most_paths: int = _MOST_PATHS,
    ) -> None:
        """Prepare; nothing is fetched before the first look.

        Args:
            settings: What to look at, and how.
            limits: The limits in force.
            blobs: Where the bytes go.
            folder: For this source alone, made at need: the index is kept there over restarts, and archives pass
                through it. None keeps nothing.
            stopped: Asked at each step of a look, and while waiting for a server.
            clock: Seconds that only grow.
            authorities: Where TLS contexts are shared.
            most_paths: How many files and links all archives of the index may hold together.
        """
        self._limits = limits
        self._blobs = blobs
        self._folder = folder
        self._url = settings.index_url
        self._stopped = stopped
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
        self._unpacked: dict[str, Unpacked] = {}
        self._paths = 0
        self._most_paths = most_paths

    @property
    def label(self) -> str:
        """The name by which callers and diagnostics know it."""
        return self._reading.label

    @property
    def admission(self) -> Admission:
        """The tier and the trust that it is declared with."""
        return self._reading.admission

    def close(self) -> None:
        """Close the connections: it is declared no longer."""
        self._web.close()

    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        """Look (`Source`); what changed is told by the index, whatever else is said of it."""
        del changed
        seen = self._reading.look(self._url, held)
        if (listing := self._reading.recall()) is not None:
            self._web.forget_shown_but(listing.digests)
        return seen

    def _list(self, index: FetchedIndex) -> Listing[_Located]:
        """Read an index, and leave out the entries that lead elsewhere before anything of them is fetched (G27)."""
        read = read_well_known_index(index.data, self._limits)
        urls = self._web.urls_of(index.url)
        located: dict[str, _Located] = {}
        diagnostics = list(read.diagnostics)
        for entry in read.entries:
            try:
                located[entry.name] = _Located(entry, urls.resolve(entry.url))
            except UrlRefused as refused:
                diagnostics.append(left_out(entry.name, f"its artifact {refused}"))
        digests = frozenset(each.entry.digest for each in located.values())
        self._forget(*self._unpacked.keys() - digests)
        return Listing(
            entries=located,
            digests=digests,
            diagnostics=tuple(diagnostics),
        )

    def _gather(self, folder: str, located: _Located, gathered: Gathered) -> None:
        digest = located.entry.digest
        if located.entry.kind is ArtifactKind.SKILL_MD:
            kept = self._web.has_shown(digest) and self._blobs.has(digest)
            document = StoredFile(digest, self._blobs.size(digest)) if kept else self._bring(located)
            gathered.files[f"{folder}/{DOCUMENT}"] = document
            return
        unpacked = self._unpacked.get(digest)
        if unpacked is None or not self._blobs.lost().isdisjoint(file.digest for file in unpacked.files.values()):
            self._forget(digest)
            unpacked = self._unpack(located)
            self._keep(digest, unpacked)
        gathered.files.update((f"{folder}/{path}", file) for path, file in unpacked.files.items())
        gathered.links.update((f"{folder}/{path}", text) for path, text in unpacked.links.items())
        gathered.notes.extend(
            Diagnostic(
                severity=Severity.WARNING,
                code=DiagnosticCode.NOT_A_REGULAR_FILE,
                message=f"of its archive: {note}",
                skill=folder,
                source=self.label,
            )
            for note in unpacked.notes
        )

    def _keep(self, digest: str, unpacked: Unpacked) -> None:
        """Keep what an archive holds, as long as it is named, if all of the index together may hold as much."""
        paths = self._paths + _paths_in(unpacked)
        if paths > self._most_paths:
            raise Refused(f"the archives of the index hold more than {self._most_paths} files together")
        self._unpacked[digest], self._paths = unpacked, paths

    def _forget(self, *digests: str) -> None:
        for digest in digests:
            if (unpacked := self._unpacked.pop(digest, None)) is not None:
                self._paths -= _paths_in(unpacked)

    def _bring(self, located: _Located) -> StoredFile:
        brought = self._web.bring(
            located.url, self._blobs, max_bytes=self._limits.document_bytes, digest=located.entry.digest
        )
        assert brought is not None  # no validators were sent
        return brought.file

    def _unpack(self, located: _Located) -> Unpacked:
        try:
            with spooled(self._folder) as file:
                self._web.spool(located.url, file, max_bytes=_ARCHIVE_BYTES, digest=located.entry.digest)
                kind = sniff(file)
                if kind is None:
                    raise Refused("its archive is neither a zip nor a tar file")
                unpacked = unpack(
                    file,
                    kind=kind,
                    limits=ArchiveLimits(),
                    blobs=self._blobs,
                    stopped=self._stopped,
                    strip_one=True,
                )
        except ArchiveRefused as refused:
            raise Refused(f"its archive {refused}") from refused
        except OSError as error:
            raise NotHad(f"this server cannot keep its archive ({symbol_of(error)})") from error
        self._check(unpacked)
        return unpacked

    def _check(self, unpacked: Unpacked) -> None:
        """Refuse an archive that is no skill's, or whose skill is another's by a link: each is a tree of its own."""
        texts = [path for path in (*unpacked.files, *unpacked.links) if path.upper() in _TEXTS]
        if not texts:
            raise Refused(f"its archive holds no {DOCUMENT} at its root")
        tree = StoredTree(unpacked.files, links=unpacked.links, blobs=self._blobs)
        for path in texts:
            try:
                # Only the way to it matters here.
                tree.read_file(path, max_bytes=0, follow_links=True)
            except Escapes as error:
                raise Refused(f"{path} in its archive is a link that leads out of it") from error
            except TreeError:
                continue


def _paths_in(unpacked: Unpacked) -> int:
    return len(unpacked.files) + len(unpacked.links)

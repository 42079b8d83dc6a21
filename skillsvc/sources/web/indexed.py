"""Looking at a source that an index on the web describes: the index, what it names, and the tree these make.

What is in the store by its digest is not fetched again, and where nothing is new nothing is read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar

from skillsvc.content.blobs import BlobStore
from skillsvc.content.faults import reason_of
from skillsvc.content.stopping import Abandoned
from skillsvc.content.stored_tree import StoredFile, StoredTree
from skillsvc.content.tree import NotBrought, StoreFailed, Unreadable
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import DataLoss, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission
from skillsvc.parsing.index_json import IndexMalformed
from skillsvc.sources.discovery import Layout
from skillsvc.sources.reading import ReadingSettings, TreeReading
from skillsvc.sources.remote_blobs import NotHad
from skillsvc.sources.source import Observation, Outcome
from skillsvc.sources.web.bringing import FetchedIndex, NotTried, Refused, Web, WebSettings
from skillsvc.sources.web.kept_index import KeptIndex

Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Generic[Entry]):
    """The entries of an index, by the folders that they become, and what is told of others, of no source yet.

    `digests` are those by which it names what the source has.
    """

    entries: Mapping[str, Entry]
    digests: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(slots=True)
class Gathered:
    """What one look has of the files that an index names, by path; `volatile` where some may change without it."""

    files: dict[str, StoredFile] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    notes: list[Diagnostic] = field(default_factory=list)
    volatile: bool = False


class IndexedReading(Generic[Entry]):
    """The looks at one source, one after the other. One thread at a time looks."""

    def __init__(
        self,
        settings: ReadingSettings,
        web: Web,
        web_settings: WebSettings,
        *,
        limits: Limits,
        blobs: BlobStore,
        folder: Path | None,
        stopped: Callable[[], bool],
        list_entries: Callable[[FetchedIndex], Listing[Entry]],
        gather: Callable[[str, Entry, Gathered], None],
    ) -> None:
        """Prepare; nothing is fetched before the first look.

        Args:
            settings: How the skills are read, each in a folder of its own.
            web: The way to the index.
            web_settings: How it is reached.
            limits: The limits in force.
            blobs: Where the bytes go.
            folder: Where the index is kept over restarts, if it is.
            stopped: Asked at each entry.
            list_entries: Reads an index; raises IndexMalformed.
            gather: Gets what an entry names into the folder of a name; raises NotHad, Refused, Abandoned,
                Unavailable and DataLoss, and has added nothing then.
        """
        settings = replace(settings, layout=Layout.FLAT, single_files=False)
        self._web = web
        self._url = web_settings.url
        self._blobs = blobs
        self._stopped = stopped
        self._list_entries = list_entries
        self._gather = gather
        self._kept = KeptIndex(folder, web_settings)
        self._reading = TreeReading(settings, limits=limits, blobs=blobs, stopped=stopped)
        self._index: FetchedIndex | None = None
        self._listed: tuple[FetchedIndex, Listing[Entry]] | None = None
        self._standing: tuple[FetchedIndex, Observation, frozenset[str]] | None = None
        self._failed_last: frozenset[str] = frozenset()
        self._kept_shown: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """The source's label."""
        return self._reading.label

    @property
    def admission(self) -> Admission:
        """The tier and the trust of all that is read."""
        return self._reading.admission

    def recall(self) -> Listing[Entry] | None:
        """Return what the last index listed, also that of an earlier process; None where there was none."""
        if self._index is None:
            self._index = self._kept.read()
            if self._index is not None:
                # Only where the last index is of this place: under the same name another one may be declared (G29).
                self._kept_shown = self._kept.read_shown()
                self._web.take_as_shown(self._kept_shown)
        try:
            return None if self._index is None else self._list(self._index)
        except IndexMalformed:
            return None

    def look(self, url: str, held: Sequence[Found]) -> Observation:
        """Look at the index at a URL and at what it names; what cannot be had stands as it is held.

        Raises:
            Abandoned: The look was stopped.
        """
        self.recall()
        try:
            return self._look(url, held)
        finally:
            # What is served of it from now on is its own after a restart, too.
            self.keep_shown()

    def keep_shown(self) -> None:
        """Keep over restarts what the source has shown to have."""
        shown = self._web.shown()
        if shown != self._kept_shown:
            self._kept_shown = shown
            self._kept.write_shown(shown)

    def _look(self, url: str, held: Sequence[Found]) -> Observation:
        try:
            self._web.begin()
            index = self._web.index(url, self._index)
            listing = self._list(index)
        except NotHad as error:
            return self._reading.failed(DiagnosticCode.SOURCE_UNREACHABLE, str(error))
        except IndexMalformed as error:
            return self._reading.failed(DiagnosticCode.INDEX_MALFORMED, f"the index cannot be used: {error}")
        if index is not self._index:
            self._index = index
            self._kept.write(index)
        if self._standing is not None:
            read_of, seen, digests = self._standing
            if read_of is index and digests.isdisjoint(self._blobs.lost()):
                return seen
        return self._read(index, listing, held)

    def _list(self, index: FetchedIndex) -> Listing[Entry]:
        if self._listed is None or self._listed[0] is not index:
            self._listed = index, self._list_entries(index)
        return self._listed[1]

    def _read(self, index: FetchedIndex, listing: Listing[Entry], held: Sequence[Found]) -> Observation:
        gathered = Gathered(notes=[replace(said, source=self.label) for said in listing.diagnostics])
        unreadable: dict[str, Unreadable] = {}
        # What failed last time comes last: it may take all the time that is left, and the others have theirs before.
        failed: set[str] = set()
        for folder in sorted(listing.entries, key=self._failed_last.__contains__):
            if self._stopped():
                raise Abandoned
            try:
                self._gather(folder, listing.entries[folder], gathered)
            except Refused as error:
                gathered.notes.append(replace(left_out(folder, str(error)), source=self.label))
            except NotHad as error:
                unreadable[folder] = NotBrought(str(error))
                if not isinstance(error, NotTried):
                    failed.add(folder)
            except (DataLoss, Unavailable) as error:
                unreadable[folder] = StoreFailed(reason_of(error))
        self._failed_last = frozenset(failed)
        tree = StoredTree(gathered.files, links=gathered.links, unreadable=unreadable, blobs=self._blobs)
        seen = self._reading.read(tree, held=held, revision=index.digest, notes=gathered.notes)
        self._standing = None
        if seen.outcome is Outcome.WHOLE and not gathered.volatile:
            self._standing = index, seen, frozenset(file.digest for file in gathered.files.values())
        return seen


def left_out(folder: str, why: str) -> Diagnostic:
    """Return what is told of an entry that is left out, of no source yet."""
    return Diagnostic(
        severity=Severity.ERROR, code=DiagnosticCode.ENTRY_LEFT_OUT, message=f"left out: {why}", skill=folder
    )

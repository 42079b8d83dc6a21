"""Where skills lie below a root: which folders and files are skills, found breadth first in byte order (rules.md 1).

Only folders are read here, and the COLLECTION.json of those that stand for one. Each skill's place is handed out with
its folder held open, so that what is read next is what was found, wherever its path leads by then.
"""

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from enum import Enum, unique
from typing import Final, NamedTuple

from skillsvc.content.stopping import Abandoned, never
from skillsvc.content.tree import (
    Entry,
    EntryKind,
    Escapes,
    Folder,
    Missing,
    NotBrought,
    StoreFailed,
    Tree,
    TreeError,
    encode_name,
)
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.sources.collections_found import NO_MEMBERSHIP, CollectionsFound, CollectionUnseen, Membership, is_marked

DOCUMENT = "SKILL.md"
_DOCUMENT_UPPER = DOCUMENT.upper()
MANIFEST = "skill.yaml"
IGNORED = frozenset({".git", ".hg", ".svn", "__pycache__", ".venv", "node_modules", ".DS_Store"})
"""Names that no skill is looked for in, and that are no assets, where nothing else is said (`rules.md` 1)."""
_SINGLE_SUFFIX = ".md"
PASSED_OVER: Final = 1_000
"""Folders that are passed over and told of one by one: there may be any number in one that is looked at."""


@unique
class Layout(Enum):
    """How deep skills lie: `FLAT` one level below the root or below a collection's folder, `NESTED` at any depth."""

    FLAT = "flat"
    NESTED = "nested"


class SkillPlace(NamedTuple):
    """One skill to be taken in.

    `place` is its folder below the root; for a single file, the file itself. `folder` is the name that stands in
    where the skill's own is unfit. `document` and `manifest` are its SKILL.md and skill.yaml, None where there is none.
    `linked` tells that the folder was reached over a link. `collection` and `collection_line` are as in `Found`.
    """

    place: str
    folder: str
    document: Entry | None
    manifest: Entry | None
    collection: str = ""
    collection_line: str = ""
    single_file: bool = False
    linked: bool = False

    @property
    def reaches_elsewhere(self) -> bool:
        """Whether files of it may be changed under other paths than its own, since a link leads to them."""
        return self.linked or _is_link(self.document) or _is_link(self.manifest)

    def path_of(self, entry: Entry) -> str:
        """Return the path below the root of a file of the skill's folder."""
        return entry.name if self.single_file else _below(self.place, entry.name)


class OpenSkill(NamedTuple):
    """A skill's place with its folder held open; both are good until the next one is asked for."""

    place: SkillPlace
    directory: Folder
    entries: Sequence[Entry]


class _Folder(NamedTuple):
    """A folder on the way ahead; `linked` where a link was followed to it or above it, `marked` as a collection's."""

    place: str
    depth: int
    linked: bool = False
    marked: bool = False
    membership: Membership = NO_MEMBERSHIP


class Discovery:
    """One walk below a root. `diagnostics`, `unseen`, `folders` and `astray` are whole once `skills` is exhausted.

    `unseen` are the places whose folders could not be read: what was known below them still stands. `folders` are the
    places of those that were. `astray` are the places of links that lead nowhere, or out: some day they may lead on.
    """

    def __init__(
        self,
        root: Tree,
        *,
        label: str,
        layout: Layout,
        single_files: bool,
        limits: Limits,
        max_depth: int | None = None,
        ignored: Collection[str] = IGNORED,
        stopped: Callable[[], bool] = never,
    ) -> None:
        """Prepare a walk.

        `label` names the folder of a skill at the root itself, `max_depth` is how deep skills lie where it is not as
        the limits say, `ignored` are the names that are not looked into, `stopped` is asked at each folder.
        """
        self._root = root
        self._label = label
        self._layout = layout
        self._single_files = single_files
        self._limits = limits
        self._deepest = limits.source_depth if max_depth is None else max_depth
        self._ignored = ignored
        self._stopped = stopped
        self._entered: dict[Hashable, str] = {}
        self._ahead: deque[_Folder] = deque()
        self._passed_over = 0
        self.diagnostics: list[Diagnostic] = []
        self._collections = CollectionsFound(label=label, limits=limits, say=self.diagnostics.append)
        self.unseen: list[str] = []
        self.astray: list[str] = []

    @property
    def folders(self) -> tuple[str, ...]:
        """The places of the folders that were looked at."""
        return tuple(self._entered.values())

    def skills(self) -> Iterator[OpenSkill]:
        """Yield every skill, shallower ones first, then in byte order of their places.

        Raises:
            Abandoned: The walk was stopped.
        """
        yield from self._all_skills()
        if self._passed_over > PASSED_OVER:
            self._say(
                Severity.NOTE,
                DiagnosticCode.FOLDER_IGNORED,
                f"{self._passed_over - PASSED_OVER} more folders were not looked at, and are not told one by one",
            )

    def _all_skills(self) -> Iterator[OpenSkill]:
        self._ahead.append(_Folder(place="", depth=0))
        folders = 0
        while self._ahead:
            if self._stopped():
                raise Abandoned
            folder = self._ahead.popleft()
            folders += 1
            if folders > self._limits.source_folders + 1:
                self._say(
                    Severity.ERROR,
                    DiagnosticCode.TOO_MANY_FOLDERS,
                    f"more than {self._limits.source_folders} folders; the others were not looked at",
                )
                self.unseen.append("")
                return
            try:
                with self._root.open_directory(folder.place, follow_links=True) as directory:
                    yield from self._look(folder, directory)
            except (Missing, Escapes) as error:
                self._say_lost(folder, error)
            except TreeError as error:
                self._say_unseen(folder, error)
                self.unseen.append(folder.place)

    def _look(self, folder: _Folder, directory: Folder) -> Iterator[OpenSkill]:
        first = self._entered.setdefault(directory.identity, folder.place)
        if first != folder.place:
            # A link leads here a second time, or round in a circle (G17).
            self._say(
                Severity.NOTE,
                DiagnosticCode.LINKED_TWICE,
                f"the same folder as {printable(first) or 'the root'}, which is looked at",
                folder.place,
            )
            return
        entries = directory.entries()
        document, manifest = markers(entries)
        if document is not None or manifest is not None:
            place = SkillPlace(
                place=folder.place,
                folder=folder.place.rpartition("/")[2] or self._label,
                document=document,
                manifest=manifest,
                collection=folder.membership.id,
                collection_line=folder.membership.line,
                linked=folder.linked,
            )
            yield OpenSkill(place=place, directory=directory, entries=entries)
            if folder.depth:
                return
        if is_marked(entries):
            try:
                membership = self._collections.membership(folder.place, printable(folder.place), directory)
            except CollectionUnseen as fault:
                # Whose members its skills were may not change with who can be read.
                self._say(Severity.ERROR, fault.code, fault.message, folder.place)
                self.unseen.append(folder.place)
                return
            folder = folder._replace(marked=True, membership=membership or folder.membership)
        elif self._layout is Layout.FLAT and folder.depth > 0:
            self._say(Severity.NOTE, DiagnosticCode.FOLDER_WITHOUT_SKILL, "no SKILL.md in it", folder.place)
            return
        if self._single_files and not folder.depth:
            yield from self._single_file_skills(directory, entries)
        self._descend(folder, entries)

    def _single_file_skills(self, directory: Folder, entries: Sequence[Entry]) -> Iterator[OpenSkill]:
        for entry in entries:
            stem = entry.name.removesuffix(_SINGLE_SUFFIX)
            if stem in {"", entry.name} or entry.name.upper() == _DOCUMENT_UPPER or entry.name.startswith("."):
                continue
            if entry.kind is EntryKind.DIRECTORY or (
                entry.kind is EntryKind.LINK and not self._leads_to_file(entry.name)
            ):
                continue
            if not is_text(entry.name):
                self._pass_over(
                    Severity.ERROR, DiagnosticCode.FOLDER_NAME_NOT_TEXT, "its name is not UTF-8; rename it", entry.name
                )
                continue
            place = SkillPlace(place=entry.name, folder=stem, document=entry, manifest=None, single_file=True)
            yield OpenSkill(place=place, directory=directory, entries=())

    def _descend(self, folder: _Folder, entries: Sequence[Entry]) -> None:
        """Put the folders below on the way ahead, as far as the layout goes."""
        deepest = self._deepest
        if self._layout is Layout.FLAT:
            deepest = 2 if folder.depth and folder.marked else 1
        for entry in entries:
            place = _below(folder.place, entry.name)
            linked = _is_link(entry)
            if not linked and entry.kind is not EntryKind.DIRECTORY:
                if entry.kind is EntryKind.SUBMODULE:
                    # It may be full of skills: an empty folder would look like none (G26).
                    self._pass_over(
                        Severity.WARNING,
                        DiagnosticCode.SUBMODULE_LEFT_OUT,
                        "a git submodule; what it holds is left out",
                        place,
                    )
                continue
            if linked and self._leads_to_file(place):
                continue
            if entry.name.startswith(".") or entry.name in self._ignored:
                self._pass_over(Severity.NOTE, DiagnosticCode.FOLDER_IGNORED, "not looked at, by its name", place)
            elif not is_text(entry.name):
                self._pass_over(
                    Severity.ERROR, DiagnosticCode.FOLDER_NAME_NOT_TEXT, "its name is not UTF-8; rename it", place
                )
            elif folder.depth >= deepest:
                self._pass_over(
                    Severity.WARNING, DiagnosticCode.TOO_DEEP, f"more than {deepest} levels deep; not looked at", place
                )
            else:
                self._ahead.append(
                    _Folder(
                        place=place,
                        depth=folder.depth + 1,
                        linked=folder.linked or linked,
                        membership=folder.membership,
                    )
                )

    def _leads_to_file(self, place: str) -> bool:
        """Tell whether a link leads to a file. One that cannot be followed is said where it is opened as a folder."""
        try:
            return self._root.stat_file(place, follow_links=True) is not None
        except TreeError:
            return False

    def _pass_over(self, severity: Severity, code: DiagnosticCode, message: str, place: str) -> None:
        """Tell of a folder that is not looked at, unless very many are: each would be kept for as long as it is."""
        self._passed_over += 1
        if self._passed_over <= PASSED_OVER:
            self._say(severity, code, message, place)

    def _say_lost(self, folder: _Folder, error: TreeError) -> None:
        """Tell of a link that leads nowhere or out; a real folder that is gone by now was never there."""
        if not folder.linked:
            return
        self.astray.append(folder.place)
        if isinstance(error, Escapes):
            self._say(
                Severity.ERROR,
                DiagnosticCode.LINK_ESCAPES,
                "a link that leads out of the source, or in a circle",
                folder.place,
            )
        else:
            self._say(Severity.WARNING, DiagnosticCode.LINK_DANGLING, "a link that leads nowhere", folder.place)

    def _say_unseen(self, folder: _Folder, error: TreeError) -> None:
        match error:
            case NotBrought(why=why):
                code, message = DiagnosticCode.ENTRY_UNREACHABLE, f"what its entry names cannot be had: {why}"
            case StoreFailed(why=why):
                code, message = DiagnosticCode.STORE_UNREACHABLE, f"could not be taken in: {why}"
            case _:
                code, message = DiagnosticCode.FOLDER_UNREADABLE, f"the folder {error}"
        self._say(Severity.ERROR, code, message, folder.place)

    def _say(self, severity: Severity, code: DiagnosticCode, message: str, place: str = "") -> None:
        self.diagnostics.append(Diagnostic(severity=severity, code=code, message=message, skill=printable(place)))


def is_text(name: str) -> bool:
    """Tell whether a file's name is UTF-8; what is not comes as lone surrogates."""
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)


def printable(place: str) -> str:
    """Return a place as text that can be sent and shown: bytes that are not UTF-8 read as U+FFFD."""
    return place if place.isascii() else encode_name(place).decode(errors="replace")


def place_of(place: SkillPlace, entries: Sequence[Entry]) -> SkillPlace:
    """Return a skill's place with the SKILL.md and skill.yaml that its folder holds now."""
    document, manifest = markers(entries)
    return place._replace(document=document, manifest=manifest)


def markers(entries: Sequence[Entry]) -> tuple[Entry | None, Entry | None]:
    """Return a folder's SKILL.md and skill.yaml, None where there is none.

    Where only one of another case stands there, that is its SKILL.md (G15). Several make a skill that is to be refused:
    the first of them, in byte order, stands for it.
    """
    document = manifest = None
    for entry in entries:
        if entry.name.upper() == _DOCUMENT_UPPER:
            if document is None or entry.name == DOCUMENT:
                document = entry
        elif entry.name == MANIFEST:
            manifest = entry
    return document, manifest


def _is_link(entry: Entry | None) -> bool:
    return entry is not None and entry.kind is EntryKind.LINK


def _below(place: str, name: str) -> str:
    return f"{place}/{name}" if place else name

"""The collections of one walk: which folders stand for one, and under which id (`rules.md` 2, 4)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from skillsvc.content.tree import (
    Entry,
    EntryKind,
    FileChanged,
    Folder,
    Missing,
    NotBrought,
    StoreFailed,
    TreeError,
    Unreadable,
)
from skillsvc.domain import caps
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.folding import folded
from skillsvc.domain.limits import Limits
from skillsvc.parsing.collection import FILE_NAME, read_collection
from skillsvc.parsing.text import one_line

_ID_BYTES = caps.CAPS["Skill.collection"].max_bytes


class CollectionUnseen(Exception):
    """The COLLECTION.json of a folder cannot be had at this look: nobody can tell what its skills are members of."""

    def __init__(self, code: DiagnosticCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Membership(NamedTuple):
    """What the skills of a folder are members of; an empty id is no collection's."""

    id: str = ""
    line: str = ""


NO_MEMBERSHIP = Membership()


def is_marked(entries: Sequence[Entry]) -> bool:
    """Tell whether a folder says that it stands for a collection, however well: its skills lie below it."""
    return any(entry.name == FILE_NAME and entry.kind is not EntryKind.DIRECTORY for entry in entries)


class CollectionsFound:
    """The collections met so far, in the order of the walk: of one identity the first has the id and the line."""

    def __init__(self, *, label: str, limits: Limits, say: Callable[[Diagnostic], None]) -> None:
        """Begin with none; `label` stands in for the name of the root, `say` is told of every fault."""
        self._label = label
        self._limits = limits
        self._say = say
        self._first: dict[str, tuple[str, Membership]] = {}

    def membership(self, place: str, shown_place: str, directory: Folder) -> Membership | None:
        """Return what the skills of a marked folder are members of, None where its mark is none.

        Raises:
            CollectionUnseen: The mark cannot be read at this look.
        """
        try:
            read = directory.read_file(FILE_NAME, max_bytes=self._limits.frontmatter_bytes, follow_links=False)
        except (Missing, Unreadable, FileChanged) as error:
            raise _unseen(error) from error
        except TreeError as error:
            self._warn(DiagnosticCode.COLLECTION_MALFORMED, f"{FILE_NAME} {error}; ignored", shown_place)
            return None
        reading = read_collection(read.data)
        for diagnostic in reading.diagnostics:
            self._say(replace(diagnostic, skill=shown_place))
        if reading.label is None:
            return None
        folder = one_line(place.rpartition("/")[2]) or self._label
        found = Membership(reading.label.id or caps.cut_text(folder, _ID_BYTES), reading.label.prompt_line)
        first_place, first = self._first.setdefault(folded(found.id), (shown_place, found))
        if first_place != shown_place:
            self._warn(
                DiagnosticCode.COLLECTION_CLASH,
                f"the id {found.id} of this collection is also that of the one at {first_place or 'the root'}; its "
                "skills are members of that one",
                shown_place,
            )
        return first

    def _warn(self, code: DiagnosticCode, message: str, place: str) -> None:
        self._say(Diagnostic(severity=Severity.WARNING, code=code, message=message, skill=place))


def _unseen(error: TreeError) -> CollectionUnseen:
    match error:
        case Missing():
            # It was a file a moment ago: somebody is changing the folder.
            return CollectionUnseen(DiagnosticCode.FILE_CHANGED, f"{FILE_NAME} changed while it was read")
        case FileChanged():
            code = DiagnosticCode.FILE_CHANGED
        case StoreFailed():
            code = DiagnosticCode.STORE_UNREACHABLE
        case NotBrought():
            code = DiagnosticCode.ENTRY_UNREACHABLE
        case _:
            code = DiagnosticCode.FILE_UNREADABLE
    return CollectionUnseen(code, f"{FILE_NAME} {error}")

"""Listings: which rows of a view a request sees, and where a page of them begins. Pure."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, unique

from skillsvc.catalog.collection import ids_of
from skillsvc.domain import canonical
from skillsvc.domain.folding import folded
from skillsvc.domain.generation import Row
from skillsvc.domain.view import View


@unique
class Invoker(Enum):
    """Who would begin the use of a skill."""

    ANY = "any"
    MODEL = "model"
    USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What narrows a listing; nothing in it ever widens one.

    `allow` is the names allowed, None for all; `collection` the id of the collection whose members are asked for, ""
    for all skills.
    """

    allow: frozenset[str] | None = None
    invoker: Invoker = Invoker.ANY
    collection: str = ""

    @property
    def narrows(self) -> bool:
        """Whether any row could be left out."""
        return self.allow is not None or self.invoker is not Invoker.ANY or bool(self.collection)

    @property
    def key(self) -> tuple[Invoker, str, str]:
        """What stands for it where answers are kept, as small for 4,096 names as for one."""
        collection = folded(self.collection)
        if self.allow is None:
            return self.invoker, collection, ""
        # No name has a line break, so that no two lists of names are one text.
        names = canonical.encode_text("\n".join(sorted(self.allow)))
        return self.invoker, collection, canonical.digest_of("skillsource.allow.v1", names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A skill as a request names it: by its name, or as the skill of one source, where `source` is not empty."""

    source: str
    name: str


def find(view: View, reference: Reference, allow: frozenset[str] | None) -> Row | None:
    """Return the row that a reference names, None where there is none or its name is not allowed.

    Looked for in any case, so that what is not allowed costs what it costs to find nothing (rules.md 7).
    """
    row = view.find_qualified(reference.source, reference.name) if reference.source else view.find(reference.name)
    return row if allow is None or reference.name in allow else None


def may_begin(row: Row, invoker: Invoker) -> bool:
    """Tell whether somebody may begin the use of a skill."""
    skill = row.bundle.skill
    match invoker:
        case Invoker.ANY:
            return True
        case Invoker.MODEL:
            return skill.model_invocable
        case Invoker.USER:
            return skill.user_invocable


def select(view: View, selection: Selection) -> tuple[Row, ...]:
    """Return the rows that a request lists, in byte order of their names."""
    if not (selection.narrows or view.hides) and len(view.layers) == 1:
        return view.layers[0].listed
    rows = _allowed(view, selection.allow)
    if selection.collection:
        ids = ids_of(view, selection.collection)
        rows = (row for row in rows if row.found.collection in ids)
    return tuple(row for row in rows if may_begin(row, selection.invoker))


def _allowed(view: View, allow: frozenset[str] | None) -> Iterable[Row]:
    """Return the rows whose names are allowed, in byte order of these."""
    return view.listed() if allow is None else view.among(allow)


def start_after(rows: tuple[Row, ...], name: str) -> int:
    """Return the index of the first row beyond a name."""
    return bisect_right(rows, name, key=lambda row: row.name) if name else 0

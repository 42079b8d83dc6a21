"""Listings: which rows of a view a request sees, and where a page of them begins. Pure."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, unique

from skillsvc.domain import canonical
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
    """What narrows a listing. `allow` is the names allowed, None for all; it never widens anything."""

    allow: frozenset[str] | None = None
    invoker: Invoker = Invoker.ANY

    @property
    def narrows(self) -> bool:
        """Whether any row could be left out."""
        return self.allow is not None or self.invoker is not Invoker.ANY

    @property
    def key(self) -> tuple[Invoker, str]:
        """What stands for it where answers are kept, as small for 4,096 names as for one."""
        if self.allow is None:
            return self.invoker, ""
        return self.invoker, canonical.digest_of("skillsource.allow.v1", canonical.encode_texts(sorted(self.allow)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A skill as a request names it: by its name, or as the skill of one source, where `source` is not empty."""

    source: str
    name: str


def find(view: View, reference: Reference, allow: frozenset[str] | None) -> Row | None:
    """Return the row that a reference names, None where there is none or its name is not allowed."""
    if allow is not None and reference.name not in allow:
        return None
    if reference.source:
        return view.find_qualified(reference.source, reference.name)
    return view.find(reference.name)


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
    if not selection.narrows and len(view.layers) == 1:
        return view.layers[0].listed
    rows: Iterable[Row] = view.listed()
    if selection.allow is not None and len(selection.allow) < view.total:
        named = (view.find(name) for name in sorted(selection.allow))
        rows = (row for row in named if row is not None)
    elif selection.allow is not None:
        allow = selection.allow
        rows = (row for row in rows if row.name in allow)
    return tuple(row for row in rows if may_begin(row, selection.invoker))


def start_after(rows: tuple[Row, ...], name: str) -> int:
    """Return the index of the first row beyond a name."""
    return bisect_right(rows, name, key=lambda row: row.name) if name else 0

"""Listings: which rows of a view a request sees, and where a page of them begins. Pure."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, unique

from skillsvc.domain import canonical
from skillsvc.domain.folding import folded
from skillsvc.domain.generation import Row
from skillsvc.domain.view import View

_COUNT = "{count}"


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
    if not selection.narrows and view.allow is None and len(view.layers) == 1:
        return view.layers[0].listed
    rows = _allowed(view, selection.allow)
    if selection.collection:
        ids = _ids_of(view, selection.collection)
        rows = (row for row in rows if row.found.collection in ids)
    return tuple(row for row in rows if may_begin(row, selection.invoker))


def holds_collection(view: View, selection: Selection) -> bool:
    """Tell whether any skill that is allowed is in the collection that is asked for, whoever may begin its use."""
    ids = _ids_of(view, selection.collection)
    return bool(ids) and any(row.found.collection in ids for row in _allowed(view, selection.allow))


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionEntry:
    """A collection as one listing shows it: its id, the line that stands for its members, and how many these are."""

    id: str
    line: str
    count: int


def collections_of(rows: Iterable[Row]) -> tuple[CollectionEntry, ...]:
    """Return the collections that rows belong to, in byte order of their ids, with no skill counted but these.

    Ids that are one identity are one collection, under the id and the line of the first of the rows (`rules.md` 4).
    """
    counts: dict[str, int] = {}
    lines: dict[str, str] = {}
    for row in rows:
        if collection := row.found.collection:
            counts[collection] = counts.get(collection, 0) + 1
            lines.setdefault(collection, row.found.collection_line)
    ids: dict[str, str] = {}
    totals: dict[str, int] = {}
    for collection, count in counts.items():
        first = ids.setdefault(folded(collection), collection)
        totals[first] = totals.get(first, 0) + count
    return tuple(
        CollectionEntry(id=collection, line=_line(collection, lines[collection], count), count=count)
        for collection, count in sorted(totals.items())
    )


def _line(collection: str, template: str, count: int) -> str:
    """Return the line of a collection: its author's, which is text with a place for the count at most, or the usual."""
    return template.replace(_COUNT, str(count)) if template else f"Skills of the collection {collection}: {count}"


def _ids_of(view: View, collection: str) -> frozenset[str]:
    """Return the ids in a view that are one identity with the one asked for."""
    wanted = folded(collection)
    held = {id_ for layer in view.layers for id_, _line in layer.collections}
    return frozenset(id_ for id_ in held if folded(id_) == wanted)


def _allowed(view: View, allow: frozenset[str] | None) -> Iterable[Row]:
    """Return the rows whose names are allowed, in byte order of these."""
    return view.listed() if allow is None else view.among(allow)


def start_after(rows: tuple[Row, ...], name: str) -> int:
    """Return the index of the first row beyond a name."""
    return bisect_right(rows, name, key=lambda row: row.name) if name else 0

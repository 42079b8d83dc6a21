"""The catalog as text for a model: of the same rows and the same question always the same bytes. Pure.

A text never has more bytes than it may, whatever the skills say. What is cut or left out for that is told beside it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from itertools import chain, islice, repeat

from skillsvc.catalog.render_fitting import fit
from skillsvc.catalog.render_forms import FORMS, CatalogFormat, Form, Item, inert
from skillsvc.domain.collection import Collection
from skillsvc.domain.folding import folded
from skillsvc.domain.generation import Row

OMITTED_AT_MOST = 1_000
"""Of what is left out so many are named, all are counted."""


@unique
class Reason(Enum):
    """Why a skill has no line of its own."""

    OVER_BUDGET = "does not fit the budget"
    IN_COLLECTION = "its collection has one line for all of it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """A skill that has no line of its own."""

    name: str
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A catalog as text. Every skill is either shown or omitted: together they are `total`.

    `shown` are the skills with a line of their own, `shortened` those among them whose description is cut or left out;
    `omitted` are the first of the others, those over the budget first, in the order of the text.
    """

    text: str
    shown: int
    shortened: int
    total: int
    omitted: tuple[Omitted, ...]
    omitted_total: int


def render(
    rows: Sequence[Row],
    *,
    collections: Iterable[Collection],
    form: CatalogFormat,
    budget: int,
    ranks: Mapping[str, float],
) -> Rendered:
    """Return rows as text, those of greater rank first, then in byte order of their names.

    Args:
        rows: What may be in the text, in byte order of names.
        collections: The collections of these rows, each of which stands for its members in one line.
        form: How it is written.
        budget: Most bytes of the text.
        ranks: What is known of skills by their names, the more the better; 0 for those not named, less is worse than
            not known. A collection has the rank of the best of its members, and comes before skills of the same rank.
    """
    shape = FORMS[form]
    if not rows:
        text = shape.empty if len(shape.empty) <= budget else ""
        return Rendered(text=text, shown=0, shortened=0, total=0, omitted=(), omitted_total=0)
    entries = _entries(rows, collections, ranks)
    room = shape.room(budget)
    items = _within_reach(entries, shape, room)
    ahead = sum(entry.rank > 0 for entry in entries[: len(items)])
    texts = fit(items, ahead=ahead, form=shape, room=room, left_out=len(rows))
    shown = [entry for entry in entries[: len(texts)] if entry.collection is None]
    over = [row for entry in entries[len(texts) :] for row in entry.rows]
    inside = (row for entry in entries[: len(texts)] if entry.collection is not None for row in entry.rows)
    reasons = chain(zip(over, repeat(Reason.OVER_BUDGET)), zip(inside, repeat(Reason.IN_COLLECTION)))
    lines = [shape.line(item, text) for item, text in zip(items, texts, strict=False)]
    return Rendered(
        # Without a line it would look like the text of an empty catalog.
        text=shape.text_of(lines, len(over)) if lines else "",
        shown=len(shown),
        shortened=sum(item.count is None and item.text != text for item, text in zip(items, texts, strict=False)),
        total=len(rows),
        omitted=tuple(Omitted(name=row.name, reason=reason) for row, reason in islice(reasons, OMITTED_AT_MOST)),
        omitted_total=len(rows) - len(shown),
    )


def entries_digest(rows: Iterable[Row]) -> str:
    """Return the digest of names and descriptions, whatever the form and the budget: DSH's.

    It is the SHA-256 of a JSON array of both for each row, as JavaScript writes it, a line each. Whoever lists the
    skills whose use a model may begin can compute it.
    """
    return digest_of_entries((row.name, row.bundle.skill.description) for row in rows)


def digest_of_entries(entries: Iterable[tuple[str, str]]) -> str:
    """Return the digest of names and descriptions."""
    digest = hashlib.sha256()
    between = b""
    for entry in entries:
        digest.update(between + json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode())
        between = b"\n"
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class _Entry:
    """What may have a line: a skill, or a collection with all of its members."""

    rank: float
    rows: Sequence[Row]
    collection: Collection | None = None

    def item(self) -> Item:
        """Return what its line is made of."""
        if self.collection is not None:
            return Item(inert(self.collection.id), inert(self.collection.line), self.collection.count)
        skill = self.rows[0].bundle.skill
        return Item(skill.name, inert(skill.description))


def _within_reach(entries: Iterable[_Entry], form: Form, room: int) -> Sequence[Item]:
    """Return the items that there could be room for, and one more: what is beyond need not be looked at."""
    items: list[Item] = []
    for entry in entries:
        items.append(entry.item())
        room -= form.bare_bytes(items[-1])
        if room < 0:
            break
    return items


def _entries(rows: Sequence[Row], collections: Iterable[Collection], ranks: Mapping[str, float]) -> Sequence[_Entry]:
    """Return what may have lines: by rank, collections first, by id or name."""
    by_id = {folded(collection.id): collection for collection in collections}
    members: dict[str, list[Row]] = {}
    alone: list[_Entry] = []
    for row in rows:
        collection = folded(row.found.collection) if row.found.collection else ""
        if collection and collection in by_id:
            members.setdefault(collection, []).append(row)
        else:
            alone.append(_Entry(ranks.get(row.name, 0.0), (row,)))
    together = [
        _Entry(max(ranks.get(row.name, 0.0) for row in of_it), of_it, by_id[collection])
        for collection, of_it in sorted(members.items(), key=lambda held: by_id[held[0]].id)
    ]
    # Sorting leaves what is equal in its order.
    return sorted((*together, *alone), key=lambda entry: -entry.rank)

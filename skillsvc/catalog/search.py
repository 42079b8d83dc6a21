"""Search: the skills of a view that a query is about, best first, by BM25 over the layers' indexes. Pure.

Scores are of one set of statistics, the caller's own view: how many skills it lists and how many of these have a term.
What a request narrows changes none of them. What an access rule hides is in none: else a caller could tell by what is
found which words it holds (rules.md 7). Scores are whole numbers until all is added, so that equal is equal in whatever
order things were built.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from heapq import nlargest, nsmallest
from itertools import accumulate
from math import log
from types import MappingProxyType

from skillsvc.catalog.layer_index import LayerIndex
from skillsvc.catalog.listing import Invoker
from skillsvc.catalog.postings import HEAVIEST, WEIGHT_BITS, Postings, weight_of
from skillsvc.catalog.spelling import meant, parted
from skillsvc.catalog.weights import SCALE
from skillsvc.domain.generation import Row
from skillsvc.domain.view import View
from skillsvc.parsing.words import Word, words_of_query

_UNIT = 1024
_RARE = 1.4
"""Above 1, since people ask in sentences: the many words that any text has count for less than BM25 makes them."""
_JOINED = 0.8
_BINDING = 0.25
_ERRED = 0.6
_PARTED = 0.8
_LEARNED = 0.5
"""How much of a score what is known of a skill at a task adds or takes at most: it orders what fits."""
_MOST_ERRED = 8
"""So many words of a query are tried as typing errors: each costs hundreds of look-ups."""
_LOOK_UP = 6
"""One look-up costs as much as going through so many entries."""

NOTHING_KNOWN: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A skill that was found, and how well it fits.

    `terms` are all that were looked for, each with what it is worth, whichever of them the skill has.
    """

    row: Row
    score: float
    terms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Entries:
    """Entries of one term, what each is to be multiplied by, and the most that any of them adds."""

    entries: Sequence[int]
    factor: int
    most: int


@dataclass(frozen=True, slots=True)
class _Seen:
    """The index of one layer as a view has it.

    `lost` are the slots of names that a stronger layer has, `visible` those that the view lists, None for all that are
    not lost. `withheld` are those that no hit may be, `among` those that alone may be hits, None for all.
    """

    index: LayerIndex
    lost: frozenset[int]
    visible: frozenset[int] | None
    withheld: frozenset[int]
    among: frozenset[int] | None

    @property
    def listed(self) -> int:
        """How many skills the view lists of it."""
        return len(self.index) - len(self.lost) if self.visible is None else len(self.visible)

    def count(self, term: str) -> int:
        """Return how many of these have a term."""
        having = self.index.count(term)
        if not having:
            return 0
        if self.visible is None:
            return having - sum(self.index.has(term, slot) for slot in self.lost)
        if len(self.visible) * _LOOK_UP < having:
            return sum(self.index.has(term, slot) for slot in self.visible)
        return sum(slot in self.visible for part in self.index.parts for slot in part.slots_of(term))


def search(
    view: View,
    indexes: Sequence[LayerIndex],
    query: str,
    *,
    limit: int,
    allow: frozenset[str] | None = None,
    invoker: Invoker = Invoker.ANY,
    known: Mapping[str, float] = NOTHING_KNOWN,
) -> tuple[Hit, ...]:
    """Return the skills that fit a query best, `limit` at most: by score, those of no collection first, by name.

    `indexes` are those of the view's layers, in their order. Of a name in several layers the strongest one's counts.
    `known` is how skills did at the task they are sought for, from -1 to 1, by name; it changes their scores.

    Raises:
        ValueError: An index is not of its layer as the view has it: a fault of the caller, never of a query.
    """
    if [index.layer_digest for index in indexes] != [layer.digest for layer in view.layers]:
        msg = "each layer of the view must come with the index of its very generation"
        raise ValueError(msg)
    names = allowed_in(view, allow)
    layers = tuple(_seen(view, rank, index, names, invoker) for rank, index in enumerate(indexes))
    factors = _factors(layers, words_of_query(query))
    # Each that is known of may go down and let another in, or come up from wherever it is.
    found = dict(_found(layers, factors, limit + len(known)))
    if known:
        apart = tuple(_narrowed(view, rank, layer, known) for rank, layer in enumerate(layers))
        found.update(_found(apart, factors, len(known)))
    rows = (
        (score * round(_UNIT * learned_factor(known.get(name, 0.0))), row)
        for name, score in found.items()
        if (row := view.find(name)) is not None
    )
    first = nsmallest(limit, rows, key=lambda hit: (-hit[0], bool(hit[1].found.collection), hit[1].name))
    terms = {term: factor / _UNIT for term, factor in factors.items()}
    return tuple(Hit(row=row, score=score / (_UNIT * SCALE * _UNIT), terms=terms) for score, row in first)


def learned_factor(weight: float) -> float:
    """Return what a score is multiplied by of a skill of which so much is known, from -1 to 1."""
    return 1 + _LEARNED * weight


def allowed_in(view: View, allow: frozenset[str] | None) -> frozenset[str] | None:
    """Return the names that both a view and a request allow, None for all."""
    if allow is None or view.allow is None:
        return view.allow if allow is None else allow
    return allow & view.allow


def rarity(skills: int, having: int) -> float:
    """Return what a term is worth that so many of the skills have: more than 0, the more the fewer they are."""
    return log(1 + (skills - having + 0.5) / (having + 0.5))


def _lost(view: View, rank: int, index: LayerIndex) -> Iterator[int]:
    """Yield the slots of the names that a stronger layer has too."""
    layer = view.layers[rank]
    for name, winner in view.overlay.items():
        row = layer.find(name) if winner != rank else None
        if row is not None:
            yield index.slots[row.bundle.digest]


def _found(layers: Sequence[_Seen], factors: Mapping[str, int], limit: int) -> Iterator[tuple[str, int]]:
    """Yield the names and scores of the skills that may be among the best: of `limit` at least, ties included."""
    scores: list[int] = []
    for layer in layers:
        for part in layer.index.parts:
            floor = nlargest(limit, scores)[-1] if len(scores) >= limit else 1
            best = _best(part, factors, layer, limit, floor)
            scores += best.values()
            yield from ((layer.index.bundles[slot].skill.name, score) for slot, score in best.items())


def _narrowed(view: View, rank: int, layer: _Seen, names: Iterable[str]) -> _Seen:
    """Return a layer of which those of some names alone may be hits."""
    rows = (view.layers[rank].find(name) for name in names)
    slots = frozenset(layer.index.slots[row.bundle.digest] for row in rows if row) - layer.withheld
    return replace(layer, among=slots if layer.among is None else slots & layer.among)


def _off(view: View, rank: int, index: LayerIndex) -> Iterator[int]:
    """Yield the slots of the names that are disabled: no hits, but counted, so that no other score changes."""
    for name in view.disabled:
        row = view.layers[rank].find(name)
        if row is not None:
            yield index.slots[row.bundle.digest]


def _seen(view: View, rank: int, index: LayerIndex, names: frozenset[str] | None, invoker: Invoker) -> _Seen:
    lost = frozenset(_lost(view, rank, index))
    withheld = index.gone | lost | frozenset(_off(view, rank, index))
    match invoker:
        case Invoker.MODEL:
            withheld |= index.not_for_model
        case Invoker.USER:
            withheld |= index.not_for_user
        case Invoker.ANY:
            pass

    def slots_of(names: frozenset[str] | None) -> frozenset[int] | None:
        if names is None:
            return None
        rows = (view.layers[rank].find(name) for name in names)
        return frozenset(index.slots[row.bundle.digest] for row in rows if row)

    visible, among = slots_of(view.allow), slots_of(names)
    return _Seen(
        index,
        lost,
        None if visible is None else visible - lost,
        withheld,
        None if among is None else among - withheld,
    )


def _factors(layers: Sequence[_Seen], words: Sequence[Word]) -> Mapping[str, int]:
    """Return the terms to look for, and what a weight of each is to be multiplied by."""
    skills = sum(layer.listed for layer in layers)

    @cache
    def count(term: str) -> int:
        return sum(layer.count(term) for layer in layers)

    def beginning_with(text: str) -> Iterator[str]:
        return (term for layer in layers for part in layer.index.parts for term in part.terms(text))

    factors: dict[str, int] = {}

    def look_for(term: str, share: float) -> None:
        factor = max(1, round(_UNIT * share * rarity(skills, count(term)) ** _RARE))
        factors[term] = max(factor, factors.get(term, 0))

    erred = 0
    for word in words:
        if count(word.term):
            look_for(word.term, _JOINED if word.compound else _BINDING if word.binding else 1.0)
        elif not word.compound and erred < _MOST_ERRED:
            erred += 1
            terms, away = meant(word.spelt, count, beginning_with)
            for term in terms:
                look_for(term, _ERRED**away)
            if not terms:
                for term in parted(word.spelt, count):
                    look_for(term, _PARTED)
    return factors


def _best(part: Postings, factors: Mapping[str, int], layer: _Seen, limit: int, floor: int) -> dict[int, int]:
    """Return the scores of the skills of a part that may be among the best: of `limit` at least, ties included.

    Terms are gone through by what they can add. Once no skill can come in that has only what is left, the rest is
    looked up for those alone that are in (`MaxScore`; the result is that of going through all).
    """
    terms = sorted(_entries(part, factors), key=lambda term: -term.most)
    left = [*accumulate((term.most for term in reversed(terms)), initial=0)][::-1]
    scores: dict[int, int] = {}
    at = 0
    while at < len(terms) and left[at] >= floor:
        _add(scores, terms[at], layer)
        at += 1
        if len(scores) >= limit and left[at] * 2 < left[0]:
            floor = max(floor, nlargest(limit, scores.values())[-1])
    while at < len(terms):
        scores = {slot: score for slot, score in scores.items() if score + left[at] >= floor}
        _look_up(scores, terms[at])
        at += 1
        if len(scores) > limit:
            floor = max(floor, nlargest(limit, scores.values())[-1])
    return {slot: score for slot, score in scores.items() if score >= floor}


def _entries(part: Postings, factors: Mapping[str, int]) -> Iterator[_Entries]:
    for term, factor in factors.items():
        found = part.find(term)
        if found.heavy:
            yield _Entries(found.heavy, factor, factor * found.heaviest)
        if found.light:
            yield _Entries(found.light, factor, factor * found.heaviest_light)


def _add(scores: dict[int, int], term: _Entries, layer: _Seen) -> None:
    """Add what a term says of all skills that may be hits."""
    factor, among = term.factor, layer.among
    score_of = scores.get
    if among is None:
        for entry in term.entries:
            slot = entry >> WEIGHT_BITS
            scores[slot] = score_of(slot, 0) + factor * (entry & HEAVIEST)
        for slot in layer.withheld & scores.keys():
            del scores[slot]
    elif len(among) * _LOOK_UP < len(term.entries):
        for slot in among:
            weight = weight_of(term.entries, slot)
            if weight:
                scores[slot] = score_of(slot, 0) + factor * weight
    else:
        for entry in term.entries:
            slot = entry >> WEIGHT_BITS
            if slot in among:
                scores[slot] = score_of(slot, 0) + factor * (entry & HEAVIEST)


def _look_up(scores: dict[int, int], term: _Entries) -> None:
    """Add what a term says of the skills that have a score."""
    if len(scores) * _LOOK_UP < len(term.entries):
        for slot in scores:
            scores[slot] += term.factor * weight_of(term.entries, slot)
    else:
        for entry in term.entries:
            slot = entry >> WEIGHT_BITS
            if slot in scores:
                scores[slot] += term.factor * (entry & HEAVIEST)

"""Search without an index: what answers while there is none for a generation, by the rarity of words alone. Pure.

The rule is OpenAI4S's smoothed IDF over the terms of `parsing.words`: a term counts once where it is in a skill, and
half as much again where it is in the summary; no counts, no lengths. It goes through all skills, so it
is for a while, or for an older generation.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest

from skillsvc.catalog.layer_index import LayerIndex
from skillsvc.catalog.listing import Invoker, may_begin
from skillsvc.catalog.search import NOTHING_KNOWN, Hit, allowed_in, learned_factor, rarity
from skillsvc.catalog.weights import texts_of
from skillsvc.domain.generation import Row
from skillsvc.domain.skill import Skill
from skillsvc.domain.view import View
from skillsvc.parsing.words import Words, words_of_query

_OF_SUMMARY = 1.5
_BEGINNING = 3


@dataclass(frozen=True, slots=True)
class PlainTerms:
    """The terms of a skill: of its summary, which is its name and its description, and of all it says."""

    summary: frozenset[str]
    everything: frozenset[str]


_NOTHING = PlainTerms(frozenset(), frozenset())


def terms_of_skill(skill: Skill, body: str, words: Words) -> PlainTerms:
    """Return the terms of a skill; `body` is "" where it is not at hand."""
    summary = _summary_of(skill, words)
    texts = (text for text in (*texts_of(skill).values(), body) if text)
    return PlainTerms(summary, summary.union(*map(words.count, texts)))


class SaidByIndexes:
    """What skills say of some terms, as indexes know it, of whichever generations: no body is read for it."""

    def __init__(self, indexes: Iterable[LayerIndex], terms: Iterable[str], words: Words) -> None:
        """Look the terms up; it takes the longer the more skills have them."""
        self._words = words
        self._terms = frozenset(terms)
        self._indexes = tuple((index.slots, _having(index, self._terms)) for index in indexes)

    def of(self, row: Row) -> PlainTerms | None:
        """Return what a skill says of the terms, None where no index has it."""
        for slots, having in self._indexes:
            slot = slots.get(row.bundle.digest)
            if slot is not None:
                said = having.get(slot)
                if said is None:
                    return _NOTHING
                return PlainTerms(_summary_of(row.bundle.skill, self._words) & self._terms, frozenset(said))
        return None


def summary_terms(skill: Skill, terms: Iterable[str], words: Words) -> PlainTerms:
    """Return what the summary of a skill says of terms, where there are too many skills to go through what each says.

    Where nothing in it begins as any of the terms do it says nothing, which misses spelt signs: `cpp` for `c++`.
    """
    text = f"{skill.name}\n{skill.description}".casefold()
    if not any(term[:_BEGINNING] in text for term in terms):
        return _NOTHING
    summary = _summary_of(skill, words)
    return PlainTerms(summary, summary)


def plain_search(
    view: View,
    said_by: Callable[[Row], PlainTerms],
    query: str,
    *,
    limit: int,
    allow: frozenset[str] | None = None,
    invoker: Invoker = Invoker.ANY,
    known: Mapping[str, float] = NOTHING_KNOWN,
) -> tuple[Hit, ...]:
    """Return the skills that fit a query best, `limit` at most: by score, those of no collection first, by name.

    Statistics are of all that the view lists, whatever a request leaves of it. `known` is as in `catalog.search`.
    """
    # What is disabled counts, so that no other score changes, and is no hit.
    counted = replace(view, disabled=frozenset()) if view.disabled else view
    held = [(row, said_by(row)) for row in counted.listed()]
    terms = plain_terms(query)
    worth = rarities(terms, [said for _row, said in held])
    names = allowed_in(view, allow)
    scored = (
        (plain_score(terms, worth, said) * learned_factor(known.get(row.name, 0.0)), row)
        for row, said in held
        if (names is None or row.name in names) and row.name not in view.disabled and may_begin(row, invoker)
    )
    hits = ((score, row) for score, row in scored if score > 0)
    first = nsmallest(limit, hits, key=lambda hit: (-hit[0], bool(hit[1].found.collection), hit[1].name))
    return tuple(Hit(row=row, score=score, terms=worth) for score, row in first)


def plain_terms(query: str) -> tuple[str, ...]:
    """Return the terms of a query, sorted: those of one letter or digit only where there are none but such."""
    terms = {word.term for word in words_of_query(query)}
    return tuple(sorted({term for term in terms if len(term) > 1 or not term.isascii()} or terms))


def rarities(terms: Iterable[str], skills: Sequence[PlainTerms]) -> Mapping[str, float]:
    """Return what each term is worth among skills."""
    return {term: rarity(len(skills), sum(term in each.everything for each in skills)) for term in terms}


def plain_score(terms: Sequence[str], worth: Mapping[str, float], said: PlainTerms) -> float:
    """Return how well a skill fits; terms are added in their order, so that equal sets are equal to the last bit."""
    in_all = sum(worth[term] for term in terms if term in said.everything)
    return in_all + _OF_SUMMARY * sum(worth[term] for term in terms if term in said.summary)


def _summary_of(skill: Skill, words: Words) -> frozenset[str]:
    return frozenset(words.count(f"{skill.name}\n{skill.description}"))


def _having(index: LayerIndex, terms: Iterable[str]) -> Mapping[int, list[str]]:
    """Return which of the terms each skill has, by its slot."""
    having: dict[int, list[str]] = {}
    for part in index.parts:
        for term in terms:
            for slot in part.slots_of(term):
                having.setdefault(slot, []).append(term)
    return having

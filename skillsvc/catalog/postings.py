"""Postings: which skills have a term, and how much it says of each. Packed, immutable, pure.

A million terms in dictionaries would take ten times what they are. So the terms are one string of bytes, sorted and
found by bisection, and all that is said of skills is one array of numbers: a skill's slot and what the term weighs
there, in 4 bytes. Of each term the entries that weigh much come first, so that a search rarely has to go through
the others.
"""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import groupby
from operator import itemgetter

WEIGHT_BITS = 12
HEAVIEST = (1 << WEIGHT_BITS) - 1
MOST_SLOTS = 1 << (32 - WEIGHT_BITS)
_MASK = HEAVIEST
_PARTED_BY = 3
"""Letters that terms are parted by before they are sorted."""


@dataclass(frozen=True, slots=True)
class Entries:
    """What is said of one term: `heavy` and `light` entries, each ascending by slot, and the most that any weighs."""

    heavy: Sequence[int]
    light: Sequence[int]
    heaviest: int
    heaviest_light: int

    def __len__(self) -> int:
        """Return how many skills have the term."""
        return len(self.heavy) + len(self.light)


NO_ENTRIES = Entries((), (), 0, 0)
_NOTHING: Sequence[int] = ()


def weight_of(entries: Sequence[int], slot: int, first: int = 0, end: int | None = None) -> int:
    """Return what entries, ascending from the first to before the end, say of a slot, 0 where they say nothing."""
    end = len(entries) if end is None else end
    at = bisect_left(entries, slot << WEIGHT_BITS, first, end)
    return entries[at] & _MASK if at < end and entries[at] >> WEIGHT_BITS == slot else 0


@dataclass(frozen=True, slots=True)
class Postings:
    """The terms of some skills: made by `postings_of` and `merged`.

    `_starts` says where each term begins in `_terms`, `_firsts` where its entries begin in `_entries`, `_lights` where
    the light ones of these do; each has one more for the end.
    """

    _terms: bytes
    _starts: "array[int]"
    _firsts: "array[int]"
    _lights: "array[int]"
    _heaviest: "array[int]"
    _heaviest_light: "array[int]"
    _entries: "array[int]"

    def __len__(self) -> int:
        """Return how many terms there are."""
        return len(self._starts) - 1

    @property
    def taken_bytes(self) -> int:
        """What it takes in memory, roughly."""
        arrays = (self._starts, self._firsts, self._lights, self._heaviest, self._heaviest_light, self._entries)
        return len(self._terms) + sum(each.itemsize * len(each) for each in arrays)

    def find(self, term: str) -> Entries:
        """Return what is said of a term, no entries where nothing is."""
        at = self._at_or_after(encoded := _encoded(term))
        return self.entries_at(at) if at < len(self) and self._term_at(at) == encoded else NO_ENTRIES

    def count(self, term: str) -> int:
        """Return how many skills have a term."""
        at = self._at_or_after(encoded := _encoded(term))
        return self._firsts[at + 1] - self._firsts[at] if at < len(self) and self._term_at(at) == encoded else 0

    def weight(self, term: str, slot: int) -> int:
        """Return what a term weighs in one skill, 0 where it has none of it."""
        at = self._at_or_after(encoded := _encoded(term))
        if at == len(self) or self._term_at(at) != encoded:
            return 0
        first, light, end = self._firsts[at], self._lights[at], self._firsts[at + 1]
        return weight_of(self._entries, slot, first, light) or weight_of(self._entries, slot, light, end)

    def slots_of(self, term: str) -> Iterator[int]:
        """Yield the slots of the skills that have a term."""
        found = self.find(term)
        return (entry >> WEIGHT_BITS for half in (found.heavy, found.light) for entry in half)

    def slots_by_term(self) -> Iterator[tuple[str, Iterator[int]]]:
        """Yield all terms with the slots of the skills that have them."""
        for term, entries in self.items():
            yield _decoded(term), (entry >> WEIGHT_BITS for half in (entries.heavy, entries.light) for entry in half)

    def terms(self, prefix: str = "") -> Iterator[str]:
        """Yield the terms that begin with a prefix, ascending by their bytes."""
        encoded = _encoded(prefix)
        for at in range(self._at_or_after(encoded), len(self)):
            term = self._term_at(at)
            if not term.startswith(encoded):
                return
            yield _decoded(term)

    def items(self) -> Iterator[tuple[bytes, Entries]]:
        """Yield all terms, encoded, with what is said of them, ascending by their bytes."""
        return ((self._term_at(at), self.entries_at(at)) for at in range(len(self)))

    def _term_at(self, at: int) -> bytes:
        return self._terms[self._starts[at] : self._starts[at + 1]]

    def _at_or_after(self, encoded: bytes) -> int:
        return bisect_left(range(len(self)), encoded, key=self._term_at)

    def places(self, number: int) -> Iterator[tuple[bytes, int, int]]:
        """Yield all terms, encoded, ascending by their bytes, each with a number of the caller's and its own place."""
        return ((self._term_at(at), number, at) for at in range(len(self)))

    def entries_at(self, at: int) -> Entries:
        """Return what is said of the term at a place."""
        first, light, end = self._firsts[at], self._lights[at], self._firsts[at + 1]
        return Entries(
            self._entries[first:light], self._entries[light:end], self._heaviest[at], self._heaviest_light[at]
        )


def postings_of(skills: Iterable[tuple[int, Mapping[str, int]]], *, heavy: int) -> Postings:
    """Return the postings of skills: slots, ascending, each with what its terms weigh, 1 to 4095.

    Entries that weigh `heavy` or more come first.
    """
    heavies: dict[str, array[int]] = {}
    lights: dict[str, array[int]] = {}
    for slot, terms in skills:
        base = slot << WEIGHT_BITS
        for term, weight in terms.items():
            kind = heavies if weight >= heavy else lights
            entries = kind.get(term)
            if entries is None:
                kind[term] = array("I", (base | weight,))
            else:
                entries.append(base | weight)
    packing = _Packing()
    for term in _ascending(heavies.keys() | lights.keys()):
        packing.add(_encoded(term), heavies.pop(term, _NOTHING), lights.pop(term, _NOTHING))
    return packing.packed()


def merged(parts: Sequence[Postings], slots: Mapping[int, int] | None = None) -> Postings:
    """Return the postings of several as one; the slots of each must be above those of the part before it.

    With `slots` each slot becomes what it maps to, in the same order; what it does not map is left out.
    """
    terms = merge(*(part.places(number) for number, part in enumerate(parts)))
    packing = _Packing()
    for term, same in groupby(terms, key=itemgetter(0)):
        held = [parts[number].entries_at(at) for _term, number, at in same]
        if slots is not None:
            packing.add(
                term,
                [entry for entries in held for entry in _moved(entries.heavy, slots)],
                [entry for entries in held for entry in _moved(entries.light, slots)],
            )
        else:
            packing.add_as_said(term, held)
    return packing.packed()


def _ascending(terms: Iterable[str]) -> Iterator[str]:
    """Yield terms ascending, which is by their bytes in UTF-8 too.

    Sorting stops all other threads: some hundreds of terms at a time stop nobody for long.
    """
    parted: defaultdict[str, list[str]] = defaultdict(list)
    for term in terms:
        parted[term[:_PARTED_BY]].append(term)
    for beginning in sorted(parted):
        yield from sorted(parted.pop(beginning))


def _moved(entries: Iterable[int], slots: Mapping[int, int]) -> Iterator[int]:
    for entry in entries:
        slot = slots.get(entry >> WEIGHT_BITS)
        if slot is not None:
            yield slot << WEIGHT_BITS | entry & _MASK


class _Packing:
    """Postings while they are made, of terms that come ascending by their bytes."""

    __slots__ = ("_entries", "_firsts", "_heaviest", "_heaviest_light", "_lights", "_names", "_starts")

    def __init__(self) -> None:
        self._names = bytearray()
        self._starts, self._firsts = array("I", (0,)), array("I", (0,))
        self._lights, self._entries = array("I"), array("I")
        self._heaviest, self._heaviest_light = array("H"), array("H")

    def add(self, name: bytes, heavy: Sequence[int], light: Sequence[int]) -> None:
        """Add a term; of one that no skill has nothing is kept."""
        if not heavy and not light:
            return
        entries = self._entries
        self._names += name
        self._starts.append(len(self._names))
        entries.extend(heavy)
        self._lights.append(len(entries))
        entries.extend(light)
        self._firsts.append(len(entries))
        self._heaviest.append(max(map(_MASK.__and__, heavy)) if heavy else 0)
        self._heaviest_light.append(max(map(_MASK.__and__, light)) if light else 0)

    def add_as_said(self, name: bytes, parts: Sequence[Entries]) -> None:
        """Add a term by what parts say of it, each of higher slots than the one before."""
        entries = self._entries
        self._names += name
        self._starts.append(len(self._names))
        for part in parts:
            entries.extend(part.heavy)
        self._lights.append(len(entries))
        for part in parts:
            entries.extend(part.light)
        self._firsts.append(len(entries))
        self._heaviest.append(max([part.heaviest for part in parts]))
        self._heaviest_light.append(max([part.heaviest_light for part in parts]))

    def packed(self) -> Postings:
        """Return them."""
        return Postings(
            bytes(self._names),
            self._starts,
            self._firsts,
            self._lights,
            self._heaviest,
            self._heaviest_light,
            self._entries,
        )


def _encoded(term: str) -> bytes:
    """Encode a term; a lone surrogate, which no text from outside has, is kept too."""
    return term.encode(errors="surrogatepass")


def _decoded(term: bytes) -> str:
    return term.decode(errors="surrogatepass")

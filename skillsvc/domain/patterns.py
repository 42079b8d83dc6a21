"""Patterns that a whole text must fit: exact, or with `*` for what is not known.

`*` stands for any run of characters without `/`, `**` for any run at all, so that a pattern of a path says how deep it
goes. `*` alone fits every text. Nothing else is special. A text longer than `LONGEST_TEXT` fits itself and `*` alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

LONGEST_TEXT: Final = 256
"""Characters that are looked through, no fewer than a principal has: what a caller shows may be as long as a header."""
_EVERYTHING: Final = frozenset({"*", "**"})
_STARS: Final = re.compile(r"\*+")
_STEP: Final = re.compile(r"\*+|[^*]", re.DOTALL)


class _Automaton(NamedTuple):
    """States as bits, bit n for "n tokens are matched". Regular expressions would backtrack, for hours if one asks."""

    literals: Mapping[str, int]
    """By character, the states that it leads on from."""
    runs: int
    """The states that stay as they are by any character."""
    runs_within: int
    """Those that do by any but `/`."""
    end: int

    def fits(self, text: str) -> bool:
        literals, runs, runs_within, end = self
        stars = runs | runs_within
        states = 1 | (1 & stars) << 1
        for character in text:
            staying = states & (runs if character == "/" else stars)
            states = staying | (states & literals.get(character, 0)) << 1
            # A star also stands for nothing.
            states |= (states & stars) << 1
            if not states:
                return False
        return bool(states & end)


class _Starred(NamedTuple):
    """What a pattern with stars says. Where they are all of one kind, each piece counts where it is found first.

    A later one would only make the stars before it longer, and where these stop at `/` reach as far.
    """

    lead: str
    tail: str
    pieces: tuple[str, ...]
    """What is between the stars, in order."""
    is_within: bool
    """Whether all stars stop at `/`."""
    mixed: _Automaton | None
    """From the first star to the last, where some stop and some do not: pieces alone do not tell then."""

    def fits(self, text: str) -> bool:
        at, end = len(self.lead), len(text) - len(self.tail)
        if len(text) > LONGEST_TEXT or at > end or not (text.startswith(self.lead) and text.endswith(self.tail)):
            return False
        begin = at
        for piece in self.pieces:
            found = text.find(piece, at, end)
            if found < 0 or (self.is_within and text.find("/", at, found) >= 0):
                return False
            at = found + len(piece)
        if self.mixed is not None:
            return self.mixed.fits(text[begin:end])
        return not self.is_within or text.find("/", at, end) < 0


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern; every text is one. Judging takes time in proportion to what is judged, whatever it holds."""

    text: str
    _starred: _Starred | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Understand it once."""
        whole = self.is_exact or self.text in _EVERYTHING
        object.__setattr__(self, "_starred", None if whole else _starred(self.text))

    @property
    def is_exact(self) -> bool:
        """Whether one text fits alone."""
        return "*" not in self.text

    @property
    def lead(self) -> str:
        """What every text begins with that fits."""
        return self.text.partition("*")[0]

    @property
    def tail(self) -> str:
        """What every text ends with that fits."""
        return self.text.rpartition("*")[2]

    @property
    def held(self) -> frozenset[str]:
        """What every text holds that fits."""
        return frozenset(filter(None, self.text.split("*")))

    def fits(self, text: str) -> bool:
        """Tell whether the whole text is of the pattern."""
        if self._starred is None:
            return text == self.text or self.text in _EVERYTHING
        return self._starred.fits(text)


def _starred(text: str) -> _Starred:
    lead, *pieces, tail = _STARS.split(text)
    stars = {star == "*" for star in _STARS.findall(text)}
    steps = _STEP.findall(text[len(lead) : len(text) - len(tail)])
    return _Starred(
        lead=lead,
        tail=tail,
        pieces=tuple(pieces),
        is_within=stars == {True},
        mixed=_automaton(steps) if len(stars) > 1 else None,
    )


def _automaton(steps: Sequence[str]) -> _Automaton:
    literals: dict[str, int] = {}
    runs = runs_within = 0
    bit = 1
    for each in steps:
        if each == "*":
            runs_within |= bit
        elif each.startswith("*"):
            runs |= bit
        else:
            literals[each] = literals.get(each, 0) | bit
        bit <<= 1
    return _Automaton(literals=MappingProxyType(literals), runs=runs, runs_within=runs_within, end=bit)

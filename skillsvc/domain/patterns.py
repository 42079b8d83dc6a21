"""Patterns that a whole text must fit: exact, or with `*` for what is not known.

`*` stands for any run of characters without `/`, `**` for any run at all, so that a pattern of a path says how deep it
goes. `*` alone fits every text. Nothing else is special.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

_EVERYTHING: Final = frozenset({"*", "**"})
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
    tail: str
    """What every text ends with that fits: told at once, where the states take their time."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern; every text is one. Judging takes time in proportion to what is judged, whatever it holds."""

    text: str
    _automaton: _Automaton | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Understand it once."""
        exact = "*" not in self.text or self.text in _EVERYTHING
        object.__setattr__(self, "_automaton", None if exact else _automaton(self.text))

    @property
    def lead(self) -> str:
        """What every text begins with that fits."""
        return self.text.partition("*")[0]

    def fits(self, text: str) -> bool:
        """Tell whether the whole text is of the pattern."""
        if self._automaton is None:
            return text == self.text or self.text in _EVERYTHING
        literals, runs, runs_within, end, tail = self._automaton
        if not text.endswith(tail):
            return False
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


def _automaton(text: str) -> _Automaton:
    literals: dict[str, int] = {}
    runs = runs_within = 0
    bit = 1
    for each in _STEP.findall(text):
        if each == "*":
            runs_within |= bit
        elif each.startswith("*"):
            runs |= bit
        else:
            literals[each] = literals.get(each, 0) | bit
        bit <<= 1
    return _Automaton(
        literals=MappingProxyType(literals),
        runs=runs,
        runs_within=runs_within,
        end=bit,
        tail=text.rpartition("*")[2],
    )

"""Figures: what was measured in several rounds, and the bound it must keep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from typing_extensions import override


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A bound of performance.md: a figure must be at least, or at most, `value`."""

    value: float
    at_least: bool

    def is_kept_by(self, figure: float) -> bool:
        """Tell whether a figure keeps the bound."""
        return figure >= self.value if self.at_least else figure <= self.value

    @override
    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.value:g}"


def at_least(value: float) -> Bound:
    """Return the bound that a figure must reach."""
    return Bound(value=value, at_least=True)


def at_most(value: float) -> Bound:
    """Return the bound that a figure must not exceed."""
    return Bound(value=value, at_least=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of performance.md, or one told beside it, which then has no bound.

    `rounds` are the ratios (or absolute values) of the rounds, in their order; `unit` says of what to what. `measured`
    holds medians of what the ratios were made of, by name and unit. `note` says what a reader must know of the way it
    was measured.
    """

    number: str
    what: str
    unit: str
    rounds: tuple[float, ...]
    bound: Bound | None = None
    note: str = ""
    measured: Mapping[str, float] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """The value that is held against the bound."""
        return median(self.rounds)

    @property
    def met(self) -> bool | None:
        """Whether the bound is kept; None where there is none."""
        return None if self.bound is None else self.bound.is_kept_by(self.median)

    def as_json(self) -> dict[str, object]:
        """Return all of it for the file of results."""
        return {
            "figure": self.number,
            "what": self.what,
            "unit": self.unit,
            "min": min(self.rounds),
            "median": self.median,
            "max": max(self.rounds),
            "rounds": self.rounds,
            "bound": None if self.bound is None else str(self.bound),
            "met": self.met,
            "note": self.note,
            "measured": dict(self.measured),
        }


def ratios(numerators: Sequence[float], denominators: Sequence[float]) -> tuple[float, ...]:
    """Return the ratio of each round: both were measured one after the other, under the same noise."""
    return tuple(above / below for above, below in zip(numerators, denominators, strict=True))

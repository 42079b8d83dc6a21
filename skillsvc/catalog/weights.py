"""Weights: what each term of a skill weighs, by the fields it stands in and by how often. Pure.

A weight is of the skill alone: no statistics of a catalog enter it, so that it is computed once for a bundle, wherever
that is listed. What a term is worth among the skills of a caller is for the search to say. So each field has a pivot
in place of BM25's average length, and saturates by itself: a body that says a word a hundred times says no more than
that it is about it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, unique

from skillsvc.domain.skill import Skill
from skillsvc.parsing.words import Words

SCALE = 480
"""What a weight of 1 is as a number: the heaviest term there can be, one of all fields, must weigh less than 4096."""
HEAVY = 240
"""What is gone through first: one term of a skill in ten weighs as much."""


@unique
class Field(Enum):
    """A part of a skill that is searched."""

    NAME = "name"
    DESCRIPTION = "description"
    KEYWORDS = "keywords"
    CAPABILITIES = "capabilities"
    WHEN_TO_USE = "when_to_use"
    BODY = "body"


@dataclass(frozen=True, slots=True)
class Weighing:
    """How terms of one field weigh: at most `weight`, half of it at `half` occurrences in a text of `pivot` terms.

    `slope` is how much a longer text makes of that: 0 not at all, 1 in proportion.
    """

    weight: float
    half: float
    pivot: int
    slope: float

    def half_in(self, length: int) -> float:
        """Return how often a term must be in a text of `length` terms to weigh half of the most."""
        return self.half * (1 - self.slope + self.slope * length / self.pivot)

    def of(self, times: int, length: int) -> float:
        """Return what a term weighs that is `times` in a text of `length` terms."""
        return self.weight * times / (times + self.half_in(length))


WEIGHINGS: Mapping[Field, Weighing] = {
    Field.NAME: Weighing(2.1, 0.5, 4, 0.0),
    Field.DESCRIPTION: Weighing(0.75, 0.5, 40, 0.7),
    Field.KEYWORDS: Weighing(1.5, 0.6, 8, 0.3),
    Field.CAPABILITIES: Weighing(1.0, 0.6, 8, 0.3),
    Field.WHEN_TO_USE: Weighing(1.5, 0.8, 40, 0.5),
    Field.BODY: Weighing(1.4, 1.4, 450, 0.95),
}
"""Chosen on the half of the labelled queries that is for choosing (`tests/retrieval`), and rounded."""


def texts_of(skill: Skill) -> Mapping[Field, str]:
    """Return the text of each field that is searched but the body, which the skill does not hold."""
    return {
        Field.NAME: f"{skill.name} {skill.display_name}" if skill.display_name else skill.name,
        Field.DESCRIPTION: skill.description,
        Field.KEYWORDS: "\n".join(skill.keywords),
        Field.CAPABILITIES: "\n".join(skill.capabilities),
        Field.WHEN_TO_USE: skill.when_to_use,
    }


def weigh(skill: Skill, body: str, words: Words) -> Mapping[str, int]:
    """Return what each term of a skill weighs, in 1/480, always more than 0."""
    summary: dict[str, float] = {}
    for field, text in texts_of(skill).items():
        if text:
            counted = words.count(text)
            by_times = _by_times(field, counted)
            for term, times in counted.items():
                summary[term] = summary.get(term, 0.0) + by_times[times]
    in_body = words.count(body)
    by_times = _by_times(Field.BODY, in_body)
    rounded = {times: _rounded(weight) for times, weight in by_times.items()}
    # A body has hundreds of terms, most of them once or twice: no step of Python's for each.
    weights = dict(zip(in_body, map(rounded.__getitem__, in_body.values()), strict=True))
    for term, weight in summary.items():
        weights[term] = _rounded(weight + by_times.get(in_body[term], 0.0))
    return weights


def _by_times(field: Field, counted: Counter[str]) -> dict[int, float]:
    """Return what terms weigh in a field by how often they are in its text."""
    most, half = SCALE * WEIGHINGS[field].weight, WEIGHINGS[field].half_in(counted.total())
    return {times: most * times / (times + half) for times in set(counted.values())}


def _rounded(weight: float) -> int:
    return int(weight + 0.5) or 1


def matched_fields(skill: Skill, body: str, terms: Iterable[str], words: Words) -> tuple[Field, ...]:
    """Return the fields that have any of the terms, in the order of `Field`."""
    sought = frozenset(terms)
    texts = (*texts_of(skill).items(), (Field.BODY, body))
    return tuple(field for field, text in texts if text and not sought.isdisjoint(words.count(text)))

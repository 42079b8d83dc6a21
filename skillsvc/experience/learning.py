"""Learning: what becomes of a prior when an outcome is told. Pure; nothing here reads or raises trust."""

from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from skillsvc.domain.caps import flatten
from skillsvc.domain.prior import Prior

PATTERN_CHARACTERS: Final = 256
"""Of a task, its beginning is kept: so many code points, as in ARES."""
_REMEMBERED: Final = 100
"""An outcome counts for no less than one of so many, so that a skill that has changed is seen to have."""


@unique
class Rate(Enum):
    """What the success rate of a prior is."""

    SMOOTHED = "smoothed"
    """That of its outcomes, as if one success and one failure had come before: the fewer they are, the nearer to a
    half. One failure after a hundred successes takes little away."""
    LAST = "last"
    """That of its last outcome, as in ARES."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a skill did at a task: 0 for failure, 1 for success, or between."""

    skill: str
    task_pattern: str
    success_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How many priors are kept: of one partition, and of one principal in all its projects."""

    partition: int
    principal: int


def pattern_of(task: str) -> str:
    """Return what a prior keeps of a task: its beginning on one line, "" where that is blank."""
    pattern = flatten(task[:PATTERN_CHARACTERS])
    return pattern if pattern.strip() else ""


def learned(before: Prior | None, outcome: Outcome) -> Prior:
    """Return the prior of a skill at a task after one outcome more."""
    outcomes = 1 if before is None else before.outcomes + 1
    mean = 0.0 if before is None else before.mean
    return Prior(
        skill=outcome.skill,
        task_pattern=outcome.task_pattern,
        success_rate=outcome.success_rate,
        mean=mean + (outcome.success_rate - mean) / min(outcomes, _REMEMBERED),
        outcomes=outcomes,
    )


def rate_of(prior: Prior, rate: Rate) -> float:
    """Return the success rate of a prior, from 0 to 1: how sure one is of the skill."""
    if rate is Rate.LAST:
        return prior.success_rate
    counted = remembered(prior)
    return smoothed(prior.mean * counted, counted)


def remembered(prior: Prior) -> int:
    """Return how many outcomes a prior stands for: those that came, a hundred at most."""
    return min(prior.outcomes, _REMEMBERED)


def smoothed(successes: float, outcomes: int) -> float:
    """Return the rate of so many outcomes by the rule of succession."""
    return (successes + 1) / (outcomes + 2)

"""Matching: which priors are about a task, by ARES's rule. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from skillsvc.domain.prior import Prior
from skillsvc.experience.learning import Rate, rate_of, remembered, smoothed

_TOKEN: Final = re.compile(r"[a-z0-9_-]+")
_FEW: Final = 4
"""A task of fewer tokens is compared as a text: one holds the other or not."""
_ENOUGH: Final = 0.5


@dataclass(frozen=True, slots=True)
class KnownPrior:
    """A prior, with what its pattern is compared by."""

    prior: Prior
    text: str
    tokens: frozenset[str]


def known(prior: Prior) -> KnownPrior:
    """Return a prior ready to be compared."""
    text = prior.task_pattern.lower()
    return KnownPrior(prior, text, frozenset(_TOKEN.findall(text)))


@dataclass(frozen=True, slots=True)
class _Task:
    text: str
    tokens: Mapping[str, int]
    size: int


def score(task: str, pattern: str) -> float:
    """Return how well a pattern fits a task, from 0 to 1.

    The task alone decides how it is compared. One of fewer than four tokens (runs of `a-z 0-9 _ -`, none in scripts
    without Latin letters) fits by 1 where either text holds the other. Of a longer one it is the share of its tokens
    that the pattern has, repeated ones counted.
    """
    prior = Prior(skill="", task_pattern=pattern, success_rate=0, mean=0, outcomes=1)
    asked = _task_of(task)
    return _score(asked, known(prior)) if asked.text else 0.0


def best_match(priors: Iterable[KnownPrior], task: str, may_be: Callable[[str], bool]) -> Prior | None:
    """Return the prior that fits a task best, None where none fits by a half or more.

    Of equal ones it is the first that is given, which is the oldest; how its skill did plays no part.

    Args:
        priors: Oldest first.
        task: Whole; blank fits nothing.
        may_be: Tells whether a skill of a name may be told of.
    """
    best, most = None, 0.0
    for prior, fits in _fitting(priors, task):
        if fits > most and may_be(prior.skill):
            best, most = prior, fits
    return best


def weights_at(priors: Iterable[KnownPrior], task: str, rate: Rate) -> Mapping[str, float]:
    """Return what is known of skills at a task: from -1 for sure failure to 1 for sure success, by their names.

    Of each skill it is the prior that fits best, the oldest of equal ones, and counts as much as it fits. What nothing
    is known of is not in it, which is as much as 0.
    """
    best: dict[str, tuple[float, Prior]] = {}
    for prior, fits in _fitting(priors, task):
        if fits > best.get(prior.skill, (0.0, prior))[0]:
            best[prior.skill] = (fits, prior)
    return {skill: fits * _leaning(rate_of(prior, rate)) for skill, (fits, prior) in best.items()}


def weights_of_all(priors: Iterable[KnownPrior], rate: Rate) -> Mapping[str, float]:
    """Return what is known of skills whatever the task, as `weights_at`: their outcomes, or last ones, together."""
    sums: dict[str, tuple[float, int]] = {}
    for each in priors:
        prior = each.prior
        counted = remembered(prior) if rate is Rate.SMOOTHED else 1
        successes = prior.mean * counted if rate is Rate.SMOOTHED else prior.success_rate
        before, outcomes = sums.get(prior.skill, (0.0, 0))
        sums[prior.skill] = (before + successes, outcomes + counted)
    rate_in_all = smoothed if rate is Rate.SMOOTHED else _share
    return {skill: _leaning(rate_in_all(*told)) for skill, told in sums.items()}


def _fitting(priors: Iterable[KnownPrior], task: str) -> Iterator[tuple[Prior, float]]:
    asked = _task_of(task)
    if not asked.text:
        return
    for prior in priors:
        fits = _score(asked, prior)
        if fits >= _ENOUGH:
            yield prior.prior, fits


def _task_of(task: str) -> _Task:
    text = task.strip().lower()
    tokens = Counter(_TOKEN.findall(text))
    return _Task(text, tokens, tokens.total())


def _score(task: _Task, prior: KnownPrior) -> float:
    if task.size < _FEW:
        return 1.0 if task.text in prior.text or prior.text in task.text else 0.0
    return sum(task.tokens.get(token, 0) for token in prior.tokens) / task.size


def _leaning(rate: float) -> float:
    return 2 * rate - 1


def _share(successes: float, outcomes: int) -> float:
    return successes / outcomes

"""Priors: what outcomes taught about a skill at a kind of task (product.md, "Words")."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """What is known of a skill at a task: `{skill, task_pattern, success_rate}`, and how often it was told of.

    It says how well something did, never what it may do: no trust is ever read from it. Rates go from 0 for failure to
    1 for success. `task_pattern` is the beginning of the task, on one line; `success_rate` is the last outcome's,
    `mean` that of the outcomes so far, where one counts for no less than a hundredth, and `outcomes` is their number.
    """

    skill: str
    task_pattern: str
    success_rate: float
    mean: float
    outcomes: int

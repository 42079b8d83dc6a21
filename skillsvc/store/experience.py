"""Priors in a table: a row for each skill at each task, whose key grows, so that the lowest is the oldest.

As of `store.requests`: everything runs inside the caller's transaction, and SQLite's errors pass.
"""

import sqlite3
from typing import Final

from skillsvc.domain.partition import Partition
from skillsvc.domain.prior import Prior
from skillsvc.experience.learning import Outcome, Room, learned

_READ: Final = """
    SELECT skill, task_pattern, success_rate, mean, outcomes FROM prior
    WHERE principal = ? AND project = ? ORDER BY id
"""
_FIND: Final = """
    SELECT id, success_rate, mean, outcomes FROM prior
    WHERE principal = ? AND project = ? AND skill = ? AND task_pattern = ?
"""
_REPLACE: Final = "UPDATE prior SET success_rate = ?, mean = ?, outcomes = ? WHERE id = ?"
_FORGET_OF_PARTITION: Final = """
    DELETE FROM prior WHERE id IN (
        SELECT id FROM prior WHERE principal = ? AND project = ? ORDER BY id DESC LIMIT -1 OFFSET ?
    )
"""
_FORGET_OF_PRINCIPAL: Final = """
    DELETE FROM prior WHERE id IN (SELECT id FROM prior WHERE principal = ? ORDER BY id DESC LIMIT -1 OFFSET ?)
"""
# The key is one more than the highest: what is forgotten is never younger than what stays.
_INSERT: Final = """
    INSERT INTO prior (principal, project, skill, task_pattern, success_rate, mean, outcomes)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""


def read_priors(connection: sqlite3.Connection, partition: Partition) -> tuple[Prior, ...]:
    """Read the priors of a partition, oldest first."""
    return tuple(
        Prior(skill=skill, task_pattern=pattern, success_rate=rate, mean=mean, outcomes=outcomes)
        for skill, pattern, rate, mean, outcomes in connection.execute(_READ, partition)
    )


def learn(connection: sqlite3.Connection, partition: Partition, outcome: Outcome, room: Room) -> None:
    """Write what becomes of a prior after an outcome, as `ExperienceLog.report` says."""
    named = (outcome.skill, outcome.task_pattern)
    held = connection.execute(_FIND, (*partition, *named)).fetchone()
    if held is None:
        prior = learned(None, outcome)
        connection.execute(_FORGET_OF_PARTITION, (*partition, room.partition - 1))
        connection.execute(_FORGET_OF_PRINCIPAL, (partition.principal, room.principal - 1))
        connection.execute(_INSERT, (*partition, *named, prior.success_rate, prior.mean, prior.outcomes))
        return
    key, rate, mean, outcomes = held
    before = Prior(
        skill=outcome.skill, task_pattern=outcome.task_pattern, success_rate=rate, mean=mean, outcomes=outcomes
    )
    prior = learned(before, outcome)
    connection.execute(_REPLACE, (prior.success_rate, prior.mean, prior.outcomes, key))

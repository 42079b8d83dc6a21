"""What a layer holds back, and the number of what it was last replaced with, in tables.

As of `store.layers`: everything runs inside the caller's transaction, and SQLite's errors pass.
"""

import sqlite3
from collections.abc import Collection
from typing import Final

from skillsvc.domain.partition import Partition

_DELETE: Final = "DELETE FROM tombstone WHERE layer = (SELECT id FROM layer WHERE principal = ? AND project = ?)"
_INSERT: Final = """
    INSERT INTO tombstone (layer, name) VALUES ((SELECT id FROM layer WHERE principal = ? AND project = ?), ?)
"""
_MARK: Final = "UPDATE layer SET log_generation = ? WHERE principal = ? AND project = ?"


def replace_tombstones(connection: sqlite3.Connection, partition: Partition, names: Collection[str]) -> None:
    """Let these names be all that are revoked of a layer that there is."""
    connection.execute(_DELETE, partition)
    connection.executemany(_INSERT, ((*partition, name) for name in sorted(names)))


def mark_replaced(connection: sqlite3.Connection, partition: Partition, log_generation: int) -> None:
    """Remember the number that the log of others gave to what a layer was last replaced with."""
    connection.execute(_MARK, (log_generation, *partition))

"""What operators say of skills, in a table. As of `store.layers`: all runs inside the caller's transaction."""

import sqlite3
from collections.abc import Iterable
from typing import Final

from skillsvc.domain.enablement import Audience, State, Word
from skillsvc.domain.partition import Partition
from skillsvc.store.encoding import decode_instant, encode_instant

_WORDS: Final = "SELECT principal, project, session, name, enabled, set_at FROM enablement"
_PUT: Final = """
    INSERT INTO enablement (principal, project, session, name, enabled, set_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET enabled = excluded.enabled, set_at = excluded.set_at
"""
_DELETE: Final = "DELETE FROM enablement WHERE principal = ? AND project = ? AND session = ? AND name = ?"


def read_words(connection: sqlite3.Connection) -> tuple[Word, ...]:
    """Read all that is said."""
    return tuple(
        Word(
            Audience(Partition(principal, project), session),
            name,
            State.ENABLED if enabled else State.DISABLED,
            decode_instant(set_at),
        )
        for principal, project, session, name, enabled, set_at in connection.execute(_WORDS)
    )


def put_words(connection: sqlite3.Connection, words: Iterable[Word]) -> None:
    """Write what is said, each in the place of what was said before of the name to the audience."""
    for word in words:
        key = (*word.audience.partition, word.audience.session, word.name)
        if word.state is State.INHERITED:
            connection.execute(_DELETE, key)
        else:
            connection.execute(_PUT, (*key, word.state is State.ENABLED, encode_instant(word.set_at)))

"""Request ids in a table: what each stands for, and how they are forgotten.

Everything here runs inside the caller's transaction and lets SQLite's errors pass; `SqliteStore` translates them.
"""

import sqlite3
from datetime import datetime, timedelta
from typing import Final

from skillsvc.catalog.log import RequestKey, RequestRecord
from skillsvc.domain.partition import Partition
from skillsvc.store.encoding import decode_instant, encode_instant

_FORGET_OLD_OF_ONE: Final = "DELETE FROM request WHERE principal = ? AND project = ? AND rpc = ? AND at < ?"
_FORGET_BEYOND_OF_ONE: Final = """
    DELETE FROM request WHERE id IN (
        SELECT id FROM request WHERE principal = ? AND project = ? AND rpc = ?
        ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?
    )
"""
_FORGET_OLD: Final = "DELETE FROM request WHERE id IN (SELECT id FROM request WHERE at < ? ORDER BY at LIMIT ?)"
_FORGET_BEYOND: Final = """
    DELETE FROM request WHERE id IN (SELECT id FROM request ORDER BY at DESC, id DESC LIMIT ? OFFSET ?)
"""
_FIND: Final = """
    SELECT arguments, answer, at, issued FROM request
    WHERE principal = ? AND project = ? AND rpc = ? AND request_id = ?
"""
_FIND_ISSUED: Final = """
    SELECT arguments, answer, at, issued FROM request
    WHERE principal = ? AND project = ? AND issued = ? AND at >= ? ORDER BY id DESC LIMIT 1
"""
_INSERT: Final = """
    INSERT OR REPLACE INTO request (principal, project, rpc, request_id, arguments, answer, at, issued)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_SWEEP_EVERY: Final = timedelta(minutes=1)
_SWEPT_AT_ONCE: Final = 1_000
"""How many ids of others a call forgets at most, so that none waits for very many."""


def insert_request(connection: sqlite3.Connection, key: RequestKey, record: RequestRecord) -> None:
    """Let a request id stand for this record from now on."""
    caller = key.caller
    name = (caller.principal, caller.project, key.rpc, key.request_id)
    issued = record.issued or None
    connection.execute(_INSERT, (*name, record.arguments, record.answer, encode_instant(record.at), issued))


def record_request(
    connection: sqlite3.Connection, key: RequestKey, record: RequestRecord, *, oldest: datetime, at_most: int
) -> RequestRecord:
    """Return what a request id stands for, and forget what is too old or too much, as `RequestLog.record` says.

    Where it stood for nothing, that is the very record that was given.
    """
    scope = (key.caller.principal, key.caller.project, key.rpc)
    connection.execute(_FORGET_OLD_OF_ONE, (*scope, encode_instant(oldest)))
    held = connection.execute(_FIND, (*scope, key.request_id)).fetchone()
    # The newcomer is held whatever its time says, so room is made before it comes.
    connection.execute(_FORGET_BEYOND_OF_ONE, (*scope, at_most if held else at_most - 1))
    if held is None:
        insert_request(connection, key, record)
        return record
    return _record_of(held)


def find_issued(
    connection: sqlite3.Connection, caller: Partition, issued: str, *, oldest: datetime
) -> RequestRecord | None:
    """Return the record whose answer gave out an id, as `RequestLog.find_issued` says."""
    held = connection.execute(_FIND_ISSUED, (*caller, issued, encode_instant(oldest))).fetchone()
    return None if held is None else _record_of(held)


class RequestSweep:
    """Forgets the ids of callers who ask no more: anybody may name any number of projects, each with ids of its own."""

    def __init__(self, at_most: int) -> None:
        """Keep so many ids of all callers together, the newest."""
        self._at_most = at_most
        self._swept_at: datetime | None = None

    def sweep(self, connection: sqlite3.Connection, *, now: datetime, oldest: datetime) -> None:
        """Forget what is older than `oldest` or too much, if that is due; what is left over, at the next call."""
        every = min(_SWEEP_EVERY, now - oldest)
        if self._swept_at is not None and timedelta() <= now - self._swept_at < every:
            return
        old = connection.execute(_FORGET_OLD, (encode_instant(oldest), _SWEPT_AT_ONCE)).rowcount
        beyond = connection.execute(_FORGET_BEYOND, (_SWEPT_AT_ONCE, self._at_most)).rowcount
        if max(old, beyond) < _SWEPT_AT_ONCE:
            self._swept_at = now


def _record_of(held: tuple[bytes, bytes, int, str | None]) -> RequestRecord:
    arguments, answer, at, issued = held
    return RequestRecord(arguments=arguments, answer=answer, at=decode_instant(at), issued=issued or "")

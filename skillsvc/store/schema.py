"""The tables of the store's file, as numbered migrations.

A migration is never changed once it is released; a new one is appended. The number of the last one is the version of
the schema, and table `migration` holds the numbers of those that a file has seen.
"""

import sqlite3
from typing import Final

from skillsvc.domain.errors import ErrorReason, Unavailable

MIGRATIONS: Final = (
    (
        # The keys compare bytes (BINARY collation): names that differ by case or Unicode form are two names.
        """
        CREATE TABLE layer (
            id INTEGER PRIMARY KEY,
            principal TEXT NOT NULL,
            project TEXT NOT NULL,
            log_id BLOB NOT NULL,
            UNIQUE (principal, project)
        )
        """,
        # `published_at`: microseconds since 1970.
        """
        CREATE TABLE generation (
            layer INTEGER NOT NULL REFERENCES layer (id),
            sequence INTEGER NOT NULL,
            digest TEXT NOT NULL,
            published_at INTEGER NOT NULL,
            PRIMARY KEY (layer, sequence)
        ) WITHOUT ROWID
        """,
        # A bundle, once for all rows that hold it. `checksum` is the SHA-256 of `payload`.
        """
        CREATE TABLE bundle (
            id INTEGER PRIMARY KEY,
            checksum BLOB NOT NULL UNIQUE,
            payload BLOB NOT NULL
        )
        """,
        # A row is in the generations from `first` to before `until`; NULL: it is in the newest. `place` need not be
        # Unicode; `diagnostics` is NULL where there are none.
        """
        CREATE TABLE layer_row (
            layer INTEGER NOT NULL REFERENCES layer (id),
            name TEXT NOT NULL,
            source TEXT NOT NULL,
            first INTEGER NOT NULL,
            until INTEGER,
            shadowed INTEGER NOT NULL,
            tier INTEGER NOT NULL,
            trust INTEGER NOT NULL,
            bundle INTEGER NOT NULL REFERENCES bundle (id),
            place BLOB NOT NULL,
            collection TEXT NOT NULL,
            diagnostics BLOB,
            PRIMARY KEY (layer, name, source, first)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX layer_row_closed ON layer_row (layer, until) WHERE until IS NOT NULL",
        "CREATE INDEX layer_row_bundle ON layer_row (bundle)",
        # `at`: microseconds since 1970. Ids grow, so that they order what has the same instant.
        """
        CREATE TABLE request (
            id INTEGER PRIMARY KEY,
            principal TEXT NOT NULL,
            project TEXT NOT NULL,
            rpc TEXT NOT NULL,
            request_id TEXT NOT NULL,
            arguments BLOB NOT NULL,
            answer BLOB NOT NULL,
            at INTEGER NOT NULL,
            UNIQUE (principal, project, rpc, request_id)
        )
        """,
        "CREATE INDEX request_at ON request (principal, project, rpc, at)",
    ),
    ("CREATE INDEX request_of_all_at ON request (at)",),
    ("ALTER TABLE layer_row ADD COLUMN collection_line TEXT NOT NULL DEFAULT ''",),
    (
        # The number that the log of others gave to what the layer was last replaced with; NULL: none did.
        "ALTER TABLE layer ADD COLUMN log_generation INTEGER",
        # The names that no generation of a layer may hold until they are lifted.
        """
        CREATE TABLE tombstone (
            layer INTEGER NOT NULL REFERENCES layer (id),
            name TEXT NOT NULL,
            PRIMARY KEY (layer, name)
        ) WITHOUT ROWID
        """,
    ),
    (
        # The id that an answer gave out, by which it is found, too; NULL: none.
        "ALTER TABLE request ADD COLUMN issued TEXT",
        "CREATE INDEX request_issued ON request (principal, project, issued) WHERE issued IS NOT NULL",
        # Ids grow, so that they order priors by age; `success_rate` is the last outcome's.
        """
        CREATE TABLE prior (
            id INTEGER PRIMARY KEY,
            principal TEXT NOT NULL,
            project TEXT NOT NULL,
            skill TEXT NOT NULL,
            task_pattern TEXT NOT NULL,
            success_rate REAL NOT NULL,
            mean REAL NOT NULL,
            outcomes INTEGER NOT NULL,
            UNIQUE (principal, project, skill, task_pattern)
        )
        """,
        "CREATE INDEX prior_of_principal ON prior (principal)",
    ),
    (
        # What is said of a name to callers of a partition, those of a label alone where `session` is not empty; the
        # deployment has an empty principal. `set_at`: microseconds since 1970.
        """
        CREATE TABLE enablement (
            principal TEXT NOT NULL,
            project TEXT NOT NULL,
            session TEXT NOT NULL,
            name TEXT NOT NULL,
            enabled INTEGER NOT NULL,
            set_at INTEGER NOT NULL,
            PRIMARY KEY (principal, project, session, name)
        ) WITHOUT ROWID
        """,
    ),
)
VERSION: Final = len(MIGRATIONS)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema to `VERSION`, inside the caller's transaction.

    Raises:
        Unavailable: STORE_UNREACHABLE where the file's schema is newer than this server.
    """
    connection.execute("CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY)")
    (held,) = connection.execute("SELECT coalesce(max(number), 0) FROM migration").fetchone()
    if held > VERSION:
        raise Unavailable(
            ErrorReason.STORE_UNREACHABLE,
            f"the store has schema {held} and this server knows {VERSION} at most: run the server that wrote it, or a "
            "newer one, or choose another data folder",
        )
    for number in range(held + 1, VERSION + 1):
        for statement in MIGRATIONS[number - 1]:
            connection.execute(statement)
        connection.execute("INSERT INTO migration (number) VALUES (?)", (number,))

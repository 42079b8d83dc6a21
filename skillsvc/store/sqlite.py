"""The logs in one SQLite file: `SqliteStore` is a `LayerLog`, a `RequestLog` and an `ExperienceLog`.

Rows are kept as intervals of sequences, so that a generation costs what it changes. A commit is on stable storage when
it returns (write-ahead log, synchronous FULL); after a kill or a loss of power the file holds each step whole or not at
all. One server has the file to itself (`DataFolder`).
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

from skillsvc.catalog.log import LayerRecord, LayerStep, RequestKey, RequestRecord
from skillsvc.domain.enablement import Word
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition
from skillsvc.domain.prior import Prior
from skillsvc.experience.learning import Outcome, Room
from skillsvc.experience.log import Requested
from skillsvc.store.enablement import put_words, read_words
from skillsvc.store.experience import learn, read_priors
from skillsvc.store.layers import (
    append_generation,
    blobs_in,
    damaged,
    drop_generations,
    generations_of,
    read_layer,
    read_partitions,
    read_payloads,
    renew_generation,
)
from skillsvc.store.requests import RequestSweep, find_issued, insert_request, record_request
from skillsvc.store.schema import migrate
from skillsvc.store.tombstones import mark_replaced, replace_tombstones

LOG_ID_BYTES: Final = 16
_BUSY_TIMEOUT_S: Final = 5.0
_CREATE: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PRIMARY_CODE: Final = 0xFF  # the bits of an extended result code that say what kind it is
_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA journal_size_limit = 16777216",  # the disk that a large generation took for the log is given back
)
MOST_REQUESTS: Final = 1_000_000
"""How many request ids are kept of all callers together."""


class SqliteStore:
    """Layers, request ids and priors in one file, mode 0600. Any thread may call; one writes or reads at a time.

    Every method raises Unavailable (STORE_UNREACHABLE) where SQLite fails; the step is then undone as a whole. The last
    generation of each layer is known as long as somebody else holds it, for the next one is written as the difference
    from it.
    """

    def __init__(self, path: Path, *, random_bytes: Callable[[int], bytes], most_requests: int = MOST_REQUESTS) -> None:
        """Open the file, make it where there is none, and bring its schema up to date.

        Args:
            path: The file; its folder must exist.
            random_bytes: Gives as many random bytes as asked for; log ids are made of them.
            most_requests: How many request ids are kept of all callers together.

        Raises:
            Unavailable: STORE_UNREACHABLE where the file cannot be opened or has a newer schema.
            DataLoss: DIGEST_MISMATCH where it is damaged, or no database.
        """
        self._random_bytes = random_bytes
        self._lock = threading.Lock()
        self._newest: WeakValueDictionary[Partition, Generation] = WeakValueDictionary()
        self._sweep = RequestSweep(most_requests)
        try:
            os.close(os.open(path, _CREATE, 0o600))  # SQLite itself would let the umask decide
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise _unreachable() from error
        try:
            with _damage_told():
                self._open()
        except BaseException:
            self._connection.close()
            raise

    def _open(self) -> None:
        try:
            self._connection.text_factory = _text
            for pragma in _PRAGMAS:
                self._connection.execute(pragma)
        except sqlite3.Error as error:
            raise _unreachable() from error
        with self._transaction() as connection:
            migrate(connection)

    def close(self) -> None:
        """Close the file; every other method raises from then on."""
        with self._lock:
            self._connection.close()

    def load(self, partition: Partition) -> LayerRecord:
        """Return what is held of a layer, as `LayerLog.load` says. Generations share equal rows and bundles."""
        with _damage_told(), self._transaction() as connection:
            held = read_layer(connection, partition, self._new_log_id)
        record = LayerRecord(
            partition=partition,
            log_id=held.log_id,
            generations=generations_of(held),
            revoked=held.revoked,
            log_generation=held.log_generation,
        )
        if record.generations:
            self._newest[partition] = record.generations[-1]
        return record

    def append(self, generation: Generation, *, dropped: Collection[int]) -> None:
        """Keep a generation and forget others, as `LayerLog.append` says."""
        partition = generation.partition
        _check_not_dropped(generation, dropped)
        with self._transaction() as connection:
            append_generation(connection, generation, self._newest.get(partition))
            drop_generations(connection, partition, dropped)
        self._newest[partition] = generation

    def renew(self, generation: Generation) -> None:
        """Keep the newest generation as it is now, as `LayerLog.renew` says."""
        with self._transaction() as connection:
            renew_generation(connection, generation, self._newest.get(generation.partition))
        self._newest[generation.partition] = generation

    def forget(self, partition: Partition, sequences: Collection[int]) -> None:
        """Forget generations, as `LayerLog.forget` says."""
        with self._transaction() as connection:
            drop_generations(connection, partition, sequences)

    def keep(self, steps: Sequence[LayerStep]) -> None:
        """Keep what becomes of several layers, as `LayerLog.keep` says."""
        with self._transaction() as connection:
            for step in steps:
                if step.generation is not None:
                    _check_not_dropped(step.generation, step.dropped)
                    append_generation(connection, step.generation, self._newest.get(step.partition))
                drop_generations(connection, step.partition, step.dropped)
                if step.revoked is not None:
                    replace_tombstones(connection, step.partition, step.revoked)
                if step.log_generation is not None:
                    mark_replaced(connection, step.partition, step.log_generation)
        self._newest.update((step.partition, step.generation) for step in steps if step.generation is not None)

    def partitions(self) -> tuple[Partition, ...]:
        """Return the partitions that have a generation, as `LayerLog.partitions` says."""
        with _damage_told(), self._transaction() as connection:
            return read_partitions(connection)

    def words(self) -> tuple[Word, ...]:
        """Return which skills are on, and for whom, as `EnablementLog.words` says."""
        with _damage_told(), self._transaction() as connection:
            return read_words(connection)

    def put(self, words: Sequence[Word]) -> None:
        """Keep which skills are on, as `EnablementLog.put` says."""
        with self._transaction() as connection:
            put_words(connection, words)

    def blobs(self) -> frozenset[str]:
        """Return the digests of the blobs that any bundle names, as `LayerLog.blobs` says."""
        named: set[str] = set()
        after = 0
        while True:
            with self._transaction() as connection:
                payloads = read_payloads(connection, after)
            if not payloads:
                return frozenset(named)
            named.update(blobs_in(payloads))
            after = payloads[-1][0]

    def record(self, key: RequestKey, record: RequestRecord, *, oldest: datetime, at_most: int) -> RequestRecord:
        """Return what a request id stands for, as `RequestLog.record` says."""
        with self._transaction() as connection:
            self._sweep.sweep(connection, now=record.at, oldest=oldest)
            return record_request(connection, key, record, oldest=oldest, at_most=at_most)

    def replace(self, key: RequestKey, record: RequestRecord) -> None:
        """Let a request id stand for another answer, as `RequestLog.replace` says."""
        with self._transaction() as connection:
            insert_request(connection, key, record)

    def find_issued(self, caller: Partition, issued: str, *, oldest: datetime) -> RequestRecord | None:
        """Return the record whose answer gave out an id, as `RequestLog.find_issued` says."""
        with self._transaction() as connection:
            return find_issued(connection, caller, issued, oldest=oldest)

    def priors(self, partition: Partition) -> tuple[Prior, ...]:
        """Return the priors of a partition, as `ExperienceLog.priors` says."""
        with self._transaction() as connection:
            return read_priors(connection, partition)

    def report(
        self, partition: Partition, outcome: Outcome, *, room: Room, requested: Requested | None = None
    ) -> RequestRecord | None:
        """Learn from an outcome, as `ExperienceLog.report` says."""
        with self._transaction() as connection:
            if requested is None:
                learn(connection, partition, outcome, room)
                return None
            given = requested.record
            self._sweep.sweep(connection, now=given.at, oldest=requested.oldest)
            held = record_request(connection, requested.key, given, oldest=requested.oldest, at_most=requested.at_most)
            if held is given:
                learn(connection, partition, outcome, room)
            return held

    def _new_log_id(self) -> bytes:
        return self._random_bytes(LOG_ID_BYTES)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Have the file alone until all is committed, or where anything is raised undone."""
        connection = self._connection
        with self._lock:
            try:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
            except sqlite3.Error as error:
                raise _unreachable() from error


def _check_not_dropped(generation: Generation, dropped: Collection[int]) -> None:
    if generation.sequence in dropped:
        raise ValueError("a generation is not appended and dropped in one step")


def _text(encoded: bytes) -> str:
    """Decode a text; damage in it is let through, to be found by the digests instead of an error of SQLite's."""
    return encoded.decode(errors="surrogateescape")


@contextmanager
def _damage_told() -> Iterator[None]:
    """Tell whoever starts a server on a damaged file how to go on; callers of one that runs can do nothing about it."""
    try:
        yield
    except Unavailable as error:
        # Errors of the module itself have no code.
        code = getattr(error.__cause__, "sqlite_errorcode", sqlite3.SQLITE_OK) & _PRIMARY_CODE
        if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            raise damaged() from error
        raise


def _unreachable() -> Unavailable:
    """Say that SQLite failed; its text would name the file or a query, so it goes no further than the log."""
    return Unavailable(ErrorReason.STORE_UNREACHABLE, "the store cannot be read or written")

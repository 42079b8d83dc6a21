"""Layers in tables: a row is kept once, with the interval of sequences in which its layer held it.

Everything here runs inside the caller's transaction and lets SQLite's errors pass; `SqliteStore` translates them.
"""

import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NamedTuple

from skillsvc.domain.errors import DataLoss, ErrorReason
from skillsvc.domain.generation import Generation, Row, make_generation, make_row
from skillsvc.domain.partition import Partition
from skillsvc.domain.skill import Bundle, Found
from skillsvc.domain.trust import Tier, Trust
from skillsvc.store.encoding import (
    decode_bundle,
    decode_diagnostics,
    decode_instant,
    decode_place,
    encode_bundle,
    encode_diagnostics,
    encode_instant,
    encode_place,
)

_FIND_LAYER: Final = """
    SELECT id, log_id, (SELECT max(sequence) FROM generation WHERE layer = layer.id), log_generation FROM layer
    WHERE principal = ? AND project = ?
"""
_INSERT_LAYER: Final = "INSERT INTO layer (principal, project, log_id) VALUES (?, ?, ?)"
_GENERATIONS: Final = "SELECT sequence, digest, published_at FROM generation WHERE layer = ? ORDER BY sequence"
_ROWS: Final = """
    SELECT
        first, until, name, source, shadowed, tier, trust, bundle, place, collection, collection_line, diagnostics
    FROM layer_row
    WHERE layer = ? ORDER BY name, source, first
"""
_BUNDLES: Final = """
    SELECT id, checksum, payload FROM bundle WHERE id IN (SELECT bundle FROM layer_row WHERE layer = ?)
"""
_TOMBSTONES: Final = "SELECT name FROM tombstone WHERE layer = ?"
_PARTITIONS: Final = """
    SELECT principal, project FROM layer WHERE EXISTS (SELECT 1 FROM generation WHERE layer = layer.id)
"""
_PAYLOADS: Final = "SELECT id, checksum, payload FROM bundle WHERE id > ? ORDER BY id LIMIT 1000"
_INSERT_GENERATION: Final = "INSERT INTO generation (layer, sequence, digest, published_at) VALUES (?, ?, ?, ?)"
_CLOSE_ROW: Final = "UPDATE layer_row SET until = ? WHERE layer = ? AND name = ? AND source = ? AND until IS NULL"
_DELETE_ROW: Final = "DELETE FROM layer_row WHERE layer = ? AND name = ? AND source = ? AND first = ?"
_INSERT_BUNDLE: Final = "INSERT INTO bundle (checksum, payload) VALUES (?, ?) ON CONFLICT (checksum) DO NOTHING"
_INSERT_ROW: Final = """
    INSERT INTO layer_row (
        layer, first, name, source, shadowed, tier, trust, bundle, place, collection, collection_line, diagnostics
    )
    VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT id FROM bundle WHERE checksum = ?), ?, ?, ?, ?)
"""
_DELETE_GENERATION: Final = "DELETE FROM generation WHERE layer = ? AND sequence = ?"
_NEIGHBOURS: Final = """
    SELECT
        (SELECT coalesce(max(sequence), -1) FROM generation WHERE layer = :layer AND sequence < :sequence),
        (SELECT min(sequence) FROM generation WHERE layer = :layer AND sequence > :sequence)
"""
_BUNDLES_OF_ONE: Final = (
    "SELECT DISTINCT bundle FROM layer_row WHERE layer = ? AND until > ? AND until <= ? AND first > ?"
)
_DELETE_ROWS_OF_ONE: Final = "DELETE FROM layer_row WHERE layer = ? AND until > ? AND until <= ? AND first > ?"
_DELETE_BUNDLE: Final = """
    DELETE FROM bundle WHERE id = ? AND NOT EXISTS (SELECT 1 FROM layer_row WHERE layer_row.bundle = bundle.id)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLayer:
    """What the tables hold of a layer, nothing of it decoded or verified; the fields are the results of the queries."""

    partition: Partition
    log_id: bytes
    generations: list[tuple[int, str, int]]
    rows: list[tuple[int, int | None, str, str, int, int, int, int, bytes, str, str, bytes | None]]
    bundles: list[tuple[int, bytes, bytes]]
    revoked: frozenset[str] = frozenset()
    log_generation: int | None = None


class _Layer(NamedTuple):
    """A layer's key in the tables, its log id, and the sequence of its newest generation."""

    id: int
    log_id: bytes
    newest: int | None
    log_generation: int | None


def read_layer(connection: sqlite3.Connection, partition: Partition, new_log_id: Callable[[], bytes]) -> HeldLayer:
    """Read a layer; one never seen gets a log id."""
    layer = _layer(connection, partition)
    if layer is None:
        log_id = new_log_id()
        connection.execute(_INSERT_LAYER, (partition.principal, partition.project, log_id))
        return HeldLayer(partition=partition, log_id=log_id, generations=[], rows=[], bundles=[])
    return HeldLayer(
        partition=partition,
        log_id=layer.log_id,
        generations=connection.execute(_GENERATIONS, (layer.id,)).fetchall(),
        rows=connection.execute(_ROWS, (layer.id,)).fetchall(),
        bundles=connection.execute(_BUNDLES, (layer.id,)).fetchall(),
        revoked=frozenset(name for (name,) in connection.execute(_TOMBSTONES, (layer.id,))),
        log_generation=layer.log_generation,
    )


def read_partitions(connection: sqlite3.Connection) -> tuple[Partition, ...]:
    """Read which layers have a generation."""
    return tuple(Partition(*named) for named in connection.execute(_PARTITIONS))


def read_payloads(connection: sqlite3.Connection, after: int) -> list[tuple[int, bytes, bytes]]:
    """Read the next bundles behind the one of a key: a thousand, so that nobody waits long for the file."""
    return connection.execute(_PAYLOADS, (after,)).fetchall()


def blobs_in(payloads: Iterable[tuple[int, bytes, bytes]]) -> Iterator[str]:
    """Yield the digests of the blobs that bundles name.

    Raises:
        DataLoss: DIGEST_MISMATCH where a bundle is not what was written.
    """
    try:
        for _, checksum, payload in payloads:
            yield from _verified(checksum, payload).blobs
    except ValueError as error:
        raise damaged() from error


def append_generation(connection: sqlite3.Connection, generation: Generation, newest: Generation | None) -> None:
    """Write a generation as the difference from the newest one, which the caller may know.

    Raises:
        ValueError: The generation has another log's id, or its sequence is not the highest.
        DataLoss: The newest one had to be read, and is not what was appended.
    """
    layer = _layer(connection, generation.partition)
    if layer is None or layer.log_id != generation.log_id:
        raise ValueError("a generation is appended to the log whose id it has")
    sequence = generation.sequence
    if layer.newest is not None and layer.newest >= sequence:
        raise ValueError("the sequence of an appended generation is the highest")
    newest = _newest_of(connection, layer, generation, newest)
    removed, added = _difference(newest.rows if newest else (), generation.rows)
    _close_rows(connection, layer.id, sequence, removed)
    _insert_rows(connection, layer.id, sequence, added)
    published_at = encode_instant(generation.published_at)
    connection.execute(_INSERT_GENERATION, (layer.id, sequence, generation.digest, published_at))


def renew_generation(connection: sqlite3.Connection, generation: Generation, newest: Generation | None) -> None:
    """Write what no digest covers of the newest generation anew, where it differs; the caller may know what is held.

    Raises:
        ValueError: It is not the newest, or has another digest.
        DataLoss: The newest one had to be read, and is not what was appended.
    """
    layer = _layer(connection, generation.partition)
    sequence = generation.sequence
    if layer is None or layer.log_id != generation.log_id or layer.newest != sequence:
        raise ValueError("the newest generation of a layer alone is renewed")
    newest = _newest_of(connection, layer, generation, newest)
    if newest is None or newest.digest != generation.digest:
        raise ValueError("a generation is renewed with the digest that it has")
    removed, added = _difference(newest.rows, generation.rows)
    # What began with this generation was in no other; what began before stays as it was there.
    connection.executemany(_DELETE_ROW, [(layer.id, row.name, row.source, sequence) for row in removed])
    connection.executemany(_CLOSE_ROW, [(sequence, layer.id, row.name, row.source) for row in removed])
    _insert_rows(connection, layer.id, sequence, added)


def _newest_of(
    connection: sqlite3.Connection, layer: _Layer, generation: Generation, known: Generation | None
) -> Generation | None:
    """Return the newest generation of a layer: the known one if it is that, else read."""
    if known is not None and known.sequence == layer.newest:
        return known
    held = generations_of(read_layer(connection, generation.partition, lambda: generation.log_id))
    return held[-1] if held else None


def _close_rows(connection: sqlite3.Connection, layer: int, sequence: int, rows: Sequence[Row]) -> None:
    closed = ((sequence, layer, row.name, row.source) for row in rows)
    if rows and connection.executemany(_CLOSE_ROW, closed).rowcount != len(rows):
        raise damaged()


def _insert_rows(connection: sqlite3.Connection, layer: int, sequence: int, rows: Sequence[Row]) -> None:
    payloads = [encode_bundle(row.bundle) for row in rows]
    checksums = [sha256(payload).digest() for payload in payloads]
    connection.executemany(_INSERT_BUNDLE, zip(checksums, payloads, strict=True))
    connection.executemany(
        _INSERT_ROW, ((layer, sequence, *_columns(row, sum_)) for row, sum_ in zip(rows, checksums, strict=True))
    )


def drop_generations(connection: sqlite3.Connection, partition: Partition, sequences: Iterable[int]) -> None:
    """Forget generations, with the rows and bundles that no other one has.

    Raises:
        ValueError: One of them is the newest.
    """
    layer = _layer(connection, partition)
    if layer is None:
        return
    for sequence in sorted(sequences):
        if sequence == layer.newest:
            raise ValueError("the newest generation of a layer is never forgotten")
        if connection.execute(_DELETE_GENERATION, (layer.id, sequence)).rowcount:
            _drop_rows_of_one(connection, layer.id, sequence)


def _drop_rows_of_one(connection: sqlite3.Connection, layer: int, sequence: int) -> None:
    before, after = connection.execute(_NEIGHBOURS, {"layer": layer, "sequence": sequence}).fetchone()
    # Every row is in some generation. So those that were in this one alone began after the one before, and ended here.
    alone = (layer, sequence, after, before)
    bundles = connection.execute(_BUNDLES_OF_ONE, alone).fetchall()
    connection.execute(_DELETE_ROWS_OF_ONE, alone)
    connection.executemany(_DELETE_BUNDLE, bundles)


def generations_of(held: HeldLayer) -> tuple[Generation, ...]:
    """Return the generations of a layer, oldest first, with every digest verified.

    Raises:
        DataLoss: DIGEST_MISMATCH where anything is not what was appended.
    """
    try:
        rows = _rows_of(held)
        generations = tuple(
            make_generation(
                partition=held.partition,
                log_id=held.log_id,
                sequence=sequence,
                published_at=decode_instant(published_at),
                rows=tuple(row for first, until, row in rows if first <= sequence < until),
            )
            for sequence, _, published_at in held.generations
        )
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise damaged() from error
    if any(made.digest != digest for made, (_, digest, _) in zip(generations, held.generations, strict=True)):
        raise damaged()
    return generations


def _columns(row: Row, checksum: bytes) -> tuple[str, str, bool, int, int, bytes, bytes, str, str, bytes | None]:
    found = row.found
    return (
        row.name,
        row.source,
        row.shadowed,
        row.tier.value,
        row.trust.value,
        checksum,
        encode_place(found.place),
        found.collection,
        found.collection_line,
        encode_diagnostics(found.diagnostics) if found.diagnostics else None,
    )


def _rows_of(held: HeldLayer) -> list[tuple[int, float, Row]]:
    """Return the rows with their intervals, in order. KeyError or ValueError where they are not what was written."""
    bundles = {key: _verified(checksum, payload) for key, checksum, payload in held.bundles}
    rows = []
    # Members of one collection share its texts, as they do when a source is looked at.
    texts: dict[str, str] = {}
    for first, until, name, source, shadowed, tier, trust, bundle, place, collection, line, diagnostics in held.rows:
        found = Found(
            bundle=bundles[bundle],
            place=decode_place(place),
            collection=texts.setdefault(collection, collection),
            collection_line=texts.setdefault(line, line),
            diagnostics=() if diagnostics is None else decode_diagnostics(diagnostics),
        )
        row = make_row(source=source, shadowed=bool(shadowed), found=found, tier=Tier(tier), trust=Trust(trust))
        if row.name != name:
            raise ValueError("not the row of this name")
        rows.append((first, math.inf if until is None else until, row))
    return rows


def _verified(checksum: bytes, payload: bytes) -> Bundle:
    if sha256(payload).digest() != checksum:
        raise ValueError("not the payload of this checksum")
    return decode_bundle(payload)


def _layer(connection: sqlite3.Connection, partition: Partition) -> _Layer | None:
    found = connection.execute(_FIND_LAYER, (partition.principal, partition.project)).fetchone()
    return None if found is None else _Layer(*found)


def _difference(before: Iterable[Row], after: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Return the rows that went and those that came, in order, at the cost of a look at each row's identity."""
    old = {id(row): row for row in before}
    new = {id(row): row for row in after}
    gone = {(row.name, row.source): row for key, row in old.items() if key not in new}
    come = [row for key, row in new.items() if key not in old]
    # Rows that were made anew, as after a restart, may be equal.
    added = [row for row in come if gone.get((row.name, row.source)) != row]
    same = {(row.name, row.source) for row in come} - {(row.name, row.source) for row in added}
    return [row for key, row in gone.items() if key not in same], added


def damaged() -> DataLoss:
    """Say that the file does not hold what was written to it, and how to go on."""
    return DataLoss(
        ErrorReason.DIGEST_MISMATCH,
        "the store is damaged: move skillsvc.db, and what stands beside it under this name with an ending, out of the "
        "data folder; the server then begins anew, and reads its sources again",
    )

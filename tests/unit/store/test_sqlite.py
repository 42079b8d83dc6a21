"""What `SqliteStore` does beside the contracts of the logs: its file, damage, and what a step costs."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from skillsvc.domain.errors import DataLoss, ErrorReason, SkillsvcError, Unavailable
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.store.schema import MIGRATIONS, VERSION
from skillsvc.store.sqlite import SqliteStore
from tests.contract.experience_log import ROOM, outcome
from tests.contract.layer_log_values import START, generation, row
from tests.contract.request_log import answer, key


def opened(path: Path) -> "closing[SqliteStore]":
    return closing(SqliteStore(path, random_bytes=os.urandom))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "secret" / "skillsvc.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    path.parent.mkdir()
    with opened(path) as store:
        yield store


@pytest.fixture
def held(store: SqliteStore) -> tuple[Generation, ...]:
    """Two generations that are in the store."""
    log_id = store.load(DEPLOYMENT).log_id
    generations = (
        generation(DEPLOYMENT, log_id, 1, row("a"), row("b"), row("c")),
        generation(DEPLOYMENT, log_id, 2, row("a"), row("b", "changed")),
    )
    for each in generations:
        store.append(each, dropped=())
    return generations


def count(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (number,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - a table of ours
    assert isinstance(number, int)
    return number


def every_method(store: SqliteStore, log_id: bytes) -> list[Callable[[], object]]:
    oldest = START - timedelta(hours=24)
    return [
        lambda: store.load(DEPLOYMENT),
        lambda: store.append(generation(DEPLOYMENT, log_id, 9), dropped=()),
        lambda: store.record(key(), answer("first"), oldest=oldest, at_most=9),
        lambda: store.replace(key(), answer("first")),
        lambda: store.find_issued(DEPLOYMENT, "1", oldest=oldest),
        lambda: store.priors(DEPLOYMENT),
        lambda: store.report(DEPLOYMENT, outcome("a"), room=ROOM),
    ]


def assert_says_nothing_of_the_machine(error: SkillsvcError, path: Path) -> None:
    for secret in (str(path), path.parent.name, "sqlite", "SELECT", "INSERT", str(error.__cause__)):
        assert secret not in error.message


def test_all_files_are_for_their_owner_alone(path: Path) -> None:
    path.parent.mkdir()
    umask = os.umask(0)
    try:
        with opened(path) as store:
            store.load(DEPLOYMENT)
            modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    finally:
        os.umask(umask)
    assert modes == dict.fromkeys(["skillsvc.db", "skillsvc.db-wal", "skillsvc.db-shm"], 0o600)


def test_a_commit_waits_for_the_disk(store: SqliteStore) -> None:
    settings = {
        name: store._connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "foreign_keys")
    }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


@pytest.mark.parametrize("version", range(VERSION))
def test_an_older_file_is_brought_up_to_date(path: Path, version: int) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE migration (number INTEGER PRIMARY KEY)")
        for number in range(1, version + 1):
            for statement in MIGRATIONS[number - 1]:
                connection.execute(statement)
            connection.execute("INSERT INTO migration (number) VALUES (?)", (number,))
    with opened(path) as store:
        assert store.load(DEPLOYMENT).generations == ()
    assert count(path, "migration") == VERSION


def test_a_newer_file_is_refused_with_a_clear_sentence_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with opened(path):
        pass
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO migration (number) VALUES (?)", (VERSION + 1,))
    with pytest.raises(Unavailable) as refused:
        SqliteStore(path, random_bytes=os.urandom)
    assert refused.value.reason is ErrorReason.STORE_UNREACHABLE
    assert f"schema {VERSION + 1}" in refused.value.message
    assert "newer" in refused.value.message
    assert count(path, "migration") == VERSION + 1


def no_folder(path: Path) -> None:
    assert not path.parent.exists()


def a_folder_in_its_place(path: Path) -> None:
    path.mkdir(parents=True)


def a_link(path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(path.parent / "elsewhere")


@pytest.mark.parametrize("spoil", [no_folder, a_folder_in_its_place, a_link])
def test_a_file_that_cannot_be_opened_is_unreachable(path: Path, spoil: Callable[[Path], None]) -> None:
    spoil(path)
    with pytest.raises(Unavailable) as failed:
        SqliteStore(path, random_bytes=os.urandom)
    assert failed.value.reason is ErrorReason.STORE_UNREACHABLE
    assert_says_nothing_of_the_machine(failed.value, path)


@pytest.mark.parametrize("method", range(4), ids=["load", "append", "record", "replace"])
def test_a_store_that_cannot_be_used_is_unreachable(
    store: SqliteStore, held: tuple[Generation, ...], path: Path, method: int
) -> None:
    store.close()
    with pytest.raises(Unavailable) as failed:
        every_method(store, held[0].log_id)[method]()
    assert failed.value.reason is ErrorReason.STORE_UNREACHABLE
    assert isinstance(failed.value.__cause__, sqlite3.Error)
    assert_says_nothing_of_the_machine(failed.value, path)


@pytest.mark.parametrize("method", [1, 2, 3], ids=["append", "record", "replace"])
def test_a_file_that_cannot_be_written_is_unreachable_and_stays_as_it_was(
    store: SqliteStore, held: tuple[Generation, ...], method: int
) -> None:
    store._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(Unavailable) as failed:
        every_method(store, held[0].log_id)[method]()
    assert failed.value.reason is ErrorReason.STORE_UNREACHABLE
    store._connection.execute("PRAGMA query_only = OFF")
    assert store.load(DEPLOYMENT).generations == held


def test_a_full_disk_leaves_the_old_state_and_the_next_append_succeeds(
    store: SqliteStore, held: tuple[Generation, ...], path: Path
) -> None:
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    large = generation(DEPLOYMENT, held[0].log_id, 3, *(row(f"skill-{number}", "x" * 999) for number in range(99)))
    with pytest.raises(Unavailable) as failed:
        store.append(large, dropped=(1,))
    assert failed.value.reason is ErrorReason.STORE_UNREACHABLE
    assert store.load(DEPLOYMENT).generations == held
    store._connection.execute(f"PRAGMA max_page_count = {pages + 999}")
    store.append(large, dropped=(1,))
    store.close()
    with opened(path) as reopened:
        assert reopened.load(DEPLOYMENT).generations == (held[1], large)


def test_a_writer_in_another_process_is_waited_for(store: SqliteStore, path: Path) -> None:
    assert store._connection.execute("PRAGMA busy_timeout").fetchone() == (5000,)
    store._connection.execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable):
            store.load(DEPLOYMENT)
        other.execute("ROLLBACK")
    assert store.load(DEPLOYMENT).generations == ()


DAMAGE = [
    "UPDATE bundle SET payload = replace(payload, 'changed', 'chanced')",
    "UPDATE bundle SET payload = x''",
    "UPDATE bundle SET checksum = x'00' || id",
    "DELETE FROM bundle WHERE id = 1",
    "DELETE FROM layer_row WHERE name = 'a'",
    "DELETE FROM layer_row WHERE until IS NOT NULL AND name = 'b'",
    "UPDATE layer_row SET bundle = (SELECT bundle FROM layer_row WHERE name = 'a') WHERE name = 'c'",
    "UPDATE layer_row SET first = 2 WHERE name = 'a'",
    "UPDATE layer_row SET until = NULL WHERE name = 'c'",
    "UPDATE layer_row SET until = NULL WHERE name = 'b'",
    "UPDATE layer_row SET until = 1 WHERE name = 'c'",
    "UPDATE layer_row SET name = 'd' WHERE name = 'a'",
    "UPDATE layer_row SET name = CAST(x'ff' AS TEXT) WHERE name = 'c'",
    "UPDATE layer_row SET source = 'other' WHERE name = 'a'",
    "UPDATE layer_row SET source = CAST(x'ff' AS TEXT) WHERE name = 'a'",
    "UPDATE layer_row SET shadowed = 1 WHERE name = 'a'",
    "UPDATE layer_row SET tier = 2 WHERE name = 'a'",
    "UPDATE layer_row SET tier = 99 WHERE name = 'a'",
    "UPDATE layer_row SET trust = 'x' WHERE name = 'a'",
    "UPDATE layer_row SET collection = 'x' WHERE name = 'a'",
    "UPDATE layer_row SET place = x'ff' WHERE name = 'a'",
    "UPDATE layer_row SET diagnostics = x'' WHERE name = 'a'",
    "UPDATE generation SET digest = lower(hex(zeroblob(32))) WHERE sequence = 1",
    "UPDATE generation SET published_at = 9223372036854775807 WHERE sequence = 1",
    "UPDATE generation SET sequence = 3 WHERE sequence = 1",
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_in_a_table_is_found_at_load(
    store: SqliteStore, held: tuple[Generation, ...], path: Path, damage: str
) -> None:
    assert store.load(DEPLOYMENT).generations == held
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute(damage).rowcount > 0
    with pytest.raises(DataLoss) as lost:
        store.load(DEPLOYMENT)
    assert_says_the_way_out(lost.value, path)


def test_damage_in_one_layer_leaves_the_others(store: SqliteStore, held: tuple[Generation, ...], path: Path) -> None:
    alice = Partition(principal="token:alice", project="")
    of_alice = generation(alice, store.load(alice).log_id, 1, row("b"))
    store.append(of_alice, dropped=())
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE generation SET digest = '' WHERE digest = ?", (held[0].digest,))
    assert store.load(alice).generations == (of_alice,)
    with pytest.raises(DataLoss):
        store.load(DEPLOYMENT)


def test_a_damaged_page_is_found_at_load(path: Path) -> None:
    path.parent.mkdir()
    with opened(path) as store:
        log_id = store.load(DEPLOYMENT).log_id
        rows = [row(f"skill-{number}", "x" * 999) for number in range(99)]
        store.append(generation(DEPLOYMENT, log_id, 1, *rows), dropped=())
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'bundle'").fetchone()
        (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * page_bytes)
        file.write(b"\xff" * page_bytes)
    with opened(path) as store, pytest.raises(DataLoss) as lost:
        store.load(DEPLOYMENT)
    assert_says_the_way_out(lost.value, path)


def assert_says_the_way_out(error: SkillsvcError, path: Path) -> None:
    assert error.reason is ErrorReason.DIGEST_MISMATCH
    assert "damaged: move skillsvc.db" in error.message
    assert "reads its sources again" in error.message
    assert_says_nothing_of_the_machine(error, path)


def no_database(content: bytes) -> bytes:
    return b"no database\n" * (len(content) // 12)


def half(content: bytes) -> bytes:
    return content[: len(content) // 2]


def without_schema(content: bytes) -> bytes:
    return content[:100] + b"\xff" * 3_996 + content[4_096:]


@pytest.mark.parametrize("damage", [no_database, half, without_schema])
def test_a_damaged_file_is_refused_with_a_way_out_that_leads_on(path: Path, damage: Callable[[bytes], bytes]) -> None:
    path.parent.mkdir()
    with opened(path) as store:
        log_id = store.load(DEPLOYMENT).log_id
        store.append(generation(DEPLOYMENT, log_id, 1, *(row(f"s-{n}", "x" * 999) for n in range(99))), dropped=())
    path.write_bytes(damage(path.read_bytes()))

    def start() -> None:
        with opened(path) as store:
            store.load(DEPLOYMENT)

    with pytest.raises(DataLoss) as lost:
        start()
    assert_says_the_way_out(lost.value, path)
    for file in path.parent.iterdir():
        file.rename(path.parent.parent / file.name)
    start()


def test_a_caller_of_a_damaged_store_is_not_told_what_the_operator_is_to_do(store: SqliteStore, path: Path) -> None:
    store.record(key(), answer("first"), oldest=START, at_most=9)
    store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store._connection.execute("PRAGMA cache_size = 0")
    path.write_bytes(no_database(path.read_bytes()))
    with pytest.raises(Unavailable) as failed:
        store.record(key(), answer("again"), oldest=START, at_most=9)
    assert failed.value.message == "the store cannot be read or written"


def test_an_append_notices_that_rows_of_the_newest_generation_are_gone(
    store: SqliteStore, held: tuple[Generation, ...], path: Path
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM layer_row WHERE name = 'a'")
    with pytest.raises(DataLoss):
        store.append(generation(DEPLOYMENT, held[0].log_id, 3), dropped=())


def test_what_no_generation_holds_is_in_no_table(store: SqliteStore, path: Path) -> None:
    log_id = store.load(DEPLOYMENT).log_id
    for sequence in range(1, 31):
        rows = [row("same"), row(f"new-{sequence}"), row("changed", str(sequence))]
        store.append(generation(DEPLOYMENT, log_id, sequence, *rows), dropped=(sequence - 3,))
    # Three generations: one row for all, and two for each.
    assert (count(path, "generation"), count(path, "layer_row"), count(path, "bundle")) == (3, 7, 7)
    store.append(generation(DEPLOYMENT, log_id, 31), dropped=(28, 29, 30))
    assert (count(path, "generation"), count(path, "layer_row"), count(path, "bundle")) == (1, 0, 0)


def test_what_another_layer_holds_stays(store: SqliteStore, path: Path) -> None:
    alice = Partition(principal="token:alice", project="")
    for partition in (DEPLOYMENT, alice):
        store.append(generation(partition, store.load(partition).log_id, 1, row("a")), dropped=())
    assert count(path, "bundle") == 1
    store.append(generation(DEPLOYMENT, store.load(DEPLOYMENT).log_id, 2), dropped=(1,))
    assert store.load(alice).generations[0].rows == (row("a"),)


def test_a_generation_costs_what_it_changes(store: SqliteStore) -> None:
    log_id = store.load(DEPLOYMENT).log_id
    rows = {name: row(name) for name in map(str, range(1000))}
    store.append(generation(DEPLOYMENT, log_id, 1, *rows.values()), dropped=())
    rows["500"] = row("500", "changed")
    changed = generation(DEPLOYMENT, log_id, 2, *rows.values())
    before = store._connection.total_changes
    store.append(changed, dropped=())
    # The old row is closed, the new one comes with its bundle, and the generation.
    assert store._connection.total_changes - before == 4


def test_rows_made_anew_cost_nothing_where_they_are_equal(store: SqliteStore) -> None:
    log_id = store.load(DEPLOYMENT).log_id
    names = [str(number) for number in range(100)]
    store.append(generation(DEPLOYMENT, log_id, 1, *map(row, names)), dropped=())
    before = store._connection.total_changes
    store.append(generation(DEPLOYMENT, log_id, 2, *map(row, names)), dropped=())
    assert store._connection.total_changes - before == 1


def of(project: str) -> Partition:
    return Partition(principal="token:alice", project=project)


def ask(store: SqliteStore, project: str, at: datetime) -> None:
    """Record an id of a project that nobody asks for again; ids are kept for a day."""
    store.record(key(caller=of(project)), answer("first", at), oldest=at - timedelta(days=1), at_most=9)


def test_ids_of_callers_who_ask_no_more_are_forgotten_by_their_age(store: SqliteStore, path: Path) -> None:
    for number in range(50):
        ask(store, str(number), START + timedelta(seconds=number))
    ask(store, "late", START + timedelta(days=1, seconds=9.5))
    assert count(path, "request") == 41
    # Within a minute nobody looks for others again.
    ask(store, "late", START + timedelta(days=1, seconds=60))
    assert count(path, "request") == 41
    ask(store, "late", START + timedelta(days=1, seconds=69.5))
    assert count(path, "request") == 1


def test_where_ids_are_kept_for_seconds_they_are_forgotten_as_often(store: SqliteStore, path: Path) -> None:
    age = timedelta(seconds=2)
    for number in range(20):
        at = START + timedelta(seconds=number)
        store.record(key(caller=of(str(number))), answer("first", at), oldest=at - age, at_most=9)
        assert count(path, "request") <= 5


def test_a_clock_that_went_back_does_not_put_off_forgetting(store: SqliteStore, path: Path) -> None:
    ask(store, "ahead", START + timedelta(days=400))
    ask(store, "old", START)
    ask(store, "new", START + timedelta(days=2))
    assert count(path, "request") == 2


def test_of_very_many_ids_a_call_forgets_some_and_the_next_ones_the_rest(store: SqliteStore, path: Path) -> None:
    for number in range(2_500):
        ask(store, str(number), START)
    left = []
    for _ in range(4):
        ask(store, "late", START + timedelta(days=2))
        left.append(count(path, "request"))
    assert left == [1_501, 501, 1, 1]


def test_the_ids_of_all_callers_together_are_bounded(path: Path) -> None:
    path.parent.mkdir()
    with closing(SqliteStore(path, random_bytes=os.urandom, most_requests=10)) as store:
        for number in range(30):
            ask(store, str(number), START + timedelta(minutes=number))
        kept = store.record(
            key(caller=of("20")), answer("again", START + timedelta(minutes=29)), oldest=START, at_most=9
        )
        assert kept == answer("first", START + timedelta(minutes=20))
        assert count(path, "request") == 11

"""What every `BlobStore` keeps. A class of tests for each implementation inherits this one."""

import hashlib
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

import pytest

from skillsvc.content.blobs import BlobStore
from skillsvc.domain.errors import DataLoss, ErrorReason

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
"""The SHA-256 of no bytes and of `abc`, from the standard (FIPS 180)."""

Damage: TypeAlias = Callable[[str, bytes | None], None]

MALFORMED = [
    "",
    ABC[:-1],
    ABC + "0",
    ABC + "\n",
    ABC.upper(),
    "g" * 64,
    "../" + ABC[3:],
    ABC[:2] + "/" + ABC[3:],
    "\u0660" * 64,
    "\0" * 64,
]


def _write_abc(store: BlobStore) -> None:
    with store.writer() as writer:
        writer.write(b"abc")
        writer.commit()


class BlobStoreContract:
    """Inherit, and give a `store` that is empty and a `damage`.

    That one changes kept bytes behind the store's back, or takes the blob away where it is given none.
    """

    @pytest.fixture
    def store(self) -> BlobStore:
        raise NotImplementedError

    @pytest.fixture
    def damage(self, store: BlobStore) -> Damage:
        raise NotImplementedError(store)

    def test_what_was_put_is_read_under_the_digest_of_its_bytes(self, store: BlobStore) -> None:
        assert store.put(b"abc") == ABC
        assert store.put(b"") == EMPTY
        assert store.read(ABC) == b"abc"
        assert store.read(EMPTY) == b""

    def test_a_digest_known_to_the_caller_is_taken(self, store: BlobStore) -> None:
        assert store.put(b"abc", ABC) == ABC
        assert store.read(ABC) == b"abc"

    def test_a_false_digest_is_found_at_the_first_read(self, store: BlobStore) -> None:
        store.put(b"abd", ABC)
        with pytest.raises(DataLoss):
            store.read(ABC)

    def test_a_blob_that_is_put_twice_is_kept_once(self, store: BlobStore) -> None:
        store.put(b"abc")
        store.put(b"abc")
        assert list(store.digests()) == [ABC]

    def test_having_and_size_follow_putting_and_removing(self, store: BlobStore) -> None:
        assert not store.has(ABC)
        store.put(b"abc")
        assert store.has(ABC)
        assert store.size(ABC) == 3
        store.remove([ABC, EMPTY], unused_since=store.mark())
        assert not store.has(ABC)
        assert list(store.digests()) == []
        store.put(b"abc")
        assert store.read(ABC) == b"abc"

    def test_what_is_not_kept_is_lost_data(self, store: BlobStore) -> None:
        for ask in (store.read, store.size):
            with pytest.raises(DataLoss) as caught:
                ask(ABC)
            assert caught.value.reason is ErrorReason.DIGEST_MISMATCH

    @pytest.mark.parametrize(
        ("offset", "length", "expected"),
        [
            (0, None, b"abcdef"),
            (0, 6, b"abcdef"),
            (0, 100, b"abcdef"),
            (2, 3, b"cde"),
            (5, 1, b"f"),
            (4, None, b"ef"),
            (3, 0, b""),
            (6, None, b""),
            (6, 1, b""),
            (100, None, b""),
            (100, 5, b""),
        ],
    )
    def test_a_range_is_read_as_far_as_there_are_bytes(
        self, store: BlobStore, offset: int, length: int | None, expected: bytes
    ) -> None:
        digest = store.put(b"abcdef")
        assert store.read(digest, offset, length) == expected

    @pytest.mark.parametrize(("offset", "length"), [(-1, None), (0, -1), (-5, 5)])
    def test_a_negative_range_is_a_fault_of_the_program(
        self, store: BlobStore, offset: int, length: int | None
    ) -> None:
        digest = store.put(b"abcdef")
        with pytest.raises(ValueError, match="at least 0"):
            store.read(digest, offset, length)

    @pytest.mark.parametrize("digest", MALFORMED, ids=ascii)
    def test_what_is_no_digest_is_a_fault_of_the_program(self, store: BlobStore, digest: str) -> None:
        asks: list[Callable[[], object]] = [
            lambda: store.read(digest),
            lambda: store.has(digest),
            lambda: store.size(digest),
            lambda: store.put(b"abc", digest),
            lambda: store.remove([digest], unused_since=store.mark()),
        ]
        for ask in asks:
            with pytest.raises(ValueError, match="64 lower-case hex digits"):
                ask()
        assert list(store.digests()) == []

    def test_a_blob_written_in_pieces_is_the_blob_of_all_of_them(self, store: BlobStore) -> None:
        with store.writer() as writer:
            for piece in (b"a", b"", b"bc"):
                writer.write(piece)
            assert list(store.digests()) == []
            assert writer.commit() == (ABC, 3)
        assert store.read(ABC) == b"abc"
        with store.writer() as writer:
            writer.write(b"abc")
            assert writer.commit() == (ABC, 3)
        with store.writer() as writer:
            assert writer.commit() == (EMPTY, 0)
        assert sorted(store.digests()) == [ABC, EMPTY]

    def test_what_is_not_committed_leaves_nothing(self, store: BlobStore) -> None:
        with store.writer() as writer:
            writer.write(b"abc")
        with suppress(ZeroDivisionError), store.writer() as writer:
            writer.write(b"abc")
            raise ZeroDivisionError
        assert list(store.digests()) == []

    def test_two_writers_of_one_blob_do_not_meet(self, store: BlobStore) -> None:
        with store.writer() as one, store.writer() as two:
            one.write(b"ab")
            two.write(b"abc")
            one.write(b"c")
            assert two.commit() == one.commit() == (ABC, 3)
        assert list(store.digests()) == [ABC]
        assert store.read(ABC) == b"abc"

    @pytest.mark.parametrize("bad", [b"abd", b"ab", b"abcd", b""])
    def test_damage_is_found_at_the_first_read_and_mended_by_the_next_put(
        self, store: BlobStore, damage: Damage, bad: bytes
    ) -> None:
        store.put(b"abc")
        damage(ABC, bad)
        for _ in range(2):
            with pytest.raises(DataLoss):
                store.read(ABC, 0, 1)
        store.put(b"abc")
        assert store.read(ABC) == b"abc"

    @pytest.mark.parametrize("bad", [b"abd", b"ab"])
    def test_damage_is_mended_by_a_writer_too(self, store: BlobStore, damage: Damage, bad: bytes) -> None:
        store.put(b"abc")
        damage(ABC, bad)
        with pytest.raises(DataLoss):
            store.read(ABC)
        with store.writer() as writer:
            writer.write(b"abc")
            writer.commit()
        assert store.read(ABC) == b"abc"

    def test_a_blob_of_another_size_is_mended_though_nobody_read_it(self, store: BlobStore, damage: Damage) -> None:
        store.put(b"abc")
        damage(ABC, b"")
        store.put(b"abc")
        assert store.read(ABC) == b"abc"

    @pytest.mark.parametrize("bad", [b"abd", b"ab", b"abcd", b"", None])
    def test_damage_is_found_after_a_good_read_too(self, store: BlobStore, damage: Damage, bad: bytes | None) -> None:
        store.put(b"abc")
        assert store.read(ABC) == b"abc"
        damage(ABC, bad)
        for offset in (0, 2, 3):
            with pytest.raises(DataLoss) as caught:
                store.read(ABC, offset, 1)
            assert caught.value.reason is ErrorReason.DIGEST_MISMATCH

    @pytest.mark.parametrize("bad", [b"abd", b"ab", None])
    def test_what_a_read_found_lost_is_not_there_until_it_is_put_again(
        self, store: BlobStore, damage: Damage, bad: bytes | None
    ) -> None:
        store.put(b"abc")
        store.put(b"abcd")
        damage(ABC, bad)
        assert store.lost() == frozenset()
        with pytest.raises(DataLoss):
            store.read(ABC)
        assert store.lost() == {ABC}
        assert not store.has(ABC)
        store.put(b"abc")
        assert store.lost() == frozenset()
        assert store.has(ABC)
        assert store.read(ABC) == b"abc"

    @pytest.mark.parametrize("bad", [b"abd", None])
    def test_what_was_lost_is_found_by_a_writer_or_by_whoever_brings_it_back(
        self, store: BlobStore, damage: Damage, bad: bytes | None
    ) -> None:
        store.put(b"abc")
        for _ in range(2):
            damage(ABC, bad)
            with pytest.raises(DataLoss):
                store.read(ABC)
            with store.writer() as writer:
                writer.write(b"abc")
                writer.commit()
            assert store.lost() == frozenset()
            assert store.has(ABC)
        damage(ABC, b"abd")
        with pytest.raises(DataLoss):
            store.read(ABC)
        damage(ABC, b"abc")
        assert store.read(ABC) == b"abc"
        assert store.lost() == frozenset()

    @pytest.mark.parametrize("bad", [b"abd", None])
    def test_what_was_lost_is_forgotten_when_it_is_removed(
        self, store: BlobStore, damage: Damage, bad: bytes | None
    ) -> None:
        store.put(b"abc")
        damage(ABC, bad)
        with pytest.raises(DataLoss):
            store.read(ABC)
        store.remove([ABC], unused_since=store.mark())
        assert store.lost() == frozenset()
        assert not store.has(ABC)

    @pytest.mark.parametrize("use", [lambda store: store.put(b"abc"), lambda store: store.has(ABC), _write_abc])
    def test_what_was_put_or_asked_for_since_a_mark_stays(
        self, store: BlobStore, use: Callable[[BlobStore], object]
    ) -> None:
        store.put(b"abc")
        store.put(b"")
        mark = store.mark()
        use(store)
        store.remove([ABC, EMPTY], unused_since=mark)
        assert set(store.digests()) == {ABC}
        later = store.mark()
        store.remove([ABC], unused_since=mark)
        assert store.read(ABC) == b"abc"
        store.remove([ABC], unused_since=later)
        assert list(store.digests()) == []

    def test_marks_grow(self, store: BlobStore) -> None:
        marks = [store.mark() for _ in range(3)]
        assert marks == sorted(set(marks))

    def test_what_a_thread_finds_after_its_mark_is_never_removed_by_another(self, store: BlobStore) -> None:
        over = threading.Event()
        marks: dict[int, int] = {}

        def sweep() -> None:
            while not over.is_set():
                since = min([store.mark(), *tuple(marks.values())])
                store.remove([ABC], unused_since=since)

        sweeper = threading.Thread(target=sweep)
        sweeper.start()
        lost = 0
        try:
            for number in range(500):
                marks[0] = store.mark()
                if number % 2 or not store.has(ABC):
                    store.put(b"abc")
                lost += not store.has(ABC)
                del marks[0]
        finally:
            over.set()
            sweeper.join()
        assert lost == 0

    def test_syncing_is_always_allowed(self, store: BlobStore) -> None:
        store.sync()
        store.put(b"abc")
        store.sync()
        store.sync()
        assert store.read(ABC) == b"abc"

    def test_threads_may_list_at_once(self, store: BlobStore) -> None:
        kept = {store.put(f"{number}".encode()) for number in range(200)}
        seen: list[set[str]] = []
        threads = [threading.Thread(target=lambda: seen.append(set(store.digests()))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == [kept] * 8

    def test_threads_may_put_read_and_sync_at_once(self, store: BlobStore) -> None:
        blobs = [bytes([number]) * (number * 97 % 3_000) for number in range(100)]
        faults: list[BaseException] = []
        start = threading.Barrier(4)

        def work(shift: int) -> None:
            try:
                start.wait()
                for data in blobs[shift:] + blobs[:shift]:
                    digest = store.put(data)
                    assert digest == hashlib.sha256(data).hexdigest()
                    assert store.read(digest) == data
                    with store.writer() as writer:
                        writer.write(data)
                        assert writer.commit() == (digest, len(data))
                store.sync()
            except BaseException as error:  # noqa: BLE001 - told to the test, which fails with it
                faults.append(error)

        threads = [threading.Thread(target=work, args=(shift,)) for shift in (0, 1, 50, 99)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
        assert sorted(store.digests()) == sorted({hashlib.sha256(data).hexdigest() for data in blobs})

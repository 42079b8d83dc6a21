"""What every `BlobStore` keeps while bytes go in, also one from which none come out again."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from skillsvc.content.blobs import BlobStore
from skillsvc.domain.errors import DataLoss, ErrorReason
from tests.contract.blob_store import ABC, EMPTY, MALFORMED


class BlobIntakeContract:
    """Inherit, and give a `store` that is empty."""

    @pytest.fixture
    def store(self) -> BlobStore:
        raise NotImplementedError

    def test_what_was_put_is_known_by_the_digest_of_its_bytes(self, store: BlobStore) -> None:
        assert store.put(b"abc") == ABC
        assert store.put(b"") == EMPTY
        assert (store.size(ABC), store.size(EMPTY)) == (3, 0)

    def test_a_digest_known_to_the_caller_is_taken(self, store: BlobStore) -> None:
        assert store.put(b"abc", ABC) == ABC
        assert store.has(ABC)

    def test_a_blob_that_is_put_twice_is_known_once(self, store: BlobStore) -> None:
        store.put(b"abc")
        store.put(b"abc")
        assert list(store.digests()) == [ABC]

    def test_what_was_removed_is_known_no_more(self, store: BlobStore) -> None:
        store.put(b"abc")
        store.remove([ABC, EMPTY], unused_since=store.mark())
        assert not store.has(ABC)
        assert list(store.digests()) == []

    def test_what_was_never_put_is_lost_data(self, store: BlobStore) -> None:
        for ask in (store.read, store.size):
            with pytest.raises(DataLoss) as caught:
                ask(ABC)
            assert caught.value.reason is ErrorReason.DIGEST_MISMATCH

    @pytest.mark.parametrize(("offset", "length"), [(-1, None), (0, -1), (-5, 5)])
    def test_a_negative_range_is_a_fault_of_the_program(
        self, store: BlobStore, offset: int, length: int | None
    ) -> None:
        with pytest.raises(ValueError, match="at least 0"):
            store.read(ABC, offset, length)

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

    def test_what_was_put_is_not_lost(self, store: BlobStore) -> None:
        store.put(b"abc")
        assert store.lost() == frozenset()

    def test_syncing_is_always_allowed(self, store: BlobStore) -> None:
        store.sync()
        store.put(b"abc")
        store.sync()
        assert store.has(ABC)

"""Blobs on need: one fetch for all who need one, nothing wrong kept, and out of reach is not lost."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
from typing_extensions import override

from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.sources.remote_blobs import NotHad, RemoteBlob, RemoteBlobs
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.patience import PATIENCE_S

DATA = b"ebb and flow"
DIGEST = sha256(DATA).hexdigest()
OTHER = sha256(b"other").hexdigest()
PLACE = "layer/source"
URL = "https://host.example/a"


class Shelf:
    """A source that gives what it has, once it may."""

    def __init__(self, blobs: MemoryBlobStore) -> None:
        self.blobs = blobs
        self.asked: list[str] = []
        self.opened = threading.Event()
        self.opened.set()
        self.failing: Exception | None = None
        self.shown: set[str] = set()

    def has_shown(self, digest: str) -> bool:
        return digest in self.shown

    def bring(self, digest: str, at: RemoteBlob, within_s: float) -> None:
        assert at.url == URL
        assert within_s > 0
        self.asked.append(digest)
        self.opened.wait(PATIENCE_S)
        if self.failing is not None:
            raise self.failing
        self.shown.add(self.blobs.put(DATA))


@pytest.fixture
def blobs() -> MemoryBlobStore:
    return MemoryBlobStore()


@pytest.fixture
def shelf(blobs: MemoryBlobStore) -> Iterator[Shelf]:
    shelf = Shelf(blobs)
    yield shelf
    shelf.opened.set()


@pytest.fixture
def remote(blobs: MemoryBlobStore, shelf: Shelf) -> RemoteBlobs:
    remote = RemoteBlobs(blobs)
    remote.offer(PLACE, shelf, {DIGEST: RemoteBlob(URL, len(DATA))})
    return remote


def refusal(remote: RemoteBlobs, digest: str = DIGEST, place: str = PLACE) -> Unavailable:
    with pytest.raises(Unavailable) as refused:
        remote.bring(place, digest)
    assert refused.value.reason is ErrorReason.SOURCE_UNREACHABLE
    assert refused.value.retry_after_s is not None
    return refused.value


def test_what_is_offered_is_brought(remote: RemoteBlobs, blobs: MemoryBlobStore) -> None:
    assert remote.offers(PLACE, DIGEST)
    assert not remote.offers(PLACE, OTHER)
    remote.bring(PLACE, DIGEST)
    assert blobs.read(DIGEST) == DATA


def test_what_it_has_given_is_not_asked_for_again(remote: RemoteBlobs, blobs: MemoryBlobStore, shelf: Shelf) -> None:
    for _ in range(2):
        remote.bring(PLACE, DIGEST)
    assert shelf.asked == [DIGEST]
    blobs.blobs.clear()
    remote.bring(PLACE, DIGEST)
    assert shelf.asked == [DIGEST] * 2


def test_what_it_gave_to_a_look_is_not_owed(remote: RemoteBlobs, blobs: MemoryBlobStore, shelf: Shelf) -> None:
    assert remote.owes(PLACE, DIGEST)
    shelf.shown.add(blobs.put(DATA))
    assert not remote.owes(PLACE, DIGEST)
    remote.bring(PLACE, DIGEST)
    assert shelf.asked == []


class TestWhatAnotherSourceHas:
    """A source that names a blob by its digest alone is given nothing of it by another one's leave (G29)."""

    @pytest.fixture
    def naming(self, blobs: MemoryBlobStore, remote: RemoteBlobs) -> Shelf:
        """Return a source that names the blob, and does not have it."""
        naming = Shelf(blobs)
        naming.failing = NotHad("the status 404")
        remote.offer("other/source", naming, {DIGEST: RemoteBlob(URL, len(DATA))})
        return naming

    def test_it_is_not_fetched_from_there(self, remote: RemoteBlobs, shelf: Shelf, naming: Shelf) -> None:
        refusal(remote, place="other/source")
        assert (shelf.asked, naming.asked) == ([], [DIGEST])

    def test_its_own_source_is_asked_also_where_it_is_here(
        self, remote: RemoteBlobs, blobs: MemoryBlobStore, naming: Shelf
    ) -> None:
        remote.bring(PLACE, DIGEST)
        assert blobs.has(DIGEST)
        assert not remote.owes(PLACE, DIGEST)
        assert remote.owes("other/source", DIGEST)
        refusal(remote, place="other/source")
        naming.failing = None
        remote.bring("other/source", DIGEST)
        assert not remote.owes("other/source", DIGEST)

    def test_who_waits_for_one_does_not_take_what_the_other_brings(
        self, remote: RemoteBlobs, shelf: Shelf, naming: Shelf
    ) -> None:
        shelf.opened.clear()
        with ThreadPoolExecutor(1) as pool:
            brought = pool.submit(remote.bring, PLACE, DIGEST)
            while not shelf.asked:
                pass
            refusal(remote, place="other/source")
            shelf.opened.set()
            brought.result(timeout=PATIENCE_S)
        assert naming.asked == [DIGEST]

    def test_a_source_declared_in_place_of_another_has_not_what_that_gave(
        self, remote: RemoteBlobs, shelf: Shelf, naming: Shelf
    ) -> None:
        remote.bring(PLACE, DIGEST)
        remote.offer(PLACE, naming, {DIGEST: RemoteBlob(URL, len(DATA))})
        assert remote.owes(PLACE, DIGEST)
        # The one before is let go only when nobody looks at it any more.
        remote.withdraw(PLACE, shelf)
        refusal(remote)
        remote.withdraw(PLACE, naming)

    @pytest.mark.parametrize("ending", ["named no more", "declared no more"])
    def test_generations_that_name_it_have_it_as_before(
        self, remote: RemoteBlobs, shelf: Shelf, naming: Shelf, ending: str
    ) -> None:
        remote.bring(PLACE, DIGEST)
        for place, source in ((PLACE, shelf), ("other/source", naming)):
            if ending == "named no more":
                remote.offer(place, source, {})
            else:
                remote.withdraw(place, source)
            source.shown.clear()
        assert (remote.owes(PLACE, DIGEST), remote.owes("other/source", DIGEST)) == (False, True)
        remote.bring(PLACE, DIGEST)
        refusal(remote, place="other/source")
        assert shelf.asked == [DIGEST]


def test_all_who_need_one_wait_for_one_fetch(remote: RemoteBlobs, shelf: Shelf) -> None:
    shelf.opened.clear()
    with ThreadPoolExecutor(8) as pool:
        needs = [pool.submit(remote.bring, PLACE, DIGEST) for _ in range(8)]
        while not shelf.asked:
            pass
        shelf.opened.set()
        for need in needs:
            need.result(timeout=PATIENCE_S)
    assert shelf.asked == [DIGEST]


def test_a_failure_is_told_to_all_and_the_next_need_tries_anew(remote: RemoteBlobs, shelf: Shelf) -> None:
    shelf.failing = NotHad("host.example answers with the status 500")
    shelf.opened.clear()
    with ThreadPoolExecutor(4) as pool:
        needs = [pool.submit(refusal, remote) for _ in range(4)]
        while not shelf.asked:
            pass
        shelf.opened.set()
        assert not any("host.example" in need.result(timeout=PATIENCE_S).message for need in needs)
    shelf.failing = None
    remote.bring(PLACE, DIGEST)


def test_what_the_store_refuses_is_told_as_it_is(remote: RemoteBlobs, shelf: Shelf) -> None:
    shelf.failing = Unavailable(ErrorReason.STORE_UNREACHABLE, "full")
    with pytest.raises(Unavailable) as refused:
        remote.bring(PLACE, DIGEST)
    assert refused.value.reason is ErrorReason.STORE_UNREACHABLE


def test_a_source_that_kept_one_waiting_in_vain_keeps_no_other_until_it_answers(blobs: MemoryBlobStore) -> None:
    digests = [sha256(bytes([number])).hexdigest() for number in range(7)]
    answering, begun = threading.Event(), threading.Semaphore(0)

    class Silent(Shelf):
        @override
        def bring(self, digest: str, at: RemoteBlob, within_s: float) -> None:
            begun.release()
            answering.wait(PATIENCE_S)
            raise NotHad(digest)

    turn_s = 0.5
    remote = RemoteBlobs(blobs, turn_s=turn_s)
    remote.offer(PLACE, Silent(blobs), dict.fromkeys(digests, RemoteBlob(URL, 1)))
    with ThreadPoolExecutor(4) as pool:
        for digest in digests[:4]:
            pool.submit(refusal, remote, digest)
        for _ in range(4):
            assert begun.acquire(timeout=PATIENCE_S)
        refusal(remote, digests[4])
        began = time.monotonic()
        for _ in range(100):
            refusal(remote, digests[5])
        # Had each waited for its turn, it were as many turns.
        assert time.monotonic() - began < 50 * turn_s
        answering.set()
    refusal(remote, digests[6])
    assert begun.acquire(blocking=False)


def test_what_is_offered_no_more_is_known_for_generations_that_name_it(remote: RemoteBlobs, shelf: Shelf) -> None:
    remote.offer(PLACE, shelf, {OTHER: RemoteBlob(URL, 5)})
    assert remote.offers(PLACE, DIGEST)
    assert remote.offers(PLACE, OTHER)
    remote.bring(PLACE, DIGEST)


def test_of_a_source_that_is_declared_no_more_it_is_out_of_reach(remote: RemoteBlobs, shelf: Shelf) -> None:
    remote.withdraw(PLACE, shelf)
    remote.withdraw(PLACE, shelf)
    assert remote.offers(PLACE, DIGEST)
    refusal(remote)


def test_where_it_is_may_be_unknown_until_the_source_is_reached(remote: RemoteBlobs, shelf: Shelf) -> None:
    remote.offer(PLACE, shelf, {OTHER: RemoteBlob("", 0)})
    refusal(remote, OTHER)
    assert shelf.asked == []

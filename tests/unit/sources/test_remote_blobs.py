"""Blobs on need: one fetch for all who need one, nothing wrong kept, and out of reach is not lost."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.sources.remote_blobs import NotHad, RemoteBlob, RemoteBlobs
from tests.contract.memory_blob_store import MemoryBlobStore

DATA = b"ebb and flow"
DIGEST = sha256(DATA).hexdigest()
OTHER = sha256(b"other").hexdigest()
URL = "https://host.example/a"


class Shelf:
    """A source that gives what it has, once it may."""

    def __init__(self, blobs: MemoryBlobStore) -> None:
        self.blobs = blobs
        self.asked: list[str] = []
        self.opened = threading.Event()
        self.opened.set()
        self.failing: Exception | None = None

    def bring(self, digest: str, at: RemoteBlob, within_s: float) -> None:
        assert at.url == URL
        assert within_s > 0
        self.asked.append(digest)
        self.opened.wait(10)
        if self.failing is not None:
            raise self.failing
        self.blobs.put(DATA)


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
    remote.offer("source", {DIGEST: RemoteBlob(URL, len(DATA))}, shelf.bring)
    return remote


def refusal(remote: RemoteBlobs, digest: str = DIGEST) -> Unavailable:
    with pytest.raises(Unavailable) as refused:
        remote.bring(digest)
    assert refused.value.reason is ErrorReason.SOURCE_UNREACHABLE
    assert refused.value.retry_after_s is not None
    return refused.value


def test_what_is_offered_is_brought(remote: RemoteBlobs, blobs: MemoryBlobStore) -> None:
    assert remote.offers(DIGEST)
    assert not remote.offers(OTHER)
    remote.bring(DIGEST)
    assert blobs.read(DIGEST) == DATA


def test_what_is_here_already_is_not_asked_for(remote: RemoteBlobs, blobs: MemoryBlobStore, shelf: Shelf) -> None:
    blobs.put(DATA)
    remote.bring(DIGEST)
    assert shelf.asked == []


def test_all_who_need_one_wait_for_one_fetch(remote: RemoteBlobs, shelf: Shelf) -> None:
    shelf.opened.clear()
    with ThreadPoolExecutor(8) as pool:
        needs = [pool.submit(remote.bring, DIGEST) for _ in range(8)]
        while not shelf.asked:
            pass
        shelf.opened.set()
        for need in needs:
            need.result(timeout=10)
    assert shelf.asked == [DIGEST]


def test_a_failure_is_told_to_all_and_the_next_need_tries_anew(remote: RemoteBlobs, shelf: Shelf) -> None:
    shelf.failing = NotHad("host.example answers with the status 500")
    shelf.opened.clear()
    with ThreadPoolExecutor(4) as pool:
        needs = [pool.submit(refusal, remote) for _ in range(4)]
        while not shelf.asked:
            pass
        shelf.opened.set()
        assert not any("host.example" in need.result(timeout=10).message for need in needs)
    shelf.failing = None
    remote.bring(DIGEST)


def test_what_the_store_refuses_is_told_as_it_is(remote: RemoteBlobs, shelf: Shelf) -> None:
    shelf.failing = Unavailable(ErrorReason.STORE_UNREACHABLE, "full")
    with pytest.raises(Unavailable) as refused:
        remote.bring(DIGEST)
    assert refused.value.reason is ErrorReason.STORE_UNREACHABLE


def test_another_source_that_has_it_is_asked_too(remote: RemoteBlobs, blobs: MemoryBlobStore, shelf: Shelf) -> None:
    shelf.failing = NotHad("away")
    second = Shelf(blobs)
    remote.offer("second", {DIGEST: RemoteBlob(URL, len(DATA))}, second.bring)
    remote.bring(DIGEST)
    assert (shelf.asked, second.asked) == ([DIGEST], [DIGEST])


def test_sources_that_have_it_share_the_time_of_whoever_waits(blobs: MemoryBlobStore) -> None:
    now = 100.0
    given: list[float] = []

    def silent(_digest: str, _at: RemoteBlob, within_s: float) -> None:
        nonlocal now
        given.append(within_s)
        now += within_s
        raise NotHad("silent")

    def refusing(_digest: str, _at: RemoteBlob, within_s: float) -> None:
        given.append(within_s)
        raise NotHad("refuses")

    remote = RemoteBlobs(blobs, clock=lambda: now)
    for owner, bring in enumerate([silent, refusing, silent, silent]):
        remote.offer(owner, {DIGEST: RemoteBlob(URL, len(DATA))}, bring)
    refusal(remote)
    assert given == [2.5, 2.5, 3.75, 3.75]
    assert now == 110.0


def test_a_source_that_kept_one_waiting_in_vain_keeps_no_other_until_it_answers(blobs: MemoryBlobStore) -> None:
    digests = [sha256(bytes([number])).hexdigest() for number in range(7)]
    answering, begun = threading.Event(), threading.Semaphore(0)
    # To the first who waits little of the time is left; the others have all of it.
    moments = iter([*[0.0] * 12, 0.0, 9.9])

    def silent(digest: str, _at: RemoteBlob, _within_s: float) -> None:
        begun.release()
        answering.wait(10)
        raise NotHad(digest)

    remote = RemoteBlobs(blobs, clock=lambda: next(moments, 0.0))
    remote.offer("source", dict.fromkeys(digests, RemoteBlob(URL, 1)), silent)
    with ThreadPoolExecutor(4) as pool:
        for digest in digests[:4]:
            pool.submit(refusal, remote, digest)
        for _ in range(4):
            assert begun.acquire(timeout=10)
        refusal(remote, digests[4])
        began = time.monotonic()
        for _ in range(10):
            refusal(remote, digests[5])
        assert time.monotonic() - began < 2.0
        answering.set()
    refusal(remote, digests[6])
    assert begun.acquire(blocking=False)


def test_what_is_offered_no_more_is_known_for_generations_that_name_it(remote: RemoteBlobs, shelf: Shelf) -> None:
    remote.offer("source", {OTHER: RemoteBlob(URL, 5)}, shelf.bring)
    assert remote.offers(DIGEST)
    assert remote.offers(OTHER)
    remote.bring(DIGEST)


def test_of_a_source_that_is_declared_no_more_it_is_out_of_reach(remote: RemoteBlobs) -> None:
    remote.withdraw("source")
    remote.withdraw("source")
    assert remote.offers(DIGEST)
    refusal(remote)


def test_where_it_is_may_be_unknown_until_the_source_is_reached(remote: RemoteBlobs, shelf: Shelf) -> None:
    remote.offer("source", {OTHER: RemoteBlob("", 0)}, shelf.bring)
    refusal(remote, OTHER)
    assert shelf.asked == []

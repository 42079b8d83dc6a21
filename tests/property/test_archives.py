"""Any damage to any archive: it is refused, or what comes out is whole and within its bounds (`rules.md` 1, 3)."""

import hashlib
import io
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from skillsvc.content.archive_paths import ArchiveLimits, ArchiveRefused
from skillsvc.content.archives import ArchiveKind, unpack
from skillsvc.content.stopping import never
from skillsvc.content.unpacking import Unpacked
from skillsvc.domain.caps import fits_asset_name
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.packing import FOLDER, LINK, PROGRAM, Zipped, pax, tar_gz_of, tar_of, tarred, zip_of

LIMITS = ArchiveLimits(total_bytes=256 * 1024, file_bytes=128 * 1024, entries=50)
NOISE = hashlib.shake_256(b"noise").digest(4000)

ZIP = zip_of(
    Zipped(name="s/", mode=FOLDER),
    Zipped(name="s/SKILL.md", data=b"text" * 500),
    Zipped(name="s/run.sh", data=b"#!/bin/sh\n", mode=PROGRAM, flags=8, local_sizes=(0, 0, 0), after=bytes(12)),
    Zipped(name="s/noise", data=NOISE, method=0),
    Zipped(name="s/alias", data=b"noise", mode=LINK),
    comment=b"a comment",
)
MEMBERS = (
    tarred("s/", kind=b"5"),
    tarred("s/SKILL.md", b"text" * 500),
    tarred("s/run.sh", b"#!/bin/sh\n", mode=0o755),
    pax((b"path", "s/é".encode()), (b"size", b"4000")) + tarred("s/noise", NOISE),
    tarred("s/alias", kind=b"2", link=b"noise"),
)
GOOD = {
    ArchiveKind.ZIP: ZIP,
    ArchiveKind.TAR: tar_of(*MEMBERS),
    ArchiveKind.TAR_GZIP: tar_gz_of(*MEMBERS),
}


@dataclass(frozen=True)
class Outcome:
    """What came of an unpacking: what was unpacked, where it was not refused."""

    unpacked: Unpacked | None
    blobs: MemoryBlobStore


def attempt(kind: ArchiveKind, data: bytes) -> Outcome:
    blobs = MemoryBlobStore()
    try:
        return Outcome(unpack(io.BytesIO(data), kind=kind, limits=LIMITS, blobs=blobs, stopped=never), blobs)
    except ArchiveRefused:
        return Outcome(None, blobs)


def assert_bounded(outcome: Outcome) -> None:
    assert sum(map(len, outcome.blobs.blobs.values())) <= LIMITS.total_bytes
    if outcome.unpacked is not None:
        for path, file in outcome.unpacked.files.items():
            assert fits_asset_name(path)
            assert len(outcome.blobs.read(file.digest)) == file.size
        assert all(map(fits_asset_name, outcome.unpacked.links))


kinds = st.sampled_from(list(ArchiveKind))


@given(kinds, st.data())
def test_a_part_of_an_archive_is_refused(kind: ArchiveKind, data: st.DataObject) -> None:
    upto = data.draw(st.integers(0, len(GOOD[kind]) - 1))
    outcome = attempt(kind, GOOD[kind][:upto])
    assert outcome.unpacked is None
    assert_bounded(outcome)


@given(kinds, st.data())
def test_changed_bytes_are_refused_or_harmless(kind: ArchiveKind, data: st.DataObject) -> None:
    changed = bytearray(GOOD[kind])
    places = st.integers(0, len(changed) - 1)
    for at, value in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), min_size=1, max_size=4)):
        changed[at] = value
    assert_bounded(attempt(kind, bytes(changed)))


@given(kinds, st.data())
def test_parts_that_are_cut_or_said_twice_are_refused_or_harmless(kind: ArchiveKind, data: st.DataObject) -> None:
    good = GOOD[kind]
    places = st.integers(0, len(good))
    one, other, back = data.draw(places), data.draw(places), data.draw(places)
    assert_bounded(attempt(kind, good[:one] + good[back:other] + good[back:]))


@given(kinds, st.binary(max_size=2000))
def test_any_bytes_are_refused_or_harmless(kind: ArchiveKind, data: bytes) -> None:
    assert_bounded(attempt(kind, data))


def test_what_is_whole_is_taken() -> None:
    for kind, data in GOOD.items():
        outcome = attempt(kind, data)
        assert outcome.unpacked is not None
        assert len(outcome.unpacked.files) == 3
        assert_bounded(outcome)

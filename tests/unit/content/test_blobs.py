"""How the blob store lies in its folder, and what it does about other processes, full disks and left-over files."""

import hashlib
import os
import resource
import stat
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.blobs import FileBlobStore
from skillsvc.content.stamps import FileStamp
from skillsvc.content.syscalls import LinuxCalls
from skillsvc.domain.errors import DataLoss, ErrorReason, Unavailable

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "blobs"


def test_a_blob_lies_under_its_digest_for_the_owner_alone(place: Path) -> None:
    before = os.umask(0)
    try:
        with FileBlobStore(str(place)) as store:
            store.put(b"abc")
    finally:
        os.umask(before)
    assert {path.relative_to(place).as_posix(): stat.S_IMODE(path.stat().st_mode) for path in place.rglob("*")} == {
        "tmp": 0o700,
        ABC[:2]: 0o700,
        f"{ABC[:2]}/{ABC[2:]}": 0o600,
    }
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_blobs_outlive_the_store_object(place: Path) -> None:
    with FileBlobStore(str(place)) as store:
        store.put(b"abc")
    with FileBlobStore(str(place)) as store:
        assert store.read(ABC) == b"abc"
        assert list(store.digests()) == [ABC]


def test_damage_done_between_two_starts_is_found(place: Path) -> None:
    with FileBlobStore(str(place)) as store:
        store.put(b"abc")
        assert store.read(ABC) == b"abc"
    (place / ABC[:2] / ABC[2:]).write_bytes(b"abd")
    with FileBlobStore(str(place)) as store, pytest.raises(DataLoss):
        store.read(ABC, 2, 1)


def test_a_large_blob_is_checked_to_its_last_byte(place: Path) -> None:
    data = bytes(3 * 1024 * 1024 + 1)
    with FileBlobStore(str(place)) as store:
        digest = store.put(data)
        assert digest == hashlib.sha256(data).hexdigest()
        assert store.read(digest, 1024 * 1024 - 1, 1024 * 1024 + 2) == bytes(1024 * 1024 + 2)
    (place / digest[:2] / digest[2:]).write_bytes(data[:-1] + b"x")
    with FileBlobStore(str(place)) as store, pytest.raises(DataLoss):
        store.read(digest, 0, 1)


def test_what_a_dead_process_left_aside_is_removed_at_the_next_start(place: Path) -> None:
    (place / "tmp").mkdir(parents=True)
    (place / "tmp/4711-0").write_bytes(b"half a bl")
    with FileBlobStore(str(place)):
        assert list((place / "tmp").iterdir()) == []


def test_what_a_living_process_writes_aside_is_left_alone(place: Path) -> None:
    with FileBlobStore(str(place)) as one, one.writer() as writer:
        writer.write(b"ab")
        # Each open store has a lock of its own, as each process would.
        with FileBlobStore(str(place)) as two:
            writer.write(b"c")
            assert writer.commit() == (ABC, 3)
            assert two.read(ABC) == b"abc"


def test_names_aside_that_are_taken_are_passed_over(place: Path) -> None:
    with FileBlobStore(str(place)) as store:
        for number in range(3):
            (place / "tmp" / f"{os.getpid()}-{number}").write_bytes(b"another container's")
        assert store.put(b"abc") == ABC
        assert store.read(ABC) == b"abc"


def test_nothing_is_left_aside_by_any_way_of_putting(place: Path) -> None:
    with FileBlobStore(str(place)) as store:
        store.put(b"abc")
        store.put(b"abc")
        for _ in range(2):
            with store.writer() as writer:
                writer.write(b"abcd")
                writer.commit()
        with store.writer() as writer:
            writer.write(b"abcde")
        assert list((place / "tmp").iterdir()) == []


def test_files_that_are_no_blobs_are_not_told(place: Path) -> None:
    with FileBlobStore(str(place)) as store:
        store.put(b"abc")
        for name in ("ab", "zz", "README"):
            (place / name).mkdir(exist_ok=True)
            (place / name / ABC[2:]).touch()
        (place / ABC[:2] / "README").touch()
        assert sorted(store.digests()) == ["ab" + ABC[2:], ABC]


def test_a_link_in_place_of_a_blob_is_not_followed(place: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"abc")
    with FileBlobStore(str(place)) as store:
        (place / ABC[:2]).mkdir()
        (place / ABC[:2] / ABC[2:]).symlink_to(tmp_path / "secret")
        with pytest.raises(Unavailable):
            store.read(ABC)
        store.put(b"abc")
        assert store.read(ABC) == b"abc"
        assert not (place / ABC[:2] / ABC[2:]).is_symlink()


def test_a_folder_that_cannot_be_used_is_unavailable_and_its_place_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for root in (tmp_path / "file", tmp_path / "nowhere/blobs"):
        with pytest.raises(Unavailable) as caught:
            FileBlobStore(str(root))
        assert caught.value.reason is ErrorReason.STORE_UNREACHABLE
        assert str(tmp_path) not in caught.value.message


def test_a_put_that_fails_half_way_leaves_nothing(place: Path) -> None:
    with FileBlobStore(str(place)) as store:
        (place / ABC[:2]).touch()  # where the folder of the blob should be
        with pytest.raises(Unavailable):
            store.put(b"abc")
        with store.writer() as writer:
            writer.write(b"abc")
            with pytest.raises(Unavailable):
                writer.commit()
        assert list((place / "tmp").iterdir()) == []
        (place / ABC[:2]).unlink()
        store.put(b"abc")
        assert store.read(ABC) == b"abc"


def test_a_put_that_the_disk_cannot_take_leaves_nothing(place: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with FileBlobStore(str(place)) as store:
        # As on a full disk, a write takes what fits and the next one fails.
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
        try:
            with pytest.raises(Unavailable):
                store.put(bytes(1_001))
            with store.writer() as writer, pytest.raises(Unavailable):
                writer.write(bytes(1_001))
            assert store.read(store.put(bytes(1_000))) == bytes(1_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert len(list(store.digests())) == 1
        assert list((place / "tmp").iterdir()) == []


class _CountedCalls(LinuxCalls):
    """Counts the calls that reach the disk; the first `failing` of them fail."""

    def __init__(self, failing: int = 0) -> None:
        super().__init__()
        self.synced = 0
        self.failing = failing

    @override
    def syncfs(self, descriptor: int) -> None:
        self.synced += 1
        if self.synced <= self.failing:
            raise OSError(5, "Input/output error")
        super().syncfs(descriptor)


def test_one_sync_serves_all_puts_before_it_and_none_is_made_for_nothing(place: Path) -> None:
    calls = _CountedCalls()
    with FileBlobStore(str(place), calls) as store:
        store.sync()
        assert calls.synced == 0
        for number in range(100):
            store.put(b"%d" % number)
        store.sync()
        store.sync()
        assert calls.synced == 1


def test_a_blob_that_was_there_already_is_synced_too(place: Path) -> None:
    with FileBlobStore(str(place)) as store:
        store.put(b"abc")
    # Whoever wrote it may have been killed before it was safe.
    calls = _CountedCalls()
    with FileBlobStore(str(place), calls) as store:
        store.put(b"abc")
        store.sync()
    assert calls.synced == 1


def test_a_sync_that_failed_is_made_again(place: Path) -> None:
    calls = _CountedCalls(failing=1)
    with FileBlobStore(str(place), calls) as store:
        store.put(b"abc")
        with pytest.raises(Unavailable):
            store.sync()
        store.sync()
    assert calls.synced == 2


def test_a_blob_that_was_checked_and_not_touched_since_is_not_checked_again(place: Path) -> None:
    class Counted(FileBlobStore):
        checked = 0

        @override
        def _verify(self, digest: str, descriptor: int, stamp: FileStamp, now_ns: int) -> None:
            self.checked += 1
            super()._verify(digest, descriptor, stamp, now_ns)

    path = place / ABC[:2] / ABC[2:]
    now = 0
    with Counted(str(place), now_ns=lambda: path.stat().st_ctime_ns + now) as store:
        store.put(b"abc")
        # A write in the tick of the file system's clock would leave no trace.
        for after_ns, checked in ((0, 1), (10_000_000, 2), (1_000_000_000, 3), (2_000_000_000, 3), (0, 3)):
            now = after_ns
            assert store.read(ABC, 1, 1) == b"b"
            assert store.checked == checked
        path.touch()
        # Where the clock was put back, all stamps are from the future.
        for after_ns, checked in ((-3_600_000_000_000, 4), (-3_500_000_000_000, 4)):
            now = after_ns
            assert store.read(ABC) == b"abc"
            assert store.checked == checked
        store.remove([ABC], unused_since=store.mark())
        store.put(b"abc")
        assert store.read(ABC) == b"abc"
        assert store.checked == 5


def test_a_blob_that_is_cut_while_it_is_read_is_lost_data(place: Path) -> None:
    class Cut(FileBlobStore):
        @override
        def _verify(self, digest: str, descriptor: int, stamp: FileStamp, now_ns: int) -> None:
            super()._verify(digest, descriptor, stamp, now_ns)
            os.truncate(place / digest[:2] / digest[2:], 1)

    with Cut(str(place)) as store:
        store.put(b"abc")
        with pytest.raises(DataLoss):
            store.read(ABC, 1, 1)
        assert store.lost() == {ABC}

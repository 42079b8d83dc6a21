import errno
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.store.data_folder import DataFolder, DataFolderInUse


def random_bytes(size: int) -> bytes:
    return bytes(range(size))


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_a_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "data"
    with DataFolder.open(path) as folder:
        assert folder.path == path
        assert mode(path) == 0o700
        assert mode(path / "lock") == 0o600
    assert path.is_dir()


def test_a_second_server_is_refused_until_the_first_has_closed(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path):
        with pytest.raises(DataFolderInUse) as refused:
            DataFolder.open(tmp_path)
        assert refused.value.reason is ErrorReason.STORE_UNREACHABLE
        assert "in use by another server" in refused.value.message
        assert str(tmp_path) not in refused.value.message
    DataFolder.open(tmp_path).close()


def test_a_server_in_another_process_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; from skillsvc.store.data_folder import DataFolder; "
        "folder = DataFolder.open(pathlib.Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"open\n"
        with pytest.raises(DataFolderInUse):
            DataFolder.open(tmp_path)
        server.kill()
    DataFolder.open(tmp_path).close()


def test_a_second_server_is_refused_also_where_the_file_of_the_lock_is_gone(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path):
        (tmp_path / "lock").unlink()
        with pytest.raises(DataFolderInUse):
            DataFolder.open(tmp_path)
    DataFolder.open(tmp_path).close()


def test_a_file_system_that_locks_no_folder_has_the_file_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock

    def flock_files_alone(descriptor: int, operation: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EBADF, "not open for writing")
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock_files_alone)
    with DataFolder.open(tmp_path), pytest.raises(DataFolderInUse):
        DataFolder.open(tmp_path)


def test_a_refused_folder_keeps_no_descriptor(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path):
        before = open_descriptors()
        for _ in range(3):
            with pytest.raises(DataFolderInUse):
                DataFolder.open(tmp_path)
        assert open_descriptors() == before


def test_a_folder_where_anybody_may_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(Unavailable) as refused:
        DataFolder.open(tmp_path)
    assert "anybody may write" in refused.value.message
    tmp_path.chmod(0o775)
    DataFolder.open(tmp_path).close()


def test_a_file_in_its_place_is_refused_without_a_path(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"")
    with pytest.raises(Unavailable) as refused:
        DataFolder.open(path)
    assert refused.value.reason is ErrorReason.STORE_UNREACHABLE
    assert str(tmp_path) not in refused.value.message


def test_a_linked_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable):
        DataFolder.open(tmp_path)
    assert not (tmp_path / "elsewhere").exists()


def test_a_temporary_folder_is_private_and_removed_at_the_end(tmp_path: Path) -> None:
    with DataFolder.temporary(tmp_path) as folder:
        assert folder.path.parent == tmp_path
        assert mode(folder.path) == 0o700
        folder.database.write_bytes(b"x")
        folder.blobs.mkdir()
        (folder.blobs / "blob").write_bytes(b"x")
        with DataFolder.temporary(tmp_path) as other:
            assert other.path != folder.path
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_without_a_parent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as refused:
        DataFolder.temporary(tmp_path / "missing")
    assert str(tmp_path) not in refused.value.message


def test_a_key_is_made_at_first_and_kept(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path) as folder:
        keys = folder.token_keys(random_bytes)
        assert keys.keys == (bytes(range(32)),)
        assert mode(tmp_path / "token.key") == 0o600
        assert (tmp_path / "token.key").read_text() == bytes(range(32)).hex() + "\n"
        assert {path.name for path in tmp_path.iterdir()} == {"lock", "token.key"}
    with DataFolder.open(tmp_path) as folder:
        assert folder.token_keys(os.urandom) == keys

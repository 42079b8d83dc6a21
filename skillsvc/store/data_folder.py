"""The folder where one server keeps everything that survives it."""

import errno
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.tokens import KEY_BYTES, TokenKeys
from skillsvc.store.token_key_file import make_token_key_file, read_token_key_file

ADMIN_SOCKET: Final = "admin.sock"
"""The name in a data folder by which operators call its server."""

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_LOCK: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class DataFolderInUse(Unavailable):
    """Another server has the data folder."""

    def __init__(self) -> None:
        super().__init__(
            ErrorReason.STORE_UNREACHABLE,
            "the data folder is in use by another server: stop that one, or choose another folder",
        )


class DataFolder:
    """A locked data folder: made by `open` or `temporary`, and free for others after `close`.

    Attributes:
        path: The folder.
        admin: The socket in it by which operators call; the lock is also that of this name.
        database: The file of the store in it.
        blobs: The folder of the blobs in it.
        sources: The folder in which each source has one for its state; made at need.
    """

    __slots__ = ("_descriptor", "_lock", "_removed", "admin", "blobs", "database", "path", "sources")

    def __init__(self, path: Path, *, removed: bool) -> None:
        """Lock a folder that is there; `open` and `temporary` see to that. Where `removed`, closing removes it."""
        self.path = path
        self.admin = path.absolute() / ADMIN_SOCKET
        self.database = path / "skillsvc.db"
        self.blobs = path / "blobs"
        self.sources = path / "sources"
        self._removed = removed
        self._descriptor = os.open(path, _FOLDER)
        try:
            _refuse_others(self._descriptor)
            _lock_folder(self._descriptor)
            self._lock = _lock(self._descriptor)
        except BaseException:
            os.close(self._descriptor)
            raise

    @classmethod
    def open(cls, path: Path) -> Self:
        """Lock a folder, made with mode 0700 where there is none.

        Raises:
            DataFolderInUse: Another server, or another object of this one, has locked it.
            Unavailable: STORE_UNREACHABLE where it cannot be made or used, or anybody may write to it.
        """
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            return cls(path, removed=False)
        except BlockingIOError as error:
            raise DataFolderInUse from error
        except OSError as error:
            raise _unusable("the data folder", error) from error

    @classmethod
    def temporary(cls, parent: Path) -> Self:
        """Lock a new folder with mode 0700 in `parent`, which `close` removes; errors as of `open`."""
        try:
            path = Path(tempfile.mkdtemp(prefix="skillsvc-", dir=parent))
            return cls(path, removed=True)
        except OSError as error:
            raise _unusable("a temporary data folder", error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unlock, and remove a temporary folder as far as possible; whatever is open in it was closed before."""
        if self._removed:
            shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)
        os.close(self._descriptor)

    def token_keys(self, random_bytes: Callable[[int], bytes]) -> TokenKeys:
        """Return the keys of `token.key`; where there is none it is made, mode 0600, with one key of random bytes.

        Raises:
            InvalidInput: ARGUMENT_MALFORMED where others may use the file, or a line is no key.
            Unavailable: STORE_UNREACHABLE where the file cannot be read or made.
        """
        path = self.path / "token.key"
        if not path.exists():
            make_token_key_file(path, random_bytes(KEY_BYTES))
        return read_token_key_file(path)


def _refuse_others(folder: int) -> None:
    # A file that others may replace is no place for keys, whatever its own mode says.
    if os.fstat(folder).st_mode & stat.S_IWOTH:
        raise Unavailable(
            ErrorReason.STORE_UNREACHABLE,
            "anybody may write to the data folder: take that away (chmod o-w), or choose a folder inside it",
        )


def _lock_folder(folder: int) -> None:
    """Lock the folder itself: a file in it may be removed, and another server would then lock a new one."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError as error:
        # Network file systems lock what can be written alone. The file is locked in any case.
        if error.errno not in {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOTSUP}:
            raise


def _lock(folder: int) -> int:
    lock = os.open("lock", _LOCK, 0o600, dir_fd=folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(lock)
        raise
    return lock


def _unusable(label: str, error: OSError) -> Unavailable:
    reason = os.strerror(error.errno or errno.EIO)
    return Unavailable(ErrorReason.STORE_UNREACHABLE, f"{label} cannot be used: {reason}")

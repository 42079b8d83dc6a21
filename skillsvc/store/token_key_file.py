"""Files of the keys that sign tokens."""

import errno
import os
import stat
from pathlib import Path
from typing import Final

from skillsvc.domain.errors import ErrorReason, InvalidInput, Unavailable
from skillsvc.domain.tokens import KEY_BYTES, TokenKeys

MAX_BYTES: Final = 64 * 1024
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # without blocking: a FIFO must not hang the start
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def read_token_key_file(path: Path) -> TokenKeys:
    """Return the keys of a file: a line each, in hex, of at least 32 bytes; the first signs, all verify.

    The file is its owner's alone. Where it is root's and the server is not, its group may read it, as secrets are
    mounted in containers. Messages call the file by its own name, and never quote a line.

    Raises:
        InvalidInput: ARGUMENT_MALFORMED where others may use the file, or a line is no key.
        Unavailable: STORE_UNREACHABLE where the file cannot be read.
    """
    try:
        descriptor = os.open(path, _READ)
        try:
            status = os.fstat(descriptor)
            content = os.read(descriptor, MAX_BYTES + 1) if stat.S_ISREG(status.st_mode) else None
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _unusable(path, error) from error
    if content is None:
        raise _malformed(path, "it is no regular file")
    if is_shared(status.st_mode, owner=status.st_uid, user=os.geteuid()):
        raise _malformed(path, "others than its owner may use it (chmod 600 helps)")
    return TokenKeys(tuple(_parse_keys(content, path)))


def make_token_key_file(path: Path, key: bytes) -> None:
    """Write a file with one key, mode 0600, durably and whole; it replaces any that is there.

    Raises:
        Unavailable: STORE_UNREACHABLE where it cannot be written.
    """
    aside = path.with_name(f"{path.name}.new")
    try:
        with os.fdopen(os.open(aside, _WRITE, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o600)  # one that a killed server left may have another mode
            file.write(key.hex().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
        folder = os.open(path.parent, _FOLDER)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise _unusable(path, error) from error


def is_shared(mode: int, *, owner: int, user: int) -> bool:
    """Tell whether others may use a file of keys: all but its owner, and the group that reads a file of root's."""
    tolerated = stat.S_IRGRP if owner == 0 != user else 0
    return bool(mode & (stat.S_IRWXG | stat.S_IRWXO) & ~tolerated)


def _parse_keys(content: bytes, path: Path) -> list[bytes]:
    if len(content) > MAX_BYTES:
        raise _malformed(path, f"it has more than {MAX_BYTES} bytes")
    keys = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            key = bytes.fromhex(line.decode("ascii"))
        except ValueError:
            key = b""
        if len(key) < KEY_BYTES:
            raise _malformed(path, f"line {number} is no key, which has at least {2 * KEY_BYTES} hex digits")
        keys.append(key)
    if not keys:
        raise _malformed(path, "it holds no key")
    return keys


def _malformed(path: Path, fault: str) -> InvalidInput:
    return InvalidInput(
        ErrorReason.ARGUMENT_MALFORMED,
        f"the token keys in {path.name} are refused: {fault}",
        metadata={"field": "token_key_file"},
    )


def _unusable(path: Path, error: OSError) -> Unavailable:
    reason = os.strerror(error.errno or errno.EIO)
    return Unavailable(ErrorReason.STORE_UNREACHABLE, f"the token keys in {path.name} cannot be used: {reason}")

"""What the file system says of a file, and when that stands for the file's bytes."""

import os
from typing import Final, NamedTuple

SETTLING_NS: Final = 100_000_000
"""A stamp this old when the reading begins is older than the clock tick in which a later write could repeat it."""


class FileStamp(NamedTuple):
    """What the file system says of a file. Equal stamps mean equal bytes where the reading was `settled`."""

    dev: int
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int


def stamp_of(found: os.stat_result) -> FileStamp:
    """Return the stamp of a file that was looked at."""
    return FileStamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

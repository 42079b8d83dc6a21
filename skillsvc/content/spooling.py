"""What is too large to be held on its way: a file without a name, gone when it is closed or the server is killed."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def spooled(folder: Path | None) -> Iterator[BinaryIO]:
    """Open a file in `folder`, which is made at need; without one, where this system has its temporary files.

    Raises OSError.
    """
    if folder is not None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        yield file

"""What tests of sources share."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that other users may reach, unlike those of pytest, with all that is made there."""
    umask = os.umask(0o022)
    try:
        with TemporaryDirectory() as place:
            Path(place).chmod(0o755)
            yield Path(place)
    finally:
        os.umask(umask)

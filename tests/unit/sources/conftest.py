"""What tests of sources share."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that other users may reach, unlike those of pytest."""
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)

"""What every kind of test shares: markers by folder, and how hard hypothesis looks."""

from pathlib import Path

import pytest
from hypothesis import settings

_MARKER_OF_FOLDER = {"hostile": "integration", "integration": "integration", "property": "property"}

settings.register_profile("default", max_examples=100, deadline=None)
settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=1_000, deadline=None)
settings.load_profile("default")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test by its folder, so that none can miss the run it belongs to."""
    tests = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(tests):
            marker = _MARKER_OF_FOLDER.get(item.path.relative_to(tests).parts[0])
            if marker is not None:
                item.add_marker(marker)

"""What every kind of test shares: markers by folder, how hard hypothesis looks, and the real skills."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.integration.corpus import corpus_folder

_MARKER_OF_FOLDER = {
    "hostile": "integration",
    "integration": "integration",
    "property": "property",
    "retrieval": "integration",
}
_NO_CORPUS = "real skills are not at hand: name a folder of them in SKILLSVC_CORPUS"

settings.register_profile("default", max_examples=100, deadline=None)
settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=1_000, deadline=None)
settings.load_profile("default")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test by its folder, so that none can miss the run it belongs to; see to those of real skills."""
    tests = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(tests):
            marker = _MARKER_OF_FOLDER.get(item.path.relative_to(tests).parts[0])
            if marker is not None:
                item.add_marker(marker)
    _leave_out_real_skills(config, items)


def _leave_out_real_skills(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of real skills where there are none, but for CI, which must have them."""
    if corpus_folder() is not None or os.environ.get("CI"):
        return
    without = [item for item in items if "corpus" in getattr(item, "fixturenames", ())]
    items[:] = [item for item in items if item not in without]
    config.hook.pytest_deselected(items=without)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly that tests were left out."""
    if corpus_folder() is None:
        terminalreporter.section(_NO_CORPUS, red=True)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Return the folder of real skills."""
    folder = corpus_folder()
    assert folder is not None, _NO_CORPUS
    assert folder.is_dir(), f"SKILLSVC_CORPUS names {folder}, which is not there"
    return folder

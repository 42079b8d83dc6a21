"""One server for each module of tests of faults; each test leaves all as whole as it found it."""

from collections.abc import Iterator

import pytest

from tests.integration.conftest import Serve
from tests.integration.faults.scene import Scene, begun, prepared
from tests.patience import PATIENCE_S


@pytest.fixture(scope="module")
def timeout_s() -> float:
    """How long a place is waited for: so long that none is late because the machine is busy."""
    return PATIENCE_S


@pytest.fixture(scope="module")
def scene(serve_for_module: Serve, tmp_path_factory: pytest.TempPathFactory, timeout_s: float) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("faults")
    with prepared(folder, timeout_s) as places, begun(places, folder, serve_for_module) as scene:
        scene.expect_whole()
        yield scene

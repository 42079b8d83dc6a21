"""One server for each module of tests of faults; each test leaves all as whole as it found it."""

from collections.abc import Iterator

import pytest

from tests.integration.conftest import Serve
from tests.integration.faults.scene import Scene, begun, prepared


@pytest.fixture(scope="module")
def scene(serve_for_module: Serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("faults")
    with prepared(folder) as places, begun(places, folder, serve_for_module) as scene:
        scene.expect_whole()
        yield scene

"""The conformance suite over a real server on real folders, through both clients."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from tests.conformance.skill_source_suite import SkillSourceSuite, write_fixture
from tests.hostile.faces import asynchronous, blocking
from tests.integration.conftest import Serve


class TestServedFolders(SkillSourceSuite):
    @pytest.fixture(params=["blocking", "asyncio"])
    @override
    def client(self, request: pytest.FixtureRequest, serve: Serve, tmp_path: Path) -> Iterator[Any]:
        server = serve(write_fixture(tmp_path / "skills"))
        with blocking() if request.param == "blocking" else asynchronous() as connect:
            yield connect(server.address)

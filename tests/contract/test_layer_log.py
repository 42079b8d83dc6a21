"""The layer logs, each under the one contract."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.catalog.log import LayerLog
from skillsvc.store.sqlite import SqliteStore
from tests.contract.layer_log import LayerLogContract
from tests.simulators.memory_log import MemoryLayerLog


class TestSqliteLayerLog(LayerLogContract):
    @pytest.fixture
    @override
    def log(self, tmp_path: Path) -> Iterator[LayerLog]:
        with closing(SqliteStore(tmp_path / "skillsvc.db", random_bytes=os.urandom)) as store:
            yield store

    @pytest.fixture
    @override
    def reopen(self, log: LayerLog, tmp_path: Path) -> Iterator[Callable[[], LayerLog]]:
        with ExitStack() as opened:
            yield lambda: opened.enter_context(closing(SqliteStore(tmp_path / "skillsvc.db", random_bytes=os.urandom)))


class TestMemoryLayerLog(LayerLogContract):
    @pytest.fixture
    @override
    def log(self) -> LayerLog:
        return MemoryLayerLog(os.urandom)

    @pytest.fixture
    @override
    def reopen(self, log: LayerLog) -> Callable[[], LayerLog]:
        return lambda: log

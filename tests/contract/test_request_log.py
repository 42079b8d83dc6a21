"""The request logs, each under the one contract."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.catalog.log import RequestLog
from skillsvc.store.sqlite import SqliteStore
from tests.contract.request_log import RequestLogContract
from tests.simulators.memory_log import MemoryRequestLog


class TestSqliteRequestLog(RequestLogContract):
    @pytest.fixture
    @override
    def log(self, tmp_path: Path) -> Iterator[RequestLog]:
        with closing(SqliteStore(tmp_path / "skillsvc.db", random_bytes=os.urandom)) as store:
            yield store

    @pytest.fixture
    @override
    def reopen(self, log: RequestLog, tmp_path: Path) -> Iterator[Callable[[], RequestLog]]:
        with ExitStack() as opened:
            yield lambda: opened.enter_context(closing(SqliteStore(tmp_path / "skillsvc.db", random_bytes=os.urandom)))


class TestMemoryRequestLog(RequestLogContract):
    @pytest.fixture
    @override
    def log(self) -> RequestLog:
        return MemoryRequestLog()

    @pytest.fixture
    @override
    def reopen(self, log: RequestLog) -> Callable[[], RequestLog]:
        return lambda: log

"""The logs of experience, each under the one contract."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.experience.log import ExperienceLog
from skillsvc.store.sqlite import SqliteStore
from tests.contract.experience_log import ExperienceLogContract
from tests.simulators.memory_log import MemoryExperienceLog


class TestSqliteExperienceLog(ExperienceLogContract):
    @pytest.fixture
    @override
    def log(self, tmp_path: Path) -> Iterator[ExperienceLog]:
        with closing(SqliteStore(tmp_path / "skillsvc.db", random_bytes=os.urandom)) as store:
            yield store

    @pytest.fixture
    @override
    def reopen(self, log: ExperienceLog, tmp_path: Path) -> Iterator[Callable[[], ExperienceLog]]:
        with ExitStack() as opened:
            yield lambda: opened.enter_context(closing(SqliteStore(tmp_path / "skillsvc.db", random_bytes=os.urandom)))


class TestMemoryExperienceLog(ExperienceLogContract):
    @pytest.fixture
    @override
    def log(self) -> ExperienceLog:
        return MemoryExperienceLog()

    @pytest.fixture
    @override
    def reopen(self, log: ExperienceLog) -> Callable[[], ExperienceLog]:
        return lambda: log

"""The logs of what is on or off, each under the one contract."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.catalog.log import EnablementLog
from skillsvc.domain.enablement import Audience, State, Word
from skillsvc.domain.errors import Unavailable
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.store.sqlite import SqliteStore
from tests.simulators.enablement_log import MemoryEnablementLog

NOW = datetime(2026, 3, 1, 12, 30, 0, 5, tzinfo=UTC)
LATER = NOW.replace(year=2027)
ALICE = Partition("token:alice", "")


def word(name: str, state: State, partition: Partition = ALICE, session: str = "", at: datetime = NOW) -> Word:
    return Word(Audience(partition, session), name, state, at)


class EnablementLogContract:
    """Inherit, and give a `log` that is empty and a `reopen` that returns it as the next process would find it."""

    @pytest.fixture
    def log(self) -> EnablementLog:
        raise NotImplementedError

    @pytest.fixture
    def reopen(self, log: EnablementLog) -> Callable[[], EnablementLog]:
        raise NotImplementedError(log)

    def test_nothing_is_said_at_first(self, log: EnablementLog) -> None:
        assert log.words() == ()

    def test_what_is_said_is_there_for_the_next_process(
        self, log: EnablementLog, reopen: Callable[[], EnablementLog]
    ) -> None:
        words = {
            word("a", State.DISABLED, DEPLOYMENT),
            word("a", State.ENABLED),
            word("a", State.DISABLED, session="nightly"),
            word("a", State.DISABLED, Partition("token:alice", "shop")),
            word("b", State.DISABLED, Partition("token:Alice", "")),
        }
        log.put(tuple(words))
        assert set(log.words()) == set(reopen().words()) == words

    def test_of_a_name_and_an_audience_the_last_word_counts(self, log: EnablementLog) -> None:
        log.put((word("a", State.DISABLED), word("a", State.ENABLED, at=LATER), word("b", State.DISABLED)))
        assert set(log.words()) == {word("a", State.ENABLED, at=LATER), word("b", State.DISABLED)}
        log.put((word("a", State.DISABLED),))
        assert set(log.words()) == {word("a", State.DISABLED), word("b", State.DISABLED)}

    def test_what_inherits_leaves_nothing(self, log: EnablementLog, reopen: Callable[[], EnablementLog]) -> None:
        log.put((word("a", State.DISABLED), word("a", State.DISABLED, session="s")))
        log.put((word("a", State.INHERITED), word("never", State.INHERITED)))
        assert log.words() == reopen().words() == (word("a", State.DISABLED, session="s"),)


class TestSqliteEnablementLog(EnablementLogContract):
    @pytest.fixture
    @override
    def log(self, tmp_path: Path) -> Iterator[EnablementLog]:
        with closing(SqliteStore(tmp_path / "skillsvc.db", random_bytes=os.urandom)) as store:
            yield store

    @pytest.fixture
    @override
    def reopen(self, log: EnablementLog, tmp_path: Path) -> Iterator[Callable[[], EnablementLog]]:
        with ExitStack() as opened:
            yield lambda: opened.enter_context(closing(SqliteStore(tmp_path / "skillsvc.db", random_bytes=os.urandom)))

    def test_what_cannot_be_kept_is_told(self, log: SqliteStore) -> None:
        log.close()
        with pytest.raises(Unavailable):
            log.put((word("a", State.DISABLED),))


class TestMemoryEnablementLog(EnablementLogContract):
    @pytest.fixture
    @override
    def log(self) -> EnablementLog:
        return MemoryEnablementLog()

    @pytest.fixture
    @override
    def reopen(self, log: EnablementLog) -> Callable[[], EnablementLog]:
        return lambda: log

"""What every `RequestLog` keeps. A class of tests for each implementation inherits this one."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from skillsvc.catalog.log import RequestKey, RequestLog, RequestRecord
from skillsvc.domain.partition import DEPLOYMENT, Partition

NOW = datetime(2026, 10, 25, 1, 30, 0, 123_456, tzinfo=UTC)
DAY = timedelta(hours=24)
ALICE = Partition(principal="token:alice", project="p")


def key(request_id: str = "1", *, caller: Partition = ALICE, rpc: str = "Activate") -> RequestKey:
    return RequestKey(caller=caller, rpc=rpc, request_id=request_id)


def answer(text: str, at: datetime = NOW, *, arguments: bytes = b"asked") -> RequestRecord:
    return RequestRecord(arguments=arguments, answer=text.encode(), at=at)


def record(log: RequestLog, of: RequestKey, given: RequestRecord, *, at_most: int = 10_000) -> RequestRecord:
    """Record as at the time of `given`, with ids kept for a day."""
    return log.record(of, given, oldest=given.at - DAY, at_most=at_most)


class RequestLogContract:
    """Inherit, and give a `log` that is empty and a `reopen` that returns it as the next process would find it."""

    @pytest.fixture
    def log(self) -> RequestLog:
        raise NotImplementedError

    @pytest.fixture
    def reopen(self, log: RequestLog) -> Callable[[], RequestLog]:
        raise NotImplementedError(log)

    def test_the_first_record_of_an_id_stands(self, log: RequestLog, reopen: Callable[[], RequestLog]) -> None:
        first = answer("first")
        assert record(log, key(), first) == first
        assert record(log, key(), answer("second", NOW + DAY)) == first
        assert record(reopen(), key(), answer("third")) == first

    def test_other_arguments_get_the_record_held_for_the_caller_to_compare(self, log: RequestLog) -> None:
        first = answer("first", arguments=b"one")
        record(log, key(), first)
        assert record(log, key(), answer("second", arguments=b"other")) == first

    @pytest.mark.parametrize("content", [b"", b"\0", bytes(range(256))])
    def test_bytes_come_back_as_they_were(
        self, log: RequestLog, reopen: Callable[[], RequestLog], content: bytes
    ) -> None:
        given = RequestRecord(arguments=content, answer=content, at=NOW)
        record(log, key(), given)
        assert record(reopen(), key(), answer("other")) == given

    @pytest.mark.parametrize(
        "other",
        [
            key("1", caller=Partition(principal="token:alice", project="")),
            key("1", caller=Partition(principal="token:Alice", project="p")),
            key("1", caller=DEPLOYMENT),
            key("1", rpc="ReportOutcome"),
            key("1", rpc="activate"),
            key("\uff11"),
            key("1\0"),
            key("1 "),
            key(""),
        ],
    )
    def test_ids_count_for_one_caller_and_one_rpc(self, log: RequestLog, other: RequestKey) -> None:
        record(log, key(), answer("first"))
        second = answer("second")
        assert record(log, other, second) == second
        assert record(log, key(), answer("third")) == answer("first")

    def test_an_id_is_known_until_it_is_older_than_the_oldest(self, log: RequestLog) -> None:
        first = answer("first")
        record(log, key(), first)
        at_the_edge = answer("second", NOW + DAY)
        assert record(log, key(), at_the_edge) == first
        beyond = answer("third", NOW + DAY + timedelta(microseconds=1))
        assert record(log, key(), beyond) == beyond
        assert record(log, key(), answer("fourth", beyond.at)) == beyond

    def test_what_is_not_too_old_is_kept_whoever_else_asks(self, log: RequestLog) -> None:
        record(log, key(rpc="ReportOutcome"), answer("kept"))
        record(log, key("2"), answer("late", NOW + DAY))
        assert record(log, key(rpc="ReportOutcome"), answer("new")) == answer("kept")

    def test_of_too_many_ids_the_oldest_are_forgotten(self, log: RequestLog, reopen: Callable[[], RequestLog]) -> None:
        for number in range(5):
            record(log, key(str(number)), answer(str(number), NOW + timedelta(seconds=number)), at_most=3)
        later = NOW + timedelta(seconds=9)
        reopened = reopen()
        for number in (2, 3, 4):
            held = record(reopened, key(str(number)), answer("new", later), at_most=3)
            assert held == answer(str(number), NOW + timedelta(seconds=number))
        assert record(reopened, key("1"), answer("new", later), at_most=3) == answer("new", later)

    def test_of_ids_of_one_instant_the_first_is_forgotten_first(self, log: RequestLog) -> None:
        for number in range(3):
            record(log, key(str(number)), answer(str(number)), at_most=2)
        assert record(log, key("1"), answer("new"), at_most=2) == answer("1")
        assert record(log, key("2"), answer("new"), at_most=2) == answer("2")
        assert record(log, key("0"), answer("new"), at_most=2) == answer("new")

    def test_a_new_record_is_held_even_if_the_clock_went_back(self, log: RequestLog) -> None:
        record(log, key("1"), answer("one"), at_most=1)
        earlier = answer("two", NOW - timedelta(hours=1))
        assert record(log, key("2"), earlier, at_most=1) == earlier
        assert record(log, key("2"), answer("new"), at_most=1) == earlier

    def test_ids_of_others_are_not_forgotten_for_too_many_of_one(self, log: RequestLog) -> None:
        record(log, key(rpc="ReportOutcome"), answer("kept"))
        for number in range(4):
            record(log, key(str(number)), answer(str(number)), at_most=1)
        assert record(log, key(rpc="ReportOutcome"), answer("new"), at_most=1) == answer("kept")

    def test_a_replaced_record_stands_from_then_on(self, log: RequestLog, reopen: Callable[[], RequestLog]) -> None:
        record(log, key(), answer("first"))
        replacement = answer("again", NOW + timedelta(hours=1), arguments=b"other")
        log.replace(key(), replacement)
        assert record(reopen(), key(), answer("new")) == replacement

    def test_an_id_never_seen_can_be_replaced_too(self, log: RequestLog) -> None:
        log.replace(key(), answer("first"))
        assert record(log, key(), answer("new")) == answer("first")

    def test_what_gave_out_an_id_is_found_by_it(self, log: RequestLog, reopen: Callable[[], RequestLog]) -> None:
        given = replace(answer("first"), issued="act-1")
        record(log, key(), given)
        record(log, key("2"), answer("second"))
        assert reopen().find_issued(ALICE, "act-1", oldest=NOW - DAY) == given
        assert record(reopen(), key(), answer("new")) == given

    @pytest.mark.parametrize(
        ("caller", "issued", "oldest"),
        [
            (Partition(principal="token:alice", project=""), "act-1", NOW),
            (Partition(principal="token:bob", project="p"), "act-1", NOW),
            (DEPLOYMENT, "act-1", NOW),
            (ALICE, "act-2", NOW),
            (ALICE, "ACT-1", NOW),
            (ALICE, "1", NOW),
            (ALICE, "act-1", NOW + timedelta(microseconds=1)),
        ],
    )
    def test_an_id_that_was_given_out_is_found_by_whom_it_was_given_and_while_it_is_known(
        self, log: RequestLog, caller: Partition, issued: str, oldest: datetime
    ) -> None:
        record(log, key(), replace(answer("first"), issued="act-1"))
        assert log.find_issued(caller, issued, oldest=oldest) is None

    def test_an_answer_that_was_replaced_is_found_by_no_id_any_more(self, log: RequestLog) -> None:
        record(log, key(), replace(answer("first"), issued="act-1"))
        again = replace(answer("again"), issued="act-2")
        log.replace(key(), again)
        assert log.find_issued(ALICE, "act-1", oldest=NOW) is None
        assert log.find_issued(ALICE, "act-2", oldest=NOW) == again

    def test_eight_threads_with_one_id_get_one_record(self, log: RequestLog) -> None:
        together = threading.Barrier(8)

        def ask(thread: int) -> list[RequestRecord]:
            together.wait()
            return [record(log, key(str(number)), answer(f"{number} by {thread}")) for number in range(20)]

        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(ask, range(8)))
        assert all(each == answers[0] for each in answers)

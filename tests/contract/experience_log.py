"""What every `ExperienceLog` keeps. A class of tests for each implementation inherits this one."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from skillsvc.domain.partition import Partition
from skillsvc.experience.learning import Outcome, Room
from skillsvc.experience.log import ExperienceLog, Requested
from tests.contract.request_log import ALICE, DAY, NOW, answer, key

ROOM = Room(partition=1_000, principal=10_000)
BOB = Partition(principal="token:bob", project="p")
ELSEWHERE = Partition(principal="token:alice", project="q")


def outcome(skill: str, task: str = "rust", rate: float = 1.0) -> Outcome:
    return Outcome(skill=skill, task_pattern=task, success_rate=rate)


def told(log: ExperienceLog, partition: Partition = ALICE) -> list[tuple[str, str, float, int]]:
    """Return what is held of a partition, oldest first: skill, pattern, last rate, number of outcomes."""
    return [(held.skill, held.task_pattern, held.success_rate, held.outcomes) for held in log.priors(partition)]


def requested(request_id: str, arguments: bytes = b"asked") -> Requested:
    record = answer("recorded", arguments=arguments)
    return Requested(key=key(request_id, rpc="ReportOutcome"), record=record, oldest=NOW - DAY, at_most=10_000)


class ExperienceLogContract:
    """Inherit, and give a `log` that is empty and a `reopen` that returns it as the next process would find it."""

    @pytest.fixture
    def log(self) -> ExperienceLog:
        raise NotImplementedError

    @pytest.fixture
    def reopen(self, log: ExperienceLog) -> Callable[[], ExperienceLog]:
        raise NotImplementedError(log)

    def test_what_is_told_is_known_in_the_next_process(
        self, log: ExperienceLog, reopen: Callable[[], ExperienceLog]
    ) -> None:
        assert told(log) == []
        assert log.report(ALICE, outcome("a", rate=0.1), room=ROOM) is None
        log.report(ALICE, outcome("a", rate=0.7), room=ROOM)
        (prior,) = reopen().priors(ALICE)
        assert (prior.success_rate, prior.outcomes) == (0.7, 2)
        assert prior.mean == pytest.approx(0.4)

    def test_a_pair_that_is_told_of_again_is_replaced_in_its_place(self, log: ExperienceLog) -> None:
        for name in ("a", "b", "c"):
            log.report(ALICE, outcome(name), room=ROOM)
        log.report(ALICE, outcome("a", rate=0), room=ROOM)
        assert told(log) == [("a", "rust", 0, 2), ("b", "rust", 1, 1), ("c", "rust", 1, 1)]

    @pytest.mark.parametrize(
        "other", [outcome("b"), outcome("a", "Rust"), outcome("a", "rust "), outcome("a", "\u0131")]
    )
    def test_another_skill_or_pattern_is_another_prior(self, log: ExperienceLog, other: Outcome) -> None:
        log.report(ALICE, outcome("a"), room=ROOM)
        log.report(ALICE, other, room=ROOM)
        assert len(told(log)) == 2

    @pytest.mark.parametrize("whose", [BOB, ELSEWHERE, Partition(principal="token:alice", project="")])
    def test_nothing_of_one_partition_is_anothers(self, log: ExperienceLog, whose: Partition) -> None:
        log.report(ALICE, outcome("a"), room=ROOM)
        assert told(log, whose) == []
        log.report(whose, outcome("a", rate=0), room=ROOM)
        assert told(log) == [("a", "rust", 1, 1)]
        assert told(log, whose) == [("a", "rust", 0, 1)]

    def test_of_too_many_the_oldest_is_forgotten_and_replacing_one_makes_it_no_younger(
        self, log: ExperienceLog, reopen: Callable[[], ExperienceLog]
    ) -> None:
        room = Room(partition=3, principal=100)
        for name in ("a", "b", "c", "a", "d"):
            log.report(ALICE, outcome(name), room=room)
        assert [skill for skill, *_ in told(log)] == ["b", "c", "d"]
        reopened = reopen()
        reopened.report(ALICE, outcome("a"), room=room)
        assert [skill for skill, *_ in told(reopened)] == ["c", "d", "a"]

    def test_the_thousand_and_first_pair_takes_the_place_of_the_first(self, log: ExperienceLog) -> None:
        for number in range(1_001):
            log.report(ALICE, outcome("a", f"task {number}"), room=ROOM)
        held = told(log)
        assert len(held) == 1_000
        assert (held[0][1], held[-1][1]) == ("task 1", "task 1000")

    def test_a_principal_with_many_projects_forgets_its_own_oldest_and_nobody_elses(self, log: ExperienceLog) -> None:
        room = Room(partition=3, principal=4)
        log.report(BOB, outcome("kept"), room=room)
        for project in range(5):
            log.report(Partition(principal="token:alice", project=str(project)), outcome("a"), room=room)
        held = [len(told(log, Partition(principal="token:alice", project=str(project)))) for project in range(5)]
        assert held == [0, 1, 1, 1, 1]
        assert told(log, BOB) == [("kept", "rust", 1, 1)]

    def test_of_one_request_id_something_is_learned_once(
        self, log: ExperienceLog, reopen: Callable[[], ExperienceLog]
    ) -> None:
        first = requested("1")
        assert log.report(ALICE, outcome("a"), room=ROOM, requested=first) == first.record
        other = requested("1", arguments=b"other")
        assert log.report(ALICE, outcome("b"), room=ROOM, requested=other) == first.record
        reopened = reopen()
        assert reopened.report(ALICE, outcome("a"), room=ROOM, requested=requested("1")) == first.record
        assert told(reopened) == [("a", "rust", 1, 1)]
        reopened.report(ALICE, outcome("a"), room=ROOM, requested=requested("2"))
        assert told(reopened) == [("a", "rust", 1, 2)]

    def test_eight_threads_lose_nothing(self, log: ExperienceLog) -> None:
        together = threading.Barrier(8)

        def report(thread: int) -> None:
            together.wait()
            for number in range(20):
                log.report(ALICE, outcome("a", "all"), room=ROOM)
                log.report(ALICE, outcome("a", f"{thread}"), room=ROOM)
                log.report(ALICE, outcome("a", "once"), room=ROOM, requested=requested(str(number)))

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(report, range(8)))
        counts = {pattern: outcomes for _skill, pattern, _rate, outcomes in told(log)}
        assert counts == {"all": 160, "once": 20, **{str(thread): 20 for thread in range(8)}}

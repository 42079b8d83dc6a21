"""Experience in a file against a list: whatever is told, by whom and how often, also after the file is opened anew."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from typing_extensions import override

from skillsvc.domain.partition import Partition
from skillsvc.experience.learning import Outcome, Rate, Room
from skillsvc.experience.log import Requested
from skillsvc.experience.matching import best_match, known, weights_at, weights_of_all
from skillsvc.store.sqlite import SqliteStore
from tests.contract.request_log import DAY, NOW, answer, key
from tests.simulators.memory_log import MemoryExperienceLog

pytestmark = pytest.mark.property

PARTITIONS = [Partition(principal, project) for principal in ("token:a", "token:b") for project in ("", "p", "q")]
ROOM = Room(partition=3, principal=5)
PATTERN = st.sampled_from(("rust", "review rust", "review the rust code", "東京"))


class Experience(RuleBasedStateMachine):
    """What is told, and that the file and the list say the same of it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = self.opened()
        self.model = MemoryExperienceLog()

    def opened(self) -> SqliteStore:
        return SqliteStore(Path(self.folder.name) / "skillsvc.db", random_bytes=os.urandom)

    @override
    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @rule(
        partition=st.sampled_from(PARTITIONS),
        skill=st.sampled_from("abc"),
        pattern=PATTERN,
        rate=st.sampled_from((0.0, 0.25, 1.0)),
        request_id=st.sampled_from(("", "", "x", "y")),
    )
    def report(self, partition: Partition, skill: str, pattern: str, rate: float, request_id: str) -> None:
        outcome = Outcome(skill=skill, task_pattern=pattern, success_rate=rate)
        requested = None
        if request_id:
            requested = Requested(
                key=key(request_id, caller=partition, rpc="ReportOutcome"),
                record=answer("recorded", arguments=f"{skill} {pattern} {rate}".encode()),
                oldest=NOW - DAY,
                at_most=2,
            )
        held = self.store.report(partition, outcome, room=ROOM, requested=requested)
        assert held == self.model.report(partition, outcome, room=ROOM, requested=requested)

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = self.opened()

    @invariant()
    def says_the_same(self) -> None:
        for partition in PARTITIONS:
            assert self.store.priors(partition) == self.model.priors(partition)

    @invariant()
    def keeps_to_its_bounds(self) -> None:
        held = {partition: len(self.store.priors(partition)) for partition in PARTITIONS}
        assert max(held.values()) <= ROOM.partition
        for principal in ("token:a", "token:b"):
            assert sum(many for partition, many in held.items() if partition.principal == principal) <= ROOM.principal

    @rule(partition=st.sampled_from(PARTITIONS), task=PATTERN | st.just("please review all the rust"))
    def ask(self, partition: Partition, task: str) -> None:
        priors = [known(prior) for prior in self.store.priors(partition)]
        best = best_match(priors, task, lambda _name: True)
        for rate in Rate:
            weights = weights_at(priors, task, rate)
            assert (best is None) == (not weights)
            assert best is None or best.skill in weights
            assert all(-1 <= weight <= 1 for weight in (*weights.values(), *weights_of_all(priors, rate).values()))


TestExperience = Experience.TestCase
TestExperience.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)

"""The cell of what is on or off: durable before it is in force, and off also where it cannot be kept."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from typing_extensions import override

from skillsvc.catalog.enablements import Enablements
from skillsvc.domain.enablement import Audience, State, Word
from skillsvc.domain.errors import ErrorReason, Exhausted, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from tests.simulators.enablement_log import MemoryEnablementLog

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ALL = Audience(DEPLOYMENT)
ALICE = Audience(Partition("token:alice", ""))


class FailingLog(MemoryEnablementLog):
    """Fails while it is told to."""

    fails = False

    @override
    def put(self, words: Sequence[Word]) -> None:
        if self.fails:
            raise Unavailable(ErrorReason.STORE_UNREACHABLE, "the store cannot be read or written")
        super().put(words)


def off(enablements: Enablements, audience: Audience = ALL) -> frozenset[str]:
    present = enablements.present
    return present.disabled(present.audiences(*audience))


def test_what_is_said_is_told_kept_and_in_force_and_what_was_said_already_changes_nothing() -> None:
    log, told = MemoryEnablementLog(), []
    enablements = Enablements(log, Limits())
    enablements.subscribe(lambda: told.append(off(enablements)))
    assert enablements.say(ALL, ("b", "a", "b"), State.DISABLED, NOW) == ("b", "a")
    assert enablements.say(ALL, ("a", "c"), State.DISABLED, NOW) == ("c",)
    assert enablements.say(ALL, ("a",), State.DISABLED, NOW) == ()
    assert told == [{"a", "b"}, {"a", "b", "c"}]
    assert off(Enablements(log, Limits())) == {"a", "b", "c"}


def test_what_cannot_be_kept_is_off_at_once_and_kept_with_what_can_be_next() -> None:
    log = FailingLog()
    enablements = Enablements(log, Limits())
    log.fails = True
    with pytest.raises(Unavailable):
        enablements.say(ALL, ("a",), State.DISABLED, NOW)
    assert off(enablements) == {"a"}
    assert log.words() == ()
    log.fails = False
    enablements.say(ALICE, ("b",), State.DISABLED, NOW)
    assert {word.name for word in log.words()} == {"a", "b"}


def test_what_cannot_be_kept_is_not_switched_on() -> None:
    log = FailingLog()
    enablements = Enablements(log, Limits())
    enablements.say(ALL, ("a",), State.DISABLED, NOW)
    log.fails = True
    for state in (State.ENABLED, State.INHERITED):
        with pytest.raises(Unavailable):
            enablements.say(ALL, ("a",), state, NOW)
    assert off(enablements) == {"a"}


def test_one_partition_has_room_for_so_many_names_and_others_for_theirs() -> None:
    enablements = Enablements(MemoryEnablementLog(), Limits(enablement_words=2))
    enablements.say(ALICE, ("a", "b"), State.DISABLED, NOW)
    with pytest.raises(Exhausted) as refused:
        enablements.say(ALICE._replace(session="s"), ("a",), State.DISABLED, NOW)
    assert refused.value.reason is ErrorReason.LIMIT_EXCEEDED
    enablements.say(ALL, ("a", "b"), State.DISABLED, NOW)
    enablements.say(ALICE, ("b",), State.ENABLED, NOW)
    enablements.say(ALICE, ("b",), State.INHERITED, NOW)
    enablements.say(ALICE, ("c",), State.DISABLED, NOW)
    assert off(enablements, ALICE) == {"a", "b", "c"}

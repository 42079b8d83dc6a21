"""Enablement: of all that is said of a name the nearest word decides."""

from datetime import UTC, datetime

import pytest

from skillsvc.domain.enablement import NOTHING_SAID, Audience, Enablement, State, Word
from skillsvc.domain.partition import DEPLOYMENT, Partition

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ALICE = Partition("token:alice", "")
SHOP = Partition("token:alice", "shop")
BOB = Partition("token:bob", "")
ON, OFF, INHERITED = State.ENABLED, State.DISABLED, State.INHERITED


def said(*words: tuple[Partition, str, State]) -> Enablement:
    """Return what is said of the name `a`, to labels of partitions."""
    return Enablement.of(Word(Audience(partition, session), "a", state, NOW) for partition, session, state in words)


@pytest.mark.parametrize(
    ("words", "partition", "session", "off"),
    [
        ([], SHOP, "s", ""),
        ([(DEPLOYMENT, "", OFF)], SHOP, "", "a"),
        ([(DEPLOYMENT, "", OFF), (ALICE, "", ON)], SHOP, "", ""),
        ([(DEPLOYMENT, "", OFF), (ALICE, "", ON)], BOB, "", "a"),
        ([(ALICE, "", ON), (SHOP, "", OFF)], SHOP, "", "a"),
        ([(ALICE, "", ON), (SHOP, "", OFF)], ALICE, "", ""),
        ([(SHOP, "", OFF), (SHOP, "s", ON)], SHOP, "s", ""),
        ([(SHOP, "", OFF), (SHOP, "s", ON)], SHOP, "t", "a"),
        ([(SHOP, "", ON), (DEPLOYMENT, "s", OFF)], SHOP, "s", "a"),
        ([(DEPLOYMENT, "s", OFF), (ALICE, "s", ON)], SHOP, "s", ""),
        ([(DEPLOYMENT, "s", OFF), (ALICE, "s", ON)], BOB, "s", "a"),
        ([(SHOP, "s", OFF)], ALICE, "s", ""),
        ([(SHOP, "s", OFF)], SHOP, "", ""),
        ([(SHOP, "", INHERITED), (DEPLOYMENT, "", OFF)], SHOP, "", "a"),
    ],
)
def test_the_nearest_word_decides(
    words: list[tuple[Partition, str, State]], partition: Partition, session: str, off: str
) -> None:
    enablement = said(*words)
    disabled = enablement.disabled(enablement.audiences(partition, session))
    assert "".join(disabled) == off


def test_an_audience_to_whom_nothing_is_said_any_more_is_forgotten() -> None:
    assert said((ALICE, "s", OFF)).told([Word(Audience(ALICE, "s"), "a", INHERITED, NOW)]) == NOTHING_SAID


def test_what_is_said_to_a_partition_is_told_by_label_and_name_and_nothing_of_others() -> None:
    words = [
        Word(Audience(partition, session), name, OFF, NOW)
        for partition, session, name in [(ALICE, "s", "b"), (ALICE, "", "c"), (ALICE, "", "a"), (SHOP, "", "d")]
    ]
    told = [(word.audience.session, word.name) for word in Enablement.of(words).said_for(ALICE)]
    assert told == [("", "a"), ("", "c"), ("s", "b")]
    assert Enablement.of(words).count(ALICE) == 3

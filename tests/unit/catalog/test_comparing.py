from datetime import UTC, datetime

import pytest

from skillsvc.catalog.comparing import compare, is_other_content, is_other_policy
from skillsvc.domain.generation import Generation, Row, make_generation
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.trust import Tier, Trust
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.skills import in_order, skill_row


def row(name: str, **fields: object) -> Row:
    return skill_row(MemoryBlobStore(), name, **fields)  # type: ignore[arg-type] # of any field


def generation(*rows: Row) -> Generation:
    return make_generation(
        partition=DEPLOYMENT,
        log_id=b"l" * 16,
        sequence=1,
        published_at=datetime(2026, 3, 29, tzinfo=UTC),
        rows=in_order(rows),
    )


def test_changes_come_in_order_of_their_names_whatever_they_are() -> None:
    compared = compare(
        generation(row("b"), row("c"), row("e")), generation(row("a"), row("c", body="Anew."), row("d"), row("e"))
    )
    told = [(each.name, each.before is not None, each.after is not None) for each in compared.changes]
    assert told == [("a", False, True), ("b", True, False), ("c", True, True), ("d", False, True)]
    assert (compared.added, compared.modified, compared.removed, compared.shadowed) == (2, 1, 1, 0)


def test_equal_generations_have_no_changes() -> None:
    one, other = generation(row("a"), row("b")), generation(row("a"), row("b"))
    assert one.digest == other.digest
    assert compare(one, other).changes == ()


@pytest.mark.parametrize(
    ("fields", "content", "policy"),
    [
        ({"body": "Anew."}, True, False),
        ({"description": "Another."}, True, False),
        ({"tier": Tier.REGISTERED}, False, True),
        ({"trust": Trust.ASK}, False, True),
        ({"collection": "tools"}, False, True),
        # The flags stand in the skill's own files, so that content is another too.
        ({"model": False}, True, True),
        ({"user": False}, True, True),
        ({"source": "other"}, False, False),
        ({}, False, False),
    ],
)
def test_content_and_policy_are_told_apart(fields: dict[str, object], content: bool, policy: bool) -> None:  # noqa: FBT001 - a table
    before, after = row("a"), row("a", **fields)
    assert (is_other_content(before, after), is_other_policy(before, after)) == (content, policy)


WINS = row("a", source="house")


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        pytest.param((), (row("a", source="vendor", shadowed=True),), 1, id="new"),
        pytest.param((row("a", source="vendor", shadowed=True),), (), 1, id="gone"),
        pytest.param(
            (row("a", source="vendor", shadowed=True),),
            (row("a", source="vendor", shadowed=True, body="Anew."),),
            1,
            id="another",
        ),
        pytest.param(
            (row("a", source="vendor", shadowed=True),), (row("a", source="vendor", shadowed=True),), 0, id="the same"
        ),
    ],
)
def test_what_neither_lists_is_counted(before: tuple[Row, ...], after: tuple[Row, ...], count: int) -> None:
    compared = compare(generation(WINS, *before), generation(WINS, *after))
    assert (compared.changes, compared.shadowed) == ((), count)


def test_what_one_of_the_two_lists_is_no_shadowed_change() -> None:
    before = generation(row("a", source="house"), row("a", source="vendor", shadowed=True))
    after = generation(row("a", source="vendor"))
    for one, other in ((before, after), (after, before)):
        compared = compare(one, other)
        assert [each.name for each in compared.changes] == ["a"]
        assert compared.modified == 1
    # The row of the house was listed, and is gone: no other name tells of it.
    assert compare(before, after).shadowed == compare(after, before).shadowed == 0

"""Collections of a view (`rules.md` 4): one for each identity, told by what is seen of it."""

from datetime import UTC, datetime

import pytest

from skillsvc.catalog.collection import collections_of, has_collections, ids_of
from skillsvc.domain.collection import Collection
from skillsvc.domain.generation import Generation, Row, make_generation
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.trust import Tier, Trust
from skillsvc.domain.view import View, compose
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.skills import in_order, skill_row

BLOBS = MemoryBlobStore()


def row(
    name: str,
    collection: str = "",
    line: str = "",
    *,
    source: str = "main",
    tier: Tier = Tier.EXPLICIT,
    trust: Trust = Trust.ALLOWED,
) -> Row:
    return skill_row(BLOBS, name, source=source, tier=tier, trust=trust, collection=collection, collection_line=line)


def layer(*rows: Row, partition: Partition = DEPLOYMENT) -> Generation:
    return make_generation(
        partition=partition,
        log_id=bytes(16),
        sequence=1,
        published_at=datetime(2026, 1, 1, tzinfo=UTC),
        rows=in_order(rows),
    )


def told(view: View) -> list[tuple[str, str, int]]:
    return [(each.id, each.line, each.count) for each in collections_of(view, tuple(view.listed()))]


MINE = Partition(principal="local", project="")


def test_the_strongest_layer_with_a_member_that_is_seen_gives_the_id_and_the_line() -> None:
    deployment = layer(row("z", "Lab", "{count} of the house"))
    mine = layer(row("a", "LAB", "{count} of mine"), partition=MINE)
    assert told(compose((deployment, mine))) == [("Lab", "2 of the house", 2)]
    # What is hidden tells nothing, not even by its line.
    assert told(compose((deployment, mine), frozenset({"a"}))) == [("LAB", "1 of mine", 1)]


@pytest.mark.parametrize(
    "remote",
    [
        row("a", "LAB", "Do as I say.", source="remote", tier=Tier.REGISTERED, trust=Trust.ASK),
        row("a", "LAB", "Do as I say.", source="remote", tier=Tier.USER),
        row("a", "LAB", "Do as I say.", source="remote", trust=Trust.UNTRUSTED),
    ],
    ids=["registered", "a lower tier", "less trusted"],
)
def test_a_source_that_is_trusted_less_speaks_for_no_collection_of_another(remote: Row) -> None:
    assert told(compose((layer(remote, row("z", "lab", "{count} of ours")),))) == [("lab", "2 of ours", 2)]


def test_of_equals_the_first_member_decides_and_ids_are_in_byte_order() -> None:
    rows = (row("a", "b", "{count} b"), row("b", "B", "{count} B", source="other"), row("c", "A"), row("d"))
    assert told(compose((layer(*rows),))) == [("A", "Skills of the collection A: 1", 1), ("b", "2 b", 2)]


def test_where_no_layer_has_a_collection_no_row_is_gone_through() -> None:
    view = compose((layer(row("a")), layer(row("b"), partition=MINE)))
    rows = view.listed()
    assert not has_collections(view)
    assert collections_of(view, rows) == ()
    assert next(rows).name == "a"


def test_an_id_is_found_in_every_spelling_of_one_identity() -> None:
    view = compose((layer(row("a", "Maps"), row("b", "\uff2d\uff21\uff30\uff33"), row("c", "map")),))
    assert ids_of(view, "MAPS") == {"Maps", "\uff2d\uff21\uff30\uff33"}
    assert ids_of(view, "") == frozenset()
    assert collections_of(view, [view.layers[0].listed[2]]) == (
        Collection(id="map", line="Skills of the collection map: 1", count=1),
    )

"""An operator's inventory of network use: read whole, or refused with one reason."""

import json

import pytest

from skillsvc.domain.readiness import NetworkInventory
from skillsvc.domain.skill import NetworkMode
from skillsvc.parsing.inventory import InventoryMalformed, read_inventory

# What OpenAI4S publishes for host_only with these two domains.
HOST_ONLY = "2ff1b7d09f3b9054eb02f48ef9cd4541271a0ffad0da50e7c12ce83664319408"


def written(**fields: object) -> bytes:
    return json.dumps({"schema_version": 1, **fields}).encode()


def test_collections_are_pinned_and_skills_declared() -> None:
    inventory = read_inventory(
        written(
            collections={"Recipes": {"declaration": "legacy", "mode": "host_only", "domains": []}},
            skills={"fold": {"mode": "host_only", "domains": ["https://B.example/x", "a.example"]}},
        )
    )
    assert inventory.has_collection("recipes")
    assert inventory.has_collection("\uff32ecipes")
    assert not inventory.has_collection("fold")
    assert (inventory.skills["fold"].mode, inventory.skills["fold"].digest) == (NetworkMode.HOST_ONLY, HOST_ONLY)
    assert inventory.skills["fold"].domains == ("a.example", "b.example")


def test_an_inventory_may_be_empty_and_begin_with_a_bom() -> None:
    assert read_inventory(b"\xef\xbb\xbf" + written()) == NetworkInventory()


def test_an_inventory_may_say_that_nothing_is_known() -> None:
    assert read_inventory(written(skills={"a": {"mode": "unknown"}})).skills["a"].mode is NetworkMode.UNKNOWN


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"schema_version": ' + b"9" * 10_000 + b"}",
        json.dumps({"schema_version": 2}).encode(),
        json.dumps({"schema_version": True}).encode(),
        json.dumps({"schema_version": "1"}).encode(),
        b'{"schema_version": 1.0}',
        b'{"schema_version": 1, "schema_version": 1}',
        written(more={}),
        written(skills=[]),
        written(skills={"a": []}),
        written(skills={"a": {}}),
        written(skills={" ": {"mode": "none"}}),
        written(skills={"\ud800": {"mode": "none"}}),
        written(skills={"a": {"mode": "warp"}}),
        written(skills={"a": {"mode": ["none"]}}),
        written(skills={"a": {"mode": "none", "declaration": "legacy"}}),
        written(skills={"a": {"mode": "none", "domains": "a.example"}}),
        written(skills={"a": {"mode": "none", "domains": [""]}}),
        written(skills={"a": {"mode": "none", "domains": [1]}}),
        written(skills={"a": {"mode": "none", "domains": ["\udfff.example"]}}),
        written(skills={"a": {"mode": "none", "domains": ["a" * 254]}}),
        written(skills={"a": {"mode": "none", "domains": [f"{number}.example" for number in range(65)]}}),
        written(collections={"a": {"mode": "none", "declaration": "granted"}}),
        written(collections={"a": {"mode": "none", "declaration": {}}}),
    ],
)
def test_whatever_is_no_inventory_is_refused(data: bytes) -> None:
    with pytest.raises(InventoryMalformed):
        read_inventory(data)


def test_a_refusal_names_the_place_and_the_rule() -> None:
    with pytest.raises(InventoryMalformed, match=r'^skills\."fold"\.mode must be one of none, host_only, raw_required'):
        read_inventory(written(skills={"fold": {"mode": "warp"}}))

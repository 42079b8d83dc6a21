"""Limits: their defaults are the table of rules.md 3, and an operator lowers them only."""

from dataclasses import fields
from typing import Any

import pytest

from skillsvc.activation.text import plain_text
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Asset, Skill, TextRef, make_bundle

KIB, MIB = 1024, 1024 * 1024
CAPPED = {
    "description_bytes": 800,
    "body_bytes": MIB,
    "activation_text_bytes": 25_000,
    "assets": 1_024,
    "asset_names_bytes": 32_768,
    "asset_name_bytes": 512,
    "tools": 64,
    "diagnostics": 32,
    "range_bytes": MIB,
    "page_skills": 1_000,
    "page_bytes": 512 * KIB,
    "request_bytes": MIB,
    "frontmatter_bytes": 64 * KIB,
    "yaml_depth": 16,
    "layer_skills": 100_000,
    "watch_names": 1_000,
    "watch_bytes": 512 * KIB,
    "heartbeat_s": 30,
}
"""Those that are hard: the default is the most there can be."""
OTHERS = {
    "asset_bytes": 16 * MIB,
    "source_depth": 6,
    "source_folders": 20_000,
    "source_assets": 200_000,
    "missing_after_s": 300,
    "retained_generations": 16,
    "retained_age_s": 24 * 3600,
    "retained_at_most": 256,
    "retained_row_bytes": 16 * MIB,
    "resident_layer_bytes": 256 * MIB,
    "search_index_bytes": 512 * MIB,
    "revoked_names": 10_000,
    "enablement_words": 10_000,
    "wait_for_generation_s": 2,
    "call_without_deadline_s": 120,
    "request_ids": 10_000,
    "request_id_age_s": 24 * 3600,
    "answer_cache_bytes": 256 * MIB,
}


def limits_with(name: str, value: float) -> Limits:
    changed: dict[str, Any] = {name: value}
    return Limits(**changed)


@pytest.mark.parametrize(("name", "value"), [*CAPPED.items(), *OTHERS.items()])
def test_a_default_is_what_the_rules_say(name: str, value: float) -> None:
    assert getattr(Limits(), name) == value


@pytest.mark.parametrize(("name", "cap"), [*CAPPED.items(), ("asset_bytes", 64 * MIB)])
def test_a_limit_can_be_its_cap_and_no_more(name: str, cap: int) -> None:
    assert getattr(limits_with(name, cap), name) == cap
    with pytest.raises(ValueError, match=rf"the limit {name} is {cap + 1}; at most {cap}(\.0)? "):
        limits_with(name, cap + 1)


@pytest.mark.parametrize("name", sorted(field.name for field in fields(Limits)))
@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_is_more_than_nothing(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"the limit {name} is {value}; it must be more than 0"):
        limits_with(name, value)


@pytest.mark.parametrize(("name", "lowest"), [("range_bytes", 4), ("activation_text_bytes", 16 * KIB)])
def test_a_limit_that_could_not_be_kept_is_refused(name: str, lowest: int) -> None:
    assert getattr(limits_with(name, lowest), name) == lowest
    with pytest.raises(ValueError, match=f"the limit {name} is {lowest - 1}; at least {lowest} is needed"):
        limits_with(name, lowest - 1)


def test_the_longest_lines_before_a_body_leave_room_for_some_of_it_at_the_lowest_limit() -> None:
    skill = Skill(
        name="n" * 64,
        description="",
        description_bytes=0,
        compatibility="c" * 1_024,
        allowed_tools=("t" * 64,) * 64,
    )
    body = TextRef(digest="b" * 64, size=MIB)
    assets = tuple(Asset(name=f"{number:0512}", size=64 * MIB, digest="a" * 64) for number in range(1_024))
    bundle = make_bundle(skill, document=body, body=body, assets=assets)
    text = plain_text(bundle, "x" * MIB, 16 * KIB)
    assert len(text.text.encode()) <= 16 * KIB
    assert text.next_offset > 0


def test_a_document_holds_a_body_and_its_frontmatter() -> None:
    assert Limits().document_bytes == MIB + 64 * KIB

"""Precedence within a layer against a model that a reader can check by eye."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.merge import merge, remembered
from skillsvc.sources.source import Observation, Outcome
from tests.contract.layer_log_values import row

pytestmark = pytest.mark.property

SOURCES = ("s1", "s2", "s3")
held_by_one = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("12")), max_size=5)
held_by_sources = st.lists(held_by_one, min_size=1, max_size=3)


def found(name: str, version: str, place: str = "") -> Found:
    return replace(row(name, version).found, place=place)


def observation(source: str, *held: Found) -> Observation:
    return Observation(source=source, tier=Tier.EXPLICIT, trust=Trust.ALLOWED, outcome=Outcome.WHOLE, found=held)


@given(held_by_sources)
def test_a_merge_is_the_first_of_each_name_of_each_source_and_the_first_source_lists_it(
    held: list[list[tuple[str, str]]],
) -> None:
    observations = [
        observation(source, *(found(name, version, f"{at}") for at, (name, version) in enumerate(skills)))
        for source, skills in zip(SOURCES, held, strict=False)
    ]
    firsts = [dict(reversed(skills)) for skills in held]
    expected = sorted(
        (name, source, version, any(name in stronger for stronger in firsts[:rank]))
        for rank, (source, first) in enumerate(zip(SOURCES, firsts, strict=False))
        for name, version in first.items()
    )
    merged = merge(observations)
    assert [(each.name, each.source, each.bundle.skill.description, each.shadowed) for each in merged.rows] == expected
    told = [told.code for told in merged.diagnostics]
    lost = sum(len(skills) for skills in held) - len({name for first in firsts for name in first})
    assert len(told) == lost


@given(held_by_sources)
def test_merging_again_takes_every_row_of_before(held: list[list[tuple[str, str]]]) -> None:
    observations = [
        observation(source, *(found(name, version) for name, version in skills))
        for source, skills in zip(SOURCES, held, strict=False)
    ]
    before = merge(observations).rows
    again = [replace(observation) for observation in observations]
    after = merge(again, remembered(before)).rows
    assert all(one is other for one, other in zip(before, after, strict=True))


@given(st.permutations(SOURCES), st.permutations(SOURCES), st.data())
def test_a_merge_from_what_was_before_is_a_merge_from_nothing(
    order: list[str], later: list[str], data: st.DataObject
) -> None:
    # Many that stay, so that what differs is put in its place.
    many = [found(f"m{number:03}", "1", place=f"{number}") for number in range(100)]
    before = {source: data.draw(held_by_one) for source in order}
    after = {**before, **{source: data.draw(held_by_one) for source in data.draw(st.sets(st.sampled_from(SOURCES)))}}
    strongest = [observation("s0", *many)]
    was = {
        source: observation(source, *(found(*skill, place=str(at)) for at, skill in enumerate(skills)))
        for source, skills in before.items()
    }
    seen = {
        source: was[source]
        if skills is before[source]
        else observation(source, *(found(*skill, place=str(at)) for at, skill in enumerate(skills)))
        for source, skills in after.items()
    }
    merged = merge([*strongest, *(was[source] for source in order)])
    later = later[: data.draw(st.integers(0, len(later)))]
    again = merge([*strongest, *(seen[source] for source in later)], merged)
    fresh = merge([*strongest, *(seen[source] for source in later)])
    assert (again.rows, again.diagnostics, list(again.parts)) == (fresh.rows, fresh.diagnostics, list(fresh.parts))

"""Rates: how many are let through, and when the next one fits."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.domain.shares import Group, Rate, Shares


def admitted(rate: Rate, times: list[float]) -> list[float]:
    """Return those of the times, which are in order, at which something is let through."""
    whole_at, let_through = 0.0, []
    for now in times:
        if rate.wait_s(whole_at, now) <= 0:
            whole_at = rate.taken(whole_at, now)
            let_through.append(now)
    return let_through


def test_a_burst_fits_at_once_and_then_one_an_interval() -> None:
    assert admitted(Rate(2, burst=3), [8.0] * 5 + [8.5] * 2 + [8.75, 9.0]) == [8.0] * 3 + [8.5, 9.0]


def test_what_is_not_taken_is_not_saved_up_beyond_the_burst() -> None:
    assert admitted(Rate(2, burst=3), [8.0, *[1000.0] * 9]) == [8.0, *[1000.0] * 3]


def test_after_the_time_that_is_told_the_next_one_fits_and_not_before() -> None:
    rate = Rate(4, burst=1)
    whole_at = rate.taken(0.0, 10.0)
    assert rate.wait_s(whole_at, 10.0) == 0.25
    assert rate.wait_s(whole_at, 10.125) == 0.125
    assert rate.wait_s(whole_at, 10.25) == 0


@given(
    a_second=st.sampled_from([0.25, 1, 4, 64]),
    burst=st.integers(1, 20),
    gaps=st.lists(st.integers(0, 40), max_size=80),
)
def test_no_stretch_of_time_lets_more_through_than_a_burst_and_its_rate(
    a_second: float, burst: int, gaps: list[int]
) -> None:
    times = [sum(gaps[: end + 1]) / 16 for end in range(len(gaps))]
    let_through = admitted(Rate(a_second, burst), times)
    for first in range(len(let_through)):
        for last in range(first, len(let_through)):
            assert last - first + 1 <= burst + a_second * (let_through[last] - let_through[first])


@pytest.mark.parametrize("name", [field.name for field in fields(Shares)])
def test_a_share_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        replace(Shares(), **{name: 0})


@pytest.mark.parametrize("group", Group)
def test_each_group_has_a_rate_of_its_own(group: Group) -> None:
    shares = replace(Shares(), **{f"{group.value}_a_second": 8, f"{group.value}_burst": 5})
    rate = shares.rate(group)
    assert (rate.interval_s, rate.tolerance_s) == (0.125, 0.5)

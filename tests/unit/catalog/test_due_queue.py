"""A queue by time: against a table that is sorted each time, whatever is put in and taken out."""

from hypothesis import given
from hypothesis import strategies as st

from skillsvc.catalog.due_queue import DueQueue

STEPS = st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), st.integers(0, 9))), max_size=60)


@given(STEPS, st.integers(0, 9), st.integers(0, 4))
def test_what_is_due_first_comes_first_and_of_one_time_what_was_put_in_before(
    steps: list[tuple[int, int | None]], until: int, at_most: int
) -> None:
    queue: DueQueue[int] = DueQueue()
    standing: dict[int, int] = {}
    for key, due in steps:
        standing.pop(key, None)
        if due is None:
            queue.take_out(key)
        else:
            queue.put(key, due)
            standing[key] = due
        in_order = sorted(standing, key=lambda each: standing[each])
        assert queue.first(at_most, until) == [each for each in in_order if standing[each] <= until][:at_most]
        assert queue.first_due() == min(standing.values(), default=float("inf"))


def test_what_is_put_elsewhere_over_and_over_gathers_nothing() -> None:
    queue: DueQueue[str] = DueQueue()
    for number in range(10_000):
        queue.put("a", 10_000.0 - number)
    assert len(queue._heap) < 100
    assert queue.first(2, 10_000.0) == ["a"]

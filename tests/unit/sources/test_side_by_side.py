"""Works of several steps side by side: who does what when, and what comes of it."""

from collections.abc import Iterator

import pytest

from skillsvc.sources.side_by_side import Steps, side_by_side


def work(name: str, steps: int, done: list[str]) -> Steps[str]:
    """Do so many steps, each told in `done`."""
    for step in range(1, steps):
        done.append(f"{name}{step}")
        yield
    done.append(f"{name}{steps}")
    return name


def test_each_does_a_step_before_any_does_its_next() -> None:
    done: list[str] = []
    results = side_by_side([work("a", 3, done), work("b", 1, done), work("c", 2, done)], abreast=3)
    assert list(results) == ["a", "b", "c"]
    assert done == ["a1", "b1", "c1", "a2", "c2", "a3"]


def test_no_more_than_so_many_are_under_way() -> None:
    done: list[str] = []
    results = side_by_side((work(name, 2, done) for name in "abc"), abreast=2)
    assert next(results) == "a"
    assert done == ["a1", "b1", "a2", "b2"]
    assert list(results) == ["b", "c"]
    assert done == ["a1", "b1", "a2", "b2", "c1", "c2"]


def test_the_first_step_is_done_before_the_next_work_is_asked_for() -> None:
    done: list[str] = []

    def coming() -> Iterator[Steps[str]]:
        yield work("a", 2, done)
        done.append("asked")
        yield work("b", 1, done)

    assert list(side_by_side(coming(), abreast=9)) == ["a", "b"]
    assert done == ["a1", "asked", "b1", "a2"]


def test_no_works_have_no_results() -> None:
    assert list(side_by_side(iter(list[Steps[str]]()), abreast=2)) == []


def test_what_a_work_raises_ends_all() -> None:
    done: list[str] = []

    def failing() -> Steps[str]:
        yield
        raise LookupError

    with pytest.raises(LookupError):
        list(side_by_side([failing(), work("b", 2, done)], abreast=2))
    assert done == ["b1"]

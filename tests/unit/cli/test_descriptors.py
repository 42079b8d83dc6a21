"""Descriptors: as many as may be, and callers never take all of them."""

import resource
from collections.abc import Iterator

import pytest

from skillsvc.cli.descriptors import connections_of, raise_descriptors


@pytest.fixture(autouse=True)
def _limits_as_before() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_what_a_process_begins_with_is_raised_to_what_it_may_have() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    raised = raise_descriptors()
    assert raised > 200
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (raised, hard)
    assert raise_descriptors() == raised


@pytest.mark.parametrize(("descriptors", "most"), [(1_024, 256), (262_144, 65_536), (3, 1)])
def test_three_listeners_that_are_full_leave_a_quarter(descriptors: int, most: int) -> None:
    assert connections_of(descriptors) == most

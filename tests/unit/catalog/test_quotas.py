"""Quotas: what a partition may hold, and what it is told of them."""

from dataclasses import replace

import pytest

from skillsvc.catalog.quotas import check_size
from skillsvc.domain.errors import ErrorReason, Exhausted
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.skills import skill_row

ALICE = Partition(principal="token:alice", project="p")
LIMITS = replace(Limits(), layer_skills=4, partition_skills=2, partition_bytes=1_000)
BLOBS = MemoryBlobStore()
SMALL = tuple(skill_row(BLOBS, name, document=b"x" * 10) for name in "abcde")
LARGE = skill_row(BLOBS, "large", document=b"x" * 900, assets={"data": b"y" * 101})
FULL = skill_row(BLOBS, "full", document=b"x" * 900, assets={"data": b"y" * 100})


def refused(partition: Partition, *rows: object) -> Exhausted:
    with pytest.raises(Exhausted) as caught:
        check_size(partition, rows, LIMITS)  # type: ignore[arg-type] # rows
    return caught.value


def test_a_partition_has_a_quota_of_skills_that_the_deployment_has_not() -> None:
    check_size(ALICE, SMALL[:2], LIMITS)
    check_size(DEPLOYMENT, SMALL[:4], LIMITS)
    error = refused(ALICE, *SMALL[:3])
    assert (error.reason, error.subject) == (ErrorReason.QUOTA_EXCEEDED, "token:alice")
    assert dict(error.metadata) == {"quota": "partition_skills", "limit": "2"}


def test_its_bytes_are_those_of_texts_and_assets() -> None:
    check_size(ALICE, (FULL,), LIMITS)
    check_size(DEPLOYMENT, (LARGE,), LIMITS)
    error = refused(ALICE, LARGE)
    assert (error.reason, error.subject) == (ErrorReason.QUOTA_EXCEEDED, "token:alice")
    assert dict(error.metadata) == {"quota": "partition_bytes", "limit": "1000"}


def test_what_skills_share_counts_for_each_so_that_a_quota_tells_nothing_of_others() -> None:
    again = skill_row(BLOBS, "again", document=b"x" * 900, assets={"data": b"y" * 100})
    assert refused(ALICE, again, FULL).reason is ErrorReason.QUOTA_EXCEEDED


def test_what_no_layer_may_hold_is_no_matter_of_a_quota() -> None:
    for partition in (DEPLOYMENT, ALICE):
        assert refused(partition, *SMALL).reason is ErrorReason.LIMIT_EXCEEDED

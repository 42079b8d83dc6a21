"""Quotas: how much one layer may hold. The deployment's is the operator's own; those of partitions are tenants'."""

from collections.abc import Sequence

from skillsvc.domain.errors import ErrorReason, Exhausted
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition


def check_size(partition: Partition, rows: Sequence[Row], limits: Limits) -> None:
    """Refuse rows that are more than a layer may hold.

    What bundles share counts for each: a tenant must not learn from its quota what others have.

    Raises:
        Exhausted: LIMIT_EXCEEDED for more skills than any layer may hold; QUOTA_EXCEEDED for more skills or bytes than
            a partition may.
    """
    if len(rows) > limits.layer_skills:
        raise Exhausted(
            ErrorReason.LIMIT_EXCEEDED,
            f"a layer holds at most {limits.layer_skills} skills",
            metadata={"limit": str(limits.layer_skills)},
        )
    if partition == DEPLOYMENT:
        return
    if len(rows) > limits.partition_skills:
        raise _used_up(partition, "partition_skills", limits.partition_skills, "skills")
    if sum(map(_bytes_of, rows)) > limits.partition_bytes:
        raise _used_up(partition, "partition_bytes", limits.partition_bytes, "bytes of skills and their assets")


def _bytes_of(row: Row) -> int:
    bundle = row.bundle
    text = bundle.document or bundle.body
    return (0 if text is None else text.size) + sum(asset.size for asset in bundle.assets)


def _used_up(partition: Partition, quota: str, limit: int, what: str) -> Exhausted:
    return Exhausted(
        ErrorReason.QUOTA_EXCEEDED,
        f"a partition holds at most {limit} {what}",
        metadata={"quota": quota, "limit": str(limit)},
        subject=partition.principal,
    )

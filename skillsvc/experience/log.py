"""The seam to where priors outlive the process, partition by partition."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from skillsvc.catalog.log import RequestKey, RequestRecord
from skillsvc.domain.partition import Partition
from skillsvc.domain.prior import Prior
from skillsvc.experience.learning import Outcome, Room


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """Under which id an outcome is told, so that nothing is learned of it twice; as for `RequestLog.record`."""

    key: RequestKey
    record: RequestRecord
    oldest: datetime
    at_most: int


class ExperienceLog(Protocol):
    """Where priors are kept. Every method raises STORE_UNREACHABLE where the store fails."""

    def priors(self, partition: Partition) -> tuple[Prior, ...]:
        """Return the priors of a partition, oldest first."""

    def report(
        self, partition: Partition, outcome: Outcome, *, room: Room, requested: Requested | None = None
    ) -> RequestRecord | None:
        """Learn from an outcome, durably, and return what its request id stands for, None where it has none.

        The prior of that skill at that task becomes another in its place, and stays as old as it was. A new one is the
        youngest; where there is no room for it, in the partition or beside what its principal has in other projects,
        the oldest there are forgotten. All of it is one step with the keeping of the id, and of an id that stands for
        something already nothing is learned.
        """

"""What callers learned, at hand: priors of a partition are read when somebody asks, and let go when nobody does.

A partition's experience is its own: nothing here takes more than one, and that is always the caller's.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Final

from skillsvc.catalog.log import RequestRecord
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.domain.prior import Prior
from skillsvc.experience.learning import Outcome, Rate, Room
from skillsvc.experience.log import ExperienceLog, Requested
from skillsvc.experience.matching import KnownPrior, best_match, known, weights_at, weights_of_all
from skillsvc.service.threads import Threads

_PRIOR_BYTES: Final = 600
_CHARACTER_BYTES: Final = 16
"""About what a prior takes in memory, and what each character of its pattern adds, most of it for its tokens."""


class Experience:
    """Priors by partition. Lives on the event loop; what is kept in memory is bounded, whoever asks."""

    def __init__(self, log: ExperienceLog, *, limits: Limits, rate: Rate, reading: Threads, recording: Threads) -> None:
        """Begin with nothing in memory.

        Args:
            log: Where priors are kept.
            limits: The limits in force.
            rate: What the success rate of a prior is.
            reading: Reads and compares priors.
            recording: Writes outcomes.
        """
        self._log = log
        self._limits = limits
        self._rate = rate
        self._reading = reading
        self._recording = recording
        self._kept: OrderedDict[Partition, tuple[KnownPrior, ...]] = OrderedDict()
        self._bytes = 0
        self._learned = 0

    @property
    def rate(self) -> Rate:
        """What the success rate of a prior is."""
        return self._rate

    async def weights(self, partition: Partition, task: str) -> Mapping[str, float]:
        """Return what is known of skills at a task: from -1 for sure failure to 1 for sure success, by their names.

        A blank task stands for any. What nothing is known of is not in it, which is as much as 0; whether a skill is
        seen by whoever asks is theirs to look. Raises Unavailable, STORE_UNREACHABLE.
        """
        priors = await self._priors(partition)
        if not priors:
            return {}
        if not task.strip():
            return await self._reading.run(lambda: weights_of_all(priors, self._rate))
        return await self._reading.run(lambda: weights_at(priors, task, self._rate))

    async def best_match(self, partition: Partition, task: str, may_be: Callable[[str], bool]) -> Prior | None:
        """Return the prior that fits a task best of the skills that may be told of; raises as `weights`."""
        priors = await self._priors(partition)
        return await self._reading.run(lambda: best_match(priors, task, may_be)) if priors else None

    async def report(self, partition: Partition, outcome: Outcome, requested: Requested | None) -> RequestRecord | None:
        """Learn from an outcome, as `ExperienceLog.report` says; raises as `weights`."""
        room = Room(partition=self._limits.priors, principal=self._limits.principal_priors)
        writing = self._recording.begin(lambda: self._log.report(partition, outcome, room=room, requested=requested))
        # Also where nobody waits for it any more: what is written then is learned as well.
        writing.add_done_callback(lambda _written: self._forget(partition.principal))
        return await self._recording.done(writing)

    async def _priors(self, partition: Partition) -> tuple[KnownPrior, ...]:
        kept = self._kept.get(partition)
        if kept is not None:
            self._kept.move_to_end(partition)
            return kept
        before = self._learned
        priors = await self._reading.run(lambda: tuple(map(known, self._log.priors(partition))))
        # What somebody told of meanwhile may not be in what was read.
        if before == self._learned:
            self._keep(partition, priors)
        return priors

    def _keep(self, partition: Partition, priors: tuple[KnownPrior, ...]) -> None:
        self._drop(partition)
        self._kept[partition] = priors
        self._bytes += _size_of(priors)
        while self._bytes > self._limits.prior_cache_bytes:
            self._drop(next(iter(self._kept)))

    def _forget(self, principal: str) -> None:
        """Forget what is at hand of a principal: room for one partition is made in others, too."""
        self._learned += 1
        for partition in [each for each in self._kept if each.principal == principal]:
            self._drop(partition)

    def _drop(self, partition: Partition) -> None:
        dropped = self._kept.pop(partition, None)
        if dropped is not None:
            self._bytes -= _size_of(dropped)


def _size_of(priors: tuple[KnownPrior, ...]) -> int:
    return sum(_PRIOR_BYTES + _CHARACTER_BYTES * len(each.text) for each in priors) + _PRIOR_BYTES

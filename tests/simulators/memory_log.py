"""The logs in memory, for tests of what stands on them: they promise all but a life beyond the process."""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime

from skillsvc.catalog.log import LayerRecord, LayerStep, RequestKey, RequestRecord
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition
from skillsvc.domain.prior import Prior
from skillsvc.experience.learning import Outcome, Room, learned
from skillsvc.experience.log import Requested


class MemoryLayerLog:
    """A `LayerLog` of one dictionary."""

    def __init__(self, random_bytes: Callable[[int], bytes]) -> None:
        self._random_bytes = random_bytes
        self._lock = threading.Lock()
        self._records: dict[Partition, LayerRecord] = {}

    def load(self, partition: Partition) -> LayerRecord:
        with self._lock:
            record = self._records.get(partition)
            if record is None:
                record = LayerRecord(partition=partition, log_id=self._random_bytes(16), generations=())
                self._records[partition] = record
            return record

    def append(self, generation: Generation, *, dropped: Collection[int]) -> None:
        with self._lock:
            record = self._records.get(generation.partition)
            if record is None or record.log_id != generation.log_id:
                raise ValueError("a generation is appended to the log whose id it has")
            if record.generations and record.generations[-1].sequence >= generation.sequence:
                raise ValueError("the sequence of an appended generation is the highest")
            if generation.sequence in dropped:
                raise ValueError("a generation is not appended and dropped in one step")
            kept = tuple(held for held in record.generations if held.sequence not in dropped)
            self._records[generation.partition] = replace(record, generations=(*kept, generation))

    def renew(self, generation: Generation) -> None:
        with self._lock:
            record = self._records.get(generation.partition)
            newest = record.generations[-1] if record is not None and record.generations else None
            if record is None or newest is None or record.log_id != generation.log_id:
                raise ValueError("the newest generation of a layer alone is renewed")
            if newest.sequence != generation.sequence:
                raise ValueError("the newest generation of a layer alone is renewed")
            if newest.digest != generation.digest:
                raise ValueError("a generation is renewed with the digest that it has")
            self._records[generation.partition] = replace(record, generations=(*record.generations[:-1], generation))

    def forget(self, partition: Partition, sequences: Collection[int]) -> None:
        with self._lock:
            record = self._records.get(partition)
            if record is None:
                return
            if record.generations and record.generations[-1].sequence in sequences:
                raise ValueError("the newest generation of a layer is never forgotten")
            kept = tuple(held for held in record.generations if held.sequence not in sequences)
            self._records[partition] = replace(record, generations=kept)

    def keep(self, steps: Sequence[LayerStep]) -> None:
        before = dict(self._records)
        try:
            for step in steps:
                if step.generation is not None:
                    self.append(step.generation, dropped=step.dropped)
                else:
                    self.forget(step.partition, step.dropped)
                with self._lock:
                    self._note(step)
        except BaseException:
            with self._lock:
                self._records = before
            raise

    def partitions(self) -> tuple[Partition, ...]:
        with self._lock:
            return tuple(partition for partition, record in self._records.items() if record.generations)

    def blobs(self) -> frozenset[str]:
        with self._lock:
            return frozenset(
                blob
                for record in self._records.values()
                for held in record.generations
                for row in held.rows
                for blob in row.bundle.blobs
            )

    def _note(self, step: LayerStep) -> None:
        record = self._records[step.partition]
        if step.revoked is not None:
            record = replace(record, revoked=step.revoked)
        if step.log_generation is not None:
            record = replace(record, log_generation=step.log_generation)
        self._records[step.partition] = record


class MemoryRequestLog:
    """A `RequestLog` of one dictionary."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: dict[RequestKey, RequestRecord] = {}

    def record(self, key: RequestKey, record: RequestRecord, *, oldest: datetime, at_most: int) -> RequestRecord:
        with self._lock:
            scope = [held for held in self._records if (held.caller, held.rpc) == (key.caller, key.rpc)]
            for held in scope:
                if self._records[held].at < oldest:
                    del self._records[held]
            found = self._records.get(key)
            # Sorting is stable, so of those of one instant the first held goes first.
            rest = sorted((held for held in scope if held in self._records), key=lambda held: self._records[held].at)
            room = at_most if found else at_most - 1
            for held in rest[: max(0, len(rest) - room)]:
                del self._records[held]
            return found or self._records.setdefault(key, record)

    def replace(self, key: RequestKey, record: RequestRecord) -> None:
        with self._lock:
            self._records.pop(key, None)
            self._records[key] = record

    def find_issued(self, caller: Partition, issued: str, *, oldest: datetime) -> RequestRecord | None:
        with self._lock:
            found = [
                record
                for key, record in self._records.items()
                if key.caller == caller and record.issued == issued and record.at >= oldest
            ]
            return found[-1] if found else None


class MemoryExperienceLog:
    """An `ExperienceLog` of one dictionary, oldest first, whichever partition a prior is of."""

    def __init__(self) -> None:
        self._requests = MemoryRequestLog()
        self._lock = threading.Lock()
        self._held: dict[tuple[Partition, str, str], Prior] = {}

    def priors(self, partition: Partition) -> tuple[Prior, ...]:
        with self._lock:
            return tuple(prior for (whose, *_named), prior in self._held.items() if whose == partition)

    def report(
        self, partition: Partition, outcome: Outcome, *, room: Room, requested: Requested | None = None
    ) -> RequestRecord | None:
        with self._lock:
            held = None
            if requested is not None:
                given = requested.record
                held = self._requests.record(requested.key, given, oldest=requested.oldest, at_most=requested.at_most)
                if held is not given:
                    return held
            key = (partition, outcome.skill, outcome.task_pattern)
            if key not in self._held:
                self._forget([each for each in self._held if each[0] == partition], room.partition)
                self._forget([each for each in self._held if each[0].principal == partition.principal], room.principal)
            self._held[key] = learned(self._held.get(key), outcome)
            return held

    def _forget(self, oldest_first: Sequence[tuple[Partition, str, str]], room: int) -> None:
        for key in oldest_first[: max(0, len(oldest_first) - room + 1)]:
            del self._held[key]

"""The seam to where generations and request ids outlive the process.

A store keeps, for each layer, its log id, its generations and their rows; it gives back exactly what it was given.
Blobs are not its business: whoever appends a generation has synced the blobs that its bundles name before.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from skillsvc.domain.enablement import Word
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRecord:
    """What a log holds of one layer: its log id, 16 random bytes, and the generations, oldest first.

    `revoked` and `log_generation` are those of `catalog.layer.Layer`.
    """

    partition: Partition
    log_id: bytes
    generations: tuple[Generation, ...]
    revoked: frozenset[str] = frozenset()
    log_generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerStep:
    """What becomes of one layer: a generation appended, others dropped, names revoked; None leaves what is held.

    `revoked` are all names that are revoked from now on. `log_generation` is below 2^63.
    """

    partition: Partition
    generation: Generation | None = None
    dropped: frozenset[int] = frozenset()
    revoked: frozenset[str] | None = None
    log_generation: int | None = None


class LayerLog(Protocol):
    """Where the generations of layers are kept. Every method raises STORE_UNREACHABLE where the store fails."""

    def load(self, partition: Partition) -> LayerRecord:
        """Return what is held of a layer; a layer never seen gets a new log id, which is kept.

        Raises:
            DataLoss: DIGEST_MISMATCH where what is held is not what was appended.
        """

    def append(self, generation: Generation, *, dropped: Collection[int]) -> None:
        """Keep a generation, durably and whole, and in the same step forget those of the given sequences.

        After a crash the layer's newest generation is this one or the one before. The sequence must be the layer's
        highest; anything else raises ValueError, for the caller holds the publishing lock.
        """

    def renew(self, generation: Generation) -> None:
        """Keep the newest generation with what no digest covers of its rows as it is now; older ones stay as they are.

        Raises:
            ValueError: It is not the newest of its layer, or has another digest.
        """

    def forget(self, partition: Partition, sequences: Collection[int]) -> None:
        """Forget generations of a layer, in one step; those that it does not hold are forgotten already.

        The newest cannot be forgotten: ValueError, and nothing is.
        """

    def keep(self, steps: Sequence[LayerStep]) -> None:
        """Keep what becomes of several layers, each named once, durably and all or nothing.

        Each step is an `append` where it has a generation, else a `forget`, and raises as those do. The generation that
        a step appends may take the place of all others.
        """

    def partitions(self) -> tuple[Partition, ...]:
        """Return the partitions of which any generation is held, in any order."""

    def blobs(self) -> frozenset[str]:
        """Return the digests of all blobs that the bundles of any generation of any layer name.

        Of what is appended or forgotten meanwhile they may be among them or not.
        """


class EnablementLog(Protocol):
    """Where it is kept which skills are on, and for whom. Each method raises STORE_UNREACHABLE if the store fails."""

    def words(self) -> tuple[Word, ...]:
        """Return all that is said, in any order: nothing is in force before it is known."""

    def put(self, words: Sequence[Word]) -> None:
        """Keep what is said, durably and all or nothing; of an audience and a name the last word counts.

        A word that has a name inherit leaves nothing to be kept of it.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestKey:
    """Whose request id it is: ids count per (principal, project, RPC)."""

    caller: Partition
    rpc: str
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRecord:
    """A request that was answered: `arguments` is a hash of what it asked, `answer` what to answer it from again.

    `issued` is an id that the answer gave out, by which it is found, too; "" for none.
    """

    arguments: bytes
    answer: bytes
    at: datetime
    issued: str = ""


class RequestLog(Protocol):
    """Where request ids are kept, so that a repetition is the same request (contract.md, "Time and retries")."""

    def record(self, key: RequestKey, record: RequestRecord, *, oldest: datetime, at_most: int) -> RequestRecord:
        """Return what a request id stands for: the record held, or else this one, which is then held, durably.

        Two callers at once get the same record. In the same step the ids of (caller, rpc) older than `oldest`, and the
        oldest beyond `at_most`, are forgotten; a record older than `oldest` is never returned. Ids of others that are
        older than `oldest` may be forgotten as well, and where all together are too many for the log, the oldest are.
        """

    def replace(self, key: RequestKey, record: RequestRecord) -> None:
        """Let a request id stand for another answer: what it stood for is gone."""

    def find_issued(self, caller: Partition, issued: str, *, oldest: datetime) -> RequestRecord | None:
        """Return the record whose answer gave out an id to a caller, None where there is none, or it is too old.

        `issued` is not empty. Ids of others are never found.
        """

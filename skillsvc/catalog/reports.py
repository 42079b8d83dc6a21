"""What a layer's sources are declared as, and what an operator is told of how each of them stands."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, unique
from typing import NamedTuple

from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.source import Source


class SourceKey(NamedTuple):
    """Which source: labels are unique in a layer alone."""

    partition: Partition
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A source as an operator declares it: what looks, which kind of place it is, and how often it is looked at.

    `poll_s` is the time from the end of a whole look to the next one, in seconds, give or take a tenth.
    """

    source: Source
    kind: str
    poll_s: float


@unique
class ReportedState(Enum):
    """How a source stands, for an operator."""

    WAITING = 1
    """This process has not looked at it yet; what the log holds of it is served."""
    COMPLETE = 2
    """It was wholly seen at its last look, and what was seen is served."""
    STALE = 3
    """It could not be seen, or what was seen could not be published; its last good is served."""
    PARTIAL = 4
    """Some of it could not be seen; the last good of that is served."""
    MISSING = 5
    """It could not be seen, and nothing of it is served."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport:
    """How one source stands.

    `tier` and `trust` are None where nothing of it was ever seen. `last_success_at` is the end of the last look that
    saw all of it, `last_error` why the last one did not, "" where it did; `revision` is what was seen last. `skills`
    counts what stands of it, shadowed ones too, `diagnostics` all that is said of it. `looking` tells that a look is
    under way. `next_look_at` is None where the next look begins as soon as one can.
    """

    source: str
    kind: str
    tier: Tier | None
    trust: Trust | None
    state: ReportedState
    last_look_at: datetime | None
    last_success_at: datetime | None
    last_error: str
    revision: str
    skills: int
    diagnostics: int
    looking: bool
    next_look_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What came of a look that was asked for: the layer's generation when it was asked, and the one after the look."""

    before: Generation
    after: Generation

"""The seam to where skills come from: a source is looked at, and what one look found is an observation."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Protocol

from skillsvc.domain.diagnostics import Diagnostic
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission, Tier, Trust


@unique
class Outcome(Enum):
    """How a look went."""

    WHOLE = "whole"
    """Everything there was seen."""
    PARTIAL = "partial"
    """Something there could not be seen; what is held of it stands in its place."""
    ABSENT = "absent"
    """The place does not exist."""
    FAILED = "failed"
    """Nothing could be seen; the place may exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What one look at a source found, in the source's own order: shallower places first, then in byte order."""

    source: str
    tier: Tier
    trust: Trust
    outcome: Outcome
    found: tuple[Found, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    """Of the source as a whole, and of skills that were refused; those of a skill that is kept are with it."""
    revision: str = ""
    """What was looked at: a commit's id, a digest of a manifest or index; "" where there is none, or none was seen."""

    @property
    def admission(self) -> Admission:
        """The tier and the trust of what was found."""
        return Admission(tier=self.tier, trust=self.trust)


class Source(Protocol):
    """A declared place that skills come from.

    `label` is unique in its layer, fits the grammar of a skill's name, and is all that callers learn of the place.
    """

    @property
    def label(self) -> str:
        """The name by which callers and diagnostics know it."""

    @property
    def admission(self) -> Admission:
        """The tier and the trust that it is declared with; every observation has these, and they never change."""

    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        """Look, and return what was found; never raises for anything that the place holds.

        One thread at a time looks at one source. Where a look finds what the last one found, it returns that very
        object: whoever compares by identity then knows that there is nothing to do.

        Args:
            changed: Paths below the place that are known to have changed since the last look, `/` between names; the
                look may then be content with these. None for a whole look.
            held: What is served of it, the last good of each skill: it stands where the look cannot see that skill.
                What fails as a whole, or is absent, finds nothing all the same.

        Raises:
            Abandoned: The look was told to stop. What was seen last stands.
        """

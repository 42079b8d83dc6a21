"""The table [experience]: what outcomes teach."""

from typing import Literal

from pydantic import Field

from skillsvc.experience.learning import Rate
from skillsvc.settings.table import Table


class ExperienceTable(Table):
    """What outcomes teach. A change of this table is taken in at the next start."""

    rate: Literal["smoothed", "last"] = Field(
        default=Rate.SMOOTHED.value,
        description="The success rate of a skill: of all outcomes, few of them near a half, or the last one's.",
    )

    def make_rate(self) -> Rate:
        """Return what the success rate of a prior is."""
        return Rate(self.rate)

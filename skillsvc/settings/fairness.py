"""The table [fairness]: how much of the server one caller may take."""

from pydantic import Field

from skillsvc.domain.shares import Shares
from skillsvc.settings.table import Count, Rate, Table

_DEFAULT = Shares()


class FairnessTable(Table):
    """How much of the server one principal may take, whatever projects it names.

    It holds where access rules tell callers apart. Operators and health are never counted. A change of this table is
    taken in at the next start.
    """

    reads_a_second: Rate = Field(
        default=_DEFAULT.reads_a_second,
        description="Calls a second of SkillBody, ListAssets, ReadAsset and GetServerInfo.",
    )
    reads_burst: Count = Field(default=_DEFAULT.reads_burst, description="As many of these may come at once.")
    lists_a_second: Rate = Field(
        default=_DEFAULT.lists_a_second,
        description="Calls a second of ListSkills, SearchSkills, SearchCapabilities, RenderCatalog, BestMatch.",
    )
    lists_burst: Count = Field(default=_DEFAULT.lists_burst, description="As many of these may come at once.")
    activations_a_second: Rate = Field(
        default=_DEFAULT.activations_a_second, description="Calls a second of Activate and ReportOutcome."
    )
    activations_burst: Count = Field(
        default=_DEFAULT.activations_burst, description="As many of these may come at once."
    )
    watches_a_second: Rate = Field(
        default=_DEFAULT.watches_a_second, description="Streams of WatchCatalog that may begin a second."
    )
    watches_burst: Count = Field(default=_DEFAULT.watches_burst, description="As many of these may begin at once.")
    calls: Count = Field(default=_DEFAULT.calls, description="Calls under way, until their answers are sent.")
    watches: Count = Field(default=_DEFAULT.watches, description="Streams of WatchCatalog that are open.")
    waiting_bytes: Count = Field(
        default=_DEFAULT.waiting_bytes,
        description="Bytes of answers that are not sent yet; one answer may always wait.",
    )
    strangers_a_second: Rate = Field(
        default=_DEFAULT.strangers_a_second,
        description="Calls a second without a valid identity, by the address they come from.",
    )
    strangers_burst: Count = Field(default=_DEFAULT.strangers_burst, description="As many of these may come at once.")

    def shares(self) -> Shares:
        """Return the shares in force."""
        return Shares(**self.model_dump())

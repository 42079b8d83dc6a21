"""Limits: every size, count, depth and time bound of the server, as one value.

Defaults that bound something on the wire come from the caps of the proto (`domain.caps`); an operator may lower a
limit, never raise it above its cap (rules.md 3).
"""

from dataclasses import dataclass, fields

from skillsvc.domain import caps

MIB = 1024 * 1024
_SAME = "the cap of the contract"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits in force. Bytes are of UTF-8, counts are of items, times are seconds."""

    description_bytes: int = caps.CAPS["Skill.description"].max_bytes
    body_bytes: int = caps.CAPS["Skill.body_bytes"].max_value
    activation_text_bytes: int = caps.CAPS["ActivateResponse.text"].max_bytes
    assets: int = caps.CAPS["ListAssetsResponse.assets"].max_items
    asset_names_bytes: int = caps.CAPS["ListAssetsResponse.assets"].max_total_bytes
    asset_name_bytes: int = caps.CAPS["Asset.name"].max_bytes
    asset_bytes: int = 16 * MIB
    """One asset: the cap is 64 MiB, the default a quarter of it."""
    tools: int = caps.CAPS["ActivateResponse.tools"].max_items
    diagnostics: int = caps.CAPS["Skill.diagnostics"].max_items
    range_bytes: int = caps.CAPS["ReadAssetResponse.data"].max_bytes
    page_skills: int = caps.CAPS["ListSkillsResponse.skills"].max_items
    page_bytes: int = 512 * 1024
    request_bytes: int = MIB
    frontmatter_bytes: int = 64 * 1024
    """Of the frontmatter between its fences, and of a whole skill.yaml."""
    yaml_depth: int = 16
    layer_skills: int = 100_000
    partition_skills: int = 1_000
    """A layer that is not the deployment's."""
    partition_bytes: int = 256 * MIB
    """Texts and assets of such a layer, each skill's by itself."""
    source_depth: int = 6
    source_folders: int = 20_000
    source_assets: int = 200_000
    """Ten in each of as many folders: the median of public skills is 2, and one in a hundred has more than 37."""
    asset_depth: int = 32
    missing_after_s: float = 300.0
    """How long a source that is gone keeps its last good observation."""
    retained_generations: int = 16
    retained_age_s: float = 24 * 3600.0
    retained_at_most: int = 256
    retained_row_bytes: int = 16 * MIB
    resident_layer_bytes: int = 256 * MIB
    """Memory for the layers that no source feeds; what is let go of is read from the store again when asked for."""
    search_index_bytes: int = 512 * MIB
    """Memory for the indexes of searches: 100,000 skills of some 760 words take half of it."""
    partition_idle_s: float = 900.0
    """How long a partition that a template of sources feeds is looked at after somebody has asked for it."""
    revoked_names: int = 10_000
    """Names of one layer that may be revoked at a time."""
    enablement_words: int = 10_000
    """Names of which anything may be said to one partition at a time, whether they are on or off."""
    watch_names: int = 1000
    watch_bytes: int = 512 * 1024
    heartbeat_s: float = 30.0
    wait_for_generation_s: float = 2.0
    call_without_deadline_s: float = 120.0
    request_ids: int = 10_000
    request_id_age_s: float = 24 * 3600.0
    """Activations too are known for so long, to those who report how they turned out."""
    priors: int = 1_000
    """Of one partition; of more, the oldest are forgotten."""
    principal_priors: int = 10_000
    """Of one principal in all its projects, which it may name any number of."""
    prior_cache_bytes: int = 32 * MIB
    """Memory for the priors of partitions that are asked for them; all others are in the store alone."""
    answer_cache_bytes: int = 256 * MIB

    def __post_init__(self) -> None:
        """Refuse a limit above its cap, and one too low to serve by."""
        for field in fields(self):
            value = getattr(self, field.name)
            if value <= 0:
                msg = f"the limit {field.name} is {value}; it must be more than 0"
                raise ValueError(msg)
            lowest = _LOWEST.get(field.name, value)
            if value < lowest:
                msg = f"the limit {field.name} is {value}; at least {lowest} is needed"
                raise ValueError(msg)
            highest = _HIGHEST.get(field.name)
            if highest is not None and value > highest:
                msg = f"the limit {field.name} is {value}; at most {highest} ({_SAME}) is possible"
                raise ValueError(msg)

    @property
    def document_bytes(self) -> int:
        """Most bytes of a SKILL.md: a body, its frontmatter and nothing more (rules.md 2)."""
        return self.body_bytes + self.frontmatter_bytes


_LOWEST = {
    # Any one character; with less, a body could not be read on.
    "range_bytes": 4,
    # All lines before the body at their longest, and the marker; with less, the text could not keep the limit.
    "activation_text_bytes": 16 * 1024,
    # Twice as long as a watch is without a word; with less, what is watched might not be looked at.
    "partition_idle_s": 60.0,
}
_HIGHEST = {
    "description_bytes": caps.CAPS["Skill.description"].max_bytes,
    "body_bytes": caps.CAPS["Skill.body_bytes"].max_value,
    "activation_text_bytes": caps.CAPS["ActivateResponse.text"].max_bytes,
    "assets": caps.CAPS["ListAssetsResponse.assets"].max_items,
    "asset_names_bytes": caps.CAPS["ListAssetsResponse.assets"].max_total_bytes,
    "asset_name_bytes": caps.CAPS["Asset.name"].max_bytes,
    "asset_bytes": caps.CAPS["Asset.size"].max_value,
    "tools": caps.CAPS["ActivateResponse.tools"].max_items,
    "diagnostics": caps.CAPS["Skill.diagnostics"].max_items,
    "range_bytes": caps.CAPS["ReadAssetResponse.data"].max_bytes,
    "page_skills": caps.CAPS["ListSkillsResponse.skills"].max_items,
    "page_bytes": 512 * 1024,
    "request_bytes": MIB,
    "frontmatter_bytes": 64 * 1024,
    "yaml_depth": 16,
    "layer_skills": 100_000,
    "watch_names": caps.CAPS["WatchCatalogResponse.removed"].max_items,
    "watch_bytes": 512 * 1024,
    # Beyond 90 s without an event a client vouches for nothing any more (rules.md 5).
    "heartbeat_s": 30.0,
}
"""Above these a client would refuse what the server sends, or the server would promise what it cannot hold. The others
bound work or memory of this server alone, and are the operator's to judge."""

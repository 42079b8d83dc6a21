"""Rows and generations: one layer's complete, immutable catalog at one moment (rules.md 5).

A generation is complete and checked when it exists. Names are found by bisection in sorted tuples: a generation of one
change shares all its other rows with the one before, and costs no dictionary of its own.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from skillsvc.domain import canonical
from skillsvc.domain.partition import Partition, layer_id
from skillsvc.domain.skill import Bundle, Found
from skillsvc.domain.trust import Tier, Trust

LAYER_DOMAIN = "skillsource.layer.v1"
EMPTY_LAYER_DIGEST = canonical.digest_of(LAYER_DOMAIN, canonical.encode_integer(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One bundle in a layer, shadowed ones too: made by `make_row`.

    `encoded` is its part of the digests. `found` also says what no digest covers: place and diagnostics.
    """

    name: str
    source: str
    shadowed: bool
    found: Found
    tier: Tier
    trust: Trust
    encoded: bytes

    @property
    def bundle(self) -> Bundle:
        """The bundle itself."""
        return self.found.bundle


def make_row(*, source: str, shadowed: bool, found: Found, tier: Tier, trust: Trust) -> Row:
    """Return the row of a bundle that a source holds.

    Encoded are (name, source, shadowed, bundle digest, tier, trust, model, user, collection).
    """
    skill = found.bundle.skill
    return Row(
        name=skill.name,
        source=source,
        shadowed=shadowed,
        found=found,
        tier=tier,
        trust=trust,
        encoded=canonical.encode(
            skill.name,
            source,
            shadowed,
            found.bundle.digest,
            tier.name,
            trust.name,
            skill.model_invocable,
            skill.user_invocable,
            found.collection,
        ),
    )


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class Generation:
    """One layer's catalog: made by `make_generation`.

    `rows` are sorted by (name, source), as bytes; `listed` are those not shadowed, by name, each name once, and `names`
    are their names. `collections` are the ids and lines that the listed rows have, sorted: no digest covers the lines.
    `sequence` is given where it is published, and `log_id` names the log that gave it (16 bytes).
    """

    partition: Partition
    layer_id: bytes
    log_id: bytes
    sequence: int
    digest: str
    published_at: datetime
    rows: tuple[Row, ...]
    listed: tuple[Row, ...]
    names: tuple[str, ...]
    collections: tuple[tuple[str, str], ...]

    def find(self, name: str) -> Row | None:
        """Return the listed row of a name, or None."""
        return find_listed(self.names, self.listed, name)

    def find_qualified(self, source: str, name: str) -> Row | None:
        """Return a source's row of a name, shadowed or not, or None."""
        at = bisect_left(self.rows, (name, source), key=_key_of)
        if at < len(self.rows) and _key_of(self.rows[at]) == (name, source):
            return self.rows[at]
        return None


def find_listed(names: tuple[str, ...], listed: tuple[Row, ...], name: str) -> Row | None:
    """Return the row of a name in parallel sorted tuples, or None."""
    at = bisect_left(names, name)
    if at < len(names) and names[at] == name:
        return listed[at]
    return None


def layer_digest(rows: Iterable[Row]) -> str:
    """Return a layer's digest, of rows sorted by (name, source)."""
    encoded = [row.encoded for row in rows]
    return canonical.digest_of(LAYER_DOMAIN, canonical.encode_integer(len(encoded)), b"".join(encoded))


def make_generation(
    *, partition: Partition, log_id: bytes, sequence: int, published_at: datetime, rows: tuple[Row, ...]
) -> Generation:
    """Return the generation of rows that are sorted by (name, source).

    Raises:
        ValueError: The rows are out of order, or a name is listed twice: a fault of the builder, never of its input.
    """
    keys = [_key_of(row) for row in rows]
    listed = tuple(row for row in rows if not row.shadowed)
    names = tuple(row.name for row in listed)
    if any(left >= right for left, right in pairwise(keys)) or len(set(names)) != len(names):
        msg = "rows must be sorted by name and source, and list each name once"
        raise ValueError(msg)
    return Generation(
        partition=partition,
        layer_id=layer_id(partition),
        log_id=log_id,
        sequence=sequence,
        digest=layer_digest(rows),
        published_at=published_at,
        rows=rows,
        listed=listed,
        names=names,
        collections=tuple(
            sorted({(row.found.collection, row.found.collection_line) for row in listed if row.found.collection})
        ),
    )


def _key_of(row: Row) -> tuple[str, str]:
    return row.name, row.source

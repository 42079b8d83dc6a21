"""Views: what one caller sees, layer over layer, never a merged copy (rules.md 4, 5).

A view is its layers, strongest first, and an overlay of the names that clash: which layer a name is taken from. A name
in one layer alone needs no entry, so a thousand shared skills cost a partition nothing.
"""

import heapq
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from types import MappingProxyType

from skillsvc.domain import canonical
from skillsvc.domain.generation import Generation, Row

VIEW_DOMAIN = "skillsource.view.v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The layers of one caller, composed: made by `compose`.

    `overlay` maps each name that more than one layer lists to the index of the layer that wins. `digest` covers the
    rows that the layers compose to; `sequence` is the sum of the layers'; `total` counts the skills listed.
    """

    layers: tuple[Generation, ...]
    overlay: Mapping[str, int]
    digest: str
    sequence: int
    published_at: datetime
    total: int

    def find(self, name: str) -> Row | None:
        """Return the row that a name has in this view, or None."""
        for layer in self.layers:
            row = layer.find(name)
            if row is not None:
                return row
        return None

    def find_qualified(self, source: str, name: str) -> Row | None:
        """Return the row of `source/name` in the strongest layer that has it, shadowed or not, or None."""
        for layer in self.layers:
            row = layer.find_qualified(source, name)
            if row is not None:
                return row
        return None

    def listed(self, after: str = "") -> Iterator[Row]:
        """Yield the rows listed, in byte order of their names, from the first name beyond `after`."""
        if len(self.layers) == 1:
            layer = self.layers[0]
            yield from layer.listed[_start(layer, after) :]
            return
        for rank, row in _merged(layer.listed[_start(layer, after) :] for layer in self.layers):
            if self.overlay.get(row.name, rank) == rank:
                yield row


def compose(layers: tuple[Generation, ...]) -> View:
    """Return the view of layers, strongest first; there is at least one.

    What loses to a stronger layer is in the overlay alone: no diagnostic of it is made yet, and none reaches a caller.
    """
    overlay: dict[str, int] = {}
    for index in range(len(layers) - 1, 0, -1):
        weaker = layers[index]
        for stronger_index in range(index - 1, -1, -1):
            stronger = layers[stronger_index]
            few, many = (weaker, stronger) if len(weaker.names) <= len(stronger.names) else (stronger, weaker)
            for name in few.names:
                if many.find(name) is not None:
                    overlay[name] = min(stronger_index, overlay.get(name, stronger_index))
    hidden = sum(sum(layer.find(name) is not None for layer in layers) - 1 for name in overlay)
    return View(
        layers=layers,
        overlay=MappingProxyType(overlay),
        digest=_digest(layers, overlay),
        sequence=sum(layer.sequence for layer in layers),
        published_at=max(layer.published_at for layer in layers),
        total=sum(len(layer.names) for layer in layers) - hidden,
    )


def _start(layer: Generation, after: str) -> int:
    return bisect_right(layer.names, after) if after else 0


def _merged(layers: Iterable[tuple[Row, ...]]) -> Iterator[tuple[int, Row]]:
    """Yield the rows of layers, strongest first, each with its layer's rank: by name, of one name by rank."""
    return heapq.merge(*map(_ranked, count(), layers), key=lambda ranked: (ranked[1].name, ranked[0]))


def _ranked(rank: int, rows: Iterable[Row]) -> Iterator[tuple[int, Row]]:
    return ((rank, row) for row in rows)


def _digest(layers: tuple[Generation, ...], overlay: Mapping[str, int]) -> str:
    """Digest every row of every layer by (name, rank of the layer, source), each with whether the view lists it.

    Shadowed rows count: they can be read by their qualified names, so that a change of one is a change of the view.
    """
    encoded: list[bytes]
    if len(layers) == 1:
        encoded = [row.encoded + canonical.encode_boolean(not row.shadowed) for row in layers[0].rows]
    else:
        encoded = [
            row.encoded + canonical.encode_boolean(not row.shadowed and overlay.get(row.name, rank) == rank)
            for rank, row in _merged(layer.rows for layer in layers)
        ]
    return canonical.digest_of(VIEW_DOMAIN, canonical.encode_integer(len(encoded)), b"".join(encoded))

"""Views: what one caller sees, layer over layer, never a merged copy (rules.md 4, 5).

A view is its layers, strongest first, and an overlay of the names that clash: which layer a name is taken from. A name
in one layer alone needs no entry, so a thousand shared skills cost a partition nothing.
"""

import heapq
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import compress, count
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import NamedTuple

from skillsvc.domain import canonical
from skillsvc.domain.generation import Generation, Row, find_listed
from skillsvc.domain.partition import DEPLOYMENT, Partition

VIEW_DOMAIN = "skillsource.view.v1"
_LISTED = canonical.encode_boolean(True)  # noqa: FBT003 - the value that is encoded
_UNLISTED = canonical.encode_boolean(False)  # noqa: FBT003 - as above
_NO_CLASHES: Mapping[str, int] = MappingProxyType({})
_LOOK_UP = 32
"""Looking up one name costs as much as holding so many that are listed against a set."""


class Viewer(NamedTuple):
    """Who sees a view: the partition asked from, what an access rule opens beside it, and the names it allows.

    A tuple, since every call looks something up by it. `further` are partitions, strongest first; `allow` is None where
    the rule allows all names. `session` is the label of the request, "" where nothing is said to those who have it.
    """

    principal: str
    project: str
    further: tuple[Partition, ...] = ()
    allow: frozenset[str] | None = None
    session: str = ""

    @property
    def partition(self) -> Partition:
        """The partition that is asked from: what tokens and request ids are bound to."""
        return Partition(self.principal, self.project)

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """Whose layers are seen, strongest first (rules.md 4), each once: a rule may open to many what is one's own."""
        own: tuple[Partition, ...] = (Partition(self.principal, ""),)
        if self.project:
            own = (self.partition, *own)
        return tuple(dict.fromkeys((DEPLOYMENT, *own, *self.further))) if self.further else (DEPLOYMENT, *own)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The layers of one caller, composed: made by `compose`.

    `overlay` maps each name that more than one layer lists to the index of the layer that wins. `allow` are the names
    that an access rule leaves visible, None for all, and `disabled` those that operators have switched off: nothing
    but the former is in the view, and nothing of the latter, by whatever name it is asked for. `sequence` is the sum of
    the layers'.
    """

    layers: tuple[Generation, ...]
    overlay: Mapping[str, int]
    allow: frozenset[str] | None
    disabled: frozenset[str]
    sequence: int
    published_at: datetime
    _digest: str = field(default="", init=False, repr=False, compare=False)

    @property
    def digest(self) -> str:
        """What covers the rows that the layers compose to, computed when first asked for.

        It goes through all rows there are, and after a publish to the deployment most views are composed anew of which
        nobody asks it.
        """
        if not self._digest:
            # Of frozen values alone, so that nobody can tell when it was set.
            object.__setattr__(self, "_digest", _digest(self))
        return self._digest

    @property
    def hides(self) -> bool:
        """Whether any row of the layers could be hidden from this view, beside those that a stronger layer hides."""
        return self.allow is not None or bool(self.disabled)

    def shows(self, name: str) -> bool:
        """Tell whether rows of a name would be in this view if its layers had any."""
        return name not in self.disabled and (self.allow is None or name in self.allow)

    @property
    def total(self) -> int:
        """How many skills are listed."""
        if self.allow is not None:
            return len(self.among(self.allow))
        hidden = sum(sum(layer.find(name) is not None for layer in self.layers) - 1 for name in self.overlay)
        off = sum(any(layer.find(name) is not None for layer in self.layers) for name in self.disabled)
        return self.held - hidden - off

    @property
    def held(self) -> int:
        """How many names the layers list, each as often as it is listed: no fewer than `total`, and known at once."""
        return sum(len(layer.names) for layer in self.layers)

    def find(self, name: str) -> Row | None:
        """Return the row that a name has in this view, or None.

        One that is hidden is looked for in every layer, as one that is nowhere: neither costs less (rules.md 7).
        """
        shown = self.shows(name)
        for layer in self.layers:
            row = find_listed(layer.names, layer.listed, name)
            if row is not None and shown:
                return row
        return None

    def find_qualified(self, source: str, name: str) -> Row | None:
        """Return the row of `source/name` in the strongest layer that has it, shadowed or not, or None; as `find`."""
        shown = self.shows(name)
        for layer in self.layers:
            row = layer.find_qualified(source, name)
            if row is not None and shown:
                return row
        return None

    def among(self, names: frozenset[str]) -> tuple[Row, ...]:
        """Return the rows listed whose names are among some, in byte order of these.

        Whoever asks chooses how many names there are: few of them are looked up, many are held against those listed.
        """
        if self.allow is not None:
            names &= self.allow
        names -= self.disabled
        if len(names) * _LOOK_UP < self.held:
            return tuple(row for name in sorted(names) if (row := self.find(name)) is not None)
        parts = [compress(layer.listed, map(names.__contains__, layer.names)) for layer in self.layers]
        if len(parts) == 1:
            return tuple(parts[0])
        rows = [row for rank, part in enumerate(parts) for row in part if self.overlay.get(row.name, rank) == rank]
        # Sorting merges what is sorted.
        rows.sort(key=attrgetter("name"))
        return tuple(rows)

    def listed(self, after: str = "") -> Iterator[Row]:
        """Yield the rows listed, in byte order of their names, from the first name beyond `after`."""
        if len(self.layers) == 1:
            layer = self.layers[0]
            rows = iter(layer.listed[_start(layer, after) :])
        else:
            rows = (
                row
                for rank, row in _merged(layer.listed[_start(layer, after) :] for layer in self.layers)
                if self.overlay.get(row.name, rank) == rank
            )
        yield from (row for row in rows if self.shows(row.name)) if self.hides else rows


def compose(
    layers: tuple[Generation, ...],
    allow: frozenset[str] | None = None,
    disabled: frozenset[str] = frozenset(),
) -> View:
    """Return the view of one layer or several, strongest first, of the names that are allowed and not disabled.

    A name that loses to a stronger layer is in the overlay alone; operators are told of it by `catalog.clashes`.
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
    return View(
        layers=layers,
        overlay=MappingProxyType(overlay) if overlay else _NO_CLASHES,
        allow=allow,
        disabled=disabled,
        sequence=sum(layer.sequence for layer in layers),
        published_at=max(layer.published_at for layer in layers),
    )


def _start(layer: Generation, after: str) -> int:
    return bisect_right(layer.names, after) if after else 0


def _merged(layers: Iterable[tuple[Row, ...]]) -> Iterator[tuple[int, Row]]:
    """Yield the rows of layers, strongest first, each with its layer's rank: by name, of one name by rank."""
    return heapq.merge(*map(_ranked, count(), layers), key=lambda ranked: (ranked[1].name, ranked[0]))


def _ranked(rank: int, rows: Iterable[Row]) -> Iterator[tuple[int, Row]]:
    return ((rank, row) for row in rows)


def _digest(view: View) -> str:
    """Digest every row of every layer by (name, rank of the layer, source), each with whether the view lists it.

    Shadowed rows count: they can be read by their qualified names, so that a change of one is a change of the view.
    Rows whose names are hidden do not: neither by a digest nor by an event is a caller told of them.
    """
    layers, overlay = view.layers, view.overlay
    ranked = [
        (row.name, rank, row)
        for rank, layer in enumerate(layers)
        for row in layer.rows
        if not view.hides or view.shows(row.name)
    ]
    if len(layers) > 1:
        # Layers are sorted, and sorting merges what is sorted; rows of one name and layer stay as they are.
        ranked.sort(key=itemgetter(0))
    encoded: list[bytes] = []
    for name, rank, row in ranked:
        listed = not row.shadowed and overlay.get(name, rank) == rank
        encoded += (row.encoded, _LISTED if listed else _UNLISTED)
    return canonical.digest_of(VIEW_DOMAIN, canonical.encode_integer(len(ranked)), b"".join(encoded))

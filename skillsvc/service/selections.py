"""Selections: the rows that requests list of a view, kept for the last of them.

A view of several layers, or a narrowed one, is gone through whole, in 11 ms where it has 10,000 skills: whoever asks
for pages of ever another size or begin would have that done by each call, and take a core within its share.
"""

from collections import OrderedDict

from skillsvc.catalog.collection import has_collections, identities_of
from skillsvc.catalog.listing import Selection, select
from skillsvc.domain.folding import folded
from skillsvc.domain.generation import Row
from skillsvc.domain.view import View

_AT_MOST = 64
_ROWS = 1_000_000
"""Rows of all that is kept, a place in a tuple each: 8 MB."""


class Selections:
    """The rows of the last selections. Used by the event loop's thread alone."""

    def __init__(self, *, at_most: int = _AT_MOST, rows: int = _ROWS) -> None:
        """Keep so many, and of them so many rows together."""
        self._at_most = at_most
        self._rows_at_most = rows
        self._rows = 0
        self._held: OrderedDict[tuple[int, object], tuple[View, tuple[Row, ...]]] = OrderedDict()
        self._identities: OrderedDict[tuple[int, object], tuple[View, frozenset[str]]] = OrderedDict()

    def of(self, view: View, selection: Selection, key: object) -> tuple[Row, ...]:
        """Return the rows that a selection, of a key, lists of a view, in byte order of their names."""
        if not (selection.narrows or view.hides) and len(view.layers) == 1:
            # Nothing is gone through.
            return select(view, selection)
        # A view that is held is in memory, so that no other has its id.
        place = (id(view), key)
        held = self._held.get(place)
        if held is not None:
            self._held.move_to_end(place)
            return held[1]
        rows = select(view, selection)
        self._held[place] = view, rows
        self._rows += len(rows)
        while self._held and (len(self._held) > self._at_most or self._rows > self._rows_at_most):
            _place, (_view, dropped) = self._held.popitem(last=False)
            self._rows -= len(dropped)
        return rows

    def holds_collection(self, view: View, selection: Selection) -> bool:
        """Tell whether any skill that is allowed is in the collection asked for, whoever may begin its use.

        It costs the same for one that is nowhere and for one whose members are not allowed (rules.md 7): what is gone
        through is the caller's own collections, whichever is asked for.
        """
        if not has_collections(view):
            return False
        allowed = Selection(allow=selection.allow)
        key = allowed.key
        place = (id(view), key)
        held = self._identities.get(place)
        if held is None:
            held = self._identities[place] = view, identities_of(view, self.of(view, allowed, key))
            if len(self._identities) > self._at_most:
                self._identities.popitem(last=False)
        else:
            self._identities.move_to_end(place)
        return folded(selection.collection) in held[1]

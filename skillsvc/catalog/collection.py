"""Collections of a view: which a reader sees, what stands for each, and who its members are. Pure.

Nothing is told of a collection but by those of its members that the reader sees: of one with none of these nobody can
tell that it is there.
"""

from collections.abc import Iterable, Sequence

from skillsvc.domain.collection import Collection, collection_of
from skillsvc.domain.folding import folded
from skillsvc.domain.generation import Row
from skillsvc.domain.view import View


def has_collections(view: View) -> bool:
    """Tell whether any layer of a view has collections: where none has, nothing needs to be gone through."""
    return any(layer.collections for layer in view.layers)


def collections_of(view: View, rows: Iterable[Row]) -> tuple[Collection, ...]:
    """Return the collections that rows of a view belong to, in byte order of their ids; these rows alone are counted.

    Ids that are one identity are one collection (`rules.md` 4), under the id and the line that it has in the strongest
    layer with a member among the rows; within that layer, those of the most trusted source, then of the first member.
    """
    if not has_collections(view):
        return ()
    members: dict[str, list[Row]] = {}
    for row in rows:
        if row.found.collection:
            members.setdefault(row.found.collection, []).append(row)
    identities: dict[str, list[Row]] = {}
    for id_, of_id in members.items():
        identities.setdefault(folded(id_), []).extend(of_id)
    collections = (_collection(view, of_identity) for of_identity in identities.values())
    return tuple(sorted(collections, key=lambda collection: collection.id))


def identities_of(view: View, rows: Iterable[Row]) -> frozenset[str]:
    """Return what the collections of rows of a view are compared by."""
    if not has_collections(view):
        return frozenset()
    return frozenset(map(folded, {row.found.collection for row in rows} - {""}))


def ids_of(view: View, collection: str) -> frozenset[str]:
    """Return the ids in the layers of a view that are one identity with the one asked for."""
    wanted = folded(collection)
    held = {id_ for layer in view.layers for id_, _line in layer.collections}
    return frozenset(id_ for id_ in held if folded(id_) == wanted)


def _collection(view: View, members: Sequence[Row]) -> Collection:
    first = members[0].found
    if any(
        (row.found.collection, row.found.collection_line) != (first.collection, first.collection_line)
        for row in members
    ):
        # No source that is trusted less puts its words before a model in the name of another's collection.
        first = min(members, key=lambda row: (_rank(view, row), row.trust.value, row.tier.value, row.name)).found
    return collection_of(first.collection, first.collection_line, len(members))


def _rank(view: View, row: Row) -> int:
    """Return how many layers are stronger than the one that a listed row is of."""
    return next(rank for rank, layer in enumerate(view.layers) if layer.find(row.name) is row)

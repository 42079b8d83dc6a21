"""The collections that rows belong to, where no view is at hand."""

from collections.abc import Iterable
from itertools import groupby

from skillsvc.domain.collection import Collection, collection_of
from skillsvc.domain.generation import Row


def collected(rows: Iterable[Row]) -> tuple[Collection, ...]:
    """Return the collections of some rows, each with the line of its first member, in byte order of their ids."""
    members = sorted((row for row in rows if row.found.collection), key=lambda row: (row.found.collection, row.name))
    held = [(id_, list(of_it)) for id_, of_it in groupby(members, key=lambda row: row.found.collection)]
    return tuple(collection_of(id_, of_it[0].found.collection_line, len(of_it)) for id_, of_it in held)

"""Collections: folders of skills that one line can stand for."""

from dataclasses import dataclass

COUNT = "{count}"
"""Where an author's line has the number of members."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionLabel:
    """What the author of a collection says of it.

    `id` is "" where the folder's name is to be used. `prompt_line` is what stands for the members in a catalog text, in
    which `{count}` is the number of those that the reader sees; "" where the usual line is to be used.
    """

    id: str = ""
    prompt_line: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A collection as one reader sees it: its id, the line that stands for its members, and how many of them it has."""

    id: str
    line: str
    count: int


def collection_of(id_: str, template: str, count: int) -> Collection:
    """Return a collection of so many members, with the line of a template, which may be "".

    A template is text and nothing else: only `{count}`, spelt just so, is replaced in it.
    """
    line = template.replace(COUNT, str(count)) if template else f"Skills of the collection {id_}: {count}"
    return Collection(id=id_, line=line, count=count)

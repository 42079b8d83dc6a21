"""The forms of a catalog text: how a skill, a collection and what is left out are written in each of them. Pure.

What a skill says stands within its own line in all of them: it can neither end that line nor open or close an element,
whatever it says, and wherever the whole text is put.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum, unique

from skillsvc.domain.caps import ELLIPSIS, flatten

_NO_CHARACTERS = re.compile("[\ufffe\uffff\ud800-\udfff]")
"""What XML cannot hold, beside control characters: half characters, which no UTF-8 has, and two numbers of none."""
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ELLIPSIS_BYTES = len(ELLIPSIS.encode())
_AT_A_CUT = " ,;:-\u2013\u2014"


@unique
class CatalogFormat(Enum):
    """How a catalog is rendered."""

    XML = "xml"
    MARKDOWN = "markdown"
    LINES = "lines"


@dataclass(frozen=True, slots=True)
class Item:
    """What a catalog text has a line of: a skill, or a collection, which stands for `count` of them.

    `name` and `text` are on one line and hold nothing that a parser of XML refuses; markup is still in them.
    """

    name: str
    text: str
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The templates of one format. `bare` lines are of names alone, `empty` is the whole text of an empty catalog."""

    head: str
    tail: str
    empty: str
    skill: str
    bare_skill: str
    collection: str
    bare_collection: str
    left_out: str

    def line(self, item: Item, text: str) -> str:
        """Return the line of an item that says a text, which is the item's own or a part of it, or nothing."""
        return self._template(item, bare=not text).format(name=escaped(item.name), text=escaped(text), count=item.count)

    def bare_bytes(self, item: Item) -> int:
        """Return how many bytes the line of an item takes that says nothing but its name, with its end."""
        template = self._template(item, bare=True)
        return len(template.format(name="", count=item.count).encode()) + width(item.name) + 1

    def text_bytes(self, item: Item, text: str) -> int:
        """Return how many bytes a line takes more that says a text."""
        if not text:
            return 0
        more = len(self._template(item, bare=False)) - len("{text}") - len(self._template(item, bare=True))
        return more + width(text)

    def text_of(self, lines: list[str], left_out: int) -> str:
        """Return the whole text of some lines, which says how many skills it leaves out."""
        note = self.left_out.format(count=left_out) if left_out else ""
        return "\n".join(part for part in (self.head, *lines, note, self.tail) if part)

    def room(self, budget: int) -> int:
        """Return how many bytes of a budget are left for lines, each with its end."""
        return budget + 1 - sum(len(part) + 1 for part in (self.head, self.tail) if part)

    def note_bytes(self, left_out: int) -> int:
        """Return how many bytes it takes at most to say that so many are left out, or fewer."""
        return len(self.left_out.format(count=left_out)) + 1

    def _template(self, item: Item, *, bare: bool) -> str:
        if item.count is None:
            return self.bare_skill if bare else self.skill
        return self.bare_collection if bare else self.collection


FORMS = {
    CatalogFormat.XML: Form(
        head="<available_skills>",
        tail="</available_skills>",
        empty="<available_skills>\n</available_skills>",
        skill="<skill><name>{name}</name><description>{text}</description></skill>",
        bare_skill="<skill><name>{name}</name></skill>",
        collection='<collection count="{count}"><name>{name}</name><description>{text}</description></collection>',
        bare_collection='<collection count="{count}"><name>{name}</name></collection>',
        left_out='<omitted count="{count}"/>',
    ),
    CatalogFormat.MARKDOWN: Form(
        head="",
        tail="",
        empty="No skills are available.",
        skill="- `{name}`: {text}",
        bare_skill="- `{name}`",
        collection="- collection of {count}, {name}: {text}",
        bare_collection="- collection of {count}, {name}",
        left_out="- left out: {count}",
    ),
    CatalogFormat.LINES: Form(
        head="",
        tail="",
        empty="(no skills are available)",
        skill="{name}: {text}",
        bare_skill="{name}",
        collection="(collection of {count}) {name}: {text}",
        bare_collection="(collection of {count}) {name}",
        left_out="(left out: {count})",
    ),
}
"""Skills are told from all else by how their lines begin: no name has a blank, a parenthesis or a backquote."""


def inert(text: str) -> str:
    """Return any text as a line can hold it."""
    return _NO_CHARACTERS.sub("\ufffd", flatten(text)).strip(" ")


def escaped(text: str) -> str:
    """Return a text whose markup is text: the same in every format, since any may be put into a host's own markup."""
    return text.translate(_ESCAPED)


def width(text: str) -> int:
    """Return how many bytes a text takes where it is escaped."""
    size = len(text) if text.isascii() else len(text.encode())
    return size + 4 * text.count("&") + 3 * text.count("<") + 3 * text.count(">")


def shortened(text: str, most: int) -> str:
    """Return a text of `most` bytes at most where it is escaped: its beginning with an ellipsis where it has more.

    It ends behind a word where one ends in its second half. The more it may have the longer it is.
    """
    whole, room = width(text), most - _ELLIPSIS_BYTES
    if whole <= most:
        return text
    if whole == len(text):
        # One byte a character, as most texts have: what fits is known without looking.
        end = max(room, 0)
    else:
        end = bisect_right(range(1, len(text) + 1), room, key=lambda length: width(text[:length]))
    if text[end] != " ":
        end = max(text.rfind(" ", end // 2, end), 0) or end
    return text[:end].rstrip(_AT_A_CUT) + ELLIPSIS

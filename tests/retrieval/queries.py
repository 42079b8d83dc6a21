"""Labelled queries: what is asked, and which of the real skills answer it; docs/retrieval.md says how that is known."""

import hashlib
import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

FILE = Path(__file__).with_suffix(".toml")

_WORD = re.compile(r"[\w+#]+")
_TELLS_NOTHING = """
a about all am an and any are as at be because before but by can did do does don down each for from get give has have he
her his how i if in into is it its keep let made make me more most must my need never no not nothing of off on one only
or our out over please s same she should so some somebody something than that the their them then there these they this
those through to too two until up us use using want was we what when where which who why will with without would you
your
"""
_WORDS_THAT_TELL_NOTHING = frozenset(_TELLS_NOTHING.split())


class Kind(StrEnum):
    """What a query is like."""

    PARAPHRASE = "paraphrase"
    TASK = "task"
    IDENTIFIER = "identifier"
    CJK = "cjk"
    TYPO = "typo"


class Split(StrEnum):
    """What a query is for: to choose weights by, or to tell how good the choice was."""

    TUNE = "tune"
    HELD = "held"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query, and the folders of the corpus whose skills answer it well: any of them will do."""

    text: str
    kind: Kind
    answers: tuple[str, ...]
    split: Split


def read_queries() -> tuple[Query, ...]:
    """Read all queries, in the order of the file."""
    by_kind = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        Query(text=row["query"], kind=Kind(kind), answers=tuple(row["answers"]), split=Split(row["split"]))
        for kind, rows in by_kind.items()
        for row in rows
    )


def split_of(text: str) -> Split:
    """Return the split that a query belongs to, which nobody chose: it is in its digest."""
    return Split.HELD if hashlib.sha256(text.encode()).digest()[0] % 2 else Split.TUNE


def words(text: str) -> list[str]:
    """Return the words of a text, in small letters, as they follow one another."""
    return _WORD.findall(text.lower())


def telling_words(text: str) -> frozenset[str]:
    """Return the words of a text but for those that any text has; a plural is its singular."""
    return frozenset(
        word.removesuffix("s") if len(word) > 3 else word
        for word in words(text)
        if word not in _WORDS_THAT_TELL_NOTHING
    )


def share_taken(query: str, text: str) -> float:
    """Return which share of the telling words of a query a text has as well: 0 to 1."""
    asked = telling_words(query)
    return len(asked & telling_words(text)) / len(asked) if asked else 0.0

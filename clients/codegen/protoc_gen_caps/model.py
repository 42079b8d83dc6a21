"""The caps of the contract as values: what every language's template is given, and nothing else.

A model is checked when it exists: each field of it has a cap that makes sense for its kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique


@unique
class Kind(Enum):
    """What a field, or each item of it, is."""

    TEXT = "text"
    DATA = "data"
    NUMBER = "number"
    MESSAGE = "message"
    """A message of the model."""
    OTHER = "other"
    """What no cap can bound: truth values, enums, fractions, and messages in which nothing is bounded."""


@unique
class Shape(Enum):
    """How many values a field has."""

    ONE = "one"
    LIST = "list"
    MAP = "map"
    """Texts by text; the kind is that of the values."""


@unique
class Over(Enum):
    """What happens to a value that exceeds its cap. The numbers are the proto's."""

    CUT = 1
    DROP = 2
    KEEP_FIRST = 3
    REFUSE = 4


@unique
class Grammar(Enum):
    """The languages that a text may have to fit. The numbers are the proto's."""

    SKILL_NAME = 1
    SKILL_REFERENCE = 2
    ASSET_NAME = 3
    DIGEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """The numbers that bound one field, by their names in the proto, and what happens to what exceeds them.

    `item_over` is what happens over the bounds of one item or pair.
    """

    bounds: tuple[tuple[str, int], ...]
    over: Over
    item_over: Over
    single_line: bool = False
    grammar: Grammar | None = None

    def has(self, bound: str) -> bool:
        """Tell whether the bound of this name is set."""
        return any(name == bound for name, _ in self.bounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a message; `message` names the type of a nested one.

    Without a cap are single nested messages, whose own fields have some, and lists of what no cap can bound.
    """

    name: str
    kind: Kind
    shape: Shape
    message: str = ""
    cap: Cap | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message in which, or below which, something is bounded: those fields by their numbers."""

    name: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """All messages of the contract that hold caps: files by name, each from top to bottom."""

    package: str
    messages: tuple[Message, ...]

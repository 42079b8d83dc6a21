"""Refusals of settings: what cannot be, where it is said, and every mistake of it at once."""

import sys
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from typing_extensions import override

Place: TypeAlias = tuple[str | int, ...]
"""Where something stands in tables: names of keys, and indices of arrays."""


class Fault(NamedTuple):
    """What is wrong at a place; the sentence goes on from the name of the place."""

    sentence: str
    place: Place = ()


class Faults(ValueError):
    """Several faults of one value, their places below it. For checks that pydantic calls."""

    def __init__(self, faults: Iterable[Fault | str]) -> None:
        self.faults = tuple(Fault(fault) if isinstance(fault, str) else fault for fault in faults)
        super().__init__("\n".join(fault.sentence for fault in self.faults))


class Position(NamedTuple):
    """Where in a file; lines are counted from 1."""

    path: str
    line: int


class Told(NamedTuple):
    """A fault as it is told, and where in a file it is, if it is in one."""

    sentence: str
    position: Position | None

    def order(self) -> int:
        """Sort key: by lines, and what is in no file after all of them."""
        return sys.maxsize if self.position is None else self.position.line

    @override
    def __str__(self) -> str:
        if self.position is None:
            return self.sentence
        return f"{self.position.path}:{self.position.line}: {self.sentence}"


class SettingsRefused(Exception):
    """The settings cannot be used; each of `faults` is a sentence: where, which, why, and what would do."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))

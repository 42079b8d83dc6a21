"""Enablement: which names operators have switched off, and for whom.

A word says of one name whether it is on or off: to all callers, to those of a principal or of one of its projects, or
to those among them who name a session label. Of all that is said to a caller the nearest word decides, and a name of
which nothing is said is on. What is on is not yet allowed: access rules, revokes and flags stand beside it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, unique
from types import MappingProxyType
from typing import NamedTuple, Self

from skillsvc.domain.partition import DEPLOYMENT, Partition

_NO_WORDS: Mapping[str, "Word"] = MappingProxyType({})


@unique
class State(Enum):
    """What is said of a name."""

    INHERITED = 0
    """Nothing: what is said to more callers decides."""
    ENABLED = 1
    DISABLED = 2


class Audience(NamedTuple):
    """To whom something is said: callers from a partition, or all; where a label is named, with that label alone."""

    partition: Partition
    session: str = ""


class Word(NamedTuple):
    """What is said of a name to an audience, and since when."""

    audience: Audience
    name: str
    state: State
    set_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Enablement:
    """All that is said: the words by audience and name. An audience to whom nothing is said is not in it."""

    words: Mapping[Audience, Mapping[str, Word]] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(cls, words: Iterable[Word]) -> Self:
        """Return what several words say together, each of an audience and a name once."""
        return cls().told(words)

    def told(self, words: Iterable[Word]) -> Self:
        """Return what is said after further words; what is said of a name again takes the place of what was."""
        said = dict(self.words)
        for word in words:
            held = dict(said.get(word.audience, _NO_WORDS))
            if word.state is State.INHERITED:
                held.pop(word.name, None)
            else:
                held[word.name] = word
            said[word.audience] = MappingProxyType(held)
        return type(self)(words=MappingProxyType({audience: held for audience, held in said.items() if held}))

    def said_of(self, audience: Audience, name: str) -> State:
        """Return what is said of a name to this very audience."""
        word = self.words.get(audience, _NO_WORDS).get(name)
        return State.INHERITED if word is None else word.state

    def said_for(self, partition: Partition) -> Iterator[Word]:
        """Yield all that is said to callers from a partition, whatever their labels, by label and name."""
        for audience in sorted(each for each in self.words if each.partition == partition):
            yield from sorted(self.words[audience].values(), key=lambda word: word.name)

    def count(self, partition: Partition) -> int:
        """Return of how many names something is said to callers from a partition, of each label for itself."""
        return sum(len(held) for audience, held in self.words.items() if audience.partition == partition)

    def audiences(self, partition: Partition, session: str) -> tuple[Audience, ...]:
        """Return to whom a caller from a partition belongs, the nearest first, those alone to whom something is said.

        What is said to a label goes before what is said without; of either the project, its principal, the deployment.
        """
        if not self.words:
            return ()
        principal = Partition(partition.principal, "")
        partitions = dict.fromkeys((partition, principal, DEPLOYMENT))
        labels = (session, "") if session else ("",)
        each = (Audience(partition, label) for label in labels for partition in partitions)
        return tuple(audience for audience in each if audience in self.words)

    def decisive(self, audiences: Iterable[Audience]) -> Mapping[str, Word]:
        """Return the word that decides of each name of which anything is said to audiences, the nearest first."""
        deciding: dict[str, Word] = {}
        for audience in audiences:
            for name, word in self.words.get(audience, _NO_WORDS).items():
                deciding.setdefault(name, word)
        return deciding

    def disabled(self, audiences: Iterable[Audience]) -> frozenset[str]:
        """Return the names that are off to who belongs to audiences, the nearest first."""
        return frozenset(name for name, word in self.decisive(audiences).items() if word.state is State.DISABLED)


NOTHING_SAID = Enablement()

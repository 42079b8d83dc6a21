"""Rules found by what they are for: a caller is not judged by ten thousand of them where one can be for it.

A rule needs several texts of a caller to fit its patterns, and is filed by one of them: that which the fewest others
share. Of that text is told what it is, begins with, ends with, or at least holds; the rules so found are then judged
whole.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, Self, TypeAlias, TypeVar

from skillsvc.domain.patterns import Pattern

MOST_ALIKE: Final = 100
"""Rules that nothing but judging tells apart. Whoever shows a new credential has the event loop meanwhile."""
MOST_HELD: Final = 500
"""Rules of one text that are looked for by what it holds: each is, for every new credential."""
_FEW: Final = 16
"""Rules that are judged sooner than looked for by what a text holds."""

Key = TypeVar("Key")
"""Which text of a caller is meant."""


@unique
class _By(Enum):
    """What is told of a text."""

    WHOLE = "is"
    LEAD = "begins with"
    TAIL = "ends with"
    HELD = "holds"


_Part: TypeAlias = tuple[_By, str]
_Places: TypeAlias = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filed:
    """Where rules stand, by one text of a caller: an index each for what is told of it."""

    wholes: _Places
    leads: _Places
    tails: _Places
    held: _Places
    lead_lengths: tuple[int, ...] = field(init=False)
    tail_lengths: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lead_lengths", tuple(sorted({*map(len, self.leads)})))
        object.__setattr__(self, "tail_lengths", tuple(sorted({*map(len, self.tails)})))

    def find(self, texts: Sequence[str]) -> Iterator[int]:
        """Yield where the rules stand that texts may be for."""
        for text in texts:
            size = len(text)
            yield from self.wholes.get(text, ())
            for length in self.lead_lengths:
                if length > size:
                    break
                yield from self.leads.get(text[:length], ())
            for length in self.tail_lengths:
                if length > size:
                    break
                yield from self.tails.get(text[size - length :], ())
        if self.held and texts:
            # One search for all: whatever it finds is judged anyhow.
            joined = "\0".join(texts)
            for part, places in self.held.items():
                if part in joined:
                    yield from places

    def crowded(self) -> Iterator[int]:
        """Yield where the rules stand that are too many."""
        for places in (self.wholes, self.leads, self.tails, self.held):
            for alike in places.values():
                yield from alike[MOST_ALIKE:]
        yield from sorted({place for places in self.held.values() for place in places})[MOST_HELD:]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleIndex(Generic[Key]):
    """Where rules stand, by the text that each is found by."""

    filed: Mapping[Key, _Filed]
    crowded: tuple[int, ...]
    """Where the rules stand that are too many for one judgement to be quick."""

    @classmethod
    def of(cls, rules: Sequence[Sequence[tuple[Key, tuple[Pattern, ...]]]]) -> Self:
        """File rules, each by texts of a caller of which every one must fit one of its patterns; at least one text."""
        alike: Counter[tuple[Key, _Part]] = Counter()
        for rule in rules:
            alike.update({(key, part) for key, patterns in rule for each in patterns for part in _parts(each)})
        found: defaultdict[Key, dict[_By, defaultdict[str, list[int]]]] = defaultdict(
            lambda: {by: defaultdict(list) for by in _By}
        )
        for place, rule in enumerate(rules):
            # The last of equals: a claim that a caller lacks already tells something.
            filing = min((_filing(key, patterns, alike) for key, patterns in reversed(rule)), key=_shared)
            for by, text in filing.parts:
                found[filing.key][by][text].append(place)
        filed = {key: _filed(places) for key, places in found.items()}
        return cls(
            filed=MappingProxyType(filed),
            crowded=tuple(sorted({place for each in filed.values() for place in each.crowded()})),
        )

    def places(self, texts: Iterable[tuple[Key, Sequence[str]]]) -> list[int]:
        """Return where the rules stand that may be for a caller of these texts, ascending: all that are, and others."""
        found: set[int] = set()
        for key, values in texts:
            filed = self.filed.get(key)
            if filed is not None:
                found.update(filed.find(values))
        return sorted(found)


class _Filing(NamedTuple, Generic[Key]):
    """A text by which a rule can be filed, and what of it."""

    key: Key
    parts: frozenset[_Part]
    shared: int
    """How many rules there are of the part that most share."""


def _shared(filing: _Filing[Key]) -> int:
    return filing.shared


def _filing(key: Key, patterns: tuple[Pattern, ...], alike: Mapping[tuple[Key, _Part], int]) -> _Filing[Key]:
    def shared(part: _Part) -> int:
        return alike[key, part]

    parts: set[_Part] = set()
    for pattern in patterns:
        found = [part for part in _parts(pattern) if part[0] is not _By.HELD]
        if min(map(shared, found)) > _FEW:
            found = _parts(pattern)
        parts.add(min(found, key=shared))
    return _Filing(key, frozenset(parts), max(map(shared, parts)))


def _parts(pattern: Pattern) -> list[_Part]:
    if pattern.is_exact:
        return [(_By.WHOLE, pattern.text)]
    held = sorted(pattern.held, key=len, reverse=True)
    return [(_By.LEAD, pattern.lead), (_By.TAIL, pattern.tail), *((_By.HELD, text) for text in held)]


def _filed(places: Mapping[_By, Mapping[str, list[int]]]) -> _Filed:
    wholes, leads, tails, held = (
        MappingProxyType({text: tuple(standing) for text, standing in places[by].items()}) for by in _By
    )
    return _Filed(wholes=wholes, leads=leads, tails=tails, held=held)

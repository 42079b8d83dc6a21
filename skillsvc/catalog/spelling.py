"""Spelling: which terms of an index a word may have been meant for that is in none of its skills. Pure."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from skillsvc.parsing.words import stem

_SHORTEST = 4
_SHORTEST_FOR_TWO = 8
_LONGEST = 24
"""Of longer ones there are thousands of words a step away, which somebody could have us look up with each query."""
_BEGINS_RIGHT = 4
"""Letters that are right in a word with two errors: without them every term there is had to be looked at."""
_MOST_LOOKED_AT = 4096
_MOST_MEANT = 3
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def meant(
    spelt: str, count: Callable[[str], int], beginning_with: Callable[[str], Iterable[str]]
) -> tuple[tuple[str, ...], int]:
    """Return the terms that a word may have been meant for, and how many letters it is away from each.

    They are one letter away, or two where the word has eight or more; of those that are equally near the three that the
    most skills have. `count` says in how many skills a term is, `beginning_with` which terms begin with a text.
    """
    if not _SHORTEST <= len(spelt) <= _LONGEST:
        return (), 0
    near = {term for word in _one_away(spelt) if count(term := stem(word))}
    if near:
        return _commonest(near, count), 1
    if len(spelt) >= _SHORTEST_FOR_TWO:
        stemmed = stem(spelt)
        looked_at = islice(beginning_with(spelt[:_BEGINS_RIGHT]), _MOST_LOOKED_AT)
        near = {
            term
            for term in looked_at
            if abs(len(term) - len(stemmed)) <= 2 and _is_within(stemmed, term, 2) and count(term)
        }
        if near:
            return _commonest(near, count), 2
    return (), 0


def parted(spelt: str, count: Callable[[str], int]) -> tuple[str, ...]:
    """Return the two terms that a word is when it is parted, () where it is none: `pullrequest`."""
    best: tuple[str, ...] = ()
    for at in range(_SHORTEST - 1, len(spelt) - _SHORTEST + 2):
        pair = stem(spelt[:at]), stem(spelt[at:])
        if all(map(count, pair)) and (not best or min(map(count, pair)) > min(map(count, best))):
            best = pair
    return best


def _commonest(terms: Iterable[str], count: Callable[[str], int]) -> tuple[str, ...]:
    return tuple(sorted(terms, key=lambda term: (-count(term), term))[:_MOST_MEANT])


def _one_away(word: str) -> Iterator[str]:
    """Yield what is one step away from a word: a letter left out, changed or put in, two neighbours exchanged."""
    for at in range(len(word)):
        head, tail = word[:at], word[at + 1 :]
        yield head + tail
        if tail:
            yield head + tail[0] + word[at] + tail[1:]
        for letter in _LETTERS:
            yield head + letter + tail
            yield head + letter + word[at] + tail
    for letter in _LETTERS:
        yield word + letter


def _is_within(left: str, right: str, most: int) -> bool:
    """Tell whether two words are at most so many letters apart; neighbours in another order are one."""
    before: list[int] = []
    last = list(range(len(right) + 1))
    for row, letter in enumerate(left, 1):
        line = [row]
        for column, other in enumerate(right, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == right[column - 2] and left[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        if min(line) > most:
            return False
        before, last = last, line
    return last[-1] <= most

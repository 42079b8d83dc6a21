"""Snippets: the part of a text that says most of what was looked for, on one line. Pure (rules.md 3)."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping

from skillsvc.domain.caps import CAPS, ELLIPSIS, cut_text
from skillsvc.domain.skill import Skill
from skillsvc.parsing.text import one_line
from skillsvc.parsing.words import Words

MOST_BYTES = CAPS["SearchHit.snippet"].max_bytes
_SPAN = 320
"""Characters that what was found may be spread over; the rest of a snippet is what it stands in."""
_BEFORE = 60
_LOOKED_THROUGH = 128 * 1024
"""Characters of a body, so that fifty bodies at their longest do not hold up everybody else."""


def snippet_of(skill: Skill, body: str, terms: Mapping[str, float], words: Words) -> str:
    """Return at most 512 bytes on one line of the body, or where that has no term of the description.

    `terms` are those looked for, and what each is worth. An ellipsis at either end says that the text goes on there.
    """
    for text in (body[:_LOOKED_THROUGH], skill.when_to_use):
        place = _densest(words.places(text, terms.keys()), terms)
        if place is not None:
            return _cut_around(text, place)
    return cut_text(one_line(skill.description), MOST_BYTES)


def _densest(places: Iterable[tuple[int, int, str]], terms: Mapping[str, float]) -> int | None:
    """Return where the first of the stretches begins that are worth most, each term counted once; None without any."""
    held: deque[tuple[int, int, str]] = deque()
    times: Counter[str] = Counter()
    best: int | None = None
    most = worth = 0.0
    for start, end, term in places:
        while held and end - held[0][0] > _SPAN:
            gone = held.popleft()[2]
            times[gone] -= 1
            worth -= terms[gone] if not times[gone] else 0.0
        held.append((start, end, term))
        times[term] += 1
        worth += terms[term] if times[term] == 1 else 0.0
        if best is None or worth > most * (1 + 1e-9):
            best, most = held[0][0], worth
    return best


def _cut_around(text: str, place: int) -> str:
    """Return a snippet that has what begins at a place: from the beginning of its line or sentence, if that is near."""
    earliest = max(0, place - _BEFORE)
    before = text[earliest:place]
    line, sentence, blank = before.rfind("\n"), before.rfind(". "), before.find(" ")
    if line >= 0:
        begin, mark = earliest + line + 1, ""
    elif sentence >= 0:
        begin, mark = earliest + sentence + 2, ""
    elif earliest == 0:
        begin, mark = 0, ""
    else:
        begin, mark = (earliest + blank + 1 if blank >= 0 else place), ELLIPSIS
    return cut_text(mark + one_line(text[begin : begin + 2 * MOST_BYTES]), MOST_BYTES)

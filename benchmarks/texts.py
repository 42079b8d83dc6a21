"""Skills to be searched, as many as are wanted: their texts, what is asked of them, and a generation that lists them.

Words are as frequent as words are (Zipf), and each body has some that no other has.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from random import Random

from skillsvc.domain.generation import Generation, Row, make_generation, make_row
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.skill import Found, Skill, TextRef, make_bundle
from skillsvc.domain.trust import Tier, Trust

_WORDS = 30_000
_OF_BODY, _OF_DESCRIPTION, _OWN = 700, 40, 20
_QUERIES = 40
_QUERY_WORDS = (1, 2, 3, 3, 3, 4, 5, 8, 12)


@dataclass(frozen=True, slots=True)
class Texts:
    """As many skills as are asked for, always the same ones: each is made again whenever it is read."""

    count: int
    words: tuple[str, ...]
    frequency: tuple[float, ...]

    def description(self, at: int) -> str:
        """Return the description of a skill."""
        return " ".join(self._picked(_chance(f"description {at}"), _OF_DESCRIPTION))

    def body(self, at: int) -> str:
        """Return the body of a skill."""
        chance = _chance(f"body {at}")
        own = (f"{chance.choice(self.words)}_{at}_{number}" for number in range(_OWN))
        return "\n".join((" ".join(self._picked(chance, _OF_BODY)), *own))

    def queries(self) -> list[list[str]]:
        """Return what is asked: words as frequent as in the texts, from one to twelve of them."""
        chance = _chance("queries")
        lengths = [_QUERY_WORDS[number % len(_QUERY_WORDS)] for number in range(_QUERIES)]
        return [sorted(set(self._picked(chance, length))) for length in lengths]

    def _picked(self, chance: Random, count: int) -> list[str]:
        return chance.choices(self.words, cum_weights=self.frequency, k=count)


def texts_of(count: int) -> Texts:
    """Return so many texts."""
    chance = _chance("words")
    syllables = [consonant + vowel for consonant in "bcdfgklmnprstvz" for vowel in "aeiou"]
    words: dict[str, None] = {}
    while len(words) < _WORDS:
        words["".join(chance.choices(syllables, k=chance.choice((2, 3, 3, 4))))] = None
    return Texts(count, tuple(words), tuple(accumulate(1 / rank for rank in range(1, _WORDS + 1))))


def generation_of(rows: Sequence[Row]) -> Generation:
    """Return a generation of the deployment layer."""
    return make_generation(
        partition=DEPLOYMENT,
        log_id=bytes(16),
        sequence=1,
        published_at=datetime(2026, 1, 1, tzinfo=UTC),
        rows=tuple(rows),
    )


def row_of(texts: Texts, at: int, description: str = "") -> Row:
    """Return the row of a skill, by its number."""
    described = description or texts.description(at)
    skill = Skill(name=f"skill-{at:06}", description=described, description_bytes=len(described))
    body = texts.body(at).encode()
    reference = TextRef(digest=hashlib.sha256(body).hexdigest(), size=len(body))
    bundle = make_bundle(skill, document=None, body=reference, assets=())
    return make_row(
        source="main",
        shadowed=False,
        found=Found(bundle=bundle, place=""),
        tier=Tier.EXPLICIT,
        trust=Trust.ALLOWED,
    )


def _chance(seed: str) -> Random:
    return Random(seed)  # noqa: S311 - the same texts in every run

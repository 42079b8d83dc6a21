"""F8: a search among many skills, against the bare query of SQLite's FTS5 over the same texts.

Both sides hold everything in memory and are asked for the best five. FTS5 has a contentless table with Porter's stems
and is asked for any of the words; ours goes the whole way from the query to the rows of a view. Words of the texts are
as frequent as words are (Zipf), and each text has some that no other has. The engine is measured, not the network.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from random import Random
from statistics import median

from benchmarks.bench import Bench
from benchmarks.figures import Figure, at_most
from skillsvc.catalog.layer_index import LayerIndex, followed, indexed
from skillsvc.catalog.search import search
from skillsvc.catalog.weights import weigh
from skillsvc.domain.generation import Generation, Row, make_generation, make_row
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.skill import Bundle, Found, Skill, make_bundle
from skillsvc.domain.trust import Tier, Trust
from skillsvc.domain.view import View, compose
from skillsvc.parsing.words import Words

LIMIT = 5
_TIMES = 10
"""As many skills as ten times those of the large tree: 100,000 by default."""
_WORDS = 30_000
_OF_BODY, _OF_DESCRIPTION, _OWN = 700, 40, 20
_QUERIES = 40
_QUERY_WORDS = (1, 2, 3, 3, 3, 4, 5, 8, 12)
_MIB = 1024 * 1024


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


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure F8."""
    texts = texts_of(_TIMES * bench.skills)
    queries = texts.queries()
    ours = _ours(texts)
    bench.tell(f"F8 index of {texts.count:,} skills: {ours.seconds:.0f} s, {ours.bytes / _MIB:.0f} MiB")
    bare = _bare(texts)
    bench.tell(f"F8 FTS5 of {texts.count:,} skills: {bare.seconds:.0f} s, {bare.bytes / _MIB:.0f} MiB")
    taken = [[_seconds(side.ask, queries) for side in (ours, bare)] for _round in range(bench.rounds)]
    yield Figure(
        number="F8",
        what=f"Search among {texts.count:,} skills, the best {LIMIT}",
        unit="times the bare FTS5 query, medians of the queries",
        rounds=tuple(median(mine) / median(its) for mine, its in taken),
        bound=at_most(1.2),
        measured={
            "median_ms": median(median(mine) for mine, _its in taken) * 1000,
            "slowest_ms": median(max(mine) for mine, _its in taken) * 1000,
            "bare_median_ms": median(median(its) for _mine, its in taken) * 1000,
            "bare_slowest_ms": median(max(its) for _mine, its in taken) * 1000,
        },
    )
    yield Figure(
        number="F8",
        what=f"Index of {texts.count:,} skills",
        unit="times the memory of FTS5's",
        rounds=(ours.bytes / bare.bytes,),
        measured={
            "mib": ours.bytes / _MIB,
            "seconds": ours.seconds,
            "bare_mib": bare.bytes / _MIB,
            "bare_seconds": bare.seconds,
            "one_change_s": ours.change_s,
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """What is asked, and what it took: bytes of memory, seconds to build, seconds after a change of one skill."""

    ask: Callable[[Sequence[str]], object]
    bytes: int
    seconds: float
    change_s: float = 0.0


def _ours(texts: Texts) -> _Side:
    words = Words()
    generation = _generation([_row(texts, at) for at in range(texts.count)])

    def weights_of(bundle: Bundle) -> Mapping[str, int]:
        return weigh(bundle.skill, texts.body(int(bundle.skill.name.removeprefix("skill-"))), words)

    begun = time.process_time()
    index = indexed(generation, weights_of)
    seconds = time.process_time() - begun - _making(texts, texts.body)
    changed = _generation([_row(texts, 0, "Something else."), *generation.rows[1:]])
    begun = time.process_time()
    followed(index, changed, weights_of)
    change_s = time.process_time() - begun
    view = compose((generation,))
    return _Side(
        ask=lambda query: _asked(view, index, query),
        bytes=index.taken_bytes,
        seconds=seconds,
        change_s=change_s,
    )


def _asked(view: View, index: LayerIndex, query: Sequence[str]) -> object:
    return search(view, (index,), " ".join(query), limit=LIMIT)


def _bare(texts: Texts) -> _Side:
    begun = time.process_time()
    table = sqlite3.connect(":memory:", isolation_level=None)
    table.execute(
        "CREATE VIRTUAL TABLE skill USING fts5 (name, description, body, content='', tokenize='porter unicode61')"
    )
    table.execute("BEGIN")
    table.executemany(
        "INSERT INTO skill (rowid, name, description, body) VALUES (?, ?, ?, ?)",
        ((at, f"skill-{at}", texts.description(at), texts.body(at)) for at in range(texts.count)),
    )
    table.execute("COMMIT")
    seconds = time.process_time() - begun - _making(texts, texts.body, texts.description)
    (pages,), (size,) = (table.execute(f"PRAGMA {it}").fetchone() for it in ("page_count", "page_size"))
    statement = f"SELECT rowid FROM skill WHERE skill MATCH ? ORDER BY rank LIMIT {LIMIT}"  # noqa: S608 - a constant
    return _Side(
        ask=lambda query: table.execute(statement, (" OR ".join(f'"{word}"' for word in query),)).fetchall(),
        bytes=pages * size,
        seconds=seconds,
    )


def _chance(seed: str) -> Random:
    return Random(seed)  # noqa: S311 - the same texts in every run


def _making(texts: Texts, *makes: Callable[[int], str]) -> float:
    """Return how many seconds it takes to make the texts, which is of neither side."""
    sample = range(0, texts.count, max(1, texts.count // 1000))
    begun = time.process_time()
    for at in sample:
        for make in makes:
            make(at)
    return (time.process_time() - begun) / len(sample) * texts.count


def _seconds(ask: Callable[[Sequence[str]], object], queries: Sequence[Sequence[str]]) -> list[float]:
    """Return the processor's seconds of each query: those of a machine with other work are not the engine's."""
    seconds = []
    for query in queries:
        begun = time.thread_time()
        ask(query)
        seconds.append(time.thread_time() - begun)
    return seconds


def _generation(rows: Sequence[Row]) -> Generation:
    return make_generation(
        partition=DEPLOYMENT,
        log_id=bytes(16),
        sequence=1,
        published_at=datetime(2026, 1, 1, tzinfo=UTC),
        rows=tuple(rows),
    )


def _row(texts: Texts, at: int, description: str = "") -> Row:
    described = description or texts.description(at)
    skill = Skill(name=f"skill-{at:06}", description=described, description_bytes=len(described))
    bundle = make_bundle(skill, document=None, body=None, assets=())
    return make_row(
        source="main",
        shadowed=False,
        found=Found(bundle=bundle, place=""),
        tier=Tier.EXPLICIT,
        trust=Trust.ALLOWED,
    )

"""F8: a search among many skills, against the bare query of SQLite's FTS5 over the same texts.

Both sides hold everything in memory and are asked for the best five. FTS5 has a contentless table with Porter's stems
and is asked for any of the words; ours goes the whole way from the query to the rows of a view. Once the engine alone
is measured, once what a caller waits for: SearchSkills over gRPC, of a server that has the same skills.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import grpc
from skillsource.v1 import skill_source_pb2 as pb

from benchmarks.bench import Bench
from benchmarks.figures import Figure, at_most
from benchmarks.servers import searched_server
from benchmarks.texts import Texts, generation_of, row_of, texts_of
from skillsvc.catalog.layer_index import LayerIndex, followed, indexed
from skillsvc.catalog.search import search
from skillsvc.catalog.weights import weigh
from skillsvc.domain.skill import Bundle
from skillsvc.domain.view import View, compose
from skillsvc.parsing.words import Words

LIMIT = 5
_RPC = "/skillsource.v1.SkillSourceService/SearchSkills"
_ANSWER_S = 60.0
_LOOK_AGAIN_S = 1.0
_OVER_GRPC = 10
"""So many times each query is sent in a round: the kernel counts a process's time in hundredths of a second."""
_TIMES = 10
"""As many skills as ten times those of the large tree: 100,000 by default."""
_MIB = 1024 * 1024


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure F8."""
    texts = texts_of(_TIMES * bench.skills)
    queries = texts.queries()
    ours = _ours(texts)
    bench.tell(f"F8 index of {texts.count:,} skills: {ours.seconds:.0f} s, {ours.bytes / _MIB:.0f} MiB")
    bare = _bare(texts)
    bench.tell(f"F8 FTS5 of {texts.count:,} skills: {bare.seconds:.0f} s, {bare.bytes / _MIB:.0f} MiB")
    yield from _of_engine(bench, texts.count, queries, ours, bare)
    yield from _over_grpc(bench, texts.count, queries, bare)


def _of_engine(
    bench: Bench, count: int, queries: Sequence[Sequence[str]], ours: "_Side", bare: "_Side"
) -> Iterator[Figure]:
    taken = [[_seconds(side.ask, queries) for side in (ours, bare)] for _round in range(bench.rounds)]
    yield Figure(
        number="F8",
        what=f"Search among {count:,} skills, the best {LIMIT}",
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
        what=f"Index of {count:,} skills",
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


def _over_grpc(bench: Bench, count: int, queries: Sequence[Sequence[str]], bare: "_Side") -> Iterator[Figure]:
    with searched_server(count, bench.data_folder()) as server, grpc.insecure_channel(server.address) as channel:
        call = channel.unary_unary(
            _RPC,
            request_serializer=pb.SearchSkillsRequest.SerializeToString,
            response_deserializer=pb.SearchSkillsResponse.FromString,
        )

        def found(query: Sequence[str]) -> pb.SearchSkillsResponse:
            return call(pb.SearchSkillsRequest(query=" ".join(query), limit=LIMIT), timeout=_ANSWER_S)

        begun = time.monotonic()
        while found(queries[0]).engine != "bm25":
            time.sleep(_LOOK_AGAIN_S)
        bench.tell(f"F8 the server has its index after {time.monotonic() - begun:.0f} s more")
        waits: list[float] = []
        costs: list[float] = []
        for _round in range(bench.rounds):
            before = server.cpu_s
            mine = [_clocked(found, query) for query in queries for _time in range(_OVER_GRPC)]
            cost = (server.cpu_s - before) / len(mine)
            its = [_clocked(bare.ask, query) for query in queries]
            waits.append(median(mine) / median(its))
            costs.append(cost / fmean(_seconds(bare.ask, queries)))
    yield Figure(
        number="F8",
        what=f"SearchSkills of {count:,} skills over gRPC, the best {LIMIT}",
        unit="times the bare FTS5 query, medians of the queries by the clock",
        rounds=tuple(waits),
        bound=at_most(1.2),
    )
    yield Figure(
        number="F8",
        what=f"SearchSkills of {count:,} skills over gRPC, the best {LIMIT}",
        unit="times the bare FTS5 query's processor time, means",
        rounds=tuple(costs),
    )


def _clocked(ask: Callable[[Sequence[str]], object], query: Sequence[str]) -> float:
    """Return how many seconds an answer takes by the clock."""
    begun = time.perf_counter()
    ask(query)
    return time.perf_counter() - begun


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """What is asked, and what it took: bytes of memory, seconds to build, seconds after a change of one skill."""

    ask: Callable[[Sequence[str]], object]
    bytes: int
    seconds: float
    change_s: float = 0.0


def _ours(texts: Texts) -> _Side:
    words = Words()
    generation = generation_of([row_of(texts, at) for at in range(texts.count)])

    def weights_of(bundle: Bundle) -> Mapping[str, int]:
        return weigh(bundle.skill, texts.body(int(bundle.skill.name.removeprefix("skill-"))), words)

    begun = time.process_time()
    index = indexed(generation, weights_of)
    seconds = time.process_time() - begun - _making(texts, texts.body)
    changed = generation_of([row_of(texts, 0, "Something else."), *generation.rows[1:]])
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

"""How well rankings answer the labelled queries: Hit@1, Hit@5 and the mean reciprocal rank."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tests.retrieval.queries import Kind, Query
from tests.retrieval.rivals import Ranker

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Shares, 0 to 1: of queries with an answer first, and among the first five; and the mean of 1 / rank."""

    queries: int
    hit_1: float
    hit_5: float
    mrr: float


def rank_of_answer(ranked: Sequence[str], answers: Collection[str]) -> int | None:
    """Return at which place the first answer is, from 1 on, None where there is none."""
    return next((rank for rank, found in enumerate(ranked, 1) if found in answers), None)


def measure(ranker: Ranker, queries: Iterable[Query]) -> Mapping[str, Figures]:
    """Return the figures of a ranker by kind of query, and of all."""
    ranks: dict[str, list[int | None]] = {kind.value: [] for kind in Kind}
    for query in queries:
        ranks[query.kind].append(rank_of_answer(ranker(query.text), query.answers))
    by_kind = {kind: figures_of(found) for kind, found in ranks.items() if found}
    return by_kind | {ALL: figures_of([rank for found in ranks.values() for rank in found])}


def figures_of(ranks: Sequence[int | None]) -> Figures:
    """Return the figures of the ranks that answers had."""
    found = [rank for rank in ranks if rank is not None]
    return Figures(
        queries=len(ranks),
        hit_1=sum(rank == 1 for rank in found) / len(ranks),
        hit_5=sum(rank <= 5 for rank in found) / len(ranks),
        mrr=sum(1 / rank for rank in found) / len(ranks),
    )


def table(measured: Mapping[str, Mapping[str, Figures]]) -> str:
    """Return the figures of several rankers as a table in markdown, a row for each kind: Hit@1 / Hit@5 / MRR."""
    kinds = next(iter(measured.values()))
    lines = [_line("Kind", "Queries", *measured), "|---|---|" + "---|" * len(measured)]
    for kind, first in kinds.items():
        shown = (by_kind[kind] for by_kind in measured.values())
        cells = (f"{it.hit_1:.2f} / {it.hit_5:.2f} / {it.mrr:.2f}" for it in shown)
        lines.append(_line(kind, str(first.queries), *cells))
    return "\n".join(lines)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"

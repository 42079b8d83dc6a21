"""How long a quiet caller's slowest calls take while a noisy one calls, and while it does not, in short turns.

A 99th percentile is where the stalls of a machine begin: one that takes a processor for 10 ms of each second makes one
call in a hundred slow, beside noise more than without. So the same is measured on a bare handler, which answers all the
noise, in turns with the server: what noise does to it is what no server in Python can keep from anybody.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median, quantiles

from benchmarks.bench import Bench
from benchmarks.figures import Figure, at_most, ratios
from benchmarks.load import Call, OwnLoad, Pace, Took
from benchmarks.servers import Running

_CALLS = 3_000
"""Calls of the quiet one that are counted on each side in a round: a 99th percentile is then the 30th slowest."""
_TURN_S = 1.0
_SETTLING_S = 0.1
"""So long after the beginning of a turn calls are not counted: what the last turn began may not have ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A server, and two who call it: how, and how often a second. All calls of the quiet one must be answered."""

    server: Running
    quiet: Call
    a_second: float
    noisy: Call
    noise_a_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The 99th percentiles of the quiet one's calls in seconds, and the share of the noisy one's that was refused."""

    alone_s: float
    beside_s: float
    refused: float

    @property
    def times(self) -> float:
        """How many times as long they take beside the noise."""
        return self.beside_s / self.alone_s


def compare_p99(bench: Bench, number: str, beside: Beside, bare: Running) -> tuple[list[Round], list[Round]]:
    """Measure a quiet caller in turns with a noisy one, and without: of a server, and of a bare handler of the same.

    Whatever else the machine does meets all alike.
    """
    ours: list[Round] = []
    bares: list[Round] = []
    for which in range(bench.rounds):
        ours.append(_round(beside))
        bares.append(_round(replace(beside, server=bare)))
        bench.tell(
            f"{number} round {which + 1}: p99 {_told(ours[-1])}, {ours[-1].refused:.0%} refused; "
            f"bare {_told(bares[-1])}"
        )
    return ours, bares


def figures_of(
    ours: list[Round], bares: list[Round], *, number: str, what: str, note: str, measured: dict[str, float]
) -> Iterator[Figure]:
    """Yield how much longer the slowest calls take beside noise, and that against what it does to a bare handler."""
    yield Figure(
        number=number,
        what=what,
        unit="times the p99 alone",
        rounds=ratios([each.beside_s for each in ours], [each.alone_s for each in ours]),
        bound=at_most(1.5),
        note=note,
        measured={
            "p99_ms": median(each.beside_s for each in ours) * 1000,
            "alone_p99_ms": median(each.alone_s for each in ours) * 1000,
            "bare_p99_ms": median(each.beside_s for each in bares) * 1000,
            "bare_alone_p99_ms": median(each.alone_s for each in bares) * 1000,
            "bare_times": median(each.times for each in bares),
            "refused_of_noise": median(each.refused for each in ours),
            **measured,
        },
    )
    yield Figure(
        number=number,
        what=what,
        unit="of what the same noise, all answered, does to a bare handler",
        rounds=ratios([each.times for each in ours], [each.times for each in bares]),
        bound=at_most(1.5),
        note=note,
    )


def _round(beside: Beside) -> Round:
    counted_a_turn = beside.a_second * (_TURN_S - _SETTLING_S)
    turns = round(_CALLS / counted_a_turn) + 1
    noisy_turns = tuple((begun * _TURN_S, (begun + 1) * _TURN_S) for begun in range(1, 2 * turns, 2))
    quiet, noise = OwnLoad().pace(
        beside.server.address,
        Pace(call=beside.quiet, a_second=beside.a_second, turns=((0.0, 2 * turns * _TURN_S),)),
        Pace(call=beside.noisy, a_second=beside.noise_a_second, turns=noisy_turns),
    )
    assert all(each.is_answered for each in quiet), "a quiet caller is refused"
    return Round(
        alone_s=_p99_s(quiet, noisy=False),
        beside_s=_p99_s(quiet, noisy=True),
        refused=sum(not each.is_answered for each in noise) / len(noise),
    )


def _p99_s(took: list[Took], *, noisy: bool) -> float:
    counted = [
        each.seconds for each in took if int(each.begun / _TURN_S) % 2 == noisy and each.begun % _TURN_S > _SETTLING_S
    ]
    return quantiles(counted, n=100)[98]


def _told(round_: Round) -> str:
    return f"{round_.beside_s * 1000:.2f} ms ({round_.alone_s * 1000:.2f} alone)"

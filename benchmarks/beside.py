"""How long a quiet caller's slowest calls take while a noisy one calls, and while it does not, in short turns.

Calls during which the machine stalled (`stalls.py`) are left out on both sides, and how many these are is told.
"""

from dataclasses import dataclass
from statistics import median, quantiles

from benchmarks.bench import Bench
from benchmarks.figures import Figure, at_most, ratios
from benchmarks.load import Call, OwnLoad, Pace, Took
from benchmarks.servers import Running
from benchmarks.stalls import Stalls, watched

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

    alone: "Slowest"
    beside: "Slowest"
    refused: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Slowest:
    """A 99th percentile in seconds: of the calls that met no stall, and of all; and the share of those that met one."""

    p99_s: float
    of_all_s: float
    stalled: float


def compare_p99(bench: Bench, number: str, beside: Beside) -> list[Round]:
    """Measure a quiet caller in turns with a noisy one, and without; whatever else the machine does meets all alike."""
    rounds: list[Round] = []
    for which in range(bench.rounds):
        rounds.append(_round(beside))
        bench.tell(
            f"{number} round {which + 1}: p99 {_told(rounds[-1].beside)}, alone {_told(rounds[-1].alone)}, "
            f"{rounds[-1].refused:.0%} refused"
        )
    return rounds


def figure_of(rounds: list[Round], *, number: str, what: str, note: str, measured: dict[str, float]) -> Figure:
    """Return the figure of rounds: how much slower the slowest calls are beside the noise."""
    return Figure(
        number=number,
        what=what,
        unit="times the p99 alone",
        rounds=ratios([each.beside.p99_s for each in rounds], [each.alone.p99_s for each in rounds]),
        bound=at_most(1.5),
        note=note,
        measured={
            "p99_ms": median(each.beside.p99_s for each in rounds) * 1000,
            "alone_p99_ms": median(each.alone.p99_s for each in rounds) * 1000,
            "p99_of_all_ms": median(each.beside.of_all_s for each in rounds) * 1000,
            "alone_p99_of_all_ms": median(each.alone.of_all_s for each in rounds) * 1000,
            "during_stalls": median(each.beside.stalled for each in rounds),
            "alone_during_stalls": median(each.alone.stalled for each in rounds),
            **measured,
        },
    )


def _round(beside: Beside) -> Round:
    counted_a_turn = beside.a_second * (_TURN_S - _SETTLING_S)
    turns = round(_CALLS / counted_a_turn) + 1
    noisy_turns = tuple((begun * _TURN_S, (begun + 1) * _TURN_S) for begun in range(1, 2 * turns, 2))
    with watched() as stalls:
        quiet, noise = OwnLoad().pace(
            beside.server.address,
            Pace(call=beside.quiet, a_second=beside.a_second, turns=((0.0, 2 * turns * _TURN_S),)),
            Pace(call=beside.noisy, a_second=beside.noise_a_second, turns=noisy_turns),
        )
    assert all(each.is_answered for each in quiet), "a quiet caller is refused"
    return Round(
        alone=_slowest(quiet, stalls, noisy=False),
        beside=_slowest(quiet, stalls, noisy=True),
        refused=sum(not each.is_answered for each in noise) / len(noise),
    )


def _slowest(took: list[Took], stalls: Stalls, *, noisy: bool) -> Slowest:
    counted = [each for each in took if int(each.begun / _TURN_S) % 2 == noisy and each.begun % _TURN_S > _SETTLING_S]
    clear = [each for each in counted if not stalls.meet(each.at, each.at + each.seconds)]
    return Slowest(p99_s=_p99_s(clear), of_all_s=_p99_s(counted), stalled=1 - len(clear) / len(counted))


def _p99_s(took: list[Took]) -> float:
    return quantiles((each.seconds for each in took), n=100)[98]


def _told(slowest: Slowest) -> str:
    return f"{slowest.p99_s * 1000:.2f} ms ({slowest.of_all_s * 1000:.2f} with {slowest.stalled:.1%} during stalls)"

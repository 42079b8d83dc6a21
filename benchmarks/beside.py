"""How long a quiet caller's slowest calls take while a noisy one calls, and while it does not, in short turns."""

from dataclasses import dataclass
from statistics import quantiles

from benchmarks.bench import Bench
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


def compare_p99(bench: Bench, number: str, beside: Beside) -> list[Round]:
    """Measure a quiet caller in turns with a noisy one, and without; whatever else the machine does meets all alike."""
    rounds: list[Round] = []
    for which in range(bench.rounds):
        rounds.append(_round(beside))
        bench.tell(
            f"{number} round {which + 1}: p99 {rounds[-1].beside_s * 1000:.2f} ms, "
            f"alone {rounds[-1].alone_s * 1000:.2f} ms, {rounds[-1].refused:.0%} refused"
        )
    return rounds


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

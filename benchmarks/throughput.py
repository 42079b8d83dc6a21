"""How many calls a second a server answers, against a bare handler, in turns."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from benchmarks.bench import Bench
from benchmarks.figures import Bound, Figure, ratios
from benchmarks.load import Call, choose_load
from benchmarks.servers import Running

_FIRST_CALLS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked: the number of the figure, what is compared, and the share of the bare handler's rate to reach."""

    number: str
    what: str
    bound: Bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A server, and the call that it is asked to answer."""

    server: Running
    call: Call


def compare(bench: Bench, question: Question, ours: Side, bare: Side) -> Iterator[Figure]:
    """Put load on both in turns.

    The processor time of a call is told beside: it is what remains comparable where others use the machine.
    """
    number = question.number
    load = choose_load()
    sides = (ours, bare)
    calls = [_calls(bench, side) for side in sides]
    rates: tuple[list[float], list[float]] = ([], [])
    costs: tuple[list[float], list[float]] = ([], [])
    for turn in range(bench.rounds):
        # Whoever is first in one round is second in the next.
        for side in (0, 1) if turn % 2 else (1, 0):
            server, call = sides[side].server, sides[side].call
            before = server.cpu_s
            rates[side].append(calls[side] / load.saturate(server.address, call, calls[side]))
            costs[side].append((server.cpu_s - before) / calls[side] * 1e6)
        bench.tell(f"{number} round {turn + 1}: {rates[0][-1]:.0f} of {rates[1][-1]:.0f} calls a second")
    yield Figure(
        number=number,
        what=question.what,
        unit="of the bare handler's calls a second",
        rounds=ratios(rates[0], rates[1]),
        bound=question.bound,
        note=f"load: {load.name}",
        measured={"calls_a_second": median(rates[0]), "bare_calls_a_second": median(rates[1])},
    )
    yield Figure(
        number=number,
        what=question.what,
        unit="bare handler's processor time a call, of ours",
        rounds=ratios(costs[1], costs[0]),
        note=f"load: {load.name}",
        measured={"cpu_us_a_call": median(costs[0]), "bare_cpu_us_a_call": median(costs[1])},
    )


def _calls(bench: Bench, side: Side) -> int:
    """Warm a server up, and return how many calls it answers in the time of a round."""
    load = choose_load()
    load.saturate(side.server.address, side.call, _FIRST_CALLS)
    seconds = load.saturate(side.server.address, side.call, _FIRST_CALLS)
    return max(100, round(_FIRST_CALLS / seconds * bench.seconds))

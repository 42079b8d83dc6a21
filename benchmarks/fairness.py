"""Fairness: what a tenant notices of another that sends ten times its limit, and what it costs to count all of them.

The noisy tenant sends half of what the server answers at saturation, which is found in the same run; its limit is a
tenth of that. The quiet one sends half its limit, evenly. Its calls are timed in turns, with the noisy one and without.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from statistics import median, quantiles

from skillsource.v1 import skill_source_pb2 as pb

from benchmarks.bench import Bench
from benchmarks.figures import Figure, at_least, at_most, ratios
from benchmarks.load import Call, Load, OwnLoad, ask, choose_load
from benchmarks.servers import Running, bare_handler, tenants_server
from benchmarks.skill_body import RPC, SHAPE
from benchmarks.tenants_server import NOISY, QUIET
from benchmarks.throughput import Question, Side, compare
from benchmarks.tree import name_of

_NOISE = OwnLoad()
"""It sends evenly, where h2load sends what is due in 10 ms at once: that is another load than so many a second."""
_UNLIMITED = 1e9
_CALLS = 10_000
_SHARE_OF_SATURATION = 0.5
_TIMES_ITS_LIMIT = 10
_SETTLED = 0.1
"""The share of a turn after which calls are counted: connections are made before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Street:
    """A server that both tenants call, each of which may make so many calls a second."""

    server: Running
    load: Load
    limit: float


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure the noisy neighbour, and F1 with identities and shares."""
    request = pb.SkillBodyRequest(name=name_of(SHAPE.skills // 2)).SerializeToString()
    tree = bench.tree(SHAPE)
    with tenants_server(tree, bench.data_folder(), _UNLIMITED) as server:
        answer = ask(server.address, RPC, request, QUIET)
        call = Call(rpc=RPC, request=request, answer_bytes=len(answer), token=QUIET)
        with bare_handler(RPC, answer) as bare:
            question = Question(
                number="F1", what="SkillBody of 4 KB, callers told apart and counted", bound=at_least(0.85)
            )
            yield from compare(bench, question, Side(server=server, call=call), Side(server=bare, call=call))
        load = choose_load()
        saturation = _CALLS / load.saturate(server.address, call, _CALLS)
    noise = saturation * _SHARE_OF_SATURATION
    limit = noise / _TIMES_ITS_LIMIT
    bench.tell(f"fairness: {saturation:.0f} calls a second at saturation, a limit of {limit:.0f}")
    with tenants_server(tree, bench.data_folder(), limit) as server:
        yield _neighbour(bench, _Street(server=server, load=load, limit=limit), call)


def _neighbour(bench: Bench, street: _Street, call: Call) -> Figure:
    # A refusal is shorter than any answer: of the noisy one every length will do.
    noisy = replace(call, token=NOISY, spread_bytes=call.answer_bytes + 5)
    idle: list[float] = []
    beside: list[float] = []
    for number in range(bench.rounds):
        # Whichever is first in one round is second in the next.
        for is_noisy in (False, True) if number % 2 else (True, False):
            p99_s = _p99_s(bench, street, call, noisy if is_noisy else None)
            (beside if is_noisy else idle).append(p99_s)
        bench.tell(f"fairness round {number + 1}: p99 {beside[-1] * 1000:.2f} ms, alone {idle[-1] * 1000:.2f} ms")
    return Figure(
        number="fairness",
        what=f"p99 of SkillBody while another tenant sends {_TIMES_ITS_LIMIT} times its limit",
        unit="times the p99 alone",
        rounds=ratios(beside, idle),
        bound=at_most(1.5),
        note=f"a limit of {street.limit:.0f} a second; load: {street.load.name}",
        measured={"p99_ms": median(beside) * 1000, "alone_p99_ms": median(idle) * 1000, "limit_a_second": street.limit},
    )


def _p99_s(bench: Bench, street: _Street, call: Call, noisy: Call | None) -> float:
    """Return the 99th percentile of the quiet tenant's calls, made for the seconds of a round."""
    a_second = max(4, round(street.limit / 2))
    calls = max(400, round(a_second * bench.seconds))
    sent = round(street.limit * _TIMES_ITS_LIMIT)
    with ThreadPoolExecutor(1) as aside:
        noise = None
        if noisy is not None:
            until_the_end = round(sent * calls / a_second)
            noise = aside.submit(_NOISE.pace, street.server.address, noisy, until_the_end, a_second=sent)
        took = street.load.pace(street.server.address, call, calls, a_second=a_second)
        if noise is not None:
            noise.result()
    counted = sorted(took, key=lambda each: each.begun)[round(len(took) * _SETTLED) :]
    return quantiles([each.seconds for each in counted], n=100)[98]

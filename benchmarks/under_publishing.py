"""F6: how long the slowest calls of SkillBody take while 50 generations a second are published, against an idle server.

The calls come evenly, far fewer than the server could answer, so that what is seen is waiting and not saturation. While
they come, the publisher is turned on and off in short turns, so that whatever else the machine does meets all turns
alike. The publisher is a thread of the server's own process: there is no call yet by which a partition could publish.
"""

import itertools
import time
from bisect import bisect_right
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median, quantiles

from skillsource.v1 import skill_source_pb2 as pb

from benchmarks.bench import Bench
from benchmarks.figures import Figure, at_most, ratios
from benchmarks.load import Call, OwnLoad, Pace, ask
from benchmarks.publishing_server import A_SECOND, OTHER_SKILLS
from benchmarks.servers import Running, publishing_server
from benchmarks.skill_body import RPC, SHAPE
from benchmarks.tree import name_of

_CALLS_A_SECOND = 1_000
_TURN_S = 0.5
_SETTLING_S = 0.05
"""So long after the beginning of a turn calls are not counted: what the last turn began may not have ended."""
_LAYERS = ("none", "other", "own")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Round:
    """The 99th percentile in seconds, and the generations published a second, by the layer that was published to."""

    p99_s: dict[str, float]
    published: dict[str, float]


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure F6."""
    load = OwnLoad()
    request = pb.SkillBodyRequest(name=name_of(SHAPE.skills // 2)).SerializeToString()
    rounds: list[_Round] = []
    with publishing_server(bench.tree(SHAPE), bench.data_folder()) as server:
        answer = ask(server.address, RPC, request)
        # The numbers of later generations are longer.
        call = Call(rpc=RPC, request=request, answer_bytes=len(answer), spread_bytes=16)
        load.saturate(server.address, call, 1_000)
        for number in range(bench.rounds):
            rounds.append(_round(server, load, call, bench.seconds))
            told = ", ".join(f"{layer} {seconds * 1000:.2f} ms" for layer, seconds in rounds[-1].p99_s.items())
            bench.tell(f"F6 round {number + 1}: p99 with publishing to {told}")
    what = f"p99 of SkillBody while another partition, of {OTHER_SKILLS:,} skills, publishes"
    yield _figure(rounds, "other", what, load)
    what = f"p99 of SkillBody while the layer that is read, of {SHAPE.skills:,} skills, publishes"
    yield _figure(rounds, "own", what, load)


def _figure(rounds: list[_Round], layer: str, what: str, load: OwnLoad) -> Figure:
    published = median(each.published[layer] for each in rounds)
    return Figure(
        number="F6",
        what=what,
        unit="times the idle p99",
        rounds=ratios([each.p99_s[layer] for each in rounds], [each.p99_s["none"] for each in rounds]),
        bound=at_most(1.5) if layer == "other" else None,
        note=f"{published:.0f} of {A_SECOND} published a second; load: {load.name}",
        measured={
            "p99_ms": median(each.p99_s[layer] for each in rounds) * 1000,
            "idle_p99_ms": median(each.p99_s["none"] for each in rounds) * 1000,
            "published_a_second": published,
        },
    )


def _round(server: Running, load: OwnLoad, call: Call, seconds: float) -> _Round:
    """Load the server for about so many seconds a layer."""
    turns: list[tuple[float, str]] = []
    published = dict.fromkeys(_LAYERS, 0)
    pace = Pace(call=call, a_second=_CALLS_A_SECOND, turns=((0.0, seconds * len(_LAYERS)),))
    with ThreadPoolExecutor(1) as beside:
        loading = beside.submit(load.pace, server.address, pace)
        for layer in itertools.cycle(_LAYERS):
            _turn_to(server, layer)
            turns.append((time.time(), layer))
            time.sleep(_TURN_S)
            published[layer] += _turn_to(server, "none")
            if loading.done():
                break
    took: dict[str, list[float]] = {layer: [] for layer in _LAYERS}
    (calls,) = loading.result()
    assert all(each.is_answered for each in calls), "an answer of another length"
    for each in calls:
        turn = bisect_right(turns, each.at, key=lambda turn: turn[0]) - 1
        if turn >= 0 and each.at - turns[turn][0] > _SETTLING_S:
            took[turns[turn][1]].append(each.seconds)
    length = {layer: _TURN_S * sum(turned == layer for _begun, turned in turns) for layer in _LAYERS}
    return _Round(
        p99_s={layer: quantiles(each, n=100)[98] for layer, each in took.items()},
        published={layer: count / length[layer] for layer, count in published.items()},
    )


def _turn_to(server: Running, layer: str) -> int:
    """Have the server publish to a layer from now on; return how many generations it published before."""
    asking, answering = server.process.stdin, server.process.stdout
    assert asking is not None, "the server was started with a pipe"
    assert answering is not None, "the server was started with a pipe"
    asking.write(f"{layer}\n")
    asking.flush()
    return int(answering.readline())

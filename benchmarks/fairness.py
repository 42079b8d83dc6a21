"""Fairness: what a tenant notices of another that sends ten times its limit, and what it costs to count all of them.

The noisy tenant sends half of what the server answers at saturation, which is found in the same run; its limit is a
tenth of that. The quiet one keeps within its limit.
"""

from collections.abc import Iterator

from skillsource.v1 import skill_source_pb2 as pb

from benchmarks.bench import Bench
from benchmarks.beside import Beside, compare_p99, figures_of
from benchmarks.figures import Figure, at_least
from benchmarks.load import Call, ask, choose_load
from benchmarks.servers import bare_handler
from benchmarks.skill_body import RPC, SHAPE
from benchmarks.tenants import NOISY, QUIET, Shares, tenants_server
from benchmarks.throughput import Question, Side, compare
from benchmarks.tree import name_of

_CALLS = 10_000
_SHARE_OF_SATURATION = 0.5
_TIMES_ITS_LIMIT = 10
_SHARE_OF_LIMIT = 0.9
"""Of the quiet one's limit."""


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure the noisy neighbour, and F1 with identities and shares."""
    request = pb.SkillBodyRequest(name=name_of(SHAPE.skills // 2)).SerializeToString()
    tree = bench.tree(SHAPE)
    with tenants_server(bench, tree, Shares()) as server:
        answer = ask(server.address, RPC, request, QUIET)
        quiet = Call(rpc=RPC, request=request, answer_bytes=len(answer), tokens=(QUIET,))
        with bare_handler(RPC, answer) as bare:
            question = Question(
                number="F1", what="SkillBody of 4 KB, callers told apart and counted", bound=at_least(0.85)
            )
            yield from compare(bench, question, Side(server=server, call=quiet), Side(server=bare, call=quiet))
        saturation = _CALLS / choose_load().saturate(server.address, quiet, _CALLS)
    noise = saturation * _SHARE_OF_SATURATION
    limit = noise / _TIMES_ITS_LIMIT
    bench.tell(f"fairness: {saturation:.0f} calls a second at saturation, a limit of {limit:.0f}")
    noisy = Call(rpc=RPC, request=request, answer_bytes=len(answer), tokens=(NOISY,))
    with tenants_server(bench, tree, Shares(reads_a_second=limit)) as server, bare_handler(RPC, answer) as bare:
        beside = Beside(server=server, quiet=quiet, a_second=limit * _SHARE_OF_LIMIT, noisy=noisy, noise_a_second=noise)
        ours, bares = compare_p99(bench, "fairness", beside, bare)
    yield from figures_of(
        ours,
        bares,
        number="fairness",
        what=f"p99 of SkillBody while another tenant sends {_TIMES_ITS_LIMIT} times its limit",
        note=f"a limit of {limit:.0f} a second",
        measured={"limit_a_second": limit},
    )

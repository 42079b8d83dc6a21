"""F1: SkillBody of 4 KB on one worker, against a bare handler that returns the same bytes."""

from collections.abc import Iterator

from skillsource.v1 import skill_source_pb2 as pb

from benchmarks.bench import Bench
from benchmarks.figures import Figure, at_least
from benchmarks.load import Call, ask
from benchmarks.servers import bare_handler, skillsvc
from benchmarks.throughput import Question, Side, compare
from benchmarks.tree import TreeShape, name_of

RPC = "/skillsource.v1.SkillSourceService/SkillBody"
SHAPE = TreeShape(skills=1_000, body_bytes=4_096, exact_body=True)


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure F1."""
    request = pb.SkillBodyRequest(name=name_of(SHAPE.skills // 2)).SerializeToString()
    with skillsvc(bench.tree(SHAPE), bench.data_folder()) as ours:
        answer = ask(ours.address, RPC, request)
        assert len(pb.SkillBodyResponse.FromString(answer).body) == SHAPE.body_bytes, "the body has 4 KB"
        call = Call(rpc=RPC, request=request, answer_bytes=len(answer))
        with bare_handler(RPC, answer) as bare:
            question = Question(number="F1", what="SkillBody of 4 KB", bound=at_least(0.85))
            yield from compare(bench, question, Side(server=ours, call=call), Side(server=bare, call=call))

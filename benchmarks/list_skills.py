"""F2: ListSkills of an unchanged catalog, against bare handlers: one of the same bytes, and an empty one."""

from collections.abc import Iterator

from skillsource.v1 import skill_source_pb2 as pb

from benchmarks.bench import Bench
from benchmarks.figures import Figure, at_least
from benchmarks.load import Call, ask
from benchmarks.servers import bare_handler, skillsvc
from benchmarks.skill_body import SHAPE
from benchmarks.throughput import Question, Side, compare

_RPC = "/skillsource.v1.SkillSourceService/ListSkills"


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure F2."""
    request = pb.ListSkillsRequest(page_size=SHAPE.skills).SerializeToString()
    with skillsvc(bench.tree(SHAPE), bench.data_folder()) as ours:
        answer = ask(ours.address, _RPC, request)
        page = pb.ListSkillsResponse.FromString(answer)
        what = f"ListSkills, a page of {len(page.skills):,} skills ({len(answer) / 1024:.0f} KiB)"
        call = Call(rpc=_RPC, request=request, answer_bytes=len(answer))
        with bare_handler(_RPC, answer) as bare:
            question = Question(number="F2", what=what, bound=at_least(0.85))
            yield from compare(bench, question, Side(server=ours, call=call), Side(server=bare, call=call))

        request = pb.ListSkillsRequest(if_none_match=page.generation.digest).SerializeToString()
        answer = ask(ours.address, _RPC, request)
        assert pb.ListSkillsResponse.FromString(answer).not_modified, "the digest is that of the catalog"
        call = Call(rpc=_RPC, request=request, answer_bytes=len(answer))
        empty = Call(rpc=_RPC, request=request, answer_bytes=0)
        with bare_handler(_RPC, b"") as bare:
            what = "ListSkills, if_none_match hit, against an empty answer"
            question = Question(number="F2", what=what, bound=at_least(0.9))
            yield from compare(bench, question, Side(server=ours, call=call), Side(server=bare, call=empty))

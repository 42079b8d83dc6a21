"""SearchSkills as a server answers it: whatever is typed, whoever asks, and while an index is made."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skillsource.v1 import skill_source_pb2 as pb
from typing_extensions import override

from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.service.indexing import LARGE
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.integration.in_process import InProcess, World, in_process
from tests.patience import PATIENCE_S
from tests.simulators.skills import skill_row

LOCAL = Partition("local", "")
PLUM, QUINCE = Partition("local", "plum"), Partition("local", "quince")


async def find(server: InProcess, query: str, **fields: object) -> pb.SearchSkillsResponse:
    request = pb.SearchSkillsRequest(query=query, **fields)  # type: ignore[arg-type] # of any field
    return await server.call(request, pb.SearchSkillsResponse)


def names(answer: pb.SearchSkillsResponse) -> list[str]:
    return [hit.skill.name for hit in answer.hits]


class Held(MemoryBlobStore):
    """A store that gives nothing to what builds the indexes of large layers before it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = threading.Event()

    @override
    def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
        if threading.current_thread().name.startswith("indexes"):
            self.let_go.wait()
        return super().read(digest, offset, length)


async def by_index(server: InProcess, query: str, **fields: object) -> pb.SearchSkillsResponse:
    """Search until an index answers."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            answer = await find(server, query, **fields)
            if answer.engine == "bm25":
                return answer


@asynccontextmanager
async def many(world: World, count: int) -> AsyncIterator[tuple[InProcess, list[Row]]]:
    """Serve so many skills, published before the server begins to answer."""
    rows = [
        skill_row(world.blobs, f"s{number:04}", description="Sails.", body=f"Wind {number}.") for number in range(count)
    ]
    async with in_process(*rows, world=world) as server:
        yield server, rows


QUERIES = st.text(max_size=200) | st.text(alphabet="\"'*^:-+()[]{}\\ \x00ANDORNETweb\u6771\u0301", max_size=60)


@pytest.mark.property
def test_no_text_that_is_typed_is_an_error() -> None:
    """One server for all examples: what one query leaves behind must not harm the next."""
    world = World()
    rows = [
        skill_row(world.blobs, "web", description="AND OR NOT NEAR", body="web it's c++ \u6771\u4eac"),
        skill_row(world.blobs, "no-body", body=None),
    ]
    with asyncio.Runner() as runner:
        serving = in_process(*rows, world=world)
        server = runner.run(serving.__aenter__())
        past = runner.run(server.list()).generation.token
        server.publish(*rows, skill_row(world.blobs, "later"))

        @given(query=QUERIES, limit=st.integers(0, 60), budget=st.integers(0, 100))
        @settings(max_examples=min(settings().max_examples, 200), deadline=None)
        def ask(query: str, limit: int, budget: int) -> None:
            if any("\ud800" <= each <= "\udfff" for each in query):
                return
            for state in (pb.Consistency(), pb.Consistency(at_exactly=past)):
                answer = runner.run(find(server, query, limit=limit, body_bytes=budget, consistency=state))
                assert len(answer.hits) <= 3
                assert all(hit.score > 0 and hit.matched and hit.snippet for hit in answer.hits)
                assert all(len(hit.snippet.encode()) <= 512 for hit in answer.hits)
                assert sum(len(hit.body.encode()) for hit in answer.hits) <= budget
                order = [(-hit.score, hit.skill.name) for hit in answer.hits]
                assert order == sorted(order)

        ask()
        runner.run(serving.__aexit__(None, None, None))


async def test_a_hit_says_what_matched_and_shows_where() -> None:
    world = World()
    body = "Begin.\n\n" + "Nothing here. " * 200 + "\nThen hoist the mizzen.\n" + "Nothing there. " * 200 + "End."
    rows = [skill_row(world.blobs, "b"), skill_row(world.blobs, "sail", description="Sets all canvas.", body=body)]
    async with in_process(*rows, world=world) as server:
        [hit] = (await find(server, "mizzen canvas")).hits
        assert list(hit.matched) == ["description", "body"]
        assert hit.snippet.startswith("Then hoist the mizzen.")
        assert len(hit.snippet.encode()) <= 512
        assert "\n" not in hit.snippet
        assert hit.skill == (await server.list()).skills[1]
        [of_description] = (await find(server, "canvas")).hits
        assert (list(of_description.matched), of_description.snippet) == (["description"], "Sets all canvas.")


async def test_what_is_published_is_found_at_once_and_what_is_gone_is_not() -> None:
    world = World()
    rows = [skill_row(world.blobs, name, body="Wind.") for name in "abc"]
    async with in_process(*rows, world=world) as server:
        assert names(await find(server, "wind")) == ["a", "b", "c"]
        server.publish(rows[0], skill_row(world.blobs, "b", body="Boats."))
        answer = await find(server, "wind boats")
        assert (answer.engine, sorted(names(answer))) == ("bm25", ["a", "b"])
        assert answer.generation == (await server.list()).generation


async def test_a_query_has_eight_kibibytes_at_most() -> None:
    world = World()
    async with in_process(skill_row(world.blobs, "a", body="Wind."), world=world) as server:
        assert names(await find(server, ("wind " * 1_639)[:8_192])) == ["a"]
        refusal = await server.refused(pb.SearchSkillsRequest(query="x" * 8_193))
        assert (refusal.reason, refusal.metadata) == ("ARGUMENT_OUT_OF_RANGE", {"field": "query", "limit": "8192"})


async def test_an_answer_with_the_largest_bodies_is_below_what_any_answer_may_be() -> None:
    world = World()
    rows = [skill_row(world.blobs, f"s{number:02}", body=f"wind {number} " * 30_000 + "end") for number in range(50)]
    async with in_process(*rows, world=world) as server:
        request = pb.SearchSkillsRequest(query="wind", limit=50, body_bytes=2**32 - 1)
        answer = await server.raw("SearchSkills", request.SerializeToString())
        hits = pb.SearchSkillsResponse.FromString(answer).hits
        given = sum(len(hit.body.encode()) for hit in hits)
        assert (len(hits), len(answer) < 2 * 1024 * 1024) == (50, True)
        assert 0 < given <= 1024 * 1024


async def test_another_partitions_skills_are_neither_found_nor_counted() -> None:
    world = World()
    async with in_process(
        skill_row(world.blobs, "a", body="wind"), world=world, partitions=(DEPLOYMENT, PLUM, QUINCE)
    ) as server:
        before = [await find(server, query, project="plum") for query in ("wind", "secret", "secert", "pl")]
        server.publish(
            *(skill_row(world.blobs, f"q{number}", body="wind secret") for number in range(20)), partition=QUINCE
        )
        assert len((await find(server, "secret", project="quince", limit=50)).hits) == 20
        after = [await find(server, query, project="plum") for query in ("wind", "secret", "secert", "pl")]
        assert [answer.SerializeToString() for answer in after] == [answer.SerializeToString() for answer in before]
        assert names(after[0]) == ["a"]


async def test_equal_layers_of_two_partitions_have_an_index_each() -> None:
    world = World()
    own = skill_row(world.blobs, "own", body="wind")
    async with in_process(world=world, partitions=(DEPLOYMENT, PLUM, QUINCE)) as server:
        for partition in (PLUM, QUINCE):
            server.publish(own, partition=partition)
        for project in ("plum", "quince"):
            assert names(await find(server, "wind", project=project)) == ["own"]


async def test_a_skill_that_is_not_allowed_looks_like_one_that_is_nowhere() -> None:
    world = World()
    rows = [skill_row(world.blobs, "a", body="wind"), skill_row(world.blobs, "b", body="storm")]
    async with in_process(*rows, world=world) as server:
        allow = pb.AllowList(names=["a"])
        hidden, nowhere = [await find(server, query, allow=allow) for query in ("storm", "xyzzy")]
        assert hidden.SerializeToString() == nowhere.SerializeToString()
        assert hidden.engine == "bm25"


async def test_a_skill_of_a_stronger_layer_is_found_once_and_counted_once() -> None:
    world = World()
    async with in_process(
        skill_row(world.blobs, "a", body="wind"), world=world, partitions=(DEPLOYMENT, LOCAL)
    ) as server:
        alone = await find(server, "wind")
        server.publish(skill_row(world.blobs, "a", body="wind wind storm"), partition=LOCAL)
        both = await find(server, "wind")
        assert [(hit.skill, hit.score) for hit in both.hits] == [(hit.skill, hit.score) for hit in alone.hits]
        assert names(await find(server, "storm")) == []


async def test_a_large_layer_is_indexed_without_being_asked_for_and_answers_plainly_until_then() -> None:
    world = World()
    async with many(world, LARGE) as (server, rows):
        assert names(await by_index(server, "wind 7"))[0] == "s0007"
        # Followed: a further skill is found by an index, and until that has caught up by the plain rule.
        server.publish(*rows, skill_row(world.blobs, "late", body="Mizzen."))
        assert names(await find(server, "mizzen")) == ["late"]
        assert names(await by_index(server, "mizzen")) == ["late"]


async def test_a_search_of_a_large_layer_does_not_wait_for_its_index() -> None:
    """Its bodies cannot be had before the search is answered."""
    blobs = Held()
    world = World(blobs=blobs)
    async with many(world, LARGE + 1_000) as (server, _rows):
        # More skills than are gone through by their bodies: what their summaries say is found meanwhile.
        answer = await find(server, "sails", limit=2)
        assert (answer.engine, names(answer)) == ("idf-partial", ["s0000", "s0001"])
        blobs.let_go.set()
        assert (await by_index(server, "sails", limit=2)).engine == "bm25"


async def test_what_has_no_room_for_an_index_is_searched_plainly() -> None:
    world = World(limits=Limits(search_index_bytes=1))
    async with in_process(skill_row(world.blobs, "a", body="wind"), world=world) as server:
        for _ in range(2):
            answer = await find(server, "wind")
            assert (answer.engine, names(answer), list(answer.hits[0].matched)) == ("idf", ["a"], ["body"])


async def test_a_body_that_is_lost_costs_its_snippet_and_no_hit() -> None:
    blobs = MemoryBlobStore()
    world = World(blobs=blobs)
    rows = [skill_row(world.blobs, "a", description="Sails.", body="wind"), skill_row(world.blobs, "b", body="x")]
    async with in_process(*rows, world=world) as server:
        assert names(await find(server, "wind")) == ["a"]
        document = rows[0].bundle.document
        assert document is not None
        del blobs.blobs[document.digest]
        [hit] = (await find(server, "wind", body_bytes=100)).hits
        assert (hit.skill.name, hit.body, hit.snippet, list(hit.matched)) == ("a", "", "Sails.", ["body"])

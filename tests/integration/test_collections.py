"""Collections in lists: which there are, how many of their skills the caller sees, and their members alone."""

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
import skillsource
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.generation import Row
from tests.hostile.faces import Connect, asynchronous, blocking
from tests.integration.calls import Caller
from tests.integration.conftest import Serve
from tests.integration.in_process import World, in_process
from tests.simulators.skills import skill_row
from tests.unit.sources.trees import grow, skill

pytestmark = pytest.mark.integration


def member(world: World, name: str, *, model: bool = True) -> Row:
    """Return a skill of the collection `lab`."""
    line = "{count} recipes of the lab."
    return skill_row(world.blobs, name, model=model, collection="lab", collection_line=line)


@pytest.fixture(params=["blocking", "asyncio"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    with blocking() if request.param == "blocking" else asynchronous() as give:
        yield give


@pytest.fixture
def world() -> World:
    return World()


def shown(page: pb.ListSkillsResponse) -> list[tuple[str, str, int]]:
    """Return the collections of a page."""
    return [(each.id, each.line, each.count) for each in page.collections]


async def test_each_collection_has_its_line_with_the_number_of_its_skills(world: World) -> None:
    rows = [member(world, name) for name in ("a", "b", "c")]
    rows += [skill_row(world.blobs, "d", collection="art"), skill_row(world.blobs, "e")]
    async with in_process(*rows, world=world) as server:
        page = await server.list()
    assert shown(page) == [("art", "Skills of the collection art: 1", 1), ("lab", "3 recipes of the lab.", 3)]


async def test_the_number_is_of_the_skills_that_the_caller_sees(world: World) -> None:
    rows = [member(world, name, model=name != "c") for name in ("a", "b", "c")]
    async with in_process(*rows, world=world) as server:
        assert shown(await server.list(allow={"names": ["a", "x"]})) == [("lab", "1 recipes of the lab.", 1)]
        assert shown(await server.list(invocation=pb.INVOCATION_FILTER_MODEL)) == [("lab", "2 recipes of the lab.", 2)]
        assert shown(await server.list(allow={"names": ["x"]})) == []


async def test_collections_are_on_the_first_page_alone_and_count_all_pages(world: World) -> None:
    rows = [member(world, name) for name in ("a", "b", "c")]
    async with in_process(*rows, world=world) as server:
        first = await server.list(page_size=2)
        second = await server.list(page_size=2, page_token=first.next_page_token)
    assert shown(first) == [("lab", "3 recipes of the lab.", 3)]
    assert ([skill.name for skill in second.skills], shown(second)) == (["c"], [])


@pytest.mark.parametrize("asked", ["\uff2cab", "LAB", "lab"])
async def test_members_alone_are_listed_by_an_id_in_any_spelling_of_one_identity(world: World, asked: str) -> None:
    rows = [
        member(world, "a"),
        skill_row(world.blobs, "b", collection="LAB"),
        skill_row(world.blobs, "c"),
    ]
    async with in_process(*rows, world=world) as server:
        page = await server.list(collection=asked)
    assert ([skill.name for skill in page.skills], page.total_size) == (["a", "b"], 2)
    assert shown(page) == [("lab", "2 recipes of the lab.", 2)]


async def test_a_collection_of_which_the_caller_sees_nothing_is_as_one_that_is_nowhere(world: World) -> None:
    rows = [member(world, "a"), skill_row(world.blobs, "b")]
    async with in_process(*rows, world=world) as server:
        digest = (await server.list()).generation.digest
        refusals = [
            await server.refused(request)
            for request in (
                pb.ListSkillsRequest(collection="nowhere"),
                pb.ListSkillsRequest(collection="lab", allow={"names": ["b"]}),
                pb.ListSkillsRequest(collection="lab", allow={"names": []}),
                pb.ListSkillsRequest(collection="lab", allow={"names": ["b"]}, if_none_match=digest),
            )
        ]
    assert {(each.code, each.reason) for each in refusals} == {(grpc.StatusCode.NOT_FOUND, "COLLECTION_NOT_FOUND")}
    assert len({each.message for each in refusals}) == 1


async def test_a_collection_whose_skills_are_all_for_others_to_begin_is_an_empty_list(world: World) -> None:
    async with in_process(member(world, "a", model=False), world=world) as server:
        page = await server.list(collection="lab", invocation=pb.INVOCATION_FILTER_MODEL)
    assert (page.total_size, shown(page)) == (0, [])


async def test_a_line_that_changed_alone_is_told_though_no_digest_covers_it(world: World) -> None:
    async with in_process(member(world, "a"), world=world) as server:
        before = await server.list()
        assert server.publish(skill_row(world.blobs, "a", collection="lab", collection_line="Now {count}.")) is None
        after = await server.list()
    assert after.generation.digest == before.generation.digest
    assert shown(after) == [("lab", "Now 1.", 1)]


async def test_an_id_that_is_too_long_is_out_of_range(world: World) -> None:
    async with in_process(skill_row(world.blobs, "a"), world=world) as server:
        refusal = await server.refused(pb.ListSkillsRequest(collection="x" * 257))
    assert (refusal.reason, refusal.metadata["field"]) == ("ARGUMENT_OUT_OF_RANGE", "collection")


async def test_a_thousand_collections_leave_room_for_a_skill_on_their_page(world: World) -> None:
    rows = [
        skill_row(world.blobs, f"s{number:04}", collection=f"c{number:04}", collection_line="€" * 266)
        for number in range(1_100)
    ]
    async with in_process(*rows, world=world) as server:
        page = await server.list()
    assert len(page.collections) == 1_000
    assert len(page.skills) >= 1
    assert page.ByteSize() < 2 * 1024 * 1024


async def test_the_pages_of_a_collection_have_each_member_once(world: World) -> None:
    rows = [member(world, f"m{number:02}") for number in range(25)]
    async with in_process(*rows, skill_row(world.blobs, "other"), world=world) as server:
        names: list[str] = []
        token = ""
        while True:
            page = await server.list(collection="LAB", page_size=10, page_token=token)
            assert page.total_size == 25
            assert shown(page) == ([] if token else [("lab", "25 recipes of the lab.", 25)])
            names += [each.name for each in page.skills]
            if not (token := page.next_page_token):
                break
    assert names == [row.name for row in rows]


async def test_members_are_loaded_and_say_what_they_are_members_of(world: World) -> None:
    async with in_process(member(world, "a"), skill_row(world.blobs, "b"), world=world) as server:
        page = await server.list(view=pb.SKILL_VIEW_FULL)
        assert [(each.name, each.collection) for each in page.skills] == [("a", "lab"), ("b", "")]
        body = await server.call(pb.SkillBodyRequest(name="a"), pb.SkillBodyResponse)
        assert body.total_bytes
        page = await server.list(collection="lab", invocation=pb.INVOCATION_FILTER_MODEL)
        assert [each.name for each in page.skills] == ["a"]


def test_a_line_survives_a_restart_on_a_source_that_is_down(serve: Serve, tmp_path: Path) -> None:
    root = grow(
        tmp_path / "skills",
        {
            "lab/COLLECTION.json": '{"id": "lab", "prompt_line": "{count} of the lab."}',
            "lab/a/SKILL.md": skill("a"),
            "lab/b/SKILL.md": skill("b"),
        },
    )
    first = serve(root)
    expected = [("lab", "2 of the lab.", 2)]
    with Caller(first.address) as caller:
        assert shown(caller.call(pb.ListSkillsRequest(), pb.ListSkillsResponse)) == expected
    first.stop()
    root.rename(tmp_path / "gone")
    with Caller(serve(root, data_dir=first.data_dir).address) as caller:
        page = caller.call(pb.ListSkillsRequest(), pb.ListSkillsResponse)
        assert (shown(page), page.generation.complete) == (expected, False)


def test_a_line_edited_on_disk_is_served(serve: Serve, tmp_path: Path) -> None:
    root = grow(
        tmp_path / "skills",
        {"lab/COLLECTION.json": '{"prompt_line": "{count} here."}', "lab/a/SKILL.md": skill("a")},
    )
    with Caller(serve(root).address) as caller:

        def line() -> str:
            [collection] = caller.call(pb.ListSkillsRequest(), pb.ListSkillsResponse).collections
            return collection.line

        assert line() == "1 here."
        grow(root, {"lab/COLLECTION.json": '{"prompt_line": "{count} there."}', "lab/b/SKILL.md": skill("b")})
        caller.wait_until(lambda: line() == "2 there.")


def test_both_clients_list_collections_and_their_members(connect: Connect, serve: Serve, tmp_path: Path) -> None:
    root = grow(
        tmp_path / "skills",
        {"lab/COLLECTION.json": '{"id": "Lab"}', "lab/a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")},
    )
    client = connect(serve(root).address)
    [collection] = client.list_skills().collections
    assert (collection.id, collection.line, collection.count) == ("Lab", "Skills of the collection Lab: 1", 1)
    assert [each.name for each in client.list_skills(collection="lab").skills] == ["a"]
    listing = client.list_collections()
    assert (listing.collections, listing.dropped) == ((collection,), ())
    assert listing.generation.digest == client.list_skills().generation.digest
    assert client.narrowed(allow=["b"]).list_collections().collections == ()
    with pytest.raises(skillsource.CollectionNotFound):
        client.list_skills(collection="art")
    with pytest.raises(skillsource.CollectionNotFound):
        client.narrowed(allow=["b"]).list_skills(collection="lab")

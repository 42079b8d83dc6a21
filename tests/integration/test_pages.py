"""Pages of a listing: in order, bounded, all from one state, and bound to their request."""

import itertools
from typing import Any

import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.domain.tokens import PagePosition, TokenKeys
from tests.integration.in_process import KEYS, InProcess, World, in_process
from tests.simulators.skills import skill_row

LOCAL = Partition(principal="local", project="")
NAMES = [f"skill-{number:02}" for number in range(10)]


@pytest.fixture
def world() -> World:
    return World(limits=Limits(retained_generations=2, retained_at_most=2))


def publish_version(server: InProcess, version: str, names: list[str] = NAMES) -> None:
    server.publish(*(skill_row(server.world.blobs, name, description=version) for name in names))


async def pages(server: InProcess, **fields: Any) -> list[pb.ListSkillsResponse]:  # noqa: ANN401 - any field
    """Return all pages of a listing."""
    found = [await server.list(**fields)]
    while found[-1].next_page_token:
        found.append(await server.list(page_token=found[-1].next_page_token, **fields))
    return found


def names_of(found: list[pb.ListSkillsResponse]) -> list[str]:
    return [skill.name for page in found for skill in page.skills]


@pytest.mark.parametrize("size", [1, 3, 5, 9, 10, 11, 1_000, 2**32 - 1, 0])
async def test_pages_put_together_are_the_listing(world: World, size: int) -> None:
    async with in_process(world=world) as server:
        publish_version(server, "1")
        found = await pages(server, page_size=size)
        assert names_of(found) == NAMES
        assert {page.total_size for page in found} == {10}
        assert {len(page.skills) for page in found[:-1]} <= {size}
        assert len(found) == (-(-10 // size) if size else 1)


async def test_an_empty_catalog_is_one_page(world: World) -> None:
    async with in_process(world=world) as server:
        page = await server.list()
        assert (list(page.skills), page.total_size, page.next_page_token) == ([], 0, "")


async def test_the_page_size_may_change_from_page_to_page(world: World) -> None:
    async with in_process(world=world) as server:
        publish_version(server, "1")
        first = await server.list(page_size=2)
        second = await server.list(page_size=3, page_token=first.next_page_token)
        third = await server.list(page_token=second.next_page_token)
        assert names_of([first, second, third]) == NAMES


async def test_more_than_1000_skills_are_several_pages(world: World) -> None:
    names = [f"skill-{number:04}" for number in range(2_001)]
    async with in_process(world=world) as server:
        publish_version(server, "1", names)
        found = await pages(server, page_size=5_000)
        assert [len(page.skills) for page in found] == [1_000, 1_000, 1]
        assert names_of(found) == names


@pytest.mark.parametrize("view", [pb.SKILL_VIEW_BASIC, pb.SKILL_VIEW_FULL])
async def test_a_page_has_at_most_512_kib_of_skills(world: World, view: int) -> None:
    names = [f"skill-{number:04}" for number in range(900)]
    async with in_process(world=world) as server:
        publish_version(server, "世" * 266, names)
        found = await pages(server, view=view)
        sizes = [sum(len(_encoded(skill)) for skill in page.skills) for page in found]
        following = [len(_encoded(page.skills[0])) for page in found[1:]]
        assert max(sizes) <= 512 * 1024
        assert all(size + more > 512 * 1024 for size, more in zip(sizes, following, strict=False))
        assert names_of(found) == names


async def test_a_skill_larger_than_a_page_has_one_of_its_own() -> None:
    async with in_process(world=World(limits=Limits(page_bytes=100))) as server:
        publish_version(server, "longer than a page may be " * 10)
        found = await pages(server)
        assert [len(page.skills) for page in found] == [1] * 10


async def test_page_two_belongs_to_page_one_whatever_is_published_meanwhile(world: World) -> None:
    async with in_process(world=world) as server:
        publish_version(server, "1")
        first = await server.list(page_size=5)
        publish_version(server, "2", ["aaa", *NAMES[::2]])
        second = await server.list(page_size=5, page_token=first.next_page_token)
        assert names_of([first, second]) == NAMES
        assert {skill.description for skill in second.skills} == {"1"}
        assert second.generation == first.generation
        assert (await server.list()).total_size == 6


async def test_a_listing_whose_state_is_no_longer_held_has_expired(world: World) -> None:
    async with in_process(world=world) as server:
        publish_version(server, "1")
        first = await server.list(page_size=5)
        for version in "23":
            publish_version(server, version)
        refusal = await server.refused(pb.ListSkillsRequest(page_size=5, page_token=first.next_page_token))
        assert refusal.reason == "GENERATION_EXPIRED"
        present = (await server.list(page_size=5)).generation.token
        assert refusal.metadata == {"current_token": present}


@pytest.mark.parametrize("first", ["at_least", "at_exactly", None])
@pytest.mark.parametrize("second", ["at_least", "at_exactly", None])
async def test_a_consistency_that_names_the_pages_state_may_stand_beside_its_token(
    world: World, first: str | None, second: str | None
) -> None:
    async with in_process(world=world) as server:
        publish_version(server, "1")
        token = (await server.list()).generation.token
        one = await server.list(page_size=5, **_consistency(first, token))
        publish_version(server, "2")
        two = await server.list(page_size=5, page_token=one.next_page_token, **_consistency(second, token))
        assert {skill.description for skill in two.skills} == {"1"}


async def test_a_listing_that_began_at_least_somewhere_goes_on_with_it(world: World) -> None:
    """A client repeats all other fields with each page, whatever is published meanwhile."""
    async with in_process(world=world) as server:
        publish_version(server, "1")
        since = (await server.list()).generation.token
        publish_version(server, "2")
        first = await server.list(page_size=5, consistency={"at_least": since})
        publish_version(server, "3")
        second = await server.list(page_size=5, consistency={"at_least": since}, page_token=first.next_page_token)
        assert {skill.description for page in (first, second) for skill in page.skills} == {"2"}


@pytest.mark.parametrize("how", ["at_least", "at_exactly"])
async def test_a_consistency_that_names_a_later_state_than_the_pages_is_refused(world: World, how: str) -> None:
    async with in_process(world=world) as server:
        publish_version(server, "1")
        first = await server.list(page_size=5)
        publish_version(server, "2")
        later = (await server.list()).generation.token
        refusal = await server.refused(
            pb.ListSkillsRequest(page_size=5, page_token=first.next_page_token, consistency={how: later})
        )
        assert refusal.reason == "PAGE_TOKEN_MALFORMED"


FIELDS: list[dict[str, Any]] = [
    {},
    {"project": "p"},
    {"allow": {}},
    {"allow": {"names": NAMES}},
    {"allow": {"names": NAMES[:-1]}},
    {"view": pb.SKILL_VIEW_BASIC},
    {"view": pb.SKILL_VIEW_FULL},
    {"if_none_match": "0" * 64},
    {"invocation": pb.INVOCATION_FILTER_ANY},
    {"invocation": pb.INVOCATION_FILTER_MODEL},
]


async def test_a_page_token_is_of_no_use_for_another_request(world: World) -> None:
    async with in_process(world=world) as server:
        publish_version(server, "1")
        tokens = [(await server.list(page_size=5, **fields)).next_page_token for fields in FIELDS]
        for (given, token), fields in itertools.product(zip(FIELDS, tokens, strict=True), FIELDS):
            request = pb.ListSkillsRequest(page_size=5, page_token=token, **fields)
            if not token or given == fields:
                continue
            assert (await server.refused(request)).reason == "PAGE_TOKEN_MALFORMED", (given, fields)


OF_ANOTHER_KEY = TokenKeys((b"o" * 32,)).sign_page(
    PagePosition(generation_token="x", request_hash=b"", last_name="a"),  # noqa: S106 - a token, and no secret
    LOCAL,
)


@pytest.mark.parametrize("token", ["x", "=", "a" * 2_048, "é", OF_ANOTHER_KEY])
async def test_what_was_not_made_here_is_no_page_token(world: World, token: str) -> None:
    async with in_process(world=world) as server:
        refusal = await server.refused(pb.ListSkillsRequest(page_token=token))
        assert refusal.reason == "PAGE_TOKEN_MALFORMED"


async def test_a_page_token_longer_than_its_cap_is_out_of_range(world: World) -> None:
    async with in_process(world=world) as server:
        refusal = await server.refused(pb.ListSkillsRequest(page_token="a" * 2_049))
        assert refusal.reason == "ARGUMENT_OUT_OF_RANGE"
        assert refusal.metadata == {"field": "page_token", "limit": "2048"}


async def test_a_generation_token_is_no_page_token_and_the_other_way_round(world: World) -> None:
    async with in_process(world=world) as server:
        publish_version(server, "1")
        first = await server.list(page_size=5)
        as_page = pb.ListSkillsRequest(page_token=first.generation.token)
        as_state = pb.ListSkillsRequest(consistency={"at_exactly": first.next_page_token})
        assert (await server.refused(as_page)).reason == "PAGE_TOKEN_MALFORMED"
        assert (await server.refused(as_state)).reason == "TOKEN_MALFORMED"


async def test_another_process_with_the_keys_goes_on_where_the_first_one_stopped(world: World) -> None:
    async with in_process(world=world) as server:
        publish_version(server, "1")
        first = await server.list(page_size=5)
    world.keys = TokenKeys((b"n" * 32, *KEYS.keys))
    async with in_process(world=world) as server:
        second = await server.list(page_size=5, page_token=first.next_page_token)
        assert names_of([first, second]) == NAMES


async def test_a_page_token_is_as_deterministic_as_its_page(world: World) -> None:
    async with in_process(world=world) as server:
        publish_version(server, "1")
        assert await server.list(page_size=5) == await server.list(page_size=5)


async def test_not_modified_is_answered_for_a_first_page_alone(world: World) -> None:
    async with in_process(world=world) as server:
        publish_version(server, "1")
        digest = (await server.list()).generation.digest
        unchanged = await server.list(page_size=5, if_none_match=digest)
        assert unchanged == pb.ListSkillsResponse(generation=unchanged.generation, not_modified=True)
        publish_version(server, "2")
        first = await server.list(page_size=5, if_none_match=digest)
        publish_version(server, "1")
        second = await server.list(page_size=5, if_none_match=digest, page_token=first.next_page_token)
        assert (first.not_modified, second.not_modified) == (False, False)
        assert {skill.description for page in (first, second) for skill in page.skills} == {"2"}


def _consistency(how: str | None, token: str) -> dict[str, Any]:
    return {"consistency": {how: token}} if how else {}


def _encoded(skill: Any) -> bytes:  # noqa: ANN401 - a Skill as one item of a page
    return pb.ListSkillsResponse(skills=[skill]).SerializeToString()

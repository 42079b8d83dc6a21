"""Ten thousand publishes against readers of every call: no answer mixes two generations (rules.md 5).

Every skill of a generation carries its number in description, body and asset, so that an answer tells by itself which
generations it was made of. A thread publishes while the readers run on the server's event loop. Each read lets it
publish four generations more: alone it would be ten times as quick as the readers, and few reads would be left. It goes
on until there were 10,000 publishes and every reader has done its share.
"""

import asyncio
import hashlib
import re
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import grpc
from google.protobuf.message import Message
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb
from typing_extensions import override

from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from tests.integration.in_process import InProcess, World, in_process, refusal_of
from tests.simulators.skills import skill_row

PUBLISHES = 10_000
PUBLISHES_A_READ = 4
READS_OF_EACH = 90
PAGE = 3
_Answer = TypeVar("_Answer", pb.ListSkillsResponse, pb.SkillBodyResponse, pb.ListAssetsResponse, pb.ActivateResponse)
_NUMBER = re.compile(r"generation (\d+)")


def names_of(number: int) -> list[str]:
    """Return the names of a generation: six, of which some come and go."""
    return sorted(["s0", f"s{1 + number % 5}", f"s{6 + number % 3}", "t0", "t1", f"x{number % 7}"])


def rows_of(world: World, number: int) -> list[Row]:
    return [
        skill_row(
            world.blobs,
            name,
            description=f"Of generation {number}.",
            body=f"{name} of generation {number}",
            assets={"a.txt": f"asset of generation {number}".encode()},
        )
        for name in names_of(number)
    ]


def number_of(generation: pb.Generation) -> int:
    """Return the number of the generation that an answer names: the empty one before has the sequence 1."""
    return generation.sequence - 1


def numbers_in(texts: Iterable[str]) -> set[int]:
    return {int(found) for text in texts for found in _NUMBER.findall(text)}


class Publisher(threading.Thread):
    """Publishes generation after generation until told that it is enough."""

    def __init__(self, server: InProcess) -> None:
        super().__init__()
        self.server = server
        self.published = 0
        self.enough = threading.Event()
        self.permits = threading.Semaphore(PUBLISHES_A_READ)

    @override
    def run(self) -> None:
        while self.published < PUBLISHES or not self.enough.is_set():
            self.permits.acquire()
            number = self.published + 1
            generation = self.server.publish(*rows_of(self.server.world, number))
            assert generation is not None
            assert generation.sequence == number + 1
            self.published = number


class Readers:
    """What the readers do, and how often they have done it."""

    def __init__(self, server: InProcess, publisher: Publisher) -> None:
        self.server = server
        self.publisher = publisher
        self.done: Counter[str] = Counter()
        self.stopping = False

    async def repeat(self, read: Callable[[], Awaitable[None]]) -> None:
        """Read until it is enough. A state that expired meanwhile is no fault: it is the rule."""
        while not self.stopping:
            try:
                await read()
            except grpc.aio.AioRpcError as error:
                refusal = refusal_of(error)
                assert refusal.reason == "GENERATION_EXPIRED", refusal
            else:
                self.done[read.__name__] += 1
            self.publisher.permits.release(PUBLISHES_A_READ)

    async def pages(self) -> None:
        """All pages of one listing come from one generation, and are all of it."""
        first = page = await self.server.list(page_size=PAGE)
        skills = list(page.skills)
        while page.next_page_token:
            page = await self.server.list(page_size=PAGE, page_token=page.next_page_token)
            assert page.generation == first.generation
            skills += page.skills
        check_listing(first.generation, skills)
        assert page.total_size == len(skills)

    async def body(self) -> None:
        for form, texts in ((pb.BODY_FORM_BODY, 1), (pb.BODY_FORM_DOCUMENT, 2)):
            answer = await self.server.call(pb.SkillBodyRequest(name="s0", form=form), pb.SkillBodyResponse)
            number = number_of(answer.generation)
            assert _NUMBER.findall(answer.body) == [str(number)] * texts
            assert answer.digest == hashlib.sha256(answer.body.encode()).hexdigest()

    async def inventory(self) -> None:
        answer = await self.server.call(pb.ListAssetsRequest(name="s0"), pb.ListAssetsResponse)
        check_assets(answer.generation, answer.assets)

    async def asset(self) -> None:
        answer = await self.server.call(pb.ReadAssetRequest(skill="s0", asset="a.txt"), pb.ReadAssetResponse)
        assert answer.data == f"asset of generation {number_of(answer.generation)}".encode()
        assert answer.digest == hashlib.sha256(answer.data).hexdigest()

    async def activation(self) -> None:
        request = pb.ActivateRequest(name="s0", request_id=str(self.done["activation"] % 50))
        check_activation(await self.server.call(request, pb.ActivateResponse))

    async def session(self) -> None:
        """What is pinned to one generation reads one generation, whatever is published meanwhile."""
        listing = await self.server.list()
        generation = listing.generation
        pin = pb.Consistency(at_exactly=generation.token)

        again = await self.pinned(pb.ListSkillsRequest(consistency=pin), generation, pb.ListSkillsResponse)
        assert list(again.skills) == list(listing.skills)
        body = await self.pinned(pb.SkillBodyRequest(name="t1", consistency=pin), generation, pb.SkillBodyResponse)
        assert body.body == f"t1 of generation {number_of(generation)}"
        inventory = await self.pinned(
            pb.ListAssetsRequest(name="t1", consistency=pin), generation, pb.ListAssetsResponse
        )
        check_assets(generation, inventory.assets)
        begun = await self.pinned(pb.ActivateRequest(name="t1", consistency=pin), generation, pb.ActivateResponse)
        check_activation(begun)

    async def pinned(self, request: Message, generation: pb.Generation, into: type[_Answer]) -> _Answer:
        answer = await self.server.call(request, into)
        assert answer.generation == generation
        return answer

    async def at_least(self) -> None:
        """What is read after a state was seen is that state or a later one."""
        seen = (await self.server.list(page_size=1)).generation
        request = pb.SkillBodyRequest(name="t0", consistency=pb.Consistency(at_least=seen.token))
        answer = await self.server.call(request, pb.SkillBodyResponse)
        assert answer.generation.sequence >= seen.sequence
        assert numbers_in([answer.body]) == {number_of(answer.generation)}

    async def watch(self) -> None:
        """Deltas replayed are the listing of the generation that each of them leads to."""
        watcher = self.server.watch(100.0)
        held: dict[str, skill_pb2.Skill] = {}
        last = 0
        for _ in range(20):
            event = await watcher.event()
            assert event.generation.sequence >= last
            last = event.generation.sequence
            if event.resync:
                pin = {"at_exactly": event.generation.token}
                held = {skill.name: skill for skill in (await self.server.list(consistency=pin)).skills}
            for name in event.removed:
                del held[name]
            held.update({skill.name: skill for skill in (*event.added, *event.modified)})
            check_listing(event.generation, [held[name] for name in sorted(held)])
            self.done["event"] += not event.heartbeat
        watcher.stream.cancel()

    @property
    def enough(self) -> bool:
        each = ("pages", "body", "inventory", "asset", "activation", "session", "at_least")
        return all(self.done[name] >= READS_OF_EACH for name in each) and self.done["event"] >= READS_OF_EACH


def check_listing(generation: pb.Generation, skills: list[skill_pb2.Skill]) -> None:
    number = number_of(generation)
    assert [skill.name for skill in skills] == names_of(number)
    assert numbers_in(skill.description for skill in skills) == {number}


def check_assets(generation: pb.Generation, assets: Iterable[skill_pb2.Asset]) -> None:
    content = f"asset of generation {number_of(generation)}".encode()
    expected = skill_pb2.Asset(
        name="a.txt", size=len(content), digest=hashlib.sha256(content).hexdigest(), media_type="text/plain"
    )
    assert list(assets) == [expected]


def check_activation(answer: pb.ActivateResponse) -> None:
    number = number_of(answer.generation)
    assert numbers_in([answer.text]) == {number}
    body = f"{answer.name} of generation {number}"
    assert answer.body_digest == hashlib.sha256(body.encode()).hexdigest()
    check_assets(answer.generation, answer.assets)


async def test_no_answer_mixes_two_generations_however_fast_they_are_published() -> None:
    world = World(limits=Limits(heartbeat_s=0.5))
    async with in_process(*rows_of(world, 1), world=world) as server:
        publisher = Publisher(server)
        readers = Readers(server, publisher)
        publisher.published = 1
        each = (readers.pages, readers.body, readers.inventory, readers.asset, readers.activation)
        more = (readers.session, readers.at_least, readers.watch, readers.watch, readers.pages)
        tasks = [asyncio.create_task(readers.repeat(read)) for read in (*each, *more)]
        publisher.start()
        try:
            while publisher.is_alive():
                done, _pending = await asyncio.wait(tasks, timeout=0.05, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
                if readers.enough:
                    publisher.enough.set()
            readers.stopping = True
            await asyncio.gather(*tasks)
        finally:
            publisher.enough.set()
            publisher.permits.release(PUBLISHES)
            publisher.join()
    assert publisher.published >= PUBLISHES
    assert readers.enough

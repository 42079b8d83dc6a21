"""Watching and following a server that keeps to the contract."""

import threading
from collections.abc import Callable, Iterator

import grpc
import pytest
import skillsource
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.faces import Connect
from tests.hostile.honest import FakeAsset, FakeSkill, Honest
from tests.hostile.playing import Script, Server, refuse
from tests.hostile.waiting import wait_until
from tests.patience import PATIENCE_S
from tests.simulators.ports import own_port

Play = Callable[[Script], Server]

FIRST = FakeSkill(name="first", body="First.", assets=(FakeAsset(name="a.txt", data=b"a"),))
SECOND = FakeSkill(name="second", body="Second.")


@pytest.fixture
def address() -> Iterator[str]:
    """The address of servers that come one after the other."""
    with own_port() as port:
        yield f"127.0.0.1:{port}"


def changes(event: skillsource.CatalogEvent) -> tuple[list[str], list[str], list[str]]:
    return [skill.name for skill in event.added], [skill.name for skill in event.modified], list(event.removed)


def test_a_watch_tells_what_changed(connect: Connect, play: Play) -> None:
    honest = Honest(FIRST)
    events = connect(play(honest.script()).address).watch()
    assert next(events).resync
    honest.publish(FIRST, SECOND)
    assert changes(next(events)) == (["second"], [], [])
    honest.publish(FakeSkill(name="second", body="Changed."))
    assert changes(next(events)) == ([], ["second"], ["first"])


def test_a_watch_goes_on_where_the_caller_was(connect: Connect, play: Play) -> None:
    honest = Honest(FIRST)
    client = connect(play(honest.script()).address)
    since = client.present()
    honest.publish(FIRST, SECOND)
    assert changes(next(client.watch(since))) == (["second"], [], [])
    assert changes(next(client.watch(client.present()))) == ([], [], [])


def test_a_watch_that_is_sent_away_goes_on_without_a_gap(connect: Connect, play: Play) -> None:
    honest = Honest(FIRST)
    server = play(honest.script())
    events = connect(server.address).watch()
    first = next(events)
    honest.end_watches()
    assert next(events).going_away
    honest.publish(SECOND)
    assert changes(next(events)) == (["second"], [], ["first"])
    assert pb.WatchCatalogRequest.FromString(server.requests("WatchCatalog")[-1]).since == first.generation.token


def test_a_watch_survives_a_server_that_goes_and_comes_back(connect: Connect, address: str) -> None:
    honest = Honest(FIRST)
    with Server(honest.script(), address):
        events = connect(address).watch()
        assert next(events).resync
    honest.publish(FIRST, SECOND)
    with Server(honest.script(), address):
        assert changes(next(events)) == (["second"], [], [])


def test_a_watch_that_no_server_answers_says_so(connect: Connect, play: Play) -> None:
    with pytest.raises(skillsource.Unimplemented):
        next(connect(play({}).address).watch())
    with pytest.raises(skillsource.Unavailable):
        next(connect("127.0.0.1:1").watch())


def test_a_watch_begins_anew_where_its_state_is_unknown_to_the_next_server(connect: Connect, address: str) -> None:
    with Server(Honest(FIRST, SECOND).script(), address):
        events = connect(address).watch()
        next(events)
    honest = Honest(SECOND)
    strict = dict(honest.script())

    def refusing(request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        if pb.WatchCatalogRequest.FromString(request).since:
            refuse(context, grpc.StatusCode.INVALID_ARGUMENT, "TOKEN_MALFORMED")
        yield from honest.watch(request, context)

    strict["WatchCatalog"] = refusing
    with Server(strict, address):
        assert next(events).resync


def test_closing_a_watch_ends_it_at_the_server(connect: Connect, play: Play) -> None:
    gone = threading.Event()
    honest = Honest(FIRST)
    script = dict(honest.script())

    def watch(request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        context.add_callback(gone.set)
        yield from honest.watch(request, context)

    script["WatchCatalog"] = watch
    events = connect(play(script).address).watch()
    next(events)
    events.close()
    assert gone.wait(PATIENCE_S)


def test_an_unchanged_body_costs_no_call_while_the_catalog_is_followed(connect: Connect, play: Play) -> None:
    honest = Honest(FIRST, SECOND)
    server = play(honest.script())
    client = connect(server.address, follow=True)
    wait_until(lambda: bool(client.following))
    assert client.skill_body("first").text == "First."
    assert client.read_asset("first", "a.txt").data == b"a"
    assert len(client.list_skills().skills) == 2
    assert len(client.list_assets("first").assets) == 1
    asked = len(server.asked)
    for _ in range(3):
        assert client.skill_body("first").text == "First."
        assert client.read_asset("first", "a.txt").data == b"a"
        assert len(client.list_skills().skills) == 2
        assert len(client.list_assets("first").assets) == 1
        client.present()
    assert len(server.asked) == asked


def test_an_event_takes_only_what_it_names(connect: Connect, play: Play) -> None:
    honest = Honest(FIRST, SECOND)
    server = play(honest.script())
    client = connect(server.address, follow=True)
    wait_until(lambda: bool(client.following))
    before = client.skill_body("first").generation
    assert client.skill_body("second").text == "Second."
    honest.publish(FIRST, FakeSkill(name="second", body="Changed."))
    wait_until(lambda: client.present() != before)
    asked = server.count("SkillBody")
    assert client.skill_body("first").text == "First."
    assert server.count("SkillBody") == asked
    assert client.skill_body("first").generation == client.present()
    assert client.skill_body("second").text == "Changed."
    honest.publish(FIRST)
    wait_until(lambda: client.present().sequence == 3)
    with pytest.raises(skillsource.SkillNotFound):
        client.skill_body("second")


def test_a_followed_catalog_whose_stream_broke_is_asked_again(connect: Connect, address: str) -> None:
    honest = Honest(FIRST)
    with Server(honest.script(), address):
        client = connect(address, follow=True)
        wait_until(lambda: bool(client.following))
        client.skill_body("first")
    wait_until(lambda: not client.following)
    assert client.follow_error
    with pytest.raises(skillsource.Unavailable):
        client.skill_body("first")
    with Server(honest.script(), address):
        wait_until(lambda: bool(client.following))
        assert client.follow_error is None
        assert client.skill_body("first").text == "First."


def test_a_qualified_name_is_asked_each_time(connect: Connect, play: Play) -> None:
    server = play(Honest(FIRST).script())
    client = connect(server.address, follow=True)
    wait_until(lambda: bool(client.following))
    for _ in range(2):
        client.skill_body("other/first")
    assert server.count("SkillBody") == 2


def test_a_pinned_client_has_nothing_to_follow(connect: Connect, play: Play) -> None:
    client = connect(play(Honest(FIRST).script()).address)
    with pytest.raises(skillsource.InvalidArgument):
        client.pinned(client.present()).follow()


def test_reads_of_a_pinned_client_are_asked_even_while_the_catalog_is_followed(connect: Connect, play: Play) -> None:
    server = play(Honest(FIRST).script())
    client = connect(server.address, follow=True)
    wait_until(lambda: bool(client.following))
    pinned = client.pinned(client.present())
    for _ in range(2):
        assert pinned.skill_body("first").text == "First."
    assert server.count("SkillBody") == 2


def test_no_answer_mixes_two_generations_while_the_catalog_changes(connect: Connect, play: Play) -> None:
    def skills(number: int) -> tuple[FakeSkill, ...]:
        return FakeSkill(name="changing", body=str(number)), FakeSkill(name="staying", body="Always.")

    honest = Honest(*skills(1))
    client = connect(play(honest.script()).address, follow=True)
    wait_until(lambda: bool(client.following))
    last = 150
    seen = [0] * 4
    wrong: list[object] = []

    def read(reader: int) -> None:
        while seen[reader] < last:
            body = client.skill_body("changing")
            if body.text != str(body.generation.sequence) or client.skill_body("staying").text != "Always.":
                wrong.append(body)
            seen[reader] = body.generation.sequence

    readers = [threading.Thread(target=read, args=(reader,)) for reader in range(len(seen))]
    for reader in readers:
        reader.start()
    for number in range(2, last + 1):
        # Not before somebody reads what was published some time ago: else all is over before anybody has read.
        wait_until(lambda: max(seen) > number - 5)  # noqa: B023 - called at once
        honest.publish(*skills(number))
    for reader in readers:
        reader.join(PATIENCE_S)
        assert not reader.is_alive()
    assert wrong == []

"""Closing a client while others use it: they are told at once, whatever they wait for."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import grpc
import pytest
import skillsource

from tests.hostile.faces import Connect
from tests.hostile.honest import Honest
from tests.hostile.lie import CATALOG, playing, streaming
from tests.hostile.lies_of_events import event
from tests.hostile.playing import Script, Server, refuse, until_gone
from tests.hostile.waiting import wait_until
from tests.patience import PATIENCE_S

Play = Callable[[Script], Server]


def silent(request: bytes, context: grpc.ServicerContext) -> bytes:
    del request
    until_gone(context)
    return b""


def never_now(request: bytes, context: grpc.ServicerContext) -> bytes:
    del request
    trailers = (("grpc-retry-pushback-ms", "20000"),)
    return refuse(context, grpc.StatusCode.UNAVAILABLE, "DRAINING", trailers=trailers)


def silent_watch(request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
    del request
    yield event(1).SerializeToString()
    until_gone(context)


@pytest.mark.parametrize(
    ("script", "method", "call"),
    [
        (playing("SkillBody", silent), "SkillBody", lambda client: client.skill_body("first", timeout=60)),
        (playing("Activate", never_now), "Activate", lambda client: client.activate("first", timeout=60)),
        (playing("WatchCatalog", silent_watch), "WatchCatalog", lambda client: list(client.watch())),
        (streaming(event(1)), "WatchCatalog", lambda client: list(client.watch())),
    ],
    ids=["a call", "a pause between attempts", "a watch", "a pause of a watch"],
)
def test_who_waits_is_told(
    connect: Connect, play: Play, script: Script, method: str, call: Callable[[Any], object]
) -> None:
    server = play(script)
    client = connect(server.address)
    with ThreadPoolExecutor(1) as pool:
        waiting: Future[object] = pool.submit(call, client)
        wait_until(lambda: server.count(method) > 0)
        client.close()
        with pytest.raises(skillsource.ClientClosed):
            waiting.result(PATIENCE_S)


def test_closing_twice_is_closing_once(connect: Connect, play: Play) -> None:
    client = connect(play(Honest(*CATALOG).script()).address, follow=True)
    wait_until(lambda: bool(client.following))
    client.close()
    client.close()
    assert not client.following


def test_a_derived_client_closes_nothing(connect: Connect, play: Play) -> None:
    client = connect(play(Honest(*CATALOG).script()).address)
    client.narrowed(allow=["first"]).close()
    assert client.skill_body("first").text


def test_following_twice_is_following_once(connect: Connect, play: Play) -> None:
    server = play(Honest(*CATALOG).script())
    client = connect(server.address, follow=True)
    client.follow()
    wait_until(lambda: bool(client.following))
    assert server.count("WatchCatalog") == 1

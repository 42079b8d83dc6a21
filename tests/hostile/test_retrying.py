"""What is repeated, how often, and with which request id."""

from collections.abc import Callable, Iterator
from itertools import count

import grpc
import pytest
import skillsource
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.faces import Connect
from tests.hostile.honest import Honest
from tests.hostile.lie import CATALOG
from tests.hostile.playing import Script, Server, refuse

Play = Callable[[Script], Server]


def failing(
    method: str, times: int, *, reason: str = "DRAINING", trailers: tuple[tuple[str, str | bytes], ...] = ()
) -> Script:
    """Return a script that refuses the first calls of a method."""
    script = Honest(*CATALOG).script()
    numbers = count()

    def play(request: bytes, context: grpc.ServicerContext) -> bytes | Iterator[bytes]:
        if next(numbers) < times:
            return refuse(context, grpc.StatusCode.UNAVAILABLE, reason, trailers=trailers)
        return script[method](request, context)

    return {**script, method: play}


def test_an_activation_is_repeated_with_the_same_request_id(connect: Connect, play: Play) -> None:
    server = play(failing("Activate", 2))
    assert connect(server.address).activate("first").name == "first"
    ids = [pb.ActivateRequest.FromString(request).request_id for request in server.requests("Activate")]
    assert len(ids) == 3
    assert len(set(ids)) == 1
    assert len(ids[0]) == 36


def test_two_activations_have_two_request_ids_and_a_given_one_is_kept(connect: Connect, play: Play) -> None:
    server = play(Honest(*CATALOG).script())
    client = connect(server.address)
    client.activate("first")
    client.activate("first")
    client.activate("first", request_id="mine")
    ids = [pb.ActivateRequest.FromString(request).request_id for request in server.requests("Activate")]
    assert len(set(ids)) == 3
    assert ids[2] == "mine"


def test_an_activation_is_tried_four_times_in_all(connect: Connect, play: Play) -> None:
    server = play(failing("Activate", 100))
    with pytest.raises(skillsource.Draining):
        connect(server.address).activate("first")
    assert server.count("Activate") == 4


def test_a_server_that_says_never_is_not_asked_again(connect: Connect, play: Play) -> None:
    trailers = (("grpc-retry-pushback-ms", "-1"),)
    server = play(failing("Activate", 100, reason="MCP_SERVER_UNREACHABLE", trailers=trailers))
    with pytest.raises(skillsource.Unavailable) as refused:
        connect(server.address).activate("first")
    assert refused.value.reason == "MCP_SERVER_UNREACHABLE"
    assert server.count("Activate") == 1


def test_what_is_not_unavailable_is_not_repeated(connect: Connect, play: Play) -> None:
    server = play(
        {
            **Honest(*CATALOG).script(),
            "Activate": lambda _, context: refuse(context, grpc.StatusCode.INTERNAL, "INTERNAL_FAULT"),
        }
    )
    with pytest.raises(skillsource.Internal):
        connect(server.address).activate("first")
    assert server.count("Activate") == 1


def test_a_read_is_repeated_by_the_channel(connect: Connect, play: Play) -> None:
    server = play(failing("SkillBody", 2, reason="NOT_READY"))
    assert connect(server.address).skill_body("first").text
    assert server.count("SkillBody") == 3


def test_a_read_that_is_not_ready_in_four_attempts_says_so(connect: Connect, play: Play) -> None:
    server = play(failing("SkillBody", 100, reason="NOT_READY"))
    with pytest.raises(skillsource.NotReady):
        connect(server.address).skill_body("first")
    assert server.count("SkillBody") == 4


def test_no_time_for_another_attempt_is_told_as_what_went_wrong(connect: Connect, play: Play) -> None:
    server = play(failing("Activate", 100, trailers=(("grpc-retry-pushback-ms", "60000"),)))
    with pytest.raises(skillsource.Draining):
        connect(server.address).activate("first", timeout=30)
    assert server.count("Activate") == 1

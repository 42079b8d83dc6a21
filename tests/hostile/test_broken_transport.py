"""Servers that break off, hang, or do not speak gRPC at all: a typed error, in time."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
import skillsource

from tests.hostile import http2
from tests.hostile.faces import Connect

TIMEOUT_S = 0.7
SLACK_S = 15.0

ANSWERS = (
    http2.half_a_message,
    http2.no_trailers,
    http2.ok_without_message,
    http2.status_that_is_no_number,
    http2.unknown_status,
    http2.a_web_page,
    http2.reset,
    http2.open_for_ever,
    http2.hang_up,
    http2.silence,
)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.__name__)
@pytest.mark.parametrize("call", ["skill_body", "activate"])
def test_an_answer_that_breaks_off_is_a_typed_error_in_time(connect: Connect, answer: http2.Answer, call: str) -> None:
    with http2.serving(answer) as address:
        client = connect(address)
        begun = time.monotonic()
        with pytest.raises(skillsource.SkillsourceError) as failed:
            getattr(client, call)("first", timeout=TIMEOUT_S)
        assert time.monotonic() - begun < TIMEOUT_S + SLACK_S
        assert type(failed.value) is not skillsource.SkillsourceError
        client.close()


@pytest.mark.parametrize(
    "answer", [http2.half_a_message, http2.ok_without_message, http2.reset], ids=lambda answer: answer.__name__
)
def test_a_watch_that_breaks_off_is_tried_again_and_then_given_up(connect: Connect, answer: http2.Answer) -> None:
    with http2.serving(answer) as address:
        client = connect(address)
        with pytest.raises(skillsource.SkillsourceError):
            next(client.watch())
        client.close()


@contextmanager
def accepting(say: bytes, *, hang_up: bool) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        held: list[socket.socket] = []

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    held.append(connection)
                    connection.sendall(say)
                    if hang_up:
                        connection.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connection in held:
                connection.close()


@pytest.mark.parametrize(
    "say", [b"", b"HTTP/1.1 200 OK\r\n\r\n", bytes(range(256)) * 1_000], ids=["nothing", "http1", "noise"]
)
@pytest.mark.parametrize("then", ["hangs up", "stays"])
def test_a_port_that_speaks_something_else_is_a_typed_error_in_time(connect: Connect, say: bytes, then: str) -> None:
    with accepting(say, hang_up=then == "hangs up") as address:
        client = connect(address)
        begun = time.monotonic()
        with pytest.raises((skillsource.Unavailable, skillsource.DeadlineExceeded)):
            client.skill_body("first", timeout=TIMEOUT_S)
        assert time.monotonic() - begun < TIMEOUT_S + SLACK_S
        client.close()

"""Logs: lines of JSON, of which none holds what a peer has sent to be told of."""

import json
import logging
import os
from collections.abc import Iterator

import pytest

from skillsvc.cli.logs import log_to_stderr

_OF_GRPC = "grpc._cython.cygrpc"


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    root, of_grpc = logging.getLogger(), logging.getLogger(_OF_GRPC)
    handlers, level, filters = root.handlers[:], root.level, of_grpc.filters[:]
    yield
    root.handlers[:], of_grpc.filters[:] = handlers, filters
    root.setLevel(level)


def test_a_line_is_a_json_object_whatever_a_value_holds(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr("info")
    logging.getLogger("some").info("%s", "two\nlines", extra={"skill": "\x1b[2J"})
    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert (told["message"], told["skill"], told["level"], told["logger"]) == ("two\nlines", "\x1b[2J", "info", "some")


def test_a_header_that_is_no_text_is_not_written_down(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr("debug")
    header = b"Bearer a-secret-with-a-byte-too-many\xff"
    try:
        header.decode()
    except UnicodeDecodeError:
        # As gRPC writes it.
        logging.getLogger(_OF_GRPC).exception("Invalid encoding on %s", header)
    assert not capsys.readouterr().err


def test_whatever_else_grpc_says_is_written_down(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr("info")
    try:
        os.stat("/dev/null/nowhere")  # noqa: PTH116 - any fault of the system
    except OSError:
        logging.getLogger(_OF_GRPC).exception("a fault")
    logging.getLogger(_OF_GRPC).error("another")
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert (first["message"], second["message"]) == ("a fault", "another")
    assert "NotADirectoryError" in first["exception"]

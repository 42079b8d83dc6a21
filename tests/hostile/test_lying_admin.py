"""A lying server asked by its operator: one line says that it is not believed, and nothing of it obeys a terminal."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from skillsource.v1 import admin_pb2 as pb
from typing_extensions import override

from tests.integration.commands import skillsvc

OBEYED = "\x1b[2J\x9b31m\u202e\r\nforged\tline"
NO_MOMENT = Timestamp(seconds=2**62)
UNKNOWN = 99


class _Liar(grpc.GenericRpcHandler):
    def __init__(self, answer: Callable[[], Message]) -> None:
        self._answer = answer

    @override
    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes]":
        return grpc.unary_unary_rpc_method_handler(lambda _request, _context: self._answer().SerializeToString())


@contextmanager
def lying(folder: Path, answer: Callable[[], Message]) -> Iterator[None]:
    server = grpc.server(ThreadPoolExecutor(1), handlers=[_Liar(answer)])
    server.add_insecure_port(f"unix:{folder}/admin.sock")
    server.start()
    yield
    server.stop(None).wait()


@pytest.mark.parametrize("json", [False, True])
def test_pages_without_end_have_one(tmp_path: Path, *, json: bool) -> None:
    def page() -> Message:
        return pb.ListSourcesResponse(next_page_token="again")  # noqa: S106 - of a page, and no secret

    with lying(tmp_path, page):
        done = skillsvc("sources", "--data-dir", tmp_path, *(["--json"] if json else []))
    assert (done.status, done.printed) == (1, b"")
    assert done.complained == f"skillsvc: what answers at unix:{tmp_path}/admin.sock has no end\n"


@pytest.mark.parametrize("json", [False, True])
def test_a_time_that_is_none_is_not_believed(tmp_path: Path, *, json: bool) -> None:
    with lying(tmp_path, lambda: pb.ListSourcesResponse(sources=[pb.SourceReport(last_success_at=NO_MOMENT)])):
        done = skillsvc("sources", "--data-dir", tmp_path, *(["--json"] if json else []))
    assert (done.status, done.printed) == (1, b"")
    assert done.complained == f"skillsvc: what answers at unix:{tmp_path}/admin.sock does not speak the contract\n"


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (("sources",), pb.ListSourcesResponse(sources=[pb.SourceReport(name=OBEYED, state=UNKNOWN)])),  # type: ignore[arg-type] # as a newer server would
        (("diagnostics",), pb.ListDiagnosticsResponse(diagnostics=[{"message": OBEYED, "severity": UNKNOWN}])),
        (
            ("access", "explain", "--issuer", "corp", "--sub", "a"),
            pb.ExplainAccessResponse(grant=pb.AccessGrant(principal=OBEYED, roles=[UNKNOWN])),  # type: ignore[list-item] # as above
        ),
    ],
    ids=["sources", "diagnostics", "access explain"],
)
def test_what_is_not_known_is_told_by_its_number_and_text_is_spelt_out(
    tmp_path: Path, command: tuple[str, ...], answer: Message
) -> None:
    with lying(tmp_path, lambda: answer):
        done = skillsvc(*command, "--data-dir", tmp_path)
    assert (done.status, done.complained) == (0, "")
    printed = done.printed.decode()
    assert str(UNKNOWN) in printed
    assert not set(OBEYED[0] + OBEYED[4] + "\u202e\r") & set(printed)

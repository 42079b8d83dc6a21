"""Headers that are no text, as no client of gRPC sends them: nothing of them is written down."""

import signal
import socket
import subprocess
from pathlib import Path

from tests.integration.commands import SKILLSVC, environment
from tests.patience import PATIENCE_S

EXAMPLES = Path(__file__).parents[2] / "examples" / "skills"
SECRET = b"a-secret-that-is-long-enough-to-be-one"
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _SETTINGS = 0, 1, 4
_END_STREAM, _END_HEADERS = 0x1, 0x4


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def _literal(name: bytes, value: bytes) -> bytes:
    """Encode a header by HPACK, neither indexed nor compressed."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def _call_with(address: str, header: bytes) -> bytes:
    """Make a call in bare HTTP/2, with a header `authorization`; return what is answered, up to a piece of its end."""
    headers = {
        b":method": b"POST",
        b":scheme": b"http",
        b":path": b"/skillsource.v1.SkillSourceService/ListSkills",
        b":authority": b"localhost",
        b"content-type": b"application/grpc",
        b"te": b"trailers",
        b"authorization": header,
    }
    block = b"".join(_literal(name, value) for name, value in headers.items())
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), PATIENCE_S) as connection:
        connection.sendall(_PREFACE + _frame(_SETTINGS, 0, 0, b"") + _frame(_HEADERS, _END_HEADERS, 1, block))
        connection.sendall(_frame(_DATA, _END_STREAM, 1, bytes(5)))
        answered = b""
        while b"grpc-status" not in answered:
            piece = connection.recv(65_536)
            assert piece, answered
            answered += piece
    return answered


def test_a_token_that_is_spoilt_by_a_byte_is_in_no_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [*SKILLSVC, "serve", "--skills-dir", EXAMPLES, "--layout", "nested", "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment(),
        )
    assert process.stdout is not None
    address = process.stdout.readline().strip().removeprefix("listening on ")
    _call_with(address, b"Bearer " + SECRET + b"\xff")
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    process.stdout.close()
    told = log.read_bytes()
    assert b"serving" in told
    assert SECRET not in told
    assert b"Traceback" not in told

"""Health: what the phase says, and no peer can hold a start or a stop."""

import socket
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2

from tests.integration.conftest import Serve
from tests.patience import PATIENCE_S

SERVICE = "skillsource.v1.SkillSourceService"
SERVING = health_pb2.HealthCheckResponse.SERVING


def check(channel: grpc.Channel, service: str) -> health_pb2.HealthCheckResponse:
    call = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    answer: health_pb2.HealthCheckResponse = call(health_pb2.HealthCheckRequest(service=service), timeout=PATIENCE_S)
    return answer


def test_the_server_and_its_service_are_serving_and_no_other_is_known(serve: Serve, tmp_path: Path) -> None:
    with grpc.insecure_channel(serve(tmp_path).address) as channel:
        assert check(channel, "").status == SERVING
        assert check(channel, SERVICE).status == SERVING
        with pytest.raises(grpc.RpcError) as caught:
            check(channel, "no.such.Service")
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND


def test_a_request_that_is_no_message_is_refused_in_our_own_words(serve: Serve, tmp_path: Path) -> None:
    with grpc.insecure_channel(serve(tmp_path).address) as channel:
        garbage = channel.unary_unary(
            "/grpc.health.v1.Health/Check", request_serializer=bytes, response_deserializer=bytes
        )
        with pytest.raises(grpc.RpcError) as caught:
            garbage(b"\xff\xff", timeout=PATIENCE_S)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert caught.value.details() == "the request is no grpc.health.v1.HealthCheckRequest"


def test_a_watcher_that_reads_nothing_holds_no_stop(serve: Serve, tmp_path: Path) -> None:
    config = tmp_path / "skillsvc.toml"
    config.write_text("[server]\ndrain_s = 1\n")
    server = serve(tmp_path / "skills", config=str(config))
    host, port = server.address.split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as connection:
        connection.sendall(watching_with_no_window())
        # The server acknowledges the settings, so it has the call, and no window to answer it in.
        assert connection.recv(9)
        assert server.stop() == 0


def watching_with_no_window() -> bytes:
    """HTTP/2 by hand: a window of 0 for every stream, then a call of Health/Watch."""
    settings = frame(0x4, 0, 0, (4).to_bytes(2, "big") + (0).to_bytes(4, "big"))
    fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/grpc.health.v1.Health/Watch"),
        (":authority", "localhost"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
    ]
    block = b"".join(b"\x00" + literal(name) + literal(value) for name, value in fields)
    return (
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        + settings
        + frame(0x1, 0x4, 1, block)
        + frame(0x0, 0x1, 1, b"\x00" + (0).to_bytes(4, "big"))
    )


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def literal(text: str) -> bytes:
    return bytes([len(text)]) + text.encode()

"""Stopping: health first, calls under way next, and at once for whoever asks twice."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from tests.integration.conftest import Serve
from tests.patience import PATIENCE_S


def test_a_second_signal_ends_the_calls_that_a_drain_waits_for(serve: Serve, tmp_path: Path) -> None:
    config = tmp_path / "skillsvc.toml"
    config.write_text("[server]\ndrain_s = 600\n")
    server = serve(tmp_path / "skills", config=str(config))
    over = threading.Event()

    def asked() -> Iterator[reflection_pb2.ServerReflectionRequest]:
        yield reflection_pb2.ServerReflectionRequest(list_services="")
        over.wait(PATIENCE_S)

    with grpc.insecure_channel(server.address) as channel:
        # A call that its caller never ends: it holds the drain up for its ten minutes.
        reflecting = channel.stream_stream(
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
            request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
            response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
        )(asked(), timeout=PATIENCE_S)
        assert next(reflecting).list_services_response.service
        watch = channel.unary_stream(
            "/grpc.health.v1.Health/Watch",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )(health_pb2.HealthCheckRequest(), timeout=PATIENCE_S)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        server.process.send_signal(signal.SIGTERM)
        # Health is told first, and a watch of it holds nothing up.
        assert [answer.status for answer in watch] == [health_pb2.HealthCheckResponse.NOT_SERVING]
        assert server.process.poll() is None
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE_S) == 0
        over.set()

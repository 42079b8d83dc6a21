"""Stopping: health first, calls under way next, and at once for whoever asks twice."""

import signal
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2

from tests.integration.conftest import Serve

WATCH = "/grpc.health.v1.Health/Watch"


def test_a_second_signal_ends_the_calls_that_a_drain_waits_for(serve: Serve, tmp_path: Path) -> None:
    config = tmp_path / "skillsvc.toml"
    config.write_text("[server]\ndrain_s = 600\n")
    skills = tmp_path / "skills"
    skills.mkdir()
    server = serve(skills, config=str(config))
    with grpc.insecure_channel(server.address) as channel:
        watch = channel.unary_stream(
            WATCH,
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )(health_pb2.HealthCheckRequest(), timeout=60)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        server.process.send_signal(signal.SIGTERM)
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        # The stream is a call under way: it holds the drain up for its ten minutes.
        assert server.process.poll() is None
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0

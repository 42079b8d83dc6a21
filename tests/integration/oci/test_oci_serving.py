"""What a server makes of an artifact over its life: pushed, moved, tampered with, gone, and there after a start."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.waiting import wait_until
from tests.integration.calls import Caller
from tests.integration.conftest import RunningServer, Serve
from tests.simulators.oci_registry import PASSWORD, USERNAME, RegistryServer, serving_registry
from tests.simulators.oci_sources import folder
from tests.simulators.packing import tarred

SETTINGS = """
[[source]]
name = "harbor"
kind = "oci"
reference = "{registry}/skills/a:1"
plain_http = true
allow_addresses = ["127.0.0.1"]
poll_s = 1
auth = {{ username = "{username}", password_env = "REGISTRY_PASSWORD" }}
"""


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[RegistryServer]:
    with serving_registry(tmp_path / "registry", users=True) as registry:
        yield registry


def told(caller: Caller) -> tuple[bool, list[str], list[str]]:
    """Return whether all was seen, the skills, and the sources of which not all was."""
    answer = caller.call(pb.ListSkillsRequest(), pb.ListSkillsResponse)
    away = [each.source for each in answer.generation.unreachable_sources]
    return answer.generation.complete, [skill.name for skill in answer.skills], away


def test_an_artifact_is_served_through_all_that_happens_to_it(
    registry: RegistryServer, serve: Serve, tmp_path: Path
) -> None:
    registry.push("skills/a", "1", folder("a", "One.", tarred("a/run.sh", b"#!/bin/sh\n", mode=0o755)))
    config = tmp_path / "skillsvc.toml"
    config.write_text(SETTINGS.format(registry=registry.name, username=USERNAME))

    def begin() -> RunningServer:
        return serve(config=str(config), data_dir=tmp_path / "data", environment={"REGISTRY_PASSWORD": PASSWORD})

    server = begin()
    with Caller(server.address) as caller:
        wait_until(lambda: told(caller) == (True, ["a"], []))
        assert caller.body("a") == "Do it."
        assert caller.asset("a", "run.sh") == b"#!/bin/sh\n"

        registry.push("skills/a", "1", folder("a", "One."), folder("b", "Two."))
        wait_until(lambda: told(caller) == (True, ["a", "b"], []))

        spoilt = folder("b", "Next.")
        registry.push_blob("skills/a", spoilt.data)
        kept = registry.blob(sha256(spoilt.data).hexdigest())
        kept.write_bytes(folder("b", "Evil.").data)
        registry.push("skills/a", "1", folder("a", "One."), spoilt)
        wait_until(lambda: told(caller) == (False, ["a", "b"], ["harbor"]))
        assert caller.skill("b").description == "Two."

        registry.stop()
        assert told(caller) == (False, ["a", "b"], ["harbor"])
    assert server.stop() == 0
    assert PASSWORD not in server.log.read_text()

    server = begin()
    with Caller(server.address) as caller:
        wait_until(lambda: told(caller) == (False, ["a", "b"], ["harbor"]))
        with serving_registry(tmp_path / "registry", users=True, port=registry.port):
            kept.write_bytes(spoilt.data)
            wait_until(lambda: told(caller) == (True, ["a", "b"], []))
            assert caller.skill("b").description == "Next."

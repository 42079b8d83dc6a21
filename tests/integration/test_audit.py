"""The audit of a running server: who was refused, who changed what, and nothing of what it was about."""

import logging
import os
from dataclasses import replace
from pathlib import Path

import pytest
from skillsource.v1 import admin_pb2
from skillsource.v1 import skill_source_pb2 as pb
from typing_extensions import override

from skillsvc.domain.access import Refusal, Role
from skillsvc.domain.diagnostics import Diagnostic
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.shares import Shares
from skillsvc.service.audit import LOGGER
from tests.integration.admin_in_process import HERE, operated
from tests.integration.in_process import World, in_process
from tests.integration.partitions import of, skill, tenants
from tests.integration.test_partitions import FailingLog
from tests.simulators.known_callers import KnownCallers, granted
from tests.simulators.scripted_looks import ScriptedLooks, report
from tests.simulators.skills import skill_row

FIELDS = (
    "act",
    "principal",
    "identity",
    "peer",
    "partition",
    "generation",
    "decision",
    "reason",
    "rule",
    "what",
    "count",
)
HUSHED = "of nobody's business"


@pytest.fixture(autouse=True)
def _heard(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger=LOGGER)


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    """Return the fields of the lines so far."""
    return [
        {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        for record in caplog.records
        if record.name == LOGGER
    ]


@pytest.mark.parametrize(
    ("caller", "project", "reason", "who"),
    [
        ("mallory", "", "CREDENTIALS_INVALID", {}),
        ("unruled", "", "ROLE_MISSING", {"principal": "token:unruled"}),
        ("reporter", "", "ROLE_MISSING", {"principal": "token:reporter", "rule": "test"}),
        ("alice", "hers", "PROJECT_NOT_ALLOWED", {"principal": "token:alice", "rule": "test"}),
    ],
)
async def test_a_refusal_says_who_what_why_and_by_which_rule(
    caller: str, project: str, reason: str, who: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    callers = KnownCallers(
        alice=granted("token:alice", projects="mine"),
        reporter=granted("token:reporter", Role.REPORTER),
        unruled=Refusal(why="no access rule matches", caller="token:unruled"),
    )
    async with in_process(identities=callers) as server:
        await server.of(caller).refused(pb.SkillBodyRequest(name="a", project=project))
    (line,) = lines(caplog)
    assert line.pop("peer") == "127.0.0.1"
    assert line == {"act": "SkillBody", "decision": "refused", "reason": reason, "count": 1, **who}


async def test_who_shares_a_principal_is_named_by_what_was_proved(caplog: pytest.LogCaptureFixture) -> None:
    club = replace(granted("token:club"), identity="token:alice")
    reporters = replace(granted("token:club", Role.REPORTER), identity="token:bob")
    world = World()
    row = skill_row(world.blobs, "a")
    async with in_process(row, world=world, identities=KnownCallers(alice=club, bob=reporters)) as server:
        await server.of("alice").call(pb.ActivateRequest(name="a"), pb.ActivateResponse)
        await server.of("alice").refused(pb.ActivateRequest(name="b"))
        await server.of("bob").refused(pb.SkillBodyRequest(name="a"))
    told = [(line["decision"], line["principal"], line["identity"]) for line in lines(caplog)]
    assert told == [
        ("allowed", "token:club", "token:alice"),
        ("refused", "token:club", "token:alice"),
        ("refused", "token:club", "token:bob"),
    ]
    assert {line["peer"] for line in lines(caplog)} == {"127.0.0.1"}


async def test_a_flood_is_one_line_and_its_number(caplog: pytest.LogCaptureFixture) -> None:
    fair = replace(Shares(), reads_a_second=1e-6, reads_burst=1)
    async with in_process(identities=KnownCallers(alice=granted("token:alice")), shares=fair) as server:
        for _ in range(21):
            await server.of("alice").refused(pb.SkillBodyRequest(name="a"))
    told = lines(caplog)
    assert {line["reason"] for line in told} == {"RATE_LIMITED"}
    assert sum(line["count"] for line in told) == 20  # type: ignore[misc] # each is a number
    assert len(told) < 20


async def test_an_activation_names_the_bundle_and_nothing_that_is_in_it(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    row = skill_row(world.blobs, "a", description=HUSHED, body=HUSHED)
    async with in_process(row, world=world, identities=KnownCallers(alice=granted("token:alice"))) as server:
        await server.of("alice").call(pb.ActivateRequest(name="a", project="p", request_id="id"), pb.ActivateResponse)
        await server.of("alice").refused(pb.ActivateRequest(name="b"))
    allowed, refused = lines(caplog)
    assert allowed == {
        "act": "Activate",
        "principal": "token:alice",
        "peer": "127.0.0.1",
        "partition": "token:alice/p",
        "generation": 2,
        "decision": "allowed",
        "rule": "test",
        "what": row.bundle.digest,
    }
    assert (refused["act"], refused["decision"], refused["reason"]) == ("Activate", "refused", "SKILL_NOT_FOUND")
    assert not any(HUSHED in str(vars(record)) for record in caplog.records if record.name == LOGGER)


async def test_what_operators_change_is_written_with_the_generation_that_came_of_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with tenants(tmp_path) as held:
        await held.hold("p", skill("a", body=HUSHED, description=HUSHED), number=2)
        await held.hold("p", skill("a"), number=1)
        await held.revoke("p", "a")
        await held.lift("p", "a")
        await held.clear("p")
        await held.operator.refused(admin_pb2.RevokeSkillRequest(partition=of("nobody"), name="a"))
    told = [(line["act"], line["decision"], line.get("generation"), line.get("reason")) for line in lines(caplog)]
    assert told == [
        ("RefreshPartitions", "allowed", 1, None),
        ("RefreshPartitions", "failed", None, "STALE"),
        ("RevokeSkill", "allowed", 2, None),
        ("LiftRevoke", "allowed", 2, None),
        ("ClearPartitions", "allowed", 2, None),
        ("RevokeSkill", "refused", None, "PARTITION_NOT_FOUND"),
    ]
    assert {line.get("partition") for line in lines(caplog)[:5]} == {"local/p"}
    assert {line.get("principal") for line in lines(caplog)} == {"owner"}
    assert not any(HUSHED in str(vars(record)) for record in caplog.records if record.name == LOGGER)


async def test_a_fault_of_an_operators_call_names_its_incident(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Faulty(ScriptedLooks):
        @override
        def diagnostics(self, partition: Partition) -> tuple[Diagnostic, ...]:
            raise RuntimeError(HUSHED)

    looks = Faulty()
    looks.feed(DEPLOYMENT, report("house"))
    async with operated(looks, tmp_path) as operator:
        refusal = await operator.refused(admin_pb2.ListDiagnosticsRequest(partition=HERE))
    assert refusal.reason == "INTERNAL_FAULT"
    (line,) = lines(caplog)
    assert line.pop("principal")
    assert line.pop("rule")
    assert line.pop("peer")
    assert line == {
        "act": "ListDiagnostics",
        "decision": "failed",
        "reason": "INTERNAL_FAULT",
        "what": refusal.metadata["incident_id"],
    }


async def test_what_is_taken_away_and_cannot_be_kept_is_told_of_each_partition(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = FailingLog(os.urandom)
    async with tenants(tmp_path, world=World(log=log)) as here:
        for project in ("p", "q"):
            await here.hold(project, skill("review", HUSHED))
        caplog.clear()
        log.gone = True
        await here.operator.refused(admin_pb2.RevokeSkillRequest(partition=of("p"), name="review"))
        emptied = [admin_pb2.PartitionEmptied(partition=of(project)) for project in ("p", "q")]
        await here.operator.refused(admin_pb2.ClearPartitionsRequest(partitions=emptied))
        # What could not be begun took nothing away.
        await here.operator.refused(admin_pb2.RevokeSkillRequest(partition=of("nowhere"), name="review"))
    unkept = [line for line in lines(caplog) if line["decision"] == "unkept"]
    assert [(line["act"], line["partition"], line.get("what")) for line in unkept] == [
        ("RevokeSkill", "local/p", "review"),
        ("ClearPartitions", "local/p", None),
        ("ClearPartitions", "local/q", None),
    ]
    assert {line["reason"] for line in unkept} == {"STORE_UNREACHABLE"}
    assert all(line["principal"] and line["rule"] for line in unkept)
    assert not any(HUSHED in str(vars(record)) for record in caplog.records if record.name == LOGGER)

"""ExplainAccess over real gRPC: what the rules in force make of an identity, page by page, and who is told of it."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from skillsource.v1 import admin_pb2 as pb

from skillsvc.domain.access import Access, AccessRule, IdentityKind, Match, Role
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.patterns import Pattern
from skillsvc.domain.principal_template import PrincipalTemplate
from skillsvc.service.audit import LOGGER
from skillsvc.service.identities.identities import Identities, Ways
from tests.integration.admin_in_process import Operator
from tests.integration.in_process import in_process
from tests.simulators.scripted_looks import ScriptedLooks, report
from tests.simulators.skills import skill_row

SPIFFE = "spiffe://example.org/"
ACME = Partition("oidc:corp:acme", "")
HOUSE = Partition(SPIFFE + "house", "")
RULES = (
    AccessRule(name="desks", match=Match(kind=IdentityKind.CERTIFICATE_SUBJECT)),
    AccessRule(
        name="agents",
        match=Match(kind=IdentityKind.CERTIFICATE_SPIFFE, names=(Pattern(SPIFFE + "*"),)),
        principal=PrincipalTemplate.parse("oidc:corp:acme"),
        partitions=(HOUSE,),
        projects=(Pattern("team-*"),),
        roles=frozenset({Role.REPORTER, Role.READER}),
        allow=frozenset({"pdf", "docx", "house/pdf"}),
    ),
    AccessRule(name="rest", match=Match(kind=IdentityKind.CERTIFICATE_SPIFFE), roles=frozenset({Role.ADMIN})),
)
AGENT = pb.Identity(kind=pb.IDENTITY_KIND_SPIFFE, name=SPIFFE + "agent")
ELSEWHERE = pb.Identity(kind=pb.IDENTITY_KIND_SPIFFE, name="spiffe://example.com/a/b")


def identities(*rules: AccessRule) -> Identities:
    return Identities(Ways(certificates=True), Access(rules=rules), now=lambda: datetime.now(UTC))


@asynccontextmanager
async def asked(folder: Path, rules: Identities | None) -> AsyncIterator[Operator]:
    """Run a server whose callers the rules tell apart, None for none, and ask it by its own socket."""
    looks = ScriptedLooks()
    looks.feed(DEPLOYMENT, report("house"))
    async with in_process(partitions=(DEPLOYMENT, ACME), looks=looks, identities=rules) as server:
        server.publish(skill_row(server.world.blobs, "pdf"), partition=ACME)
        address = await server.server.start_admin(folder / "admin.sock")
        async with grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
            yield Operator(server=server, channel=channel, address=address)


async def explained(
    operator: Operator, identity: pb.Identity, project: str = "", **page: object
) -> pb.ExplainAccessResponse:
    request = pb.ExplainAccessRequest(identity=identity, project=project, **page)  # type: ignore[arg-type] # of its page
    return await operator.call(request, pb.ExplainAccessResponse)


async def test_what_an_identity_would_get_and_see_is_told_with_what_each_rule_says(tmp_path: Path) -> None:
    ends = Timestamp(seconds=4_102_444_800)
    identity = pb.Identity(kind=AGENT.kind, name=AGENT.name, expires_at=ends)
    async with asked(tmp_path, identities(*RULES)) as operator:
        told = await explained(operator, identity, "team-a")
        present = operator.server.current.layers[ACME].present
    assert (told.identity, told.credential_refused, told.access_refused) == (AGENT.name, "", "")
    assert told.grant == pb.AccessGrant(
        rule="agents",
        principal="oidc:corp:acme",
        partitions=[pb.Partition(principal=HOUSE.principal)],
        projects=["team-*"],
        projects_total=1,
        roles=[pb.CALLER_ROLE_READER, pb.CALLER_ROLE_REPORTER],
        allow=pb.AllowedSkills(names=["docx", "house/pdf", "pdf"], total=3),
        expires_at=ends,
    )
    assert not told.project_refused
    # In the order of a view, and only what somebody published to has a generation.
    assert [(layer.partition, layer.HasField("present")) for layer in told.layers] == [
        (pb.Partition(deployment=True), True),
        (pb.Partition(principal="oidc:corp:acme", project="team-a"), False),
        (pb.Partition(principal="oidc:corp:acme"), True),
        (pb.Partition(principal=HOUSE.principal), False),
    ]
    assert (told.layers[2].present.digest, told.layers[2].present.skills) == (present.digest, 1)
    assert [(rule.name, rule.verdict) for rule in told.rules] == [
        ("desks", pb.RULE_VERDICT_FOR_OTHERS),
        ("agents", pb.RULE_VERDICT_DECIDES),
        ("rest", pb.RULE_VERDICT_TOO_LATE),
    ]
    assert [rule.why for rule in told.rules] == ["it is for cert, and this is spiffe", "", ""]
    assert (told.next_page_token, told.total_size) == ("", 3)


async def test_who_may_not_name_the_project_or_reads_nothing_sees_no_layer(tmp_path: Path) -> None:
    async with asked(tmp_path, identities(*RULES)) as operator:
        hidden = await explained(operator, AGENT, "secret")
        admin = await explained(operator, ELSEWHERE)
    assert (hidden.project_refused, len(hidden.layers), hidden.grant.rule) == (True, 0, "agents")
    assert (admin.project_refused, len(admin.layers)) == (False, 0)
    assert (list(admin.grant.roles), admin.grant.HasField("allow")) == ([pb.CALLER_ROLE_ADMIN], False)


async def test_whom_no_rule_is_for_and_whom_nothing_proves_are_told_so(tmp_path: Path) -> None:
    async with asked(tmp_path, identities(RULES[0])) as operator:
        nobody = await explained(operator, AGENT)
        unproved = await explained(operator, pb.Identity(kind=pb.IDENTITY_KIND_TOKEN, name="ci"))
    assert (nobody.credential_refused, nobody.access_refused) == ("", "no access rule matches")
    assert not nobody.HasField("grant")
    assert unproved.credential_refused == "there are no static tokens here"


async def test_the_rules_are_those_in_force(tmp_path: Path) -> None:
    rules = identities(RULES[0])
    async with asked(tmp_path, rules) as operator:
        before = await explained(operator, AGENT)
        rules.take(Ways(certificates=True), Access(rules=RULES))
        after = await explained(operator, AGENT)
    assert (before.access_refused, after.grant.rule) == ("no access rule matches", "agents")


async def test_a_server_that_asks_nobody_says_so(tmp_path: Path) -> None:
    async with asked(tmp_path, None) as operator:
        told = await explained(operator, AGENT)
    assert told.credential_refused == "nobody is asked who they are here: everybody is `local`, and may do all"


async def test_rules_come_in_pages_in_their_order_and_the_outcome_on_the_first_alone(tmp_path: Path) -> None:
    many = tuple(replace(RULES[0], name=f"desk-{number}") for number in range(1_500))
    rules = identities(*many, *RULES)
    async with asked(tmp_path, rules) as operator:
        pages = await operator.pages(pb.ExplainAccessRequest(identity=AGENT), pb.ExplainAccessResponse)
        few = await operator.pages(pb.ExplainAccessRequest(identity=AGENT, page_size=700), pb.ExplainAccessResponse)
        other = await operator.refused(pb.ExplainAccessRequest(identity=ELSEWHERE, page_token=few[0].next_page_token))
        rules.take(Ways(certificates=True), Access(rules=RULES))
        gone = await operator.refused(pb.ExplainAccessRequest(identity=AGENT, page_token=few[0].next_page_token))
    names = [*(rule.name for rule in many), "desks", "agents", "rest"]
    for told in (pages, few):
        assert [rule.name for page in told for rule in page.rules] == names
        assert [page.HasField("grant") for page in told] == [True] + [False] * (len(told) - 1)
        assert {page.total_size for page in told} == {1_503}
    assert [len(page.rules) for page in pages] == [1_000, 503]
    assert [len(page.rules) for page in few] == [700, 700, 103]
    assert (other.reason, gone.reason) == ("PAGE_TOKEN_MALFORMED", "PAGE_TOKEN_MALFORMED")


async def test_what_a_rule_holds_at_most_fits_an_answer(tmp_path: Path) -> None:
    names = frozenset(f"{'s' * 64}/{number:064}" for number in range(4_096))
    patterns = tuple(Pattern("é" * 2_040 + f"{number}*") for number in range(300))
    huge = replace(RULES[1], match=Match(kind=IdentityKind.CERTIFICATE_SPIFFE), allow=names, projects=patterns)
    narrow = replace(RULES[1], name="narrow", match=Match(kind=IdentityKind.CERTIFICATE_SPIFFE, names=patterns))
    async with asked(tmp_path, identities(huge, narrow)) as operator:
        told = await explained(operator, AGENT)
    assert (len(told.grant.allow.names), told.grant.allow.total) == (1_000, 4_096)
    assert (len(told.grant.projects), told.grant.projects_total) == (100, 300)
    assert all(len(pattern.encode()) <= 2_048 and pattern.endswith("…") for pattern in told.grant.projects)
    assert len(told.rules[1].why.encode()) <= 512
    assert told.ByteSize() < 512 * 1024


async def test_who_asked_about_whom_is_written_down_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger=LOGGER)
    async with asked(tmp_path, identities(*RULES)) as operator:
        await operator.pages(pb.ExplainAccessRequest(identity=AGENT, page_size=1), pb.ExplainAccessResponse)
    told = [
        {name: getattr(record, name, "") for name in ("act", "decision", "what")}
        for record in caplog.records
        if getattr(record, "act", "") == "ExplainAccess"
    ]
    assert told == [{"act": "ExplainAccess", "decision": "allowed", "what": AGENT.name}]
